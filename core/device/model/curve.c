/* Curves: see curve.h. */
#include "core/device/model/curve.h"

#include <assert.h>

int64_t gp_curve_at(const struct gp_curve *curve, int64_t x_q16)
{
    uint32_t i = 1;
    int64_t x;
    int64_t span;
    int64_t rise;

    assert(curve->count >= 1 && curve->count <= GP_CURVE_POINTS_MAX);
    if (x_q16 <= curve->x[0] * 65536) {
        return curve->y[0] * 65536;
    }
    while (i < curve->count && x_q16 > curve->x[i] * 65536) {
        i++;
    }
    if (i == curve->count) {
        return curve->y[i - 1] * 65536;
    }
    /* In whole and fractional parts: the product of two scaled numbers would overflow. */
    x = x_q16 - curve->x[i - 1] * 65536;
    span = curve->x[i] - curve->x[i - 1];
    rise = curve->y[i] - curve->y[i - 1];
    return curve->y[i - 1] * 65536 + x / span * rise + x % span * rise / span;
}
