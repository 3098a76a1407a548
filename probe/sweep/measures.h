/*
 * The figures that a scenario computes of its own traced runs (scenario.h, measure): kept over the
 * runs of a cell, recorded as metrics with median and interval. Internal to probe/sweep.
 */
#ifndef GP_PROBE_SWEEP_MEASURES_H
#define GP_PROBE_SWEEP_MEASURES_H

#include "probe/recorder/recorder.h"
#include "scenarios/scenario.h"

/* Zero is none. */
struct gp_measures {
    struct gp_measure (*runs)[GP_MEASURES_MAX]; /* one a run */
    uint32_t run_count, measure_count;
    size_t capacity;
};

/* Of one run, whose operations ops are; nothing when the scenario measures nothing. */
void gp_measures_take(struct gp_measures *measures, const struct gp_workload *workload,
                      const struct gp_op_row *ops);

/* As metrics of the cell. */
int gp_measures_record(const struct gp_measures *measures, struct gp_recorder *recorder,
                       int64_t cell, struct gp_error *err);

/* Frees the runs; a zeroed one is allowed. */
void gp_measures_finish(struct gp_measures *measures);

#endif
