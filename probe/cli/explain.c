/* The verb explain: why each cell took as long as it did. See verbs.h. */
#include "probe/cli/explain.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/cli/json.h"
#include "probe/cli/prove.h"
#include "probe/cli/verbs.h"

int gp_explained_load(struct gp_reader *reader, const struct gp_result *cells, uint32_t count,
                      uint32_t place, struct gp_explained *out, struct gp_error *err)
{
    const struct gp_result *result = &cells[place];
    int code;

    assert(place < count);
    *out = (struct gp_explained){.result = result};
    if (result->kept_run == 0) {
        return gp_fail(err, GP_ENOTFOUND,
                       "cell %" PRId64 " has no run whose operations were kept: record it with "
                       "--trace auto",
                       result->cell->id);
    }
    code = gp_run_load(reader, result->cell->id, result->kept_run, &out->run, err);
    if (code == 0) {
        gp_causes_measure(&out->run, &out->causes);
        gp_critical_find(&out->causes, &out->critical);
        gp_what_if_measure(&out->causes, &out->what_if);
        gp_what_if_bound(&out->what_if, result->summary.bound_ns,
                         result->summary.bound_but_host_ns);
        gp_advise(cells, count, place, &out->what_if, &out->advices);
    }
    return code;
}

void gp_explained_finish(struct gp_explained *explained)
{
    gp_critical_finish(&explained->critical);
    gp_causes_finish(&explained->causes);
    gp_run_finish(&explained->run);
}

/* Of an experiment that sets a parameter of the scenario. */
static const char *why_not_set(const struct gp_cell_row *cell,
                               const struct gp_experiment *experiment)
{
    json_t *params = json_loads(cell->params, 0, NULL);
    const char *word = json_string_value(json_object_get(params, experiment->parameter));
    const char *why = NULL;

    if (word == NULL) {
        why = "the scenario has no parameter that changes it";
    } else if (strcmp(word, experiment->word) == 0) {
        why = "the cell has it already";
    }
    json_decref(params);
    return why;
}

const char *gp_explain_why_not(const struct gp_explained *explained,
                               const struct gp_experiment *experiment)
{
    const struct gp_cell_row *cell = explained->result->cell;
    int64_t connections = explained->result->device->connections;

    if (explained->result->device->kind == GP_ORIGIN_IMPORTED) {
        return "another program's run cannot be run again";
    }
    if (experiment->parameter != NULL) {
        return why_not_set(cell, experiment);
    }
    if (experiment->connections > 0) {
        return connections == GP_UNKNOWN ? "how many connections there were is not known"
               : connections < experiment->connections ? NULL
                                                       : "there are no more connections";
    }
    if (experiment->submit != GP_SUBMIT_STREAMS) {
        return cell->submit != experiment->submit ? NULL : "the cell is a graph already";
    }
    if (experiment->policy != NULL) {
        return strcmp(cell->policy, experiment->policy) != 0 ? NULL
                                                             : "the cell has that policy already";
    }
    if (experiment->streams_times > 1) {
        return cell->streams * experiment->streams_times <= GP_STREAMS_MAX
                   ? NULL
                   : "twice as many streams are more than there can be";
    }
    return "nothing that gpuprobe can set changes it";
}

bool gp_explain_can_try(const struct gp_explained *explained,
                        const struct gp_experiment *experiment)
{
    return gp_explain_why_not(explained, experiment) == NULL;
}

void gp_explain_say_experiment(struct gp_words *words, const struct gp_cell_row *cell,
                               const struct gp_experiment *experiment)
{
    if (experiment->policy != NULL) {
        gp_words_say(words, " --policy %s", experiment->policy);
    }
    if (experiment->submit != GP_SUBMIT_STREAMS) {
        gp_words_say(words, " --submit %s", gp_submit_name(experiment->submit));
    }
    if (experiment->order != GP_ORDER_DEPTH) {
        gp_words_say(words, " --order %s", gp_issue_order_name(experiment->order));
    }
    if (experiment->streams_times > 1) {
        gp_words_say(words, " --streams %d", (int)(cell->streams * experiment->streams_times));
    }
    if (experiment->connections > 0) {
        gp_words_say(words, " --connections %d", (int)experiment->connections);
    }
    if (experiment->parameter != NULL) {
        gp_words_say(words, " --set %s=%s", experiment->parameter, experiment->word);
    }
}

