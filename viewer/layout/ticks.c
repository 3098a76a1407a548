/* Ticks and texts of times: see ticks.h. */
#include "viewer/layout/ticks.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const struct unit {
    int64_t ns;
    const char *name;
} units[] = {{1, "ns"}, {1000, "µs"}, {1000000, "ms"}, {1000000000, "s"}};

enum { UNIT_COUNT = sizeof units / sizeof *units };

void gp_view_ticks_choose(int64_t begin_ns, int64_t end_ns, uint32_t count_max,
                          struct gp_view_ticks *out)
{
    static const int64_t leads[] = {1, 2, 5};
    int64_t step_ns = 1, power = 1;
    uint32_t lead = 0;

    /* The step then ends below 10^19. */
    assert(begin_ns < end_ns && end_ns - begin_ns <= INT64_C(1) << 62 && count_max > 0);
    /* Ticks at both ends are one more than the steps between them. */
    while ((end_ns - begin_ns) / step_ns + 1 > count_max) {
        lead = (lead + 1) % 3;
        power *= lead == 0 ? 10 : 1;
        step_ns = leads[lead] * power;
    }
    out->step_ns = step_ns;
    out->first_ns = begin_ns / step_ns * step_ns;
    out->first_ns += out->first_ns < begin_ns ? step_ns : 0;
    out->count = out->first_ns > end_ns ? 0 : (uint32_t)((end_ns - out->first_ns) / step_ns) + 1;
    out->minor = step_ns == 1 ? 1 : leads[lead] == 2 ? 4 : 5;
    if (step_ns % out->minor != 0) {
        out->minor = (uint32_t)leads[lead];
    }
}

/* The largest unit that the time is at least one of. */
static const struct unit *unit_of(int64_t at_ns)
{
    const struct unit *unit = &units[0];

    for (int i = 1; i < UNIT_COUNT; i++) {
        if (at_ns >= units[i].ns || at_ns <= -units[i].ns) {
            unit = &units[i];
        }
    }
    return unit;
}

/* Digits after the point that tell multiples of step apart. */
static int digits_of(const struct unit *unit, int64_t step_ns)
{
    int64_t part = unit->ns;
    int digits = 0;

    while (part > 1 && step_ns % part != 0) {
        part /= 10;
        digits++;
    }
    return digits;
}

void gp_view_format_time(int64_t at_ns, int64_t step_ns, char *text, size_t size)
{
    const struct unit *unit = unit_of(at_ns);
    double value = (double)at_ns / (double)unit->ns;
    int digits;

    if (at_ns == 0) {
        (void)snprintf(text, size, "0");
        return;
    }
    if (step_ns > 0) {
        digits = digits_of(unit, step_ns);
    } else {
        digits = unit->ns == 1 ? 0 : fabs(value) < 10 ? 3 : fabs(value) < 100 ? 2 : 1;
    }
    (void)snprintf(text, size, "%.*f %s", digits, value, unit->name);
}
