-- The recording of gpuprobe, schema 2 (schema 1 has no op.release). This file is the truth: it is embedded in the program, and the
-- words and units of the code are the ones written here.
--
-- Times are integers in nanoseconds. Those of a run count from the run's epoch (the host clock just
-- before its first submitting call); device times are mapped to the host clock by that run's line.
-- NULL is "unknown" everywhere. No function is called here, so that readers need not trust a file. Columns that name a string hold string.id and end in _id.

PRAGMA application_id = 0x47505242; -- "GPRB"
PRAGMA user_version = 2;

-- What the recording is. Keys: status (complete or incomplete), tool_version, created, command_line,
-- seed, and environment variables that matter as env.NAME.
CREATE TABLE recording (
    key TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL,
    CHECK (key <> 'status' OR value IN ('complete', 'incomplete'))
) STRICT, WITHOUT ROWID;

-- Texts that many rows share, each once; ids are 1, 2, 3, … without gaps.
CREATE TABLE string (
    id INTEGER PRIMARY KEY,
    text TEXT NOT NULL UNIQUE
) STRICT;

-- A device as it was opened; each number of connections is a row of its own.
CREATE TABLE device (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('cuda', 'model', 'imported')),
    name TEXT NOT NULL,
    uuid TEXT NOT NULL,              -- '' none
    ordinal INTEGER,                 -- which of its kind
    compute_major INTEGER,           -- compute capability
    compute_minor INTEGER,
    sm_count INTEGER,
    driver_version INTEGER,          -- 13000 is 13.0; 0 no driver
    connections INTEGER,             -- CUDA_DEVICE_MAX_CONNECTIONS as the driver read it
    async_engines INTEGER,           -- as the driver says
    priority_least INTEGER,          -- least >= greatest; equal: there are none
    priority_greatest INTEGER,
    threads_per_sm INTEGER,
    blocks_per_sm INTEGER,
    registers_per_sm INTEGER,
    shared_bytes_per_sm INTEGER,     -- bytes
    memory_bytes INTEGER,            -- bytes
    l2_bytes INTEGER,                -- bytes
    timer_tick_ns INTEGER,           -- step of the device clock, ns
    image TEXT NOT NULL,             -- kernel image loaded: fatbin, ptx, model; '' none
    image_note TEXT NOT NULL,        -- why not the first image; '' nothing to say
    profile TEXT                     -- the model's parameters, JSON
) STRICT;

-- A figure that was measured or taken from a source before the runs, with its 95 % interval.
CREATE TABLE calibration (
    device_id INTEGER NOT NULL REFERENCES device (id),
    name TEXT NOT NULL,
    unit TEXT NOT NULL,              -- '' a pure number
    value REAL NOT NULL,
    lo REAL,
    hi REAL,
    source TEXT NOT NULL,            -- how it is known
    PRIMARY KEY (device_id, name)
) STRICT, WITHOUT ROWID;

-- One configuration that was run any number of times. NULL in submit, issue_order or completion:
-- not known, as in imported traces.
CREATE TABLE cell (
    id INTEGER PRIMARY KEY,
    device_id INTEGER NOT NULL REFERENCES device (id),
    scenario TEXT NOT NULL,
    params TEXT NOT NULL,            -- JSON object, keys sorted
    policy TEXT NOT NULL,
    streams INTEGER NOT NULL,        -- pool size used, 1 … 128
    submit TEXT CHECK (submit IN ('streams', 'graph')),
    issue_order TEXT CHECK (issue_order IN ('depth', 'breadth', 'critical')),
    completion TEXT CHECK (completion IN
        ('host-func', 'event-poll', 'flag', 'blocking-event', 'spin-then-block')),
    status TEXT NOT NULL CHECK (status IN ('incomplete', 'complete', 'failed', 'unsupported')),
    error TEXT NOT NULL              -- why it failed or is unsupported; '' nothing to say
) STRICT;

-- One execution of a cell. A traced run and the plain run of the same repeat are twins.
CREATE TABLE run (
    id INTEGER PRIMARY KEY,
    cell_id INTEGER NOT NULL REFERENCES cell (id),
    pass TEXT NOT NULL CHECK (pass IN ('plain', 'traced', 'reference')),
    trace TEXT NOT NULL CHECK (trace IN ('off', 'stamps', 'events', 'blocks')),
    trace_note TEXT NOT NULL,        -- what the recorder did or left out; '' nothing to say
    repeat INTEGER NOT NULL,         -- 0, 1, 2, … within cell and pass
    makespan_ns INTEGER,             -- host clock: first submitting call to all known complete, ns
    submit_ns INTEGER,               -- host clock: first submitting call to the last one's end, ns
    epoch_realtime_ns INTEGER,       -- CLOCK_REALTIME at the epoch, ns; 0 on the model
    verified INTEGER CHECK (verified IN (0, 1)), -- data right; NULL not checked
    status TEXT NOT NULL CHECK (status IN                -- disturbed: the machine changed meanwhile,
        ('incomplete', 'complete', 'failed', 'unsupported', 'disturbed')), -- so it does not count
    op_first INTEGER,                -- op.row of its operation 0; NULL: operations not kept
    op_count INTEGER NOT NULL,       -- rows op_first … op_first + op_count - 1 of op
    CHECK ((op_first IS NULL) = (op_count = 0))
) STRICT;
CREATE INDEX run_of_cell ON run (cell_id);

