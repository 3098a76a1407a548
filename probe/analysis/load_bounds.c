/* The bounds of a recording's cells: gp_results_bound of load.h. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "probe/analysis/load.h"

bool gp_results_same_work(const struct gp_result *a, const struct gp_result *b)
{
    const struct gp_cell_row *one = a->cell, *other = b->cell;

    return one->device == other->device && one->submit == other->submit &&
           strcmp(one->scenario, other->scenario) == 0 && strcmp(one->params, other->params) == 0;
}

static double but_host(const struct gp_bound *bound)
{
    double ns = NAN;

    for (int i = 0; i < GP_LIMIT_COUNT; i++) {
        ns = i == GP_LIMIT_HOST ? ns : fmax(ns, bound->parts[i]);
    }
    return ns;
}

static void take_bounds(struct gp_cell_summary *summary, const struct gp_bounds *bounds)
{
    double makespan_ns = summary->makespan_ns.median;

    summary->bound_ns = bounds->ideal.ns;
    summary->bound_but_host_ns = but_host(&bounds->ideal);
    summary->device_bound_ns = bounds->device.ns;
    summary->bound_lowered_ns = bounds->lowered_ns;
    if (isnan(makespan_ns) || makespan_ns <= 0 || isnan(bounds->device.ns)) {
        return;
    }
    summary->efficiency = bounds->device.ns / makespan_ns;
    summary->limit_share = 0;
    for (int i = 0; i < GP_LIMIT_COUNT; i++) {
        double share = bounds->device.parts[i] / makespan_ns;

        if (share > summary->limit_share) {
            summary->limit_share = share;
            summary->limit = gp_limit_name((enum gp_limit)i);
        }
    }
}

void gp_results_bound(struct gp_results *results, uint32_t first, const struct gp_floor *floor)
{
    struct gp_bounds bounds;
    double fastest_ns = INFINITY;

    assert(results != NULL && first < results->count && floor != NULL);
    for (uint32_t i = first; i < results->count; i++) {
        if (gp_results_same_work(&results->cells[first], &results->cells[i])) {
            fastest_ns = fmin(fastest_ns, results->cells[i].summary.makespan_ns.median);
        }
    }
    gp_bounds_measure(floor, &bounds);
    if (fastest_ns > 0) {
        gp_bounds_lower(&bounds, fastest_ns);
    }
    for (uint32_t i = first; i < results->count; i++) {
        if (gp_results_same_work(&results->cells[first], &results->cells[i])) {
            take_bounds(&results->cells[i].summary, &bounds);
        }
    }
}
