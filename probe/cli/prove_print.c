/* What experiments showed: see prove_print.h. */
#include "probe/cli/prove_print.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "probe/analysis/compare.h"
#include "probe/analysis/proof.h"
#include "probe/cli/json.h"
#include "probe/cli/table.h"

/* One experiment's outcome. */
struct outcome {
    const struct gp_proof *proof;
    const struct gp_result *before, *after;
    struct gp_comparison comparison;
    struct gp_burden then, now; /* the cause's */
    bool has_then, has_now;
    enum gp_proved proved;
    enum gp_cause other; /* when confounded */
};

/* False when no run's operations were kept. */
static bool load_burdens(struct gp_reader *reader, const struct gp_result *result,
                         struct gp_burdens *out)
{
    struct gp_explained explained;
    struct gp_error err = {0};

    if (gp_explained_load(reader, result, 1, 0, &explained, &err) != 0) {
        return false;
    }
    gp_burdens_measure(&explained.what_if, out);
    gp_explained_finish(&explained);
    return true;
}

static int judge(struct outcome *outcome, struct gp_reader *reader, struct gp_error *err)
{
    struct gp_comparison *comparison = &outcome->comparison;
    struct gp_burdens before = {0}, after = {0};
    enum gp_cause cause = outcome->proof->cause;
    int code;

    outcome->has_then = load_burdens(reader, outcome->before, &before);
    outcome->has_now = load_burdens(reader, outcome->after, &after);
    outcome->then = before.of[cause];
    outcome->now = after.of[cause];
    *comparison = (struct gp_comparison){.a = outcome->before, .b = outcome->after};
    code = gp_compare_pair(reader, reader, NAN, comparison, err);
    outcome->proved = gp_proof_judge(cause, comparison, outcome->has_then ? &before : NULL,
                                     outcome->has_now ? &after : NULL, &outcome->other);
    return code;
}

static void add_time(struct gp_table *table, double ns, const struct gp_terminal *terminal)
{
    char time[GP_TIME_BYTES_MAX];

    gp_report_time(ns, terminal, time);
    gp_table_cell(table, "%s", isnan(ns) ? "-" : time);
}

static bool has_run(const struct outcome *outcome)
{
    return outcome->after->cell->status == GP_STATUS_COMPLETE;
}

/* Why there is no figure. */
static void say_why_not_run(struct gp_words *words, const struct outcome *outcome)
{
    if (!has_run(outcome)) {
        gp_words_say(words, "%s%s did not run (%s", words->used > 0 ? " " : "",
                     gp_cause_name(outcome->proof->cause),
                     gp_status_name(outcome->after->cell->status));
        gp_words_say(words, "%s%s).", outcome->after->cell->error[0] != '\0' ? ": " : "",
                     outcome->after->cell->error);
    }
}

static void add_outcome(struct gp_table *table, const struct outcome *outcome,
                        const struct gp_terminal *terminal)
{
    struct gp_words words = {.used = 0};

    gp_explain_say_experiment(&words, outcome->before->cell, outcome->proof->experiment);
    gp_table_row(table, outcome->proved == GP_PROVED_YES ? GP_ROW_CHOSEN : GP_ROW_PLAIN);
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
    add_time(table, outcome->has_then ? (double)outcome->then.cost_ns : NAN, terminal);
    add_time(table, outcome->has_now ? (double)outcome->now.cost_ns : NAN, terminal);
    switch (outcome->proved) {
    case GP_PROVED_NO:
        gp_table_cell(table, "%s",
                      has_run(outcome) ? gp_answer_name(outcome->comparison.answer)
                                       : "did not run");
        break;
    case GP_PROVED_HARDLY:
        gp_table_cell(table, "hardly faster");
        break;
    case GP_PROVED_YES:
        gp_table_cell(table, "faster: proven");
        break;
    case GP_PROVED_AS_EXPECTED:
        gp_table_cell(table, "no faster, as expected");
        break;
    case GP_PROVED_STILL_THERE:
        gp_table_cell(table, "faster, but it is still waited for");
        break;
    case GP_PROVED_CONFOUNDED:
        gp_table_cell(table, "faster, more by %s", gp_cause_name(outcome->other));
        break;
    case GP_PROVED_OTHERWISE:
        gp_table_cell(table, "faster, but hardly by it");
        break;
    }
}

/* "idle_before_ns" and so on; NULL: unknown. */
static void add_burden(json_t *json, const char *when, const struct gp_burden *burden)
{
    const struct {
        const char *name;
        int64_t ns;
    } figures[] = {
        {"idle", burden != NULL ? burden->idle_ns : GP_UNKNOWN},
        {"waited", burden != NULL ? burden->waited_ns : GP_UNKNOWN},
        {"cost", burden != NULL ? burden->cost_ns : GP_UNKNOWN},
    };

    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
        char key[32];

        (void)snprintf(key, sizeof key, "%s_%s_ns", figures[i].name, when);
        (void)json_object_set_new(json, key, gp_json_number(figures[i].ns));
    }
}

