/* Experiments, run: see prove.h. */
#include "probe/cli/prove.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "probe/analysis/what_if.h"
#include "probe/cli/choices.h"
#include "probe/cli/connections.h"
#include "probe/cli/device_choice.h"
#include "probe/cli/interrupt.h"
#include "probe/cli/json.h"
#include "probe/cli/output.h"
#include "probe/cli/progress.h"
#include "probe/cli/prove_print.h"
#include "scenarios/workload.h"

enum { POLICY_STREAMS = 4 };

/* A cause that cost less than this part of the idle time is not tried. */
static const double share_min = 0.01;

/* The cell's parameters as settings, with their texts, which outlive the lines made of them. */
struct settings {
    struct gp_setting all[GP_PARAMETERS_MAX];
    char texts[GP_PARAMETERS_MAX][GP_PARAMETER_BYTES_MAX];
    uint32_t count;
    json_t *params;
};

/* What processes of the experiments share. */
struct trial {
    const struct gp_cli *cli;
    const struct gp_options *options;
    const struct gp_explained *explained;
    const struct gp_chosen *chosen; /* what shared objects bring */
    const struct gp_proof *proofs;
    uint32_t count;
    struct gp_progress progress;
    const char *output;
    struct settings settings; /* while lines are made and run */
};

/* ---- which experiments --------------------------------------------------------------------- */

static bool is_equal(const struct gp_experiment *a, const struct gp_experiment *b)
{
    return a->policy == b->policy && a->submit == b->submit && a->order == b->order &&
           a->streams_times == b->streams_times && a->connections == b->connections &&
           a->parameter == b->parameter;
}

/* Whether a cause costs enough to be tried, and nothing that changes the same is. */
static bool is_worth_it(const struct gp_explained *explained, const struct gp_proof *proof,
                        const struct gp_proof *chosen, uint32_t count)
{
    const struct gp_causes *causes = &explained->causes;
    const struct gp_cause_total *total = &causes->totals[proof->cause];
    double was_ns = (double)explained->what_if.as_it_was_ns;

    for (uint32_t i = 0; i < count; i++) {
        if (is_equal(chosen[i].experiment, proof->experiment)) {
            return false;
        }
    }
    return (double)total->idle_ns >= share_min * (double)causes->idle_ns ||
           was_ns - (double)proof->estimated_ns >= share_min * was_ns;
}

static uint32_t choose(const struct gp_explained *explained, bool limits,
                       struct gp_proof out[GP_PROOFS_MAX], uint32_t count)
{
    for (int cause = 0; cause < GP_CAUSE_COUNT && count < GP_PROOFS_MAX; cause++) {
        const struct gp_cause_rule *rule = &gp_cause_table[cause];
        struct gp_proof proof = {(enum gp_cause)cause, &rule->experiment, 0};
        uint32_t place = count;

        if (rule->is_limit != limits || explained->causes.totals[cause].ops == 0 ||
            !gp_experiment_is_some(&rule->experiment) ||
            !gp_explain_can_try(explained, &rule->experiment)) {
            continue;
        }
        proof.estimated_ns = explained->what_if.without_ns[cause];
        if (!is_worth_it(explained, &proof, out, count)) {
            continue;
        }
        while (place > 0 && !limits && out[place - 1].estimated_ns > proof.estimated_ns) {
            out[place] = out[place - 1];
            place--;
        }
        out[place] = proof;
        count++;
    }
    return count;
}

/* What the device or the work forbids comes last: there the experiment shows that nothing helps. */
uint32_t gp_prove_choose(const struct gp_explained *explained, struct gp_proof out[GP_PROOFS_MAX])
{
    return choose(explained, true, out, choose(explained, false, out, 0));
}

const char *gp_prove_why_not(const struct gp_explained *explained, const struct gp_proof *proofs,
                             uint32_t count, enum gp_cause cause)
{
    const struct gp_experiment *experiment = &gp_cause_table[cause].experiment;
    const char *why = gp_explain_why_not(explained, experiment);

    for (uint32_t i = 0; i < count; i++) {
        if (proofs[i].cause == cause) {
            return NULL;
        }
        if (why == NULL && is_equal(proofs[i].experiment, experiment)) {
            return "what would be changed is tried for another cause";
        }
    }
    if (why != NULL) {
        return why;
    }
    return count == GP_PROOFS_MAX ? "others cost more" : "it costs too little";
}

/* ---- lines of the plan --------------------------------------------------------------------- */

static int read_settings(const struct gp_cell_row *cell, struct settings *out, struct gp_error *err)
{
    const char *name;
    json_t *value;

    *out = (struct settings){.params = json_loads(cell->params, 0, NULL)};
    json_object_foreach(out->params, name, value)
    {
        char *text;

        if (out->count == GP_PARAMETERS_MAX) {
            return gp_fail(err, GP_EFORMAT, "cell %" PRId64 " has too many parameters", cell->id);
        }
        text = out->texts[out->count];
        if (json_is_string(value)) {
            (void)snprintf(text, GP_PARAMETER_BYTES_MAX, "%s", json_string_value(value));
        } else {
            (void)snprintf(text, GP_PARAMETER_BYTES_MAX, "%.15g", json_number_value(value));
        }
        out->all[out->count++] = (struct gp_setting){name, text};
    }
    return 0;
}

