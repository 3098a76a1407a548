/* Two recordings cell by cell, as text and as JSON: see compare.h. */
#include "probe/cli/compare.h"

#include <math.h>
#include <stdio.h>

#include <jansson.h>

#include "probe/analysis/compare.h"
#include "probe/cli/json.h"
#include "probe/cli/table.h"

static json_t *ratio_of(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static void print_json(const struct gp_compared *files, const struct gp_comparisons *comparisons,
                       uint32_t beyond)
{
    json_t *cells = gp_json_need(json_array());

    for (uint32_t i = 0; i < comparisons->count; i++) {
        const struct gp_comparison *row = &comparisons->rows[i];
        const struct gp_cell_row *cell = row->a->cell;

        (void)json_array_append_new(
            cells, gp_json_need(json_pack(
                       "{s:o, s:o, s:o, s:i, s:o, s:{s:o, s:o, s:o}, s:s, s:b}", "scenario",
                       gp_json_text(cell->scenario), "params", json_loads(cell->params, 0, NULL),
                       "policy", gp_json_text(cell->policy), "streams", (int)cell->streams,
                       "submit", gp_json_text(gp_submit_name(cell->submit)), "ratio", "median",
                       ratio_of(row->ratio.median), "lo", ratio_of(row->ratio.lo), "hi",
                       ratio_of(row->ratio.hi), "answer", gp_answer_name(row->answer),
                       "beyond_gate", (int)row->is_beyond)));
    }
    gp_json_print(gp_json_need(
        json_pack("{s:o, s:o, s:o, s:i, s:i, s:i}", "a", gp_json_text(files->a.path), "b",
                  gp_json_text(files->b.path), "cells", cells, "only_a", (int)comparisons->only_a,
                  "only_b", (int)comparisons->only_b, "beyond_gate", (int)beyond)));
}

static void add_row(struct gp_table *table, const struct gp_comparison *row,
                    const struct gp_terminal *terminal)
{
    const struct gp_cell_row *cell = row->a->cell;
    const char *variant = row->a->variant;
    char a[GP_TIME_BYTES_MAX], b[GP_TIME_BYTES_MAX];

    gp_report_time(row->a->summary.makespan_ns.median, terminal, a);
    gp_report_time(row->b->summary.makespan_ns.median, terminal, b);
    gp_table_row(table, row->is_beyond ? GP_ROW_BAD : GP_ROW_PLAIN);
    gp_table_cell(table, "%s%s%s%s", cell->scenario, variant[0] != '\0' ? " (" : "", variant,
                  variant[0] != '\0' ? ")" : "");
    gp_table_cell(table, "%s", gp_submit_name(cell->submit));
    gp_table_cell(table, "%s", cell->policy);
    gp_table_cell(table, "%d", (int)cell->streams);
    gp_table_cell(table, "%s", a);
    gp_table_cell(table, "%s", b);
    gp_table_cell(table, "%.3f", row->ratio.median);
    if (isnan(row->ratio.lo)) {
        gp_table_cell(table, "-");
    } else {
        gp_table_cell(table, "%.3f %s %.3f", row->ratio.lo, gp_terminal_dash(terminal),
                      row->ratio.hi);
    }
    gp_table_cell(table, "%s%s", gp_answer_name(row->answer),
                  row->is_beyond ? ", beyond the gate" : "");
}

static void print_table(const struct gp_comparisons *comparisons,
                        const struct gp_terminal *terminal)
{
    static const struct gp_column columns[] = {
        {"scenario", false}, {"submit", false}, {"policy", false}, {"streams", true},
        {"A", true},         {"B", true},       {"B / A", true},   {"95 % interval", true},
        {"B is", false},
    };
    struct gp_table table = {.columns = columns,
                             .column_count = sizeof columns / sizeof columns[0]};
    uint32_t counts[GP_ANSWER_COUNT] = {0};

    for (uint32_t i = 0; i < comparisons->count; i++) {
        add_row(&table, &comparisons->rows[i], terminal);
        counts[comparisons->rows[i].answer]++;
    }
    if (comparisons->count > 0) {
        gp_table_print(&table, terminal, 0);
        printf("B is faster in %u cells, slower in %u; in %u nobody can tell.\n",
               (unsigned)counts[GP_ANSWER_FASTER], (unsigned)counts[GP_ANSWER_SLOWER],
               (unsigned)counts[GP_ANSWER_UNTOLD]);
    } else {
        puts("No cell is in both recordings, so there is nothing to compare.");
    }
    gp_table_finish(&table);
    if (comparisons->only_a + comparisons->only_b > 0) {
        printf("Without a counterpart: %u of A, %u of B.\n", (unsigned)comparisons->only_a,
               (unsigned)comparisons->only_b);
    }
}

static uint32_t count_beyond(const struct gp_comparisons *comparisons)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < comparisons->count; i++) {
        count += comparisons->rows[i].is_beyond ? 1 : 0;
    }
    return count;
}

int gp_compare_cells(const struct gp_compared *files, double gate,
                     const struct gp_terminal *terminal, bool json, struct gp_error *err)
{
    const struct gp_side a = {files->a.reader, files->a.results};
    const struct gp_side b = {files->b.reader, files->b.results};
    struct gp_comparisons comparisons = {0};
    uint32_t beyond;
    int code = gp_compare(&a, &b, gate, &comparisons, err);

    if (code != 0) {
        return code;
    }
    beyond = count_beyond(&comparisons);
    if (json) {
        print_json(files, &comparisons, beyond);
    } else {
        print_table(&comparisons, terminal);
    }
    gp_comparisons_finish(&comparisons);
    return beyond > 0 ? 1 : 0;
}
