/*
 * Driving a workload in another way than by one dispatch: each part of its DAG that nothing
 * connects with the rest by itself, awaited, synchronised, or by threads that do so. Internal to
 * probe/sweep.
 */
#ifndef GP_PROBE_SWEEP_DRIVE_H
#define GP_PROBE_SWEEP_DRIVE_H

#include "core/context.h"
#include "core/dispatch.h"
#include "scenarios/scenario.h"

struct gp_driver;

/* Makes contexts and threads for the workload's drive, which is not GP_DRIVE_SUBMIT; both outlive
 * it. Runs all parts once, so that everything is made that they need. options: policy, streams,
 * order and completion, without a scope. *out is the caller's. */
int gp_driver_create(const struct gp_workload *workload, const struct gp_context_options *options,
                     struct gp_driver **out, struct gp_error *err);

/* Runs all parts once. out->submitted_ns: the last part was handed on; of sync, it is done. */
int gp_driver_run(struct gp_driver *driver, struct gp_run_times *out, struct gp_error *err);

/* NULL allowed. */
void gp_driver_destroy(struct gp_driver *driver);

#endif
