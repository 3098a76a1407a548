/* The results as JSON: see report.h. The names are the program's contract (man page). */
#include <jansson.h>

#include "probe/cli/advice_print.h"
#include "probe/cli/claims_print.h"
#include "probe/cli/json.h"
#include "probe/cli/report.h"

static json_t *verified_of(int32_t verified)
{
    return verified < 0 ? json_null() : json_boolean(verified == 1);
}

/* What was run. */
static json_t *configuration_of(const struct gp_result *result)
{
    const struct gp_cell_row *cell = result->cell;
    const char *submit = cell->submit < GP_SUBMIT_COUNT ? gp_submit_name(cell->submit) : NULL;
    const char *order =
        cell->order < GP_ISSUE_ORDER_COUNT ? gp_issue_order_name(cell->order) : NULL;

    return gp_json_need(json_pack(
        "{s:o, s:o, s:o, s:o, s:i, s:o, s:o, s:o, s:o, s:i}", "scenario",
        gp_json_text(cell->scenario), "params", gp_json_params(cell->params), "connections",
        gp_json_number(result->device->connections), "policy", gp_json_text(cell->policy),
        "streams", (int)cell->streams, "submit", gp_json_text_or_null(submit), "issue_order",
        gp_json_text_or_null(order), "completion", gp_json_text_or_null(cell->completion), "trace",
        gp_json_text_or_null(result->kept_run != 0 ? gp_trace_name(result->trace) : NULL),
        "repeats", (int)result->summary.repeats));
}

/* What came of it. */
static json_t *figures_of(const struct gp_result *result)
{
    const struct gp_cell_summary *summary = &result->summary;
    const struct gp_figure *makespan = &summary->makespan_ns;

    return gp_json_need(json_pack(
        "{s:{s:o, s:o, s:o}, s:{s:o, s:o}, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
        "s:s, s:o, "
        "s:b, "
        "s:b, s:o, s:o, s:o}",
        "makespan_ns", "median", gp_json_whole(makespan->median), "lo", gp_json_whole(makespan->lo),
        "hi", gp_json_whole(makespan->hi), "latency_ns", "p50",
        gp_json_whole(summary->latency_p50_ns), "p99", gp_json_whole(summary->latency_p99_ns),
        "speedup", gp_json_ratio(summary->speedup), "concurrency",
        gp_json_ratio(summary->concurrency), "copy_compute_overlap",
        gp_json_ratio(summary->copy_compute_overlap), "h2d_d2h_overlap",
        gp_json_ratio(summary->h2d_d2h_overlap), "bound_ns", gp_json_whole(summary->bound_ns),
        "device_bound_ns", gp_json_whole(summary->device_bound_ns), "efficiency",
        gp_json_ratio(summary->efficiency), "perturbation",
        gp_json_ratio(summary->perturbation.median), "perturbation_lo",
        gp_json_ratio(summary->perturbation.lo), "perturbation_hi",
        gp_json_ratio(summary->perturbation.hi), "verified", verified_of(result->verified),
        "status", gp_status_name(result->cell->status), "error",
        gp_json_text_or_null(result->cell->error), "recommended", (int)summary->is_recommended,
        "tied", (int)summary->is_tied, "versus_round_robin",
        gp_json_text_or_null(gp_versus_name(summary->versus_round_robin)), "limit",
        gp_json_text_or_null(summary->limit), "limit_share", gp_json_ratio(summary->limit_share)));
}

/* Of the schedule: what the sweep counted. */
static json_t *counts_of(const struct gp_result *result)
{
    json_t *counts = gp_json_need(json_object());

#define X(name) (void)json_object_set_new(counts, #name, gp_json_whole(result->metrics.name));
    GP_CELL_METRICS(X)
#undef X
    return counts;
}

/* {"measures": {"NAME": {"median", "lo", "hi"}}}, of what the scenario computes. */
static json_t *measures_of(const struct gp_result *result)
{
    json_t *measures = gp_json_need(json_object());

    for (uint32_t i = 0; i < result->measure_count; i++) {
        const struct gp_figure *figure = &result->measures[i].figure;
        json_t *name = gp_json_text(result->measures[i].name);

        (void)json_object_set_new(
            measures, json_string_value(name),
            gp_json_need(json_pack("{s:o, s:o, s:o}", "median", gp_json_ratio(figure->median), "lo",
                                   gp_json_ratio(figure->lo), "hi", gp_json_ratio(figure->hi))));
        json_decref(name);
    }
    return gp_json_need(json_pack("{s:o}", "measures", measures));
}

static json_t *device_of(const struct gp_device_row *device)
{
    if (device == NULL) {
        return json_null();
    }
    return gp_json_need(json_pack("{s:s, s:o, s:o}", "kind", gp_origin_name(device->kind), "name",
                                  gp_json_text(device->name), "connections",
                                  gp_json_number(device->connections)));
}

static json_t *verdicts_of(const struct gp_report *report)
{
    return gp_claims_json(report->reader, report->verdicts, report->verdict_count);
}

/* null: it could not be read. */
static json_t *advice_of(const struct gp_report *report)
{
    struct gp_advices advices;
    struct gp_error err = {0};

    return gp_advice_load(report->reader, &report->results, &advices, &err) == 0
               ? gp_advice_json(&advices)
               : json_null();
}

void gp_report_print_verdicts_json(const struct gp_report *report)
{
    gp_json_print(
        gp_json_need(json_pack("{s:o, s:o, s:o}", "recording", gp_json_text(report->path), "device",
                               device_of(report->device), "verdicts", verdicts_of(report))));
}

void gp_report_print_json(const struct gp_report *report)
{
    json_t *cells = gp_json_need(json_array());

    for (uint32_t i = 0; i < report->results.count; i++) {
        json_t *cell = configuration_of(&report->results.cells[i]);

        (void)json_object_update_new(cell, figures_of(&report->results.cells[i]));
        (void)json_object_update_new(cell, counts_of(&report->results.cells[i]));
        (void)json_object_update_new(cell, measures_of(&report->results.cells[i]));
        (void)json_array_append_new(cells, cell);
    }
    gp_json_print(
        gp_json_need(json_pack("{s:o, s:o, s:o, s:o, s:o}", "recording", gp_json_text(report->path),
                               "device", device_of(report->device), "cells", cells, "advice",
                               advice_of(report), "verdicts", verdicts_of(report))));
}
