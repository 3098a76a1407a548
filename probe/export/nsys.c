/*
 * A database as Nsight Systems exports it, so that `nsys stats`, `nsys analyze` and other tools
 * that read those take a recording. Every run is a process of its own, with one context. Of event
 * edges, the record and the wait are there, from which the dependency can be found again.
 */
#include "probe/export/export.h"

#include <string.h>

#include "probe/export/nsys_schema.h"
#include "probe/export/selection.h"
#include "probe/export/utf8.h"
#include "probe/memory.h"
#include "probe/store/db.h"
#include "probe/store/intern.h"
#include "probe/version.h"

static const char *const statements[] = {
#define X(name, sql) sql,
    GP_NSYS_SQL(X)
#undef X
};

enum statement {
#define X(name, sql) NSYS_##name,
    GP_NSYS_SQL(X)
#undef X
        NSYS_COUNT
};

enum {
    FIRST_PID = 1000,
    CONTEXT = 1,
    FIRST_STREAM = 1,
    PUSH_POP = 59,
    START_END = 60,
    DOMAIN = 75
};

#define VM (INT64_C(1) << 48)

/* How long the session lasts before anything happens in it: in Nsight's databases a time of 0
 * stands for one that was never filled in. */
#define LEAD_NS INT64_C(1000000)

struct job {
    struct gp_db db;
    const struct gp_export_options *options;
    const struct gp_selection_run *run;
    struct gp_selection_rows rows;
    bool *is_chosen, *is_written; /* by operation */
    struct gp_intern strings, domains;
    int64_t last; /* greatest time */
    int64_t pid, range_next;
    uint32_t correlation;
    struct gp_error *err;
    int code; /* the first failure; nothing is written after it */
};

/* ---- rows ---------------------------------------------------------------------------------- */

struct row {
    struct job *job;
    sqlite3_stmt *statement;
    int column;
};

static struct row start(struct job *job, enum statement index)
{
    struct row row = {.job = job};

    if (job->code == 0) {
        job->code = gp_db_statement(&job->db, index, &row.statement, job->err);
    }
    return row;
}

static void put_int(struct row *row, int64_t value)
{
    row->column++;
    if (row->job->code == 0 && value == GP_UNKNOWN) {
        (void)sqlite3_bind_null(row->statement, row->column);
    } else if (row->job->code == 0) {
        (void)sqlite3_bind_int64(row->statement, row->column, value);
    }
}

/* Columns of Nsight that may not be NULL: 0 where it is not known. */
static void put_known(struct row *row, int64_t value)
{
    put_int(row, value != GP_UNKNOWN && value >= 0 ? value : 0);
}

static void put_text(struct row *row, const char *text)
{
    char *clean = gp_utf8_copy(text != NULL ? text : "");

    row->column++;
    if (row->job->code == 0) {
        (void)sqlite3_bind_text(row->statement, row->column, clean, -1, SQLITE_TRANSIENT);
    }
    gp_free(clean);
}

static void store(struct row *row)
{
    if (row->job->code == 0) {
        row->job->code = gp_db_run(&row->job->db, row->statement, row->job->err);
    }
}

static int64_t intern(struct job *job, const char *text)
{
    size_t before = job->strings.count;
    int64_t id = gp_intern_add(&job->strings, text);

    if (job->strings.count > before) {
        struct row row = start(job, NSYS_STRING);

        put_int(&row, id);
        put_text(&row, text);
        store(&row);
    }
    return id;
}

static int64_t global_pid(const struct job *job)
{
    return VM | (job->pid & 0xffffff) << 24;
}

static int64_t global_tid(const struct job *job, uint32_t thread)
{
    return global_pid(job) | ((job->pid + thread) & 0xffffff);
}

static int64_t device_of(const struct job *job)
{
    int64_t ordinal = job->run->device->ordinal;

    return ordinal != GP_UNKNOWN ? ordinal : 0;
}

static int64_t stream_of(const struct job *job, uint32_t index)
{
    return FIRST_STREAM + (int64_t)job->rows.streams[index].id;
}

