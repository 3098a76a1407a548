/*
 * What the files of the Nsight importer share: one import on its way. A part is the work of one
 * process on one device, and becomes a cell with one run.
 */
#ifndef GP_PROBE_IMPORT_NSIGHT_H
#define GP_PROBE_IMPORT_NSIGHT_H

#include "probe/import/calls.h"
#include "probe/import/foreign.h"
#include "probe/import/import.h"
#include "probe/import/nsight_rows.h"
#include "probe/import/order.h"
#include "probe/import/pen.h"

enum {
    GP_NSIGHT_PARTS_MAX = 1024,
    GP_NSIGHT_STREAMS_MAX = 1 << 16,
    GP_NSIGHT_ROWS_AT_ONCE = 4096,
    GP_NSIGHT_ANY_STREAM = -1, /* 4294967295 and what else is no stream */
};

_Static_assert(GP_NSIGHT_STREAMS_MAX - 1 <= UINT16_MAX, "struct gp_order_item has 16 bits");

/* Instead of an index. */
#define GP_NSIGHT_NONE UINT32_MAX

/* Whose stream: numbers repeat over processes, devices and contexts. */
struct gp_nsight_stream {
    int64_t pid, device, context, number;
    bool is_unified; /* the copies that the driver makes for unified memory: a lane of their own */
    uint32_t part;
    int64_t first; /* the first time of an operation */
};

struct gp_nsight_part {
    int64_t pid, device;
    uint32_t stream_first, stream_count; /* in the import's streams */
    bool is_main;  /* has its process's calls and ranges that belong to no operation */
    int64_t epoch; /* of its run, on the source's clock: the first time of its process */
};

struct gp_nsight {
    struct gp_foreign source;
    struct gp_writer *writer;
    struct gp_import_counts *counts;
    struct gp_nsight_stream *streams; /* by pid, device, is_unified, context, number */
    uint32_t stream_count;
    uint64_t row_count, rows_met; /* of the GPU: that there are, and that were met in some part */
    bool is_sorted[GP_NSIGHT_TABLE_COUNT]; /* tables whose rows lie in the order of time */
    bool are_calls_sorted;                 /* likewise; the enclosing one first */
    struct gp_nsight_part parts[GP_NSIGHT_PARTS_MAX];
    uint32_t part_count;
    uint32_t main_part; /* that was found last: see gp_nsight_main_part */
    struct gp_calls calls;
    struct gp_intern texts;   /* made here */
    int64_t earliest, latest; /* what lies outside these is no time of this capture */
    int64_t realtime_ns;      /* CLOCK_REALTIME at 0 of the source's clock; GP_UNKNOWN */
};

/* One part while it is written. */
struct gp_nsight_run {
    struct gp_nsight *nsight;
    uint32_t part;
    int64_t epoch;           /* the part's */
    struct gp_run_rows rows; /* the batch in hand; the run's row; streams */
    struct gp_pen pen;
    bool fills_second; /* the batch in hand lies in the second half of its array: the pen has the
                        * first */
    struct gp_stream_row *streams;
    struct gp_order_sort items; /* for dependencies, if the source has any */
    bool keeps_items;
    struct gp_id_map op_ids; /* of operations that have numbers where they come from */
    uint32_t op_count, range_count;
    int64_t last_end;
    int64_t threads[64]; /* global ids, by index of thread; later ones share the last */
    uint32_t thread_count;
    /* The context of the host row before, and whose it is. */
    int64_t context_pid, context;
    uint32_t context_part;
    bool knows_context;
};

/* Whether begin and end can be times of this capture; counts them as lost when not. */
bool gp_nsight_check_times(struct gp_nsight *nsight, int64_t begin, int64_t end);

/* The same for a row of what CUPTI tells of, with begin and end from that column on; 0 stands for a
 * time that was never filled in. */
bool gp_nsight_take_times(struct gp_nsight *nsight, sqlite3_stmt *row, int column, int64_t *begin,
                          int64_t *end);

/* Where the batch in hand lies in an array of two batches of such rows. */
void *gp_nsight_half(const struct gp_nsight_run *run, void *rows, size_t row_bytes);

/* Waits until all batches are written, because what they lie in is given back. Returns code when
 * that is a failure, else what became of the batches. */
int gp_nsight_settle(struct gp_nsight_run *run, int code, struct gp_error *err);

/* The index of a thread in the run. */
uint32_t gp_nsight_thread(struct gp_nsight_run *run, int64_t global);

/* Index in nsight->streams; GP_NSIGHT_NONE when there is none. */
uint32_t gp_nsight_find_stream(const struct gp_nsight *nsight, const struct gp_nsight_stream *key);

/* A row's columns of process and device, from `pid` on, of context and stream, from `context` on,
 * and of the kind of copy, as a key. */
struct gp_nsight_stream gp_nsight_key(sqlite3_stmt *row, int pid, int context, int copy_kind);

/* The process of a global thread id. */
int64_t gp_nsight_pid(int64_t global);

/* The index of the part that has the process's calls; GP_NSIGHT_NONE: no work of it. */
uint32_t gp_nsight_main_part(struct gp_nsight *nsight, int64_t pid);

/* nsight_capture.c: the limits of times, the day, and the recorder's complaints. */
int gp_nsight_find_capture(struct gp_nsight *nsight, struct gp_error *err);

/* nsight_streams.c: which streams have work, since when, and how rows lie. */
int gp_nsight_find_streams(struct gp_nsight *nsight, struct gp_error *err);

/* nsight_ops.c: the operations of a run. */
int gp_nsight_write_ops(struct gp_nsight_run *run, struct gp_error *err);

/* nsight_edges.c: the dependencies of a run whose operations are written. */
int gp_nsight_write_edges(struct gp_nsight_run *run, struct gp_error *err);

/* nsight_host.c: all calls by correlation, and since when there are any; then a run's calls and
 * ranges. */
int gp_nsight_load_calls(struct gp_nsight *nsight, struct gp_error *err);
int gp_nsight_write_calls(struct gp_nsight_run *run, struct gp_error *err);
/* Of processes without a part, the rows are counted by the first run. */
int gp_nsight_write_ranges(struct gp_nsight_run *run, struct gp_error *err);

/* Reads an open source of this schema; what gp_import_nsight does behind the opening. */
int gp_nsight_read(struct gp_nsight *nsight, struct gp_error *err);
void gp_nsight_finish(struct gp_nsight *nsight);

#endif
