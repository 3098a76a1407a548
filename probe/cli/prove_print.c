/* What experiments showed: see prove_print.h. */
#include "probe/cli/prove_print.h"

#include <math.h>
#include <stdio.h>

#include "probe/analysis/compare.h"
#include "probe/cli/json.h"
#include "probe/cli/table.h"

/* One experiment's outcome. */
struct outcome {
    const struct gp_proof *proof;
    const struct gp_result *before, *after;
    struct gp_comparison comparison;
    int64_t idle_before_ns, idle_after_ns; /* by the cause; GP_UNKNOWN */
    bool is_proven;
};

static int64_t idle_by(struct gp_reader *reader, const struct gp_result *result,
                       enum gp_cause cause)
{
    struct gp_explained explained;
    struct gp_error err = {0};
    int64_t idle_ns = GP_UNKNOWN;

    if (gp_explained_load(reader, result, 1, 0, &explained, &err) == 0) {
        idle_ns = explained.causes.totals[cause].idle_ns;
        gp_explained_finish(&explained);
    }
    return idle_ns;
}

static int judge(struct outcome *outcome, struct gp_reader *reader, struct gp_error *err)
{
    struct gp_comparison *comparison = &outcome->comparison;
    int code;

    *comparison = (struct gp_comparison){.a = outcome->before, .b = outcome->after};
    code = gp_compare_pair(reader, reader, NAN, comparison, err);
    outcome->is_proven =
        !isnan(comparison->ratio.lo) &&
        (comparison->answer == GP_ANSWER_FASTER) != gp_cause_table[outcome->proof->cause].is_limit;
    return code;
}

static void add_time(struct gp_table *table, double ns, const struct gp_terminal *terminal)
{
    char time[GP_TIME_BYTES_MAX];

    gp_report_time(ns, terminal, time);
    gp_table_cell(table, "%s", isnan(ns) ? "-" : time);
}

static void add_idle(struct gp_table *table, int64_t ns, const struct gp_terminal *terminal)
{
    add_time(table, ns == GP_UNKNOWN ? NAN : (double)ns, terminal);
}

static void add_outcome(struct gp_table *table, const struct outcome *outcome,
                        const struct gp_terminal *terminal)
{
    struct gp_words words = {.used = 0};

    gp_explain_say_experiment(&words, outcome->before->cell, outcome->proof->experiment);
    gp_table_row(table, outcome->is_proven ? GP_ROW_CHOSEN : GP_ROW_PLAIN);
    gp_table_cell(table, "%s", gp_cause_name(outcome->proof->cause));
    gp_table_cell(table, "%s", words.text + 1);
    add_time(table, outcome->before->summary.makespan_ns.median, terminal);
    add_time(table, outcome->after->summary.makespan_ns.median, terminal);
    if (isnan(outcome->comparison.ratio.lo)) {
        gp_table_cell(table, "-");
    } else {
        gp_table_cell(table, "%.3f (%.3f %s %.3f)", outcome->comparison.ratio.median,
                      outcome->comparison.ratio.lo, gp_terminal_dash(terminal),
                      outcome->comparison.ratio.hi);
    }
    add_time(table, (double)outcome->proof->estimated_ns, terminal);
    add_idle(table, outcome->idle_before_ns, terminal);
    add_idle(table, outcome->idle_after_ns, terminal);
    if (gp_cause_table[outcome->proof->cause].is_limit && outcome->is_proven) {
        gp_table_cell(table, "no faster, as expected");
    } else {
        gp_table_cell(table, "%s%s", gp_answer_name(outcome->comparison.answer),
                      outcome->is_proven ? ": proven" : "");
    }
}

static json_t *outcome_json(const struct outcome *outcome)
{
    const struct gp_figure *before = &outcome->before->summary.makespan_ns;
    const struct gp_figure *after = &outcome->after->summary.makespan_ns;
    struct gp_words words = {.used = 0};

    gp_explain_say_experiment(&words, outcome->before->cell, outcome->proof->experiment);
    return gp_json_need(
        json_pack("{s:s, s:s, s:o, s:o, s:{s:o, s:o, s:o}, s:I, s:o, s:o, s:s, s:b}", "cause",
                  gp_cause_name(outcome->proof->cause), "experiment", words.text + 1, "before_ns",
                  gp_json_whole(before->median), "after_ns", gp_json_whole(after->median), "ratio",
                  "median", gp_json_ratio(outcome->comparison.ratio.median), "lo",
                  gp_json_ratio(outcome->comparison.ratio.lo), "hi",
                  gp_json_ratio(outcome->comparison.ratio.hi), "estimated_ns",
                  (json_int_t)outcome->proof->estimated_ns, "idle_before_ns",
                  gp_json_number(outcome->idle_before_ns), "idle_after_ns",
                  gp_json_number(outcome->idle_after_ns), "answer",
                  gp_answer_name(outcome->comparison.answer), "proven", (int)outcome->is_proven));
}

static const struct gp_column columns[] = {
    {"cause", false},    {"tried", false},      {"before", true}, {"after", true},  {"ratio", true},
    {"estimated", true}, {"idle for it", true}, {"then", true},   {"answer", false}};

static int print_outcomes(const struct gp_report *report, const struct gp_proof *proofs,
                          uint32_t count, const struct gp_terminal *terminal, json_t *list,
                          struct gp_error *err)
{
    struct gp_table table = {.columns = columns,
                             .column_count = sizeof columns / sizeof columns[0]};
    const struct gp_result *cells = report->results.cells;
    int code = 0;

    for (uint32_t i = 0; i < count; i++) {
        struct outcome outcome = {.proof = &proofs[i], .before = &cells[0]};

        outcome.after = &cells[gp_prove_place(proofs, count, i)];
        outcome.idle_before_ns = idle_by(report->reader, outcome.before, proofs[i].cause);
        outcome.idle_after_ns = idle_by(report->reader, outcome.after, proofs[i].cause);
        code = judge(&outcome, report->reader, err);
        if (code != 0) {
            break;
        }
        if (list != NULL) {
            (void)json_array_append_new(list, outcome_json(&outcome));
        } else {
            add_outcome(&table, &outcome, terminal);
        }
    }
    if (list == NULL && code == 0) {
        printf("\n%sTried%s\n", gp_terminal_bold(terminal), gp_terminal_plain(terminal));
        gp_table_print(&table, terminal, 2);
        printf("  Recorded: %s\n", report->path);
    }
    gp_table_finish(&table);
    return code;
}

enum gp_exit gp_prove_print(const char *path, const struct gp_proof *proofs, uint32_t count,
                            const struct gp_terminal *terminal, json_t *cell)
{
    json_t *list = cell != NULL ? gp_json_need(json_array()) : NULL;
    struct gp_report report = {0};
    struct gp_error err = {0};
    enum gp_exit result = GP_EXIT_OK;

    if (gp_report_load(path, &report, &err) == 0 && report.results.count != count + 1) {
        (void)gp_fail(&err, GP_EFORMAT, "%s: %u cells were recorded, not %u", path,
                      (unsigned)report.results.count, (unsigned)count + 1);
    }
    if (err.code != 0 || print_outcomes(&report, proofs, count, terminal, list, &err) != 0) {
        result = gp_cli_fail(&err);
    }
    if (cell != NULL) {
        (void)json_object_set_new(cell, "proofs", list);
    }
    gp_report_finish(&report);
    return result;
}

void gp_prove_print_none(json_t *cell)
{
    if (cell != NULL) {
        (void)json_object_set_new(cell, "proofs", gp_json_need(json_array()));
    } else {
        puts("\nNo cause suggests an experiment.");
    }
}
