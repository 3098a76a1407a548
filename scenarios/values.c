/* Inputs and wrong elements: see values.h. */
#include "scenarios/values.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

void gp_values_draw(float *values, size_t count, struct gp_random *random, int32_t low,
                    int32_t high)
{
    assert(low <= high);
    for (size_t i = 0; i < count; i++) {
        uint64_t above = gp_random_below(random, (uint64_t)((int64_t)high - low) + 1);

        values[i] = (float)(low + (int64_t)above);
    }
}

static uint32_t bits(float value)
{
    uint32_t word;

    memcpy(&word, &value, sizeof word);
    return word;
}

size_t gp_values_differ(const float *got, const float *expected, size_t count)
{
    size_t i = 0;

    if (memcmp(got, expected, count * sizeof *got) == 0) {
        return count;
    }
    while (i < count && bits(got[i]) == bits(expected[i])) {
        i++;
    }
    return i;
}

int gp_values_fail(struct gp_error *err, float got, float expected, const char *format, ...)
{
    static const uint32_t poison = GP_POISON * UINT32_C(0x01010101);
    char where[160];
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(where, sizeof where, format, arguments);
    va_end(arguments);
    if (bits(got) == poison) {
        return gp_fail(err, GP_EVERIFY, "%s: got nothing (never written), expected %.9g", where,
                       (double)expected);
    }
    return gp_fail(err, GP_EVERIFY, "%s: got %.9g, expected %.9g", where, (double)got,
                   (double)expected);
}
