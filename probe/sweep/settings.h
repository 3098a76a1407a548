/*
 * What a scenario's parameters are in a sweep: its defaults, then a variant, then what the user
 * set. Internal to probe/sweep.
 */
#ifndef GP_PROBE_SWEEP_SETTINGS_H
#define GP_PROBE_SWEEP_SETTINGS_H

#include "probe/sweep/sweep.h"

/* The setting that lets every parameter adapt that can and is not set itself. */
#define GP_SETTING_SCALE "scale"

/* Fills GP_PARAMETERS_MAX values; variant NULL: none. Not settled yet (gp_scenario_settle). */
int gp_settings_apply(const struct gp_sweep_options *options,
                      const struct gp_scenario_ops *scenario, const struct gp_variant *variant,
                      int64_t *values, struct gp_error *err);

#endif
