/*
 * Set-up and end of a sweep on one device: the recording, the pool, the helper stream, the tracer,
 * and what was measured of the device. Internal to probe/sweep.
 */
#ifndef GP_PROBE_SWEEP_BENCH_H
#define GP_PROBE_SWEEP_BENCH_H

#include "probe/sweep/cell.h"

/* On failure gp_bench_finish is still to be called. */
int gp_bench_init(struct gp_bench *bench, struct gp_device *device,
                  const struct gp_sweep_options *options, const struct gp_cell_plan *plan,
                  uint32_t count, struct gp_error *err);

/* Measures bench->engines and records the figures; `state` is added to their names: "" nothing
 * watches, "_watched" the witness does, which delays copies and events. */
int gp_bench_measure_engines(struct gp_bench *bench, const char *state, struct gp_error *err);

/* Closes the recording (complete when code is 0, else incomplete) and releases all. Returns code,
 * or, when that is 0, why closing failed. */
int gp_bench_finish(struct gp_bench *bench, int code, struct gp_error *err);

#endif
