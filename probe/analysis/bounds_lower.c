/* Bounds held against what plain runs took: gp_bounds_lower of bounds.h. */
#include <assert.h>
#include <math.h>

#include "probe/analysis/bounds.h"

static const double traced_over_plain_max = 1.03;

static void lower_bound(struct gp_bound *bound, double ns)
{
    bound->ns = fmin(bound->ns, ns);
    for (int i = 0; i < GP_LIMIT_COUNT; i++) {
        bound->parts[i] = isnan(bound->parts[i]) ? NAN : fmin(bound->parts[i], ns);
    }
}

static void forget_bound(struct gp_bound *bound)
{
    bound->ns = NAN;
    for (int i = 0; i < GP_LIMIT_COUNT; i++) {
        bound->parts[i] = NAN;
    }
}

void gp_bounds_lower(struct gp_bounds *bounds, double measured_ns)
{
    assert(bounds != NULL && measured_ns > 0);
    if (!(bounds->device.ns > measured_ns)) {
        return;
    }
    bounds->lowered_ns = bounds->device.ns - measured_ns;
    if (bounds->device.ns > measured_ns * traced_over_plain_max) {
        forget_bound(&bounds->ideal);
        forget_bound(&bounds->device);
    } else {
        lower_bound(&bounds->ideal, measured_ns);
        lower_bound(&bounds->device, measured_ns);
    }
}
