/* Printing for doctor --timing: see timing.h. */
#include <math.h>
#include <stdio.h>

#include "probe/cli/json.h"
#include "probe/cli/table.h"
#include "probe/cli/timing.h"

static void add_us(struct gp_table *table, double ns)
{
    if (isnan(ns)) {
        gp_table_cell(table, "-");
    } else {
        gp_table_cell(table, "%.2f", ns / 1000);
    }
}

static void add_ratio(struct gp_table *table, double ratio)
{
    if (isnan(ratio)) {
        gp_table_cell(table, "-");
    } else {
        gp_table_cell(table, "%.3f", ratio);
    }
}

static void print_rows(const struct gp_timing *timing, const struct gp_terminal *terminal)
{
    static const struct gp_column columns[] = {
        {"kind", false},   {"of", false},       {"recorder", false},   {"operations", true},
        {"bias us", true}, {"spread us", true}, {"in interval", true}, {"width us", true}};
    struct gp_table table = {.columns = columns, .column_count = 8};

    for (uint32_t i = 0; i < timing->row_count; i++) {
        const struct gp_accuracy_row *row = &timing->rows[i];

        gp_table_row(&table, GP_ROW_PLAIN);
        gp_table_cell(&table, "%s", row->kind);
        gp_table_cell(&table, "%s", row->quantity);
        gp_table_cell(&table, "%s", row->method);
        gp_table_cell(&table, "%u", row->count);
        add_us(&table, row->bias_ns);
        add_us(&table, row->spread_ns);
        if (isnan(row->inside)) {
            gp_table_cell(&table, "-");
        } else {
            gp_table_cell(&table, "%.1f %%", 100 * row->inside);
        }
        add_us(&table, row->width_ns);
    }
    printf(
        "\nrecorders against the reference (constants fitted on the first cell, scored on the "
        "others;\namong them that its clock gains %.1f ppm on ours; in interval, width: copies of "
        "1 MiB and more)\n",
        1e6 * timing->drift);
    gp_table_print(&table, terminal, 3);
    gp_table_finish(&table);
}

static void print_costs(const struct gp_timing *timing, const struct gp_terminal *terminal)
{
    static const struct gp_column columns[] = {
        {"cell", false}, {"stamps", true}, {"naive", true}, {"reference", true}};
    struct gp_table table = {.columns = columns, .column_count = 4};

    for (uint32_t i = 0; i < timing->cost_count; i++) {
        const struct gp_timing_cost *cost = &timing->costs[i];

        gp_table_row(&table, GP_ROW_PLAIN);
        gp_table_cell(&table, "%s", cost->name);
        add_ratio(&table, cost->stamps.median);
        add_ratio(&table, cost->events.median);
        add_ratio(&table, cost->reference);
    }
    printf("\nwhat recording costs (makespan with ÷ without)\n");
    gp_table_print(&table, terminal, 3);
    gp_table_finish(&table);
}

static void print_copies(const struct gp_timing *timing, const struct gp_terminal *terminal)
{
    static const struct gp_column columns[] = {
        {"copy", false},     {"", false},          {"KiB", true},       {"span us", true},
        {"look us", true},   {"clock us", true},   {"gap us", true},    {"event us", true},
        {"spread us", true}, {"ref end us", true}, {"spread us", true}, {"inside", true},
        {"width us", true}};
    struct gp_table table = {.columns = columns, .column_count = 13};

    for (uint32_t i = 0; i < timing->copy_count; i++) {
        const struct gp_timing_copy *copy = &timing->copies[i];

        gp_table_row(&table, GP_ROW_PLAIN);
        gp_table_cell(&table, "%s", copy->plan.direction == GP_DIRECTION_H2D ? "h2d" : "d2h");
        gp_table_cell(&table, "%s", gp_oracle_traffic_name(copy->plan.traffic));
        gp_table_cell(&table, "%llu", (unsigned long long)(copy->plan.bytes / 1024));
        add_us(&table, copy->span_ns);
        add_us(&table, copy->look_ns);
        add_us(&table, copy->clock_ns);
        add_us(&table, copy->gap_ns);
        add_us(&table, copy->event_ns);
        add_us(&table, copy->event_spread_ns);
        add_us(&table, copy->reference_end_ns);
        add_us(&table, copy->reference_end_spread_ns);
        gp_table_cell(&table, "%.0f %%", 100 * copy->inside);
        add_us(&table, copy->width_ns);
    }
    printf("\ncopies as their bytes arrive (span: first to last of 16 words; look: how closely "
           "they are\nwatched; clock: how far off the host's clock may be, by which downloads are "
           "watched; gap: from\nthe event of the copy before it to the first word; event, ref end: "
           "how long after the last\nword the timed event is, and the reference's end; loaded: "
           "behind another copy, and the other\ndirection is busy; inside, width: how often the "
           "end that a recording states holds the last\nword, as far as clocks can tell, and how "
           "wide that is)\n");
    gp_table_print(&table, terminal, 3);
    gp_table_finish(&table);
}

