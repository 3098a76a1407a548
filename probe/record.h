/*
 * The rows of a recording as plain structs, shared by who writes them (sweep, timing), who stores
 * them (store) and who reads them (analysis, export, viewer). The words and units are those of
 * store/schema.sql. No I/O here.
 *
 * Times are int64 ns. Inside a run they count from the run's begin (its epoch); GP_UNKNOWN is NULL
 * in the file and null in JSON.
 */
#ifndef GP_PROBE_RECORD_H
#define GP_PROBE_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "core/dispatch.h"

#define GP_UNKNOWN INT64_MIN

#define GP_PASSES(X) X(PLAIN, "plain") X(TRACED, "traced") X(REFERENCE, "reference")
#define GP_TRACES(X) X(OFF, "off") X(STAMPS, "stamps") X(EVENTS, "events") X(BLOCKS, "blocks")
#define GP_SOURCES(X)                                                                              \
    X(STAMP, "stamp")                                                                              \
    X(EVENT, "event") X(BOUNDED, "bounded") X(CUPTI, "cupti") X(MODELLED, "modelled")
/* Of a cell or a run; only a run is `disturbed`: it ended, but the machine changed meanwhile, so
 * it does not count. */
#define GP_STATUSES(X)                                                                             \
    X(INCOMPLETE, "incomplete")                                                                    \
    X(COMPLETE, "complete")                                                                        \
    X(FAILED, "failed") X(UNSUPPORTED, "unsupported") X(DISTURBED, "disturbed")
#define GP_SUBMITS(X) X(STREAMS, "streams") X(GRAPH, "graph")
/* Why an operation waited: the words of finding.cause. What each means is analysis/causes.h's. */
#define GP_CAUSES(X)                                                                               \
    X(DEPENDENCY, "dependency")                                                                    \
    X(HOST_FUNCTION, "host-function")                                                              \
    X(LAUNCH_QUEUE, "launch-queue")                                                                \
    X(PAGEABLE, "pageable")                                                                        \
    X(IMPLICIT_SYNC, "implicit-sync")                                                              \
    X(NOT_SUBMITTED, "not-submitted")                                                              \
    X(SAME_STREAM, "same-stream")                                                                  \
    X(NULL_STREAM, "null-stream")                                                                  \
    X(RECORDER, "recorder")                                                                        \
    X(CONNECTION, "connection")                                                                    \
    X(TIMED_EVENT, "timed-event")                                                                  \
    X(ENGINE_BUSY, "engine-busy")                                                                  \
    X(GRID_LIMIT, "grid-limit")                                                                    \
    X(PRIORITY, "priority")                                                                        \
    X(SM_FULL, "sm-full")                                                                          \
    X(HEAD_OF_LINE, "head-of-line")                                                                \
    X(CARVE_OUT, "carve-out")                                                                      \
    X(THROTTLE, "throttle")                                                                        \
    X(TIME_SLICE, "time-slice")                                                                    \
    X(UNKNOWN, "unknown")
/* What became of a claim. */
#define GP_VERDICTS(X) X(HOLDS, "holds") X(FAILS, "does-not-hold") X(UNKNOWN, "cannot-tell")
/* Where a device row is from. */
#define GP_ORIGINS(X) X(CUDA, "cuda") X(MODEL, "model") X(IMPORTED, "imported")

enum gp_pass {
#define X(name, word) GP_PASS_##name,
    GP_PASSES(X)
#undef X
        GP_PASS_COUNT
};

enum gp_trace {
#define X(name, word) GP_TRACE_##name,
    GP_TRACES(X)
#undef X
        GP_TRACE_COUNT
};

enum gp_source {
#define X(name, word) GP_SOURCE_##name,
    GP_SOURCES(X)
#undef X
        GP_SOURCE_COUNT
};

enum gp_status {
#define X(name, word) GP_STATUS_##name,
    GP_STATUSES(X)
#undef X
        GP_STATUS_COUNT
};

enum gp_submit {
#define X(name, word) GP_SUBMIT_##name,
    GP_SUBMITS(X)
#undef X
        GP_SUBMIT_COUNT
};

enum gp_cause {
#define X(name, word) GP_CAUSE_##name,
    GP_CAUSES(X)
#undef X
        GP_CAUSE_COUNT
};

enum gp_verdict {
#define X(name, word) GP_VERDICT_##name,
    GP_VERDICTS(X)
#undef X
        GP_VERDICT_COUNT
};

enum gp_origin {
#define X(name, word) GP_ORIGIN_##name,
    GP_ORIGINS(X)
#undef X
        GP_ORIGIN_COUNT
};