static enum gp_completion completion_of(const char *name)
{
    for (int i = 0; i < GP_COMPLETION_COUNT; i++) {
        if (strcmp(gp_completion_name((enum gp_completion)i), name) == 0) {
            return (enum gp_completion)i;
        }
    }
    return (enum gp_completion)0;
}

static const struct gp_scenario_ops *find_scenario(const struct trial *trial, const char *name)
{
    for (uint32_t i = 0; i < trial->options->scenarios.count; i++) {
        if (strcmp(trial->chosen->scenarios[i]->name, name) == 0) {
            return trial->chosen->scenarios[i];
        }
    }
    return gp_scenario_find(name);
}

static const struct gp_policy_ops *find_policy(const struct trial *trial, const char *name)
{
    for (uint32_t i = 0; i < trial->options->policies.count; i++) {
        if (strcmp(trial->chosen->policies[i]->name, name) == 0) {
            return trial->chosen->policies[i];
        }
    }
    return gp_policy_find(name);
}

static int fail_unknown(const char *kind, const char *name, struct gp_error *err)
{
    return gp_fail(err, GP_EINVAL,
                   "--prove: %s '%.64s' is not one of this program; name the shared object that it "
                   "is from: --%s ./FILE.so",
                   kind, name, kind);
}

/* The cell as it was, but for one parameter. */
static int make_line(const struct trial *trial, const struct gp_device_info *info,
                     const struct gp_experiment *experiment, struct gp_cell_plan *out,
                     struct gp_error *err)
{
    const struct gp_cell_row *cell = trial->explained->result->cell;
    const struct gp_scenario_ops *scenario = find_scenario(trial, cell->scenario);
    const struct gp_policy_ops *policy = find_policy(trial, cell->policy);
    struct gp_setting all[GP_PARAMETERS_MAX];
    int code;

    *out = (struct gp_cell_plan){.policy = policy};
    if (scenario == NULL || policy == NULL) {
        return fail_unknown(scenario == NULL ? "scenario" : "policy",
                            scenario == NULL ? cell->scenario : cell->policy, err);
    }
    memcpy(all, trial->settings.all, sizeof all);
    for (uint32_t i = 0; i < trial->settings.count && experiment != NULL; i++) {
        if (experiment->parameter != NULL && strcmp(all[i].name, experiment->parameter) == 0) {
            all[i].text = experiment->word;
        }
    }
    code = gp_sweep_plan_line(scenario, all, trial->settings.count, info, out, err);
    out->policy = policy;
    out->streams = (uint32_t)cell->streams;
    out->submit = cell->submit;
    out->order = cell->order;
    out->completion = completion_of(cell->completion);
    out->trace = trial->explained->run.run.trace;
    return code;
}

static void change_line(const struct gp_experiment *experiment, struct gp_cell_plan *line)
{
    bool was_fixed = line->policy->fixed_streams > 0;

    if (experiment->policy != NULL) {
        line->policy = gp_policy_find(experiment->policy);
        line->streams = was_fixed ? POLICY_STREAMS : line->streams;
    }
    if (experiment->streams_times > 1) {
        line->streams *= (uint32_t)experiment->streams_times;
        line->policy = was_fixed ? gp_policy_find("round-robin") : line->policy;
    }
    if (experiment->submit != GP_SUBMIT_STREAMS) {
        line->submit = experiment->submit;
    }
    if (experiment->order != GP_ORDER_DEPTH) {
        line->order = experiment->order;
    }
    assert(line->policy != NULL);
}

/* Of one process: those that change the connections, or the cell as it was and all others, those of
 * the same values first. */
static int make_plan(const struct trial *trial, const struct gp_device_info *info, bool connections,
                     struct gp_cell_plan *plan, uint32_t *count, struct gp_error *err)
{
    uint32_t part = 0;
    int code = 0;

    *count = 0;
    if (!connections) {
        code = make_line(trial, info, NULL, &plan[(*count)++], err);
    }
    for (int values = 0; values < 2; values++) {
        for (uint32_t i = 0; i < trial->count && code == 0; i++) {
            const struct gp_experiment *experiment = trial->proofs[i].experiment;

            if ((experiment->connections > 0) != connections ||
                (experiment->parameter != NULL) != (values == 1)) {
                continue;
            }
            code = make_line(trial, info, experiment, &plan[*count], err);
            if (code == 0) {
                change_line(experiment, &plan[*count]);
                plan[*count].index = *count;
                plan[*count].part = values == 1 ? ++part : 0;
                (*count)++;
            }
        }
    }
    return code;
}

/* In what order lines run: those of the cell's values, of others, of other connections. */
static int stage_of(const struct gp_proof *proof)
{
    return proof->experiment->connections > 0 ? 2 : proof->experiment->parameter != NULL ? 1 : 0;
}

