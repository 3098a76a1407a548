/* The bounds of a recording's cells: gp_results_bound of load.h. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "probe/analysis/bounds.h"
#include "probe/analysis/load.h"
#include "probe/memory.h"

/* Cells that do the same work, on the same device and in the same way. */
static bool is_same_work(const struct gp_cell_row *a, const struct gp_cell_row *b)
{
    return a->device == b->device && a->submit == b->submit &&
           strcmp(a->scenario, b->scenario) == 0 && strcmp(a->params, b->params) == 0;
}

static void take_bounds(struct gp_cell_summary *summary, const struct gp_bounds *bounds)
{
    double makespan_ns = summary->makespan_ns.median;

    summary->bound_ns = bounds->ideal.ns;
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

static int note_cell(struct gp_reader *reader, const struct gp_result *result,
                     struct gp_floor *floor, bool *noted, struct gp_error *err)
{
    struct gp_run_data run;
    int code;

    if (result->kept_run == 0) {
        return 0;
    }
    code = gp_run_load(reader, result->cell->id, result->kept_run, &run, err);
    if (code == 0) {
        *noted |= gp_floor_note(floor, &run);
        gp_run_finish(&run);
    }
    return code;
}

/* The cells that do the work of cell `first`, which is the first of them. */
static int bound_group(struct gp_reader *reader, struct gp_results *results, uint32_t first,
                       bool *is_done, struct gp_error *err)
{
    const struct gp_cell_row *cell = results->cells[first].cell;
    struct gp_floor floor = {0};
    struct gp_bounds bounds;
    double fastest_ns = INFINITY;
    bool noted = false;
    int code = 0;

    for (uint32_t i = first; i < results->count && code == 0; i++) {
        if (is_same_work(cell, results->cells[i].cell)) {
            is_done[i] = true;
            fastest_ns = fmin(fastest_ns, results->cells[i].summary.makespan_ns.median);
            code = note_cell(reader, &results->cells[i], &floor, &noted, err);
        }
    }
    if (code == 0 && noted) {
        gp_bounds_measure(&floor, &bounds);
        if (fastest_ns > 0) {
            gp_bounds_lower(&bounds, fastest_ns);
        }
        for (uint32_t i = first; i < results->count; i++) {
            if (is_same_work(cell, results->cells[i].cell)) {
                take_bounds(&results->cells[i].summary, &bounds);
            }
        }
    }
    gp_floor_finish(&floor);
    return code;
}

int gp_results_bound(struct gp_reader *reader, struct gp_results *results, struct gp_error *err)
{
    bool *is_done = gp_xalloc(results->count, sizeof *is_done);
    int code = 0;

    assert(reader != NULL && results != NULL);
    for (uint32_t i = 0; i < results->count && code == 0; i++) {
        if (!is_done[i]) {
            code = bound_group(reader, results, i, is_done, err);
        }
    }
    gp_free(is_done);
    return code;
}