-- The machine during a run, sampled.
CREATE TABLE state (
    run_id INTEGER NOT NULL REFERENCES run (id),
    at INTEGER NOT NULL,             -- ns from the run's epoch
    sm_clock_mhz INTEGER,
    memory_clock_mhz INTEGER,
    throttle INTEGER,                -- NVML clock event reasons, bit mask
    power_mw INTEGER,
    temperature_c INTEGER,
    processes INTEGER,               -- other processes with a context on the device
    note TEXT NOT NULL,              -- MIG, MPS, WSL and what else was found; '' nothing to say
    PRIMARY KEY (run_id, at)
) STRICT, WITHOUT ROWID;

-- Moments seen on two clocks, of which a run's line is made.
CREATE TABLE clock (
    run_id INTEGER NOT NULL REFERENCES run (id),
    id INTEGER NOT NULL,             -- 0, 1, 2, … within the run
    kind TEXT NOT NULL CHECK (kind IN ('ping', 'event', 'cupti')),
                                     -- ping: device clock against host; event: event time against
                                     -- device clock; cupti: its clock against host
    host INTEGER NOT NULL,           -- ns of the first clock
    device INTEGER NOT NULL,         -- ns of the second clock
    residual INTEGER,                -- half the round trip or distance from the line, ns
    PRIMARY KEY (run_id, id)
) STRICT, WITHOUT ROWID;

-- The streams of a run whose operations are kept.
CREATE TABLE stream (
    run_id INTEGER NOT NULL REFERENCES run (id),
    id INTEGER NOT NULL,             -- index in the pool
    device_id INTEGER NOT NULL REFERENCES device (id),
    priority INTEGER NOT NULL,       -- as the driver clamped it
    flags TEXT NOT NULL CHECK (flags IN ('non-blocking', 'blocking', 'null', 'per-thread')),
    role TEXT NOT NULL,              -- what the policy uses it for; '' nothing special
    name TEXT NOT NULL,
    PRIMARY KEY (run_id, id)
) STRICT, WITHOUT ROWID;

-- Operations, in the order of (run_id, id): row = run.op_first + id. Columns that are read most come
-- first. begin and end are drawn values inside the resolved intervals [begin_lo, begin_hi] and
-- [end_lo, end_hi]; the rest are the raw facts that these were resolved from.
CREATE TABLE op (
    row INTEGER PRIMARY KEY,
    run_id INTEGER NOT NULL REFERENCES run (id),
    id INTEGER NOT NULL,             -- index in the frozen DAG
    stream_id INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN
        ('kernel', 'h2d', 'd2h', 'd2d', 'memset', 'host', 'value', 'alloc', 'free', 'graph')),
    name_id INTEGER NOT NULL REFERENCES string (id),
    begin INTEGER,                   -- ns
    end INTEGER,                     -- ns
    begin_lo INTEGER,                -- ns
    begin_hi INTEGER,                -- ns
    end_lo INTEGER,                  -- ns
    end_hi INTEGER,                  -- ns
    source TEXT NOT NULL CHECK (source IN ('stamp', 'event', 'bounded', 'cupti', 'modelled')),
    ready INTEGER,                   -- event before it: the stream got here, ns
    done INTEGER,                    -- event after it, ns
    stamp_begin INTEGER,             -- first and last stamp, ns
    stamp_end INTEGER,
    ref_begin INTEGER,               -- reference pass, ns
    ref_end INTEGER,
    submit_begin INTEGER,            -- host clock around its submitting calls, ns
    submit_end INTEGER,
    chain INTEGER NOT NULL,          -- index of its chain
    bytes INTEGER,                   -- copies and memset, bytes
    grid_x INTEGER,                  -- kernels: blocks
    grid_y INTEGER,
    grid_z INTEGER,
    block_x INTEGER,                 -- kernels: threads of a block
    block_y INTEGER,
    block_z INTEGER,
    smem INTEGER,                    -- shared memory of a block, static and dynamic, bytes
    regs INTEGER,                    -- registers of a thread
    engine INTEGER,                  -- copy engine
    connection INTEGER,              -- hardware connection
    rule_id INTEGER REFERENCES string (id), -- sentence of the policy's rule that chose the stream
    rule_detail INTEGER,             -- the number which that sentence explains
    release INTEGER,                 -- intended arrival: not submitted before, ns; NULL: at once
    CHECK (end >= begin),
    FOREIGN KEY (run_id, stream_id) REFERENCES stream (run_id, id)
) STRICT;

