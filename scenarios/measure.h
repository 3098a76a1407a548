/*
 * Figures that scenarios compute of their runs. Private to scenarios/.
 */
#ifndef GP_SCENARIOS_MEASURE_H
#define GP_SCENARIOS_MEASURE_H

#include "scenarios/scenario.h"

/* A figure of that name: `count` in `ns`, by the second; NAN for a time that is not positive. */
struct gp_measure gp_measure_rate(const char *name, double count, int64_t ns);

#endif
