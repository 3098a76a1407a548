/*
 * Rows of one traced run, built from its schedule and what was observed. Pure: no device, no file.
 */
#ifndef GP_PROBE_SWEEP_ROWS_H
#define GP_PROBE_SWEEP_ROWS_H

#include "core/hazard.h"
#include "probe/sweep/observer.h"

/* Owns its arrays; borrowed strings are the DAG's, the pool's and static ones. */
struct gp_traced_rows {
    struct gp_op_row *ops;
    struct gp_edge_row *edges;
    struct gp_access_row *accesses;
    struct gp_range_row *ranges;
    struct gp_stream_row *streams;
    uint32_t op_count, edge_count, access_count, range_count, stream_count;
    char (*chain_names)[24];
    char (*stream_names)[24];
    struct gp_clock_row clocks[3];
    char cell_name[128];
};

/* Everything that the schedule alone says: identity, choice and rule, edges (also those that are
 * missing), accesses, streams. */
void gp_traced_rows_init(struct gp_traced_rows *rows, const struct gp_schedule *schedule,
                         const struct gp_hazard_report *hazards, const struct gp_pool *pool,
                         const char *cell_name);
void gp_traced_rows_finish(struct gp_traced_rows *rows);

/* Adds the submission times of a rebased observer, and the ranges for cell, run, chains and
 * operations; cell_begin and cell_end are from the run's begin. */
void gp_traced_rows_observe(struct gp_traced_rows *rows, const struct gp_observer *observer,
                            int64_t makespan_ns, int64_t cell_begin, int64_t cell_end);

#endif
