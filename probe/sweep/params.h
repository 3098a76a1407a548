/*
 * A scenario's values as the recording has them.
 */
#ifndef GP_PROBE_SWEEP_PARAMS_H
#define GP_PROBE_SWEEP_PARAMS_H

#include "scenarios/parameter.h"

/* A JSON object of all values, keys sorted, the caller's (gp_free). parameters end with name NULL.
 */
char *gp_params_write(const struct gp_parameter *parameters, const int64_t *values);

#endif