/* ---- the verb ------------------------------------------------------------------------------ */

/* What is explained, and how. */
struct task {
    const struct gp_cli *cli;
    const struct gp_options *options;
    const struct gp_report *report;
    json_t *cells;       /* NULL: as text */
    uint32_t done;       /* cells that were read, */
    uint32_t told;       /* and of them those that were printed: not all need have the operation */
    enum gp_exit proved; /* what became of the experiments */
};

/* The operation that --op means: an id, or the one of that name that waited longest. */
static int find_op(const struct gp_explained *explained, const char *text, uint32_t *out,
                   struct gp_error *err)
{
    const struct gp_run_data *run = &explained->run;
    char *end = NULL;
    unsigned long id = strtoul(text, &end, 10);
    int64_t longest_ns = -1;

    if (text[0] >= '0' && text[0] <= '9' && *end == '\0') {
        *out = (uint32_t)id;
        return id < run->op_count ? 0
                                  : gp_fail(err, GP_EINVAL,
                                            "--op: there is no operation %s; cell %" PRId64
                                            " has those from 0 to %" PRIu32,
                                            text, explained->result->cell->id, run->op_count - 1);
    }
    for (uint32_t op = 0; op < run->op_count; op++) {
        const struct gp_wait *wait = gp_causes_main(&explained->causes, op);
        int64_t ns = wait != NULL ? wait->to - wait->from : 0;

        if (strcmp(run->ops[op].name, text) == 0 && ns > longest_ns) {
            longest_ns = ns;
            *out = op;
        }
    }
    return longest_ns >= 0
               ? 0
               : gp_fail(err, GP_EINVAL, "--op: no operation of cell %" PRId64 " is called '%s'",
                         explained->result->cell->id, text);
}

static void prove(struct task *task, const struct gp_explained *explained, json_t *cell)
{
    if (task->options->prove) {
        task->proved = gp_prove_run(task->cli, task->options, explained, cell);
    }
}

static int tell(struct task *task, const struct gp_explained *explained, struct gp_error *err)
{
    const struct gp_terminal *terminal = &task->cli->terminal;
    uint32_t op = 0;

    if (task->options->op != NULL && find_op(explained, task->options->op, &op, err) != 0) {
        return task->options->cell == 0 ? 0 : err->code;
    }
    task->told++;
    if (task->cells != NULL) {
        json_t *cell = gp_explain_json(explained);

        if (task->options->op != NULL) {
            (void)json_object_set_new(cell, "operation", gp_explain_op_json(explained, op));
        }
        prove(task, explained, cell);
        (void)json_array_append_new(task->cells, cell);
        return 0;
    }
    printf("%s", task->told > 1 ? "\n" : "");
    if (task->options->op != NULL) {
        gp_explain_print_op(explained, op, terminal);
    } else {
        gp_explain_print_run(explained, terminal);
        gp_explain_print_why(explained, terminal);
    }
    prove(task, explained, NULL);
    return 0;
}

static int explain_cell(struct task *task, uint32_t first, uint32_t end, uint32_t place,
                        struct gp_error *err)
{
    struct gp_explained explained;
    int code = gp_explained_load(task->report->reader, &task->report->results.cells[first],
                                 end - first, place - first, &explained, err);

    if (code != 0) {
        return code;
    }
    code = tell(task, &explained, err);
    task->done++;
    gp_explained_finish(&explained);
    return code;
}

/* As text the recommended cell of each scenario, else all; or the one that was asked for. */
static bool is_wanted(const struct task *task, uint32_t first, uint32_t end, uint32_t place)
{
    const struct gp_result *cells = task->report->results.cells;

    if (task->options->cell != 0) {
        return cells[place].cell->id == task->options->cell;
    }
    if (cells[place].kept_run == 0) {
        return false;
    }
    return task->cells != NULL || place - first == gp_advice_about(&cells[first], end - first);
}

