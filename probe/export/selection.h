/*
 * What of a recording an export takes: the runs that were chosen, where they lie on one time line,
 * and a run's rows with the host calls as CUDA's tools know them. Common to all formats; writes
 * nothing.
 */
#ifndef GP_PROBE_EXPORT_SELECTION_H
#define GP_PROBE_EXPORT_SELECTION_H

#include "probe/export/export.h"

/* One run that was chosen. */
struct gp_selection_run {
    const struct gp_device_row *device;
    const struct gp_cell_row *cell;
    struct gp_run_row run;
    int64_t shift; /* its epoch on the time line of the export, ns */
};

/* The chosen runs in the order of cells and runs. Where the recording says when they were, the time
 * line is the real one, from its earliest epoch on; else (on the model) one follows the other. */
struct gp_selection_list {
    struct gp_selection_run *runs;
    uint32_t count;
    int64_t realtime_ns; /* CLOCK_REALTIME at 0 of the time line; 0 not known */
};

/* A host call under the name of the driver's function. */
struct gp_selection_call {
    const char *name; /* borrowed or static */
    int64_t begin, end;
    int64_t op; /* GP_UNKNOWN: none */
    uint32_t thread;
    uint32_t correlation;
};

enum { GP_SELECTION_NAME_BYTES_MAX = 160 };

/* What the run is called where a trace has processes: the words of its cell's range. */
void gp_selection_run_name(const struct gp_selection_run *run,
                           char out[GP_SELECTION_NAME_BYTES_MAX]);

/* All rows of one run. Of operations, whether they are written: `takes` says so. */
struct gp_selection_rows {
    struct gp_stream_row *streams;
    struct gp_op_row *ops;
    struct gp_edge_row *edges;
    struct gp_range_row *ranges;
    struct gp_selection_call *calls; /* submitting ones included, by begin */
    uint32_t *correlations;          /* by operation: its submitting call's, or its own */
    uint32_t correlation_next;       /* the first that is not used */
    uint32_t stream_count, op_count, edge_count, range_count, call_count;
};

/* *out is to be finished in every case. GP_EINVAL: there is no such cell. */
int gp_selection_list_init(struct gp_selection_list *out, struct gp_reader *reader,
                           const struct gp_export_options *options, struct gp_error *err);
void gp_selection_list_finish(struct gp_selection_list *list);

/* Correlation ids, which tie an operation to its submitting call, are handed out from `correlation`
 * on. *out is to be finished in every case. */
int gp_selection_rows_init(struct gp_selection_rows *out, struct gp_reader *reader,
                           const struct gp_selection_run *run, uint32_t correlation,
                           struct gp_error *err);
void gp_selection_rows_finish(struct gp_selection_rows *rows);

/* Whether the operation is written, counted in options->counts. Ask once for each. */
bool gp_selection_takes_op(const struct gp_export_options *options, const struct gp_op_row *op);

/* Counts the dependencies between chosen operations that were kept by an event or by the host, each
 * as lost until the caller writes it. */
void gp_selection_count_waits(const struct gp_export_options *options,
                              const struct gp_selection_rows *rows, const bool *is_chosen);

/* The same as gp_selection_takes_op for formats of rows, which take operations without times too
 * unless a time range asks where they are. */
bool gp_selection_takes_row(const struct gp_export_options *options, const struct gp_op_row *op);

/* Whether something that lasted so long lies in the time range; an end that is GP_UNKNOWN is open.
 */
bool gp_selection_takes_time(const struct gp_export_options *options, int64_t begin, int64_t end);

/* Whether a range may cross others of its thread: chains of breadth-first runs. */
bool gp_selection_crosses(const struct gp_range_row *range);

#endif