static json_t *outcome_json(const struct outcome *outcome)
{
    const struct gp_figure *before = &outcome->before->summary.makespan_ns;
    const struct gp_figure *after = &outcome->after->summary.makespan_ns;
    struct gp_words words = {.used = 0};
    json_t *json;

    gp_explain_say_experiment(&words, outcome->before->cell, outcome->proof->experiment);
    json = gp_json_need(json_pack("{s:s, s:s, s:o, s:o, s:{s:o, s:o, s:o}, s:I, s:s, s:b, s:b}",
                                  "cause", gp_cause_name(outcome->proof->cause), "experiment",
                                  words.text + 1, "before_ns", gp_json_whole(before->median),
                                  "after_ns", gp_json_whole(after->median), "ratio", "median",
                                  gp_json_ratio(outcome->comparison.ratio.median), "lo",
                                  gp_json_ratio(outcome->comparison.ratio.lo), "hi",
                                  gp_json_ratio(outcome->comparison.ratio.hi), "estimated_ns",
                                  (json_int_t)outcome->proof->estimated_ns, "answer",
                                  gp_answer_name(outcome->comparison.answer), "proven",
                                  (int)(outcome->proved == GP_PROVED_YES), "as_expected",
                                  (int)(outcome->proved == GP_PROVED_AS_EXPECTED)));
    (void)json_object_set_new(
        json, "error", has_run(outcome) ? json_null() : gp_json_text(outcome->after->cell->error));
    add_burden(json, "before", outcome->has_then ? &outcome->then : NULL);
    add_burden(json, "after", outcome->has_now ? &outcome->now : NULL);
    return json;
}

static const struct gp_column columns[] = {{"cause", false},  {"tried", false}, {"before", true},
                                           {"after", true},   {"ratio", true},  {"estimated", true},
                                           {"it cost", true}, {"then", true},   {"answer", false}};

static int print_outcomes(const struct gp_report *report, const struct gp_proof *proofs,
                          uint32_t count, const struct gp_terminal *terminal, json_t *list,
                          struct gp_error *err)
{
    struct gp_table table = {.columns = columns,
                             .column_count = sizeof columns / sizeof columns[0]};
    const struct gp_result *cells = report->results.cells;
    struct gp_words why = {.used = 0};
    int code = 0;

    for (uint32_t i = 0; i < count; i++) {
        struct outcome outcome = {.proof = &proofs[i], .before = &cells[0]};

        outcome.after = &cells[gp_prove_place(proofs, count, i)];
        code = judge(&outcome, report->reader, err);
        if (code != 0) {
            break;
        }
        if (list != NULL) {
            (void)json_array_append_new(list, outcome_json(&outcome));
        } else {
            add_outcome(&table, &outcome, terminal);
            say_why_not_run(&why, &outcome);
        }
    }
    if (list == NULL && code == 0) {
        printf("\n%sTried%s\n", gp_terminal_bold(terminal), gp_terminal_plain(terminal));
        gp_table_print(&table, terminal, 2);
        if (why.used > 0) {
            gp_words_print(&why, terminal, 2, 4);
        }
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

void gp_prove_print_untried(const struct gp_explained *explained, const struct gp_proof *proofs,
                            uint32_t count, const struct gp_terminal *terminal, json_t *cell)
{
    json_t *list = cell != NULL ? gp_json_need(json_array()) : NULL;
    struct gp_words words = {.used = 0};

    for (int i = 0; i < GP_CAUSE_COUNT; i++) {
        const char *name = gp_cause_name((enum gp_cause)i);
        const char *why = gp_prove_why_not(explained, proofs, count, (enum gp_cause)i);

        if (explained->causes.totals[i].ops == 0 || why == NULL) {
            continue;
        }
        if (list != NULL) {
            (void)json_array_append_new(
                list, gp_json_need(json_pack("{s:s, s:s}", "cause", name, "reason", why)));
        } else {
            gp_words_say(&words, "%s%s (%s)", words.used > 0 ? ", " : "Not tried: ", name, why);
        }
    }
    if (list != NULL) {
        (void)json_object_set_new(cell, "not_tried", list);
    } else if (words.used > 0) {
        gp_words_say(&words, ".");
        gp_words_print(&words, terminal, 2, 4);
    }
}

void gp_prove_print_none(const struct gp_explained *explained, const struct gp_terminal *terminal,
                         json_t *cell)
{
    if (cell != NULL) {
        (void)json_object_set_new(cell, "proofs", gp_json_need(json_array()));
    } else {
        puts("\nNo cause suggests an experiment.");
    }
    gp_prove_print_untried(explained, NULL, 0, terminal, cell);
}
