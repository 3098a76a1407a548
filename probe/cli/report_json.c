/* The results as JSON: see report.h. The names are the program's contract (man page). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <jansson.h>

#include "probe/cli/json.h"
#include "probe/cli/report.h"

static json_t *time_of(double ns)
{
    return isnan(ns) ? json_null() : json_integer((json_int_t)llround(ns));
}

static json_t *ratio_of(double value)
{
    return isnan(value) ? json_null() : json_real(value);
}

static json_t *verified_of(int32_t verified)
{
    return verified < 0 ? json_null() : json_boolean(verified == 1);
}

static json_t *params_of(const char *text)
{
    json_t *params = json_loads(text, 0, NULL);

    return params != NULL ? params : json_null();
}

static json_t *cell_of(const struct gp_report_cell *cell)
{
    const struct gp_cell_summary *summary = &cell->summary;
    const struct gp_figure *makespan = &summary->makespan_ns;
    json_t *object = json_pack(
        "{s:o, s:o, s:i, s:o, s:i, s:o, s:o, s:o, s:i}", "scenario", gp_json_text(cell->scenario),
        "params", params_of(cell->params), "connections", (int)cell->connections, "policy",
        gp_json_text(cell->policy), "streams", (int)cell->streams, "submit",
        gp_json_text_or_null(cell->submit), "issue_order", gp_json_text_or_null(cell->order),
        "completion", gp_json_text_or_null(cell->completion), "repeats", (int)summary->repeats);
    json_t *figures = json_pack(
        "{s:{s:o, s:o, s:o}, s:{s:o, s:o}, s:o, s:o, s:o, s:n, s:n, s:n, s:o, s:o, s:s, s:o, s:b}",
        "makespan_ns", "median", time_of(makespan->median), "lo", time_of(makespan->lo), "hi",
        time_of(makespan->hi), "latency_ns", "p50", time_of(summary->latency_p50_ns), "p99",
        time_of(summary->latency_p99_ns), "speedup", ratio_of(summary->speedup), "concurrency",
        ratio_of(summary->concurrency), "copy_compute_overlap",
        ratio_of(summary->copy_compute_overlap), "bound_ns", "device_bound_ns", "efficiency",
        "perturbation", ratio_of(summary->perturbation.median), "verified",
        verified_of(cell->verified), "status", gp_status_name(cell->status), "error",
        gp_json_text_or_null(cell->error), "recommended", (int)summary->is_recommended);

    (void)json_object_update_new(gp_json_need(object), gp_json_need(figures));
    return object;
}

void gp_report_print_json(const struct gp_report *report)
{
    json_t *cells = gp_json_need(json_array());
    json_t *root;

    for (uint32_t i = 0; i < report->cell_count; i++) {
        (void)json_array_append_new(cells, cell_of(&report->cells[i]));
    }
    root = json_pack("{s:o, s:{s:s, s:o, s:i}, s:o}", "recording", gp_json_text(report->path),
                     "device", "kind", gp_device_kind_name(report->kind), "name",
                     gp_json_text(report->device_name), "connections", (int)report->connections,
                     "cells", cells);
    gp_json_print(gp_json_need(root));
}
