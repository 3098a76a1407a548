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
#define GP_STATUSES(X)                                                                             \
    X(INCOMPLETE, "incomplete")                                                                    \
    X(COMPLETE, "complete") X(FAILED, "failed") X(UNSUPPORTED, "unsupported")
#define GP_SUBMITS(X) X(STREAMS, "streams") X(GRAPH, "graph")

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

/* Static words of the lists above. */
const char *gp_pass_name(enum gp_pass pass);
const char *gp_trace_name(enum gp_trace trace);
const char *gp_source_name(enum gp_source source);
const char *gp_status_name(enum gp_status status);
const char *gp_submit_name(enum gp_submit submit);

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
    int64_t rule_detail;
    const char *name; /* borrowed until the row is stored */
    uint32_t id;      /* DAG index */
    uint32_t stream;  /* index of the run's stream rows */
    uint32_t chain;
    uint32_t rule;
    uint32_t grid[3], block[3]; /* kernels; 0 otherwise */
    int32_t smem, regs;         /* bytes a block (static + dynamic), per thread; -1 unknown */
    int32_t engine;             /* -1 unknown or none */
    int32_t connection;         /* -1 unknown */
    enum gp_op_kind kind;
    enum gp_source source;
};

struct gp_edge_row {
    uint32_t from, to;
    enum gp_edge_kind kind;
    enum gp_edge_how how;
};

struct gp_access_row {
    uint32_t op;
    enum gp_access_mode mode;
    const char *buffer; /* borrowed */
    int64_t offset, bytes;
};

/* A host-side range, as NVTX has them. */
struct gp_range_row {
    const char *text; /* borrowed */
    int64_t begin, end;
    uint32_t id, thread, level;
    int32_t domain, category;
    int64_t color; /* 0xAARRGGBB, GP_UNKNOWN none */
};

struct gp_call_row {
    const char *name; /* borrowed */
    int64_t begin, end;
    uint32_t thread;
    int64_t op; /* GP_UNKNOWN when it belongs to none */
};

struct gp_stream_row {
    uint32_t id; /* pool index */
    int32_t priority;
    enum gp_stream_flag flag;
    const char *role; /* "" none; borrowed */
    const char *name; /* borrowed */
};

struct gp_clock_row {
    const char
        *kind; /* "ping" (device clock against host), "event" (event time against device clock) */
    int64_t host, device, residual;
};

struct gp_run_row {
    int64_t cell; /* id in the file */
    enum gp_pass pass;
    enum gp_trace trace;
    const char *trace_note; /* what the recorder did or left out, "" nothing */
    int32_t repeat;
    int64_t makespan_ns, submit_ns;
    int64_t epoch_realtime_ns; /* CLOCK_REALTIME at begin; 0 on the model */
    int32_t verified;          /* 1 right, 0 wrong, -1 not checked */
    enum gp_status status;
};

/* All rows of one run: one transaction. Plain runs have counts of 0. */
struct gp_run_rows {
    struct gp_run_row run;
    const struct gp_op_row *ops;
    const struct gp_edge_row *edges;
    const struct gp_access_row *accesses;
    const struct gp_range_row *ranges;
    const struct gp_call_row *calls;
    const struct gp_stream_row *streams;
    const struct gp_clock_row *clocks;
    uint32_t op_count, edge_count, access_count, range_count, call_count, stream_count, clock_count;
};

struct gp_cell_row {
    int64_t id;     /* set by the store */
    int64_t device; /* id in the file */
    const char *scenario;
    const char *params; /* JSON object text, keys sorted */
    const char *policy;
    int32_t streams;
    enum gp_submit submit;
    enum gp_issue_order order;
    const char *completion;
    enum gp_status status;
    const char *error; /* "" none */
};

#endif
