/* Figures of runs: see measure.h. */
#include "scenarios/measure.h"

#include <math.h>
#include <stdio.h>

struct gp_measure gp_measure_rate(const char *name, double count, int64_t ns)
{
    struct gp_measure measure = {.value = ns > 0 ? count * 1e9 / (double)ns : NAN};

    (void)snprintf(measure.name, sizeof measure.name, "%s", name);
    return measure;
}
