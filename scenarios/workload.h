/*
 * Scenarios for those who run them: the table of the built-in ones, their values, and setting one
 * up on a device. What a scenario is: scenario.h.
 */
#ifndef GP_SCENARIOS_WORKLOAD_H
#define GP_SCENARIOS_WORKLOAD_H

#include "scenarios/scenario.h"

/* The device memory that a scenario may take, if the device has it: on the model it is the host's.
 */
#define GP_WORKLOAD_BYTES_MAX (UINT64_C(4) << 30)

/* The words of GP_DRIVES, in its order, for a parameter; ends with NULL. */
extern const char *const gp_drive_words[];

extern const struct gp_scenario_ops *const gp_scenario_table[];
extern const size_t gp_scenario_table_count;

/* The table's entry of that name, NULL when there is none. */
const struct gp_scenario_ops *gp_scenario_find(const char *name);

/* Index of a parameter by name; -1 when there is none. */
int gp_scenario_parameter(const struct gp_scenario_ops *ops, const char *name);

/* Fills the defaults into all GP_PARAMETERS_MAX values; those beyond the parameters are 0. */
void gp_scenario_defaults(const struct gp_scenario_ops *ops, int64_t *values);

/* Computes what is still GP_AUTO, then checks all values: each alone, and the device memory that
 * they take together. GP_EINVAL says what is allowed. */
int gp_scenario_settle(const struct gp_scenario_ops *ops, const struct gp_device_info *info,
                       int64_t *values, struct gp_error *err);

/* Sets a workload up; *out is the caller's. values are GP_PARAMETERS_MAX; stream outlives it.
 * Kernels are prepared on the device. */
int gp_workload_create(const struct gp_scenario_ops *ops, struct gp_device *device,
                       struct gp_stream *stream, const int64_t *values, uint64_t seed,
                       struct gp_workload **out, struct gp_error *err);

/* What the scenario's reset does, if it has one; no operation may still run. */
int gp_workload_reset(struct gp_workload *workload, struct gp_error *err);

/* Whether there is something to compare the outputs with. */
bool gp_workload_has_reference(const struct gp_workload *workload);

/* What the scenario's verify says of the outputs; only with a reference. */
int gp_workload_verify(struct gp_workload *workload, struct gp_error *err);

/* No operation may still run. NULL allowed. */
void gp_workload_destroy(struct gp_workload *workload);

#endif