/* A time of the run on the time line of the export. */
static int64_t time_of(const struct job *job, int64_t at)
{
    return at + job->run->shift + LEAD_NS;
}

/* The columns that all activities begin with. */
static struct row start_activity(struct job *job, enum statement index, const struct gp_op_row *op)
{
    struct row row = start(job, index);

    put_int(&row, time_of(job, op->begin));
    put_int(&row, time_of(job, op->end));
    put_int(&row, device_of(job));
    put_int(&row, CONTEXT);
    put_int(&row, stream_of(job, op->stream));
    put_int(&row, job->rows.correlations[op->id]);
    put_int(&row, global_pid(job));
    job->last = time_of(job, op->end) > job->last ? time_of(job, op->end) : job->last;
    return row;
}

/* ---- operations ---------------------------------------------------------------------------- */

static void put_kernel(struct job *job, const struct gp_op_row *op)
{
    struct row row;
    int64_t name = intern(job, op->name);

    row = start_activity(job, NSYS_KERNEL, op);
    put_int(&row, name);
    put_known(&row, op->regs);
    for (int i = 0; i < 3; i++) {
        put_int(&row, op->grid[i]);
    }
    for (int i = 0; i < 3; i++) {
        put_int(&row, op->block[i]);
    }
    put_int(&row, 0);
    put_known(&row, op->smem);
    put_int(&row, (int64_t)op->id + 1);
    store(&row);
}

static void put_copy(struct job *job, const struct gp_op_row *op)
{
    /* Nsight's numbers: of the direction, and pinned 1 or device 2 on either side. */
    int64_t kind = op->kind == GP_OP_H2D ? 1 : op->kind == GP_OP_D2H ? 2 : 8;
    struct row row = start_activity(job, NSYS_COPY, op);

    put_known(&row, op->bytes);
    put_int(&row, kind);
    put_int(&row, op->kind == GP_OP_H2D ? 1 : 2);
    put_int(&row, op->kind == GP_OP_D2H ? 1 : 2);
    store(&row);
}

static void put_memset(struct job *job, const struct gp_op_row *op)
{
    struct row row = start_activity(job, NSYS_SET, op);

    put_known(&row, op->bytes);
    store(&row);
}

static void put_graph(struct job *job, const struct gp_op_row *op)
{
    struct row row = start_activity(job, NSYS_GRAPH, op);

    store(&row);
}

/* Nsight knows host functions and values as calls only. */
static void put_op(struct job *job, const struct gp_op_row *op)
{
    switch (op->kind) {
    case GP_OP_KERNEL:
        put_kernel(job, op);
        break;
    case GP_OP_H2D:
    case GP_OP_D2H:
    case GP_OP_D2D:
        put_copy(job, op);
        break;
    case GP_OP_MEMSET:
        put_memset(job, op);
        break;
    case GP_OP_GRAPH:
        put_graph(job, op);
        break;
    default:
        job->options->counts->written--;
        job->options->counts->unsuited++;
        break;
    }
}

/* ---- the host ------------------------------------------------------------------------------ */

static void put_call(struct job *job, const struct gp_selection_call *call)
{
    struct row row;
    int64_t name = intern(job, call->name);

    row = start(job, NSYS_CALL);
    put_int(&row, time_of(job, call->begin));
    put_int(&row, time_of(job, call->end));
    put_int(&row, global_tid(job, call->thread));
    put_int(&row, call->correlation);
    put_int(&row, name);
    store(&row);
}

/* The id of a domain, whose name is a row of its own; 0 is the default one. */
static int64_t domain_of(struct job *job, const struct gp_range_row *range)
{
    size_t before = job->domains.count;
    int64_t id = range->domain != NULL ? gp_intern_add(&job->domains, range->domain) : 0;

    if (job->domains.count > before) {
        struct row row = start(job, NSYS_RANGE);

        put_int(&row, time_of(job, range->begin));
        put_int(&row, GP_UNKNOWN);
        put_int(&row, DOMAIN);
        put_int(&row, GP_UNKNOWN);
        put_int(&row, GP_UNKNOWN);
        put_int(&row, GP_UNKNOWN);
        put_text(&row, range->domain);
        put_int(&row, global_tid(job, range->thread));
        put_int(&row, id);
        store(&row);
    }
    return id;
}