-- Why one operation comes before another, and how that is kept. src_op and dst_op are op.id.
CREATE TABLE edge (
    run_id INTEGER NOT NULL REFERENCES run (id),
    dst_op INTEGER NOT NULL,
    src_op INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('data', 'chain', 'fork', 'join', 'event')),
    how TEXT NOT NULL CHECK (how IN ('stream', 'event', 'elided', 'missing')),
    PRIMARY KEY (run_id, dst_op, src_op, kind)
) STRICT, WITHOUT ROWID;

-- Buffer ranges that operations read and write.
CREATE TABLE access (
    run_id INTEGER NOT NULL REFERENCES run (id),
    id INTEGER NOT NULL,             -- 0, 1, 2, … within the run
    op_id INTEGER NOT NULL,          -- op.id
    buffer_id INTEGER NOT NULL REFERENCES string (id), -- its name, unique within the run
    mode TEXT NOT NULL CHECK (mode IN ('r', 'w', 'rw')),
    offset INTEGER NOT NULL,         -- bytes
    bytes INTEGER NOT NULL,          -- bytes
    PRIMARY KEY (run_id, id)
) STRICT, WITHOUT ROWID;

-- Host-side ranges as NVTX has them.
CREATE TABLE range (
    run_id INTEGER NOT NULL REFERENCES run (id),
    id INTEGER NOT NULL,             -- unique within the run
    thread INTEGER NOT NULL,         -- 0 the dispatching one
    domain_id INTEGER REFERENCES string (id), -- NULL: the default domain
    category INTEGER NOT NULL,       -- 0 none
    color INTEGER,                   -- 0xAARRGGBB
    text_id INTEGER NOT NULL REFERENCES string (id),
    level INTEGER NOT NULL,          -- nesting depth, 0 outermost
    begin INTEGER NOT NULL,          -- ns
    end INTEGER,                     -- ns; NULL: never closed
    CHECK (end >= begin),
    PRIMARY KEY (run_id, id)
) STRICT, WITHOUT ROWID;

-- Host calls of the device interface.
CREATE TABLE call (
    run_id INTEGER NOT NULL REFERENCES run (id),
    id INTEGER NOT NULL,             -- 0, 1, 2, … within the run
    thread INTEGER NOT NULL,
    name_id INTEGER NOT NULL REFERENCES string (id),
    op_id INTEGER,                   -- op.id that it is made for
    begin INTEGER NOT NULL,          -- ns
    end INTEGER NOT NULL,            -- ns
    CHECK (end >= begin),
    PRIMARY KEY (run_id, id)
) STRICT, WITHOUT ROWID;

-- Thread blocks, recorded with --trace blocks.
CREATE TABLE block (
    run_id INTEGER NOT NULL REFERENCES run (id),
    op_id INTEGER NOT NULL,          -- op.id
    block INTEGER NOT NULL,          -- linear index in the grid
    sm INTEGER NOT NULL,             -- %smid
    begin INTEGER NOT NULL,          -- ns
    end INTEGER NOT NULL,            -- ns
    CHECK (end >= begin),
    PRIMARY KEY (run_id, op_id, block)
) STRICT, WITHOUT ROWID;

-- Figures of a cell or of a run, with their 95 % interval; the name ends in the unit.
CREATE TABLE metric (
    id INTEGER PRIMARY KEY,
    cell_id INTEGER REFERENCES cell (id),
    run_id INTEGER REFERENCES run (id),
    name TEXT NOT NULL,
    value REAL,
    lo REAL,
    hi REAL,
    CHECK ((cell_id IS NULL) <> (run_id IS NULL))
) STRICT;

-- Answers to the claims that were tested.
CREATE TABLE verdict (
    id INTEGER PRIMARY KEY,
    claim TEXT NOT NULL,
    device_id INTEGER NOT NULL REFERENCES device (id),
    answer TEXT NOT NULL,            -- holds, does-not-hold, cannot-tell
    evidence TEXT NOT NULL           -- figures and cells behind it, JSON
) STRICT;

-- Predicted makespans.
CREATE TABLE prediction (
    cell_id INTEGER NOT NULL REFERENCES cell (id),
    method TEXT NOT NULL,            -- which model made it
    predicted_ns INTEGER,            -- ns
    reason TEXT NOT NULL,            -- why there is none or what it rests on; '' nothing to say
    PRIMARY KEY (cell_id, method)
) STRICT, WITHOUT ROWID;

-- How well a method of timing agrees with the reference.
CREATE TABLE accuracy (
    id INTEGER PRIMARY KEY,
    device_id INTEGER NOT NULL REFERENCES device (id),
    kind TEXT NOT NULL,              -- of operation, as op.kind
    method TEXT NOT NULL,            -- of timing
    quantity TEXT NOT NULL,          -- begin, end, duration
    count INTEGER NOT NULL,          -- operations compared
    bias_ns REAL,                    -- median difference from the reference, ns
    spread_ns REAL,                  -- 95th percentile of the distance from the bias, ns
    inside REAL                      -- share whose stated interval holds the reference, 0 … 1
) STRICT;