static int explain_all(struct task *task, struct gp_error *err)
{
    const struct gp_results *results = &task->report->results;
    int code = 0;

    for (uint32_t first = 0, end; first < results->count && code == 0; first = end) {
        end = gp_results_group(results, first);
        for (uint32_t i = first; i < end && code == 0; i++) {
            if (is_wanted(task, first, end, i)) {
                code = explain_cell(task, first, end, i, err);
            }
        }
    }
    if (code == 0 && task->done == 0 && task->options->cell != 0) {
        return gp_fail(err, GP_EINVAL, "--cell: %s has no cell %" PRId64, task->report->path,
                       task->options->cell);
    }
    /* Of no cell: then as the last one was looked through. */
    return code == 0 && task->done > 0 && task->told == 0 ? err->code : code;
}

/* One cell is proven at a time. */
static int check_prove(const struct gp_options *options, const struct gp_report *report,
                       struct gp_error *err)
{
    const struct gp_results *results = &report->results;

    if (options->prove && report->device != NULL && report->device->kind == GP_ORIGIN_IMPORTED) {
        return gp_fail(err, GP_EINVAL,
                       "--prove: %s is another program's trace, which cannot be run again",
                       report->path);
    }
    if (!options->prove && options->scenarios.count + options->policies.count > 0) {
        return gp_fail(err, GP_EINVAL, "--scenario and --policy are for --prove, which runs them");
    }
    if (options->prove && options->cell == 0 && results->count > 0 &&
        (options->json || gp_results_group(results, 0) < results->count)) {
        return gp_fail(err, GP_EINVAL, "--prove: of which cell? Name it with --cell");
    }
    return 0;
}

/* "Cells, for --cell: 1 small (us=15) single 1, 2 small (us=15) round-robin 4, …" */
static void print_others(const struct gp_report *report, const struct gp_terminal *terminal)
{
    const struct gp_ways ways = gp_report_ways(report->results.cells, report->results.count);
    struct gp_words words = {.used = 0};
    const char *before = "Cells, for --cell: ";
    char way[GP_WAY_BYTES_MAX];

    for (uint32_t i = 0; i < report->results.count; i++) {
        const struct gp_cell_row *cell = report->results.cells[i].cell;
        const char *variant = report->results.cells[i].variant;

        if (report->results.cells[i].kept_run != 0) {
            gp_report_way(&report->results.cells[i], &ways, way);
            gp_words_say(&words, "%s%" PRId64 " %.32s%s%s%s %.32s%s %d", before, cell->id,
                         cell->scenario, variant[0] != '\0' ? " (" : "", variant,
                         variant[0] != '\0' ? ")" : "", cell->policy, way, (int)cell->streams);
            before = ", ";
        }
    }
    if (words.used > 0) {
        putchar('\n');
        gp_words_print(&words, terminal, 0, 4);
    }
}

static bool has_kept(const struct gp_report *report)
{
    for (uint32_t i = 0; i < report->results.count; i++) {
        if (report->results.cells[i].kept_run != 0) {
            return true;
        }
    }
    return false;
}

enum gp_exit gp_cli_explain(const struct gp_cli *cli, const struct gp_options *options)
{
    struct gp_error err = {0};
    struct gp_report report = {0};
    struct task task = {.cli = cli, .options = options, .report = &report};
    enum gp_exit result = GP_EXIT_OK;

    if (options->operand_count == 0) {
        (void)gp_fail(&err, GP_EINVAL, "which recording? gpuprobe explain FILE");
        return gp_cli_fail(&err);
    }
    task.cells = options->json ? gp_json_need(json_array()) : NULL;
    if (gp_report_load(options->operands[0], &report, &err) != 0 ||
        check_prove(options, &report, &err) != 0 || explain_all(&task, &err) != 0) {
        json_decref(task.cells);
        result = gp_cli_fail(&err);
    } else if (task.cells != NULL) {
        gp_json_print(gp_json_need(
            json_pack("{s:o, s:o}", "recording", gp_json_text(report.path), "cells", task.cells)));
    } else if (task.done == 0 && !has_kept(&report)) {
        puts("No run's operations were kept, so there is nothing to explain.");
    } else if (task.done == 0) {
        puts("No cell is complete, so none is recommended: choose one.");
        print_others(&report, &cli->terminal);
    } else if (options->cell == 0 && options->op == NULL) {
        print_others(&report, &cli->terminal);
    }
    gp_report_finish(&report);
    return result != GP_EXIT_OK ? result : task.proved;
}