static void put_range(struct job *job, const struct gp_range_row *range)
{
    bool crosses = gp_selection_crosses(range);
    int64_t domain = domain_of(job, range);
    struct row row = start(job, NSYS_RANGE);

    put_int(&row, time_of(job, range->begin));
    put_int(&row, range->end != GP_UNKNOWN ? time_of(job, range->end) : GP_UNKNOWN);
    put_int(&row, crosses ? START_END : PUSH_POP);
    put_int(&row, crosses ? job->range_next++ : GP_UNKNOWN);
    put_int(&row, range->category != 0 ? range->category : GP_UNKNOWN);
    put_int(&row, range->color);
    put_text(&row, range->text);
    put_int(&row, global_tid(job, range->thread));
    put_int(&row, domain);
    store(&row);
}

/* ---- dependencies -------------------------------------------------------------------------- */

/* A recorded event and what waits for it share an id, that of the operation behind which it lies.
 */
static void put_record(struct job *job, const struct gp_selection_call *call)
{
    struct row row = start(job, NSYS_EVENT);

    put_int(&row, device_of(job));
    put_int(&row, CONTEXT);
    put_int(&row, stream_of(job, job->rows.ops[call->op].stream));
    put_int(&row, call->correlation);
    put_int(&row, global_pid(job));
    put_int(&row, call->op + 1);
    store(&row);
}

static void put_wait(struct job *job, const struct gp_selection_call *call, uint32_t source)
{
    struct row row = start(job, NSYS_WAIT);

    put_int(&row, time_of(job, call->begin));
    put_int(&row, time_of(job, call->end));
    put_int(&row, device_of(job));
    put_int(&row, CONTEXT);
    put_int(&row, stream_of(job, job->rows.ops[call->op].stream));
    put_int(&row, call->correlation);
    put_int(&row, global_pid(job));
    put_int(&row, (int64_t)source + 1);
    store(&row);
}