/* Static words of the lists above; "unknown" for a count (cells of imported traces). */
const char *gp_pass_name(enum gp_pass pass);
const char *gp_trace_name(enum gp_trace trace);
const char *gp_source_name(enum gp_source source);
const char *gp_status_name(enum gp_status status);
const char *gp_submit_name(enum gp_submit submit);
const char *gp_origin_name(enum gp_origin origin);
const char *gp_cause_name(enum gp_cause cause);
const char *gp_verdict_name(enum gp_verdict answer);

/* The whole numbers known of a device, in the schema's order, names and units. */
#define GP_DEVICE_NUMBERS(X)                                                                       \
    X(ordinal)                                                                                     \
    X(compute_major)                                                                               \
    X(compute_minor)                                                                               \
    X(sm_count)                                                                                    \
    X(driver_version)                                                                              \
    X(connections)                                                                                 \
    X(async_engines)                                                                               \
    X(priority_least)                                                                              \
    X(priority_greatest)                                                                           \
    X(threads_per_sm)                                                                              \
    X(blocks_per_sm)                                                                               \
    X(registers_per_sm)                                                                            \
    X(shared_bytes_per_sm)                                                                         \
    X(memory_bytes)                                                                                \
    X(l2_bytes)                                                                                    \
    X(timer_tick_ns)

/* A device as recorded. Texts are borrowed; "" is none. */
struct gp_device_row {
    int64_t id; /* in the file; set by the store */
    enum gp_origin kind;
    const char *name, *uuid;
    const char *image, *image_note;
    const char *profile;      /* JSON; NULL none */
#define X(name) int64_t name; /* GP_UNKNOWN allowed */
    GP_DEVICE_NUMBERS(X)
#undef X
};

/* The row of an open device; texts are borrowed from info. id is 0. */
void gp_device_row_init(struct gp_device_row *row, const struct gp_device_info *info);

/* One interval per operation, with the raw facts that it was resolved from. */
struct gp_op_row {
    int64_t begin, end; /* drawn values, inside the intervals */
    int64_t begin_lo, begin_hi;
    int64_t end_lo, end_hi;
    int64_t ready; /* event before it: the stream got here */
    int64_t done;  /* event after it */
    int64_t stamp_begin, stamp_end;
    int64_t ref_begin, ref_end;
    int64_t submit_begin, submit_end; /* host */
    int64_t bytes;                    /* copies, memset; GP_UNKNOWN for kernels */
    int64_t rule_detail;              /* GP_UNKNOWN none */
    int64_t release;                  /* intended arrival; GP_UNKNOWN: at once */
    const char *name;                 /* borrowed until the row is stored */
    const char *rule; /* the sentence of the policy's rule that chose; NULL none; borrowed */
    uint32_t id;      /* DAG index: the row's index among the run's operations */
    uint32_t stream;  /* index of the run's stream rows */
    uint32_t chain;   /* < operations of the run */
    uint32_t grid[3], block[3]; /* kernels; 0 otherwise */
    int32_t smem, regs;         /* bytes a block (static + dynamic), per thread; -1 unknown */
    int32_t engine;             /* -1 unknown or none */
    int32_t connection;         /* -1 unknown */
    enum gp_op_kind kind;
    enum gp_source source;
};

/* The part of an operation that a timeline draws; members are those of gp_op_row. */
struct gp_op_outline {
    int64_t begin, end;
    int64_t begin_lo, begin_hi;
    int64_t end_lo, end_hi;
    int64_t ready;
    uint32_t name; /* index of gp_reader_strings */
    uint32_t stream;
    int32_t engine;
    enum gp_op_kind kind;
    enum gp_source source;
};

/* A block of a kernel, stamped by itself. */
struct gp_block_row {
    int64_t begin, end;
    uint32_t op;
    uint32_t block; /* linear index in the grid */
    uint32_t sm;    /* it ran on */
};

struct gp_edge_row {
    uint32_t from, to;
    enum gp_edge_kind kind;
    enum gp_edge_how how;
};

struct gp_access_row {
    uint32_t op;
    enum gp_access_mode mode;
    const char *buffer; /* its name, unique within the run; borrowed */
    int64_t offset, bytes;
};

/* A host-side range, as NVTX has them. */
struct gp_range_row {
    const char *text;   /* borrowed */
    int64_t begin, end; /* end GP_UNKNOWN: never closed */
    const char *domain; /* NULL the default domain; borrowed */
    uint32_t id, thread, level;
    int32_t category; /* 0 none */
    int64_t color;    /* 0xAARRGGBB, GP_UNKNOWN none */
};

struct gp_call_row {
    const char *name; /* borrowed */
    int64_t begin, end;
    uint32_t thread;
    int64_t op; /* GP_UNKNOWN when it belongs to none */
};

struct gp_stream_row {
    uint32_t id;    /* pool index; ascending among a run's rows */
    int64_t device; /* id in the file; 0: the cell's */
    int32_t priority;
    enum gp_stream_flag flag;
    const char *role; /* "" none; borrowed */
    const char *name; /* borrowed */
};

