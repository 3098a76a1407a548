/* The verb compare: see verbs.h. */
#include <math.h>
#include <stdio.h>

#include "probe/analysis/compare.h"
#include "probe/cli/json.h"
#include "probe/cli/report.h"
#include "probe/cli/table.h"
#include "probe/cli/verbs.h"

static json_t *ratio_of(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static void print_json(const struct gp_options *options, const struct gp_comparisons *comparisons,
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
    gp_json_print(gp_json_need(json_pack(
        "{s:o, s:o, s:o, s:i, s:i, s:i}", "a", gp_json_text(options->operands[0]), "b",
        gp_json_text(options->operands[1]), "cells", cells, "only_a", (int)comparisons->only_a,
        "only_b", (int)comparisons->only_b, "beyond_gate", (int)beyond)));
}

static void add_row(struct gp_table *table, const struct gp_comparison *row,
                    const struct gp_terminal *terminal)
{
    const struct gp_cell_row *cell = row->a->cell;
    char a[GP_TIME_BYTES_MAX], b[GP_TIME_BYTES_MAX];

    gp_report_time(row->a->summary.makespan_ns.median, terminal, a);
    gp_report_time(row->b->summary.makespan_ns.median, terminal, b);
    gp_table_row(table, row->is_beyond ? GP_ROW_BAD : GP_ROW_PLAIN);
    gp_table_cell(table, "%s", cell->scenario);
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
    gp_table_print(&table, terminal, 0);
    gp_table_finish(&table);
    printf("B is faster in %u cells, slower in %u; in %u nobody can tell.\n",
           (unsigned)counts[GP_ANSWER_FASTER], (unsigned)counts[GP_ANSWER_SLOWER],
           (unsigned)counts[GP_ANSWER_UNTOLD]);
    if (comparisons->only_a + comparisons->only_b > 0) {
        printf("Without a counterpart: %u of A, %u of B.\n", (unsigned)comparisons->only_a,
               (unsigned)comparisons->only_b);
    }
}

static int open_side(const char *path, struct gp_side *side, struct gp_error *err)
{
    int code = gp_reader_open(path, &side->reader, err);

    return code == 0 ? gp_results_load(side->reader, &side->results, err) : code;
}

static void close_side(struct gp_side *side)
{
    gp_results_finish(&side->results);
    gp_reader_close(side->reader);
}

static uint32_t count_beyond(const struct gp_comparisons *comparisons)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < comparisons->count; i++) {
        count += comparisons->rows[i].is_beyond ? 1 : 0;
    }
    return count;
}

enum gp_exit gp_cli_compare(const struct gp_cli *cli, const struct gp_options *options)
{
    struct gp_error err = {0};
    struct gp_side a = {0}, b = {0};
    struct gp_comparisons comparisons = {0};
    uint32_t beyond = 0;
    int code;

    if (options->operand_count < 2) {
        (void)gp_fail(&err, GP_EINVAL, "which two recordings? gpuprobe compare A B");
        return gp_cli_fail(&err);
    }
    code = open_side(options->operands[0], &a, &err);
    if (code == 0) {
        code = open_side(options->operands[1], &b, &err);
    }
    if (code == 0) {
        code =
            gp_compare(&a, &b, options->has_gate ? options->gate / 100 : NAN, &comparisons, &err);
    }
    if (code == 0) {
        beyond = count_beyond(&comparisons);
        if (options->json) {
            print_json(options, &comparisons, beyond);
        } else {
            print_table(&comparisons, &cli->terminal);
        }
    }
    gp_comparisons_finish(&comparisons);
    close_side(&a);
    close_side(&b);
    if (code != 0) {
        return gp_cli_fail(&err);
    }
    return beyond > 0 ? GP_EXIT_CHECK : GP_EXIT_OK;
}