static uint32_t first_edge_of(const struct gp_selection_rows *rows, int64_t op)
{
    uint32_t low = 0, high = rows->edge_count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (rows->edges[middle].to < op) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The wait for the next event edge to the call's operation, from edge `from` on, if both ends of it
 * are written; returns the edge to go on with. */
static uint32_t put_next_wait(struct job *job, const struct gp_selection_call *call, uint32_t from)
{
    const struct gp_selection_rows *rows = &job->rows;

    while (from < rows->edge_count && rows->edges[from].to == call->op &&
           rows->edges[from].how != GP_HOW_EVENT) {
        from++;
    }
    if (from < rows->edge_count && rows->edges[from].to == call->op) {
        if (job->is_written[call->op] && job->is_written[rows->edges[from].from]) {
            put_wait(job, call, rows->edges[from].from);
            job->options->counts->waits_lost--;
        }
        from++;
    }
    return from;
}

/* Each wait before an operation is one of its event edges, in their order. */
static void put_dependencies(struct job *job)
{
    const struct gp_selection_rows *rows = &job->rows;
    uint32_t *next = gp_xalloc(rows->op_count, sizeof *next);

    gp_selection_count_waits(job->options, rows, job->is_chosen);
    for (uint32_t i = 0; i < rows->op_count; i++) {
        next[i] = first_edge_of(rows, i);
    }
    for (uint32_t i = 0; i < rows->call_count; i++) {
        const struct gp_selection_call *call = &rows->calls[i];

        if (call->op == GP_UNKNOWN) {
            continue;
        }
        if (strcmp(call->name, "cuEventRecord") == 0) {
            if (job->is_written[call->op]) {
                put_record(job, call);
            }
        } else if (strcmp(call->name, "cuStreamWaitEvent") == 0) {
            next[call->op] = put_next_wait(job, call, next[call->op]);
        }
    }
    gp_free(next);
}

/* ---- what there is ------------------------------------------------------------------------- */

static void put_pair(struct job *job, enum statement index, const char *name, const char *value)
{
    struct row row = start(job, index);

    put_text(&row, name);
    put_text(&row, value);
    store(&row);
}

static void put_device(struct job *job, const struct gp_device_row *device)
{
    int64_t ordinal = device->ordinal != GP_UNKNOWN ? device->ordinal : 0;
    int64_t warps = device->threads_per_sm != GP_UNKNOWN ? device->threads_per_sm / 32 : GP_UNKNOWN;
    struct row row = start(job, NSYS_GPU);

    put_int(&row, ordinal);
    put_text(&row, device->name);
    put_int(&row, device->l2_bytes);
    put_int(&row, device->memory_bytes);
    put_int(&row, device->sm_count);
    put_text(&row, device->uuid);
    put_int(&row, ordinal);
    put_int(&row, device->shared_bytes_per_sm);
    put_int(&row, device->registers_per_sm);
    put_int(&row, device->async_engines);
    put_int(&row, warps);
    put_int(&row, device->blocks_per_sm);
    put_int(&row, device->compute_major);
    put_int(&row, device->compute_minor);
    store(&row);
}

static void put_process(struct job *job)
{
    char name[GP_SELECTION_NAME_BYTES_MAX];
    struct row row = start(job, NSYS_CONTEXT);

    put_int(&row, 0);
    put_int(&row, job->pid);
    put_int(&row, device_of(job));
    put_int(&row, CONTEXT);
    store(&row);
    row = start(job, NSYS_PROCESS);
    put_int(&row, global_pid(job));
    put_int(&row, job->pid);
    gp_selection_run_name(job->run, name);
    put_text(&row, name);
    store(&row);
}

static void put_stream(struct job *job, const struct gp_stream_row *stream)
{
    static const int64_t flags[] = {
        [GP_STREAM_NON_BLOCKING] = 2,
        [GP_STREAM_BLOCKING] = 1,
        [GP_STREAM_NULL] = 3,
        [GP_STREAM_PER_THREAD] = 1,
    };
    struct row row = start(job, NSYS_STREAM);

    put_int(&row, FIRST_STREAM + (int64_t)stream->id);
    put_int(&row, job->pid);
    put_int(&row, CONTEXT);
    put_int(&row, (uint32_t)stream->priority); /* as Nsight has them: -5 is 4294967291 */
    put_int(&row, flags[stream->flag]);
    store(&row);
    row = start(job, NSYS_STREAM_NAME);
    put_int(&row, FIRST_STREAM + (int64_t)stream->id);
    put_int(&row, job->pid);
    put_int(&row, CONTEXT);
    put_text(&row, stream->name);
    store(&row);
}

/* ---- the file ------------------------------------------------------------------------------ */

static void put_ops(struct job *job)
{
    const struct gp_selection_rows *rows = &job->rows;

    job->is_chosen = gp_xalloc(rows->op_count, sizeof *job->is_chosen);
    job->is_written = gp_xalloc(rows->op_count, sizeof *job->is_written);
    for (uint32_t i = 0; i < rows->op_count && job->code == 0; i++) {
        uint64_t before = job->options->counts->written;

        job->is_chosen[i] = gp_selection_takes_op(job->options, &rows->ops[i]);
        if (job->is_chosen[i]) {
            put_op(job, &rows->ops[i]);
        }
        job->is_written[i] = job->options->counts->written > before;
    }
}

static int write_run(struct job *job, struct gp_reader *reader)
{
    struct gp_selection_rows *rows = &job->rows;
    int code = gp_selection_rows_init(rows, reader, job->run, job->correlation, job->err);

    job->code = code != 0 ? code : job->code;
    job->pid = FIRST_PID + job->run->run.id;
    gp_intern_finish(&job->domains); /* ids of domains are those of a process */
    job->correlation = rows->correlation_next;
    put_process(job);
    for (uint32_t i = 0; i < rows->stream_count && job->code == 0; i++) {
        put_stream(job, &rows->streams[i]);
    }
    put_ops(job);
    for (uint32_t i = 0; i < rows->call_count && job->code == 0; i++) {
        if (gp_selection_takes_time(job->options, rows->calls[i].begin, rows->calls[i].end)) {
            put_call(job, &rows->calls[i]);
        }
    }
    for (uint32_t i = 0; i < rows->range_count && job->code == 0; i++) {
        if (gp_selection_takes_time(job->options, rows->ranges[i].begin, rows->ranges[i].end)) {
            put_range(job, &rows->ranges[i]);
        }
    }
    if (job->code == 0) {
        put_dependencies(job);
    }
    gp_free(job->is_chosen);
    gp_free(job->is_written);
    gp_selection_rows_finish(rows);
    return job->code;
}

static void put_head(struct job *job, struct gp_reader *reader, int64_t realtime_ns)
{
    uint32_t count;
    const struct gp_device_row *devices = gp_reader_devices(reader, &count);
    struct row row = start(job, NSYS_START_TIME);

    put_int(&row, realtime_ns > LEAD_NS ? realtime_ns - LEAD_NS : realtime_ns);
    store(&row);
    put_pair(job, NSYS_EXPORT, "EXPORT_PRODUCT_NAME", "gpuprobe");
    put_pair(job, NSYS_EXPORT, "EXPORT_PRODUCT_VERSION", GP_VERSION);
    put_pair(job, NSYS_EXPORT, "EXPORT_SCHEMA_VERSION", GP_NSYS_SCHEMA_VERSION);
    put_pair(job, NSYS_EXPORT, "EXPORT_PARAM_TIME_NORMALIZE", "false");
    put_pair(job, NSYS_EXPORT, "EXPORT_PARAM_TIME_SHIFT", "0");
    put_pair(job, NSYS_EXPORT, "EXPORT_CONFIG_TIME_SHIFT", "0");
    put_pair(job, NSYS_CAPTURE, "CAPTURE_EVENT_TYPE", "Cuda");
    put_pair(job, NSYS_CAPTURE, "CAPTURE_EVENT_TYPE", "NvtxEvents");
    for (uint32_t i = 0; i < count; i++) {
        put_device(job, &devices[i]);
    }
}

static int write_database(struct job *job, struct gp_reader *reader, struct gp_error *err)
{
    struct gp_selection_list list;
    struct row row;
    int code = gp_selection_list_init(&list, reader, job->options, err);

    if (code == 0) {
        put_head(job, reader, list.realtime_ns);
        for (uint32_t i = 0; i < list.count && code == 0; i++) {
            job->run = &list.runs[i];
            code = list.runs[i].run.op_count > 0 ? write_run(job, reader) : 0;
        }
        row = start(job, NSYS_DETAILS);
        put_int(&row, job->last);
        store(&row);
        code = job->code;
    }
    gp_selection_list_finish(&list);
    return code;
}

static int write_nsys(struct gp_reader *reader, const struct gp_export_options *options,
                      const char *path, struct gp_error *err)
{
    struct job job = {.options = options, .correlation = 1, .range_next = 1, .err = err};
    int code = gp_db_open(&job.db, path, path, GP_DB_WRITE, err);

    if (code != 0) {
        return code;
    }
    gp_db_use(&job.db, statements, NSYS_COUNT);
    /* A file that is not whole is thrown away, so that nothing has to survive a crash; a journal
     * in memory leaves nothing beside it (a database opened with distrust cannot have none). */
    code = gp_db_exec(&job.db, "PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF; BEGIN", err);
    for (size_t i = 0; i < sizeof gp_nsys_tables / sizeof gp_nsys_tables[0] && code == 0; i++) {
        code = gp_db_exec(&job.db, gp_nsys_tables[i], err);
    }
    if (code == 0) {
        code = write_database(&job, reader, err);
    }
    if (code == 0) {
        code = gp_db_exec(&job.db, "COMMIT", err);
    }
    gp_db_close(&job.db);
    gp_intern_finish(&job.strings);
    gp_intern_finish(&job.domains);
    return code;
}

const struct gp_export_ops gp_export_nsys = {
    .name = "nsys-sqlite",
    .summary = "a database as `nsys export` makes it, for nsys stats and nsys analyze",
    .write_file = write_nsys,
};
