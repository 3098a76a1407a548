/*
 * A measured curve: points with ascending x, straight lines between them. Pure integer arithmetic,
 * so that every machine computes the same.
 */
#ifndef GP_CORE_DEVICE_MODEL_CURVE_H
#define GP_CORE_DEVICE_MODEL_CURVE_H

#include <stdint.h>

enum { GP_CURVE_POINTS_MAX = 24 };

struct gp_curve {
    uint32_t count; /* ≥ 1 */
    int64_t x[GP_CURVE_POINTS_MAX];
    int64_t y[GP_CURVE_POINTS_MAX];
};

/* y at x × 2^-16, times 2^16. Left of the first and right of the last point the curve is flat. */
int64_t gp_curve_at(const struct gp_curve *curve, int64_t x_q16);

#endif
