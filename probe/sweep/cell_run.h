/*
 * What a cell's plain and traced runs have in common. Internal to cell.c and traced.c.
 */
#ifndef GP_PROBE_SWEEP_CELL_RUN_H
#define GP_PROBE_SWEEP_CELL_RUN_H

#include "probe/sweep/cell.h"

/* The streams that the cell runs on: its own pool, or the bench's. Borrowed. */
struct gp_pool *gp_cell_pool(const struct gp_cell *cell, const struct gp_bench *bench);

/* CLOCK_REALTIME now; 0 on the model. */
int64_t gp_cell_realtime_ns(const struct gp_bench *bench);

/* Before each run: outputs are poisoned if it touches memory at all, which the model's runs that
 * are not verified do not, and nothing is being written to the recording. */
int gp_cell_prepare(struct gp_bench *bench, struct gp_workload *workload, bool verify,
                    struct gp_error *err);

/* One run, prepared. probes and sink: NULL in plain runs. */
int gp_cell_dispatch(struct gp_cell *cell, struct gp_bench *bench, const struct gp_probe *probes,
                     struct gp_sink *sink, struct gp_run_times *times, struct gp_error *err);

/* Compares the data when asked; *verified as in gp_run_row. GP_EVERIFY: a wrong element, which
 * fails the cell, while the run is still recorded. */
int gp_cell_check_data(struct gp_cell *cell, struct gp_workload *workload, bool verify,
                       int32_t *verified, struct gp_error *err);

/* The row of a complete run without instrumentation. */
struct gp_run_row gp_cell_run_row(const struct gp_cell *cell, enum gp_pass pass, uint32_t repeat,
                                  const struct gp_run_times *times, int64_t epoch_realtime_ns);

/* A run that did not end is kept as a row without figures, so that the recording says that it was
 * tried. */
void gp_cell_record_failure(struct gp_cell *cell, struct gp_bench *bench, enum gp_pass pass,
                            uint32_t repeat);

#endif