void gp_timing_print(const struct gp_timing *timing, const struct gp_terminal *terminal)
{
    printf("%stiming against %s\n", timing->is_modelled ? "modelled: " : "", timing->reference);
    print_rows(timing, terminal);
    print_costs(timing, terminal);
    if (timing->copy_count > 0) {
        print_copies(timing, terminal);
    }
    if (timing->note[0] != '\0') {
        printf("\n%s\n", timing->note);
    }
}

static json_t *number(double value)
{
    return isnan(value) ? json_null() : json_real(value);
}

static json_t *figure_json(const struct gp_figure *figure)
{
    return gp_json_need(json_pack("{s:o, s:o, s:o}", "median", number(figure->median), "lo",
                                  number(figure->lo), "hi", number(figure->hi)));
}

void gp_timing_print_json(const struct gp_timing *timing)
{
    json_t *rows = gp_json_need(json_array());
    json_t *costs = gp_json_need(json_array());
    json_t *copies = gp_json_need(json_array());

    for (uint32_t i = 0; i < timing->row_count; i++) {
        const struct gp_accuracy_row *row = &timing->rows[i];

        (void)json_array_append_new(
            rows, gp_json_need(json_pack(
                      "{s:s, s:s, s:s, s:i, s:o, s:o, s:o, s:o}", "kind", row->kind, "quantity",
                      row->quantity, "method", row->method, "count", (int)row->count, "bias_ns",
                      number(row->bias_ns), "spread_ns", number(row->spread_ns), "inside",
                      number(row->inside), "width_ns", number(row->width_ns))));
    }
    for (uint32_t i = 0; i < timing->cost_count; i++) {
        const struct gp_timing_cost *cost = &timing->costs[i];

        (void)json_array_append_new(
            costs,
            gp_json_need(json_pack("{s:s, s:o, s:o, s:o}", "cell", cost->name, "stamps",
                                   figure_json(&cost->stamps), "naive", figure_json(&cost->events),
                                   "reference", number(cost->reference))));
    }
    for (uint32_t i = 0; i < timing->copy_count; i++) {
        const struct gp_timing_copy *copy = &timing->copies[i];

        (void)json_array_append_new(
            copies,
            gp_json_need(json_pack(
                "{s:s, s:s, s:I, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
                "kind", copy->plan.direction == GP_DIRECTION_H2D ? "h2d" : "d2h", "traffic",
                gp_oracle_traffic_name(copy->plan.traffic), "bytes", (json_int_t)copy->plan.bytes,
                "count", (int)GP_TIMING_COPIES, "span_ns", number(copy->span_ns), "look_ns",
                number(copy->look_ns), "clock_ns", number(copy->clock_ns), "gap_ns",
                number(copy->gap_ns), "event_ns", number(copy->event_ns), "event_spread_ns",
                number(copy->event_spread_ns), "reference_end_ns", number(copy->reference_end_ns),
                "reference_end_spread_ns", number(copy->reference_end_spread_ns),
                "reference_begin_ns", number(copy->reference_begin_ns), "inside",
                number(copy->inside), "width_ns", number(copy->width_ns))));
    }
    gp_json_print(gp_json_need(
        json_pack("{s:b, s:s, s:f, s:o, s:o, s:o, s:o}", "modelled", (int)timing->is_modelled,
                  "reference", timing->reference, "drift", timing->drift, "accuracy", rows, "costs",
                  costs, "copies", copies, "note", gp_json_text_or_null(timing->note))));
}
