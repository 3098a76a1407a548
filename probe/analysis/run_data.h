/*
 * One traced run with all its rows: what the analysis of operations works on. Loaded from a
 * recording, or filled by hand; the analysis itself knows no reader.
 */
#ifndef GP_PROBE_ANALYSIS_RUN_DATA_H
#define GP_PROBE_ANALYSIS_RUN_DATA_H

#include "probe/analysis/facts.h"
#include "probe/store/reader.h"

struct gp_run_data {
    const struct gp_device_row *device; /* borrowed */
    const struct gp_cell_row *cell;     /* borrowed */
    struct gp_facts facts;
    struct gp_heed heed; /* the reader's */
    struct gp_run_row run;
    struct gp_op_row *ops;
    struct gp_edge_row *edges; /* by (to, from) */
    struct gp_access_row *accesses;
    struct gp_stream_row *streams;
    struct gp_call_row *calls;
    struct gp_state_row *states; /* of the machine, by time */
    struct gp_block_row *blocks; /* by (op, block); only of runs that were traced by the block */
    uint32_t op_count, edge_count, access_count, stream_count, call_count, state_count, block_count;
};

/* The run `run` of the cell with the id `cell`; gp_result's kept_run is the one whose operations
 * were kept. Texts are borrowed from the reader, which must stay open as long. *out is the caller's
 * to finish. GP_ENOTFOUND: there is no such run; else the reader's errors, which leave nothing in
 * *out. */
int gp_run_load(struct gp_reader *reader, int64_t cell, int64_t run, struct gp_run_data *out,
                struct gp_error *err);

/* Releases the rows. Takes a zeroed struct; not for one that was filled by hand. */
void gp_run_finish(struct gp_run_data *data);

/* Whether it is hardly known when the operations ran: the intervals of their begins and ends are in
 * the mean longer than a quarter of the run. So it is with kernels that do not stamp themselves,
 * without events. What is estimated from such times is worth nothing. */
bool gp_run_is_vague(const struct gp_run_data *data);

/* Whether an operation takes time on the device and when is known: no host function, no value. */
static inline bool gp_op_runs(const struct gp_op_row *op)
{
    return op->kind != GP_OP_HOST && op->kind != GP_OP_VALUE && op->begin != GP_UNKNOWN &&
           op->end != GP_UNKNOWN;
}

#endif
