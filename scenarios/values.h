/*
 * Inputs that make results exact, and the report of a wrong element. Private to scenarios/.
 */
#ifndef GP_SCENARIOS_VALUES_H
#define GP_SCENARIOS_VALUES_H

#include <stddef.h>
#include <stdint.h>

#include "core/error.h"
#include "core/random.h"

/* What outputs are filled with before a run: as a float not a number, so no right result. */
enum { GP_POISON = 0xff };

/* Floats that are integers, uniform in [low, high]. */
void gp_values_draw(float *values, size_t count, struct gp_random *random, int32_t low,
                    int32_t high);

/* The index of the first element whose bits differ; count when there is none. */
size_t gp_values_differ(const float *got, const float *expected, size_t count);

/* Fails with GP_EVERIFY and "WHERE: got G, expected E", WHERE by format. */
int gp_values_fail(struct gp_error *err, float got, float expected, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