struct gp_clock_row {
    /* "ping" (device clock against host), "event" (event time against device clock), "cupti" */
    const char *kind;
    int64_t host, device, residual;
};

struct gp_run_row {
    int64_t id;   /* in the file; set by the store */
    int64_t cell; /* id in the file */
    enum gp_pass pass;
    enum gp_trace trace;
    const char *trace_note; /* what the recorder did or left out, "" nothing */
    int32_t repeat;         /* a traced run and the plain run of the same repeat are twins */
    int64_t makespan_ns, submit_ns;
    int64_t epoch_realtime_ns; /* CLOCK_REALTIME at begin; 0 on the model */
    int32_t verified;          /* 1 right, 0 wrong, -1 not checked */
    enum gp_status status;
    uint32_t op_count; /* set by the reader: operations kept; the writer takes gp_run_rows' */
};

/* The machine at a moment of a run, as NVML tells it; GP_UNKNOWN what it does not. */
struct gp_state_row {
    int64_t at; /* ascending among a run's rows */
    int64_t sm_clock_mhz, memory_clock_mhz;
    int64_t throttle; /* NVML's clock event reasons, a bit mask */
    int64_t power_mw;
    int64_t temperature_c;
    int64_t processes; /* others with a context on the device */
    const char *note;  /* what is to be said of it, "" nothing; borrowed */
};

/* All rows of one run: one transaction. Plain runs have operations and their rows in no number;
 * clocks and states they may have. */
struct gp_run_rows {
    struct gp_run_row run;
    const struct gp_op_row *ops;
    const struct gp_edge_row *edges;
    const struct gp_access_row *accesses;
    const struct gp_range_row *ranges;
    const struct gp_call_row *calls;
    const struct gp_stream_row *streams;
    const struct gp_clock_row *clocks;
    const struct gp_state_row *states;
    const struct gp_block_row *blocks; /* ascending by operation, then block */
    uint32_t op_count, edge_count, access_count, range_count, call_count, stream_count, clock_count;
    uint32_t state_count, block_count;
};

struct gp_cell_row {
    int64_t id;     /* set by the store */
    int64_t device; /* id in the file */
    const char *scenario;
    const char *params; /* JSON object text, keys sorted */
    const char *policy;
    int32_t streams;           /* 1 … GP_STREAMS_MAX */
    enum gp_submit submit;     /* GP_SUBMIT_COUNT: not known (imported) */
    enum gp_issue_order order; /* GP_ISSUE_ORDER_COUNT: not known */
    const char *completion;    /* "" not known */
    enum gp_status status;
    const char *error; /* "" none */
};

/* A figure of a cell or of a run with its 95 % interval, NAN where unknown. The name ends in the
 * unit. */
struct gp_metric_row {
    int64_t cell, run; /* one of them, the other 0 */
    const char *name;  /* borrowed */
    double value, lo, hi;
};

/* The figures that the sweep records of a cell; the names are those of the metrics. Of its
 * schedule: hazards (edges that are missing), waits, waits_elided (implied by other waits) and
 * waits_unneeded (that nothing needed; unknown when there were too many to try each).
 * instantiate_ns: what making the graph of its plain runs took, once; unknown without one.
 * reference_perturbation: makespan while the reference watched ÷ plain; unknown without one. */
#define GP_CELL_METRICS(X)                                                                         \
    X(hazards)                                                                                     \
    X(waits) X(waits_elided) X(waits_unneeded) X(instantiate_ns) X(reference_perturbation)

struct gp_cell_metrics {
#define X(name) double name; /* NAN unknown */
    GP_CELL_METRICS(X)
#undef X
};

/* What the names of metrics begin with that a scenario computes of its runs. */
#define GP_MEASURE_PREFIX "scenario."

/* How well a way of timing agrees with a reference; the columns of table accuracy. */
struct gp_accuracy_row {
    int64_t device;
    const char *kind, *method, *quantity; /* borrowed */
    uint32_t count;                       /* operations compared */
    double bias_ns, spread_ns;
    double inside;   /* share of intervals that hold the reference; NAN unknown */
    double width_ns; /* median width of these intervals; NAN unknown; not stored */
};

/* The answer to a claim on one device. */
struct gp_verdict_row {
    int64_t device;
    const char *claim; /* its id; borrowed */
    enum gp_verdict answer;
    const char *evidence; /* JSON object text: figures and cells behind it; borrowed */
};

/* A figure of a device that was known before the runs. */
struct gp_calibration_row {
    int64_t device;
    const char *name, *unit,
        *source;          /* borrowed; unit "": a pure number; source: how it is known */
    double value, lo, hi; /* lo, hi NAN unknown */
};

#endif
