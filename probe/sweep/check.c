/* The check of a cell's schedule: see check.h. */
#include "probe/sweep/check.h"

#include <math.h>
#include <stdio.h>

void gp_check_count(const struct gp_schedule *schedule, const struct gp_hazard_report *report,
                    struct gp_cell_metrics *out)
{
    bool all_tried = report->hazard_count == 0 && report->waits_examined == report->wait_count;

#define X(name) out->name = NAN;
    GP_CELL_METRICS(X)
#undef X
    out->hazards = report->hazard_count;
    out->waits = report->wait_count;
    out->waits_elided = schedule->waits_elided;
    out->waits_unneeded = all_tried ? (double)report->unneeded_count : NAN;
}

int gp_check_record(struct gp_recorder *recorder, int64_t cell,
                    const struct gp_cell_metrics *metrics, struct gp_error *err)
{
    const struct gp_metric_row all[] = {
#define X(name) {cell, 0, #name, metrics->name, NAN, NAN},
        GP_CELL_METRICS(X)
#undef X
    };
    struct gp_metric_row known[sizeof all / sizeof all[0]];
    uint32_t count = 0;

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (!isnan(all[i].value)) {
            known[count++] = all[i];
        }
    }
    return count > 0 ? gp_recorder_add_metrics(recorder, known, count, err) : 0;
}

int gp_check_result(const struct gp_schedule *schedule, const struct gp_hazard_report *report,
                    struct gp_error *err)
{
    char first[sizeof err->text];
    char more[64] = "";

    if (report->hazard_count == 0) {
        return 0;
    }
    gp_hazard_describe(schedule, &report->hazards[0], first, sizeof first);
    if (report->hazard_count > 1) {
        (void)snprintf(more, sizeof more, " (and %s%u hazards more)",
                       report->is_cut ? "at least " : "", report->hazard_count - 1);
    }
    return gp_fail(err, GP_EVERIFY, "%s%s", first, more);
}

static bool is_listed(const struct gp_hazard_report *report, uint32_t index)
{
    const struct gp_hazard *hazards = report->hazards;

    for (uint32_t i = index; i-- > 0 && hazards[i].to == hazards[index].to;) {
        if (hazards[i].from == hazards[index].from) {
            return true;
        }
    }
    return false;
}

uint32_t gp_check_edges(const struct gp_hazard_report *report, struct gp_edge_row *out)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < report->hazard_count; i++) {
        if (!is_listed(report, i)) {
            out[count++] = (struct gp_edge_row){report->hazards[i].from, report->hazards[i].to,
                                                GP_EDGE_DATA, GP_HOW_MISSING};
        }
    }
    return count;
}