uint32_t gp_prove_place(const struct gp_proof *proofs, uint32_t count, uint32_t which)
{
    uint32_t place = 1;

    assert(which < count);
    for (uint32_t i = 0; i < count; i++) {
        int order = stage_of(&proofs[i]) - stage_of(&proofs[which]);

        place += order < 0 || (order == 0 && i < which) ? 1 : 0;
    }
    return place;
}

/* ---- the runs ------------------------------------------------------------------------------ */

static const char *device_of(const struct trial *trial)
{
    if (strcmp(trial->options->device, "auto") != 0) {
        return trial->options->device;
    }
    return trial->explained->result->device->kind == GP_ORIGIN_MODEL ? "model" : "cuda";
}

static int run_plan(struct trial *trial, struct gp_device *device, bool connections,
                    struct gp_error *err)
{
    struct gp_cell_plan plan[GP_PROOFS_MAX + 1];
    struct gp_sweep_options sweep = {
        .trace_chosen = false,
        .trace = GP_TRACE_STAMPS,
        .repeats = trial->options->repeats,
        .budget_ns = trial->options->budget_ns,
        .command_line = trial->cli->command_line,
        .output = trial->output,
        .force = trial->options->force,
        .append = connections,
        .interrupted = gp_interrupt_catch(),
        .progress = gp_progress_show,
        .message = gp_progress_message,
        .user = &trial->progress,
    };
    uint32_t count = 0;
    int code = read_settings(trial->explained->result->cell, &trial->settings, err);

    if (code == 0) {
        code = make_plan(trial, &device->info, connections, plan, &count, err);
    }
    if (code == 0) {
        code = gp_sweep_run_plan(device, &sweep, plan, count, err);
    }
    json_decref(trial->settings.params);
    gp_progress_clear(&trial->progress);
    return code;
}

/* One process: with the connections that were recorded, or with those of the experiments. */
static enum gp_exit work(void *user, uint32_t index)
{
    struct trial *trial = user;
    int64_t recorded = trial->explained->result->device->connections;
    uint32_t connections = recorded > 0 && recorded <= GP_CONNECTIONS_MAX ? (uint32_t)recorded : 0;
    struct gp_chosen_device chosen = {0};
    struct gp_error err = {0};
    enum gp_exit result = GP_EXIT_OK;
    int code;

    for (uint32_t i = 0; i < trial->count && index == 1; i++) {
        if (trial->proofs[i].experiment->connections > 0) {
            connections = (uint32_t)trial->proofs[i].experiment->connections;
        }
    }
    if (connections > 0) {
        gp_connections_set(connections);
    }
    code = gp_device_choose(device_of(trial), connections, true, &chosen, &err);
    if (code == 0) {
        code = run_plan(trial, chosen.device, index == 1, &err);
    }
    if (code != 0) {
        result = gp_cli_fail(&err);
    }
    gp_device_unchoose(&chosen);
    return result;
}

static bool changes_connections(const struct gp_proof *proofs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (proofs[i].experiment->connections > 0) {
            return true;
        }
    }
    return false;
}

static int choose_output(const struct gp_options *options, char chosen[GP_PATH_BYTES_MAX],
                         struct gp_error *err)
{
    if (options->output == NULL) {
        return gp_output_choose("proof", chosen, err);
    }
    (void)snprintf(chosen, GP_PATH_BYTES_MAX, "%s", options->output);
    return gp_output_check(options->output, options->force, err);
}

static enum gp_exit prove(struct trial *trial, char output[GP_PATH_BYTES_MAX], json_t *cell)
{
    const struct gp_terminal *terminal = &trial->cli->terminal;
    struct gp_error err = {0};
    enum gp_exit result;

    if (choose_output(trial->options, output, &err) != 0) {
        return gp_cli_fail(&err);
    }
    trial->output = output;
    result =
        gp_connections_each(changes_connections(trial->proofs, trial->count) ? 2 : 1, work, trial);
    if (result == GP_EXIT_OK) {
        result = gp_prove_print(output, trial->proofs, trial->count, terminal, cell);
        gp_prove_print_untried(trial->explained, trial->proofs, trial->count, terminal, cell);
    }
    return result;
}

enum gp_exit gp_prove_run(const struct gp_cli *cli, const struct gp_options *options,
                          const struct gp_explained *explained, json_t *cell)
{
    struct gp_proof proofs[GP_PROOFS_MAX];
    uint32_t count = gp_prove_choose(explained, proofs);
    char output[GP_PATH_BYTES_MAX];
    struct gp_error err = {0};
    struct gp_chosen chosen;
    struct trial trial = {
        .cli = cli,
        .options = options,
        .explained = explained,
        .chosen = &chosen,
        .proofs = proofs,
        .count = count,
        .progress = {.terminal = &cli->terminal, .quiet = options->json},
    };
    enum gp_exit result;

    if (count == 0) {
        gp_prove_print_none(explained, &cli->terminal, cell);
        return GP_EXIT_OK;
    }
    result = gp_chosen_init(&chosen, options, &err) == 0 ? prove(&trial, output, cell)
                                                         : gp_cli_fail(&err);
    gp_chosen_finish(&chosen);
    return result;
}
