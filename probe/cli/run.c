/* The verb run: from options to a recording and what it says. See verbs.h. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "core/plugin.h"
#include "probe/cli/device_choice.h"
#include "probe/cli/interrupt.h"
#include "probe/cli/json.h"
#include "probe/cli/output.h"
#include "probe/cli/progress.h"
#include "probe/cli/report.h"
#include "probe/cli/verbs.h"
#include "probe/memory.h"

/* What the sweep's options point to. */
struct request {
    const struct gp_scenario_ops *scenarios[GP_CHOICES_MAX];
    const struct gp_policy_ops *policies[GP_CHOICES_MAX];
    struct gp_plugin plugins[GP_PLUGINS_MAX];
    uint32_t plugin_count;
    char output[GP_PATH_BYTES_MAX];
    struct gp_progress progress;
    struct gp_sweep_options sweep;
};

static const char *const default_policies[] = {"single", "round-robin"};
static const uint32_t default_streams[] = {1, 2, 4, 8, 16, 32};

/* Policies from shared objects, each under a name of its own. */
static int load_plugins(struct request *request, const struct gp_options *options,
                        struct gp_error *err)
{
    for (uint32_t i = 0; i < options->plugin_count; i++) {
        char path[GP_PATH_BYTES_MAX];
        struct gp_plugin *plugin = &request->plugins[i];

        if (options->plugins[i].length >= sizeof path) {
            return gp_fail(err, GP_EINVAL, "--policy: a path longer than %d bytes",
                           (int)sizeof path - 1);
        }
        memcpy(path, options->plugins[i].start, options->plugins[i].length);
        path[options->plugins[i].length] = '\0';
        if (gp_plugin_load(path, plugin, err) != 0) {
            return gp_fail_context(err, "--policy");
        }
        request->plugin_count++;
        for (uint32_t k = 0; k < i; k++) {
            if (strcmp(request->plugins[k].policy->name, plugin->policy->name) == 0) {
                return gp_fail(err, GP_EINVAL, "--policy: '%s' is listed twice (from '%s')",
                               plugin->policy->name, path);
            }
        }
    }
    return 0;
}

static void choose_policies(struct request *request, const struct gp_options *options)
{
    uint32_t count = options->policy_count;

    for (uint32_t i = 0; i < count; i++) {
        size_t index = options->policies[i];

        request->policies[i] = index < gp_policy_table_count
                                   ? gp_policy_table[index]
                                   : request->plugins[index - gp_policy_table_count].policy;
    }
    for (size_t i = 0;
         options->policy_count == 0 && i < sizeof default_policies / sizeof default_policies[0];
         i++) {
        request->policies[count++] = gp_policy_find(default_policies[i]);
        assert(request->policies[count - 1] != NULL);
    }
    request->sweep.policies = request->policies;
    request->sweep.policy_count = count;
}

static void choose_streams(struct request *request, const struct gp_options *options)
{
    request->sweep.streams = options->stream_count > 0 ? options->streams : default_streams;
    request->sweep.stream_count = options->stream_count > 0
                                      ? options->stream_count
                                      : sizeof default_streams / sizeof default_streams[0];
}

static int fail_setting(const struct request *request, const char *name, struct gp_error *err)
{
    const char *known[GP_CHOICES_MAX * GP_PARAMETERS_MAX];
    size_t count = 0;

    for (uint32_t i = 0; i < request->sweep.scenario_count; i++) {
        const struct gp_parameter *parameter = request->scenarios[i]->parameters;

        for (; parameter->name != NULL; parameter++) {
            known[count++] = parameter->name;
        }
    }
    return gp_value_unknown("parameter", name, known, count, err);
}

/* Every setting must be known to a chosen scenario and allowed in each that knows it, and all of
 * a scenario together must not be too much. */
static int check_settings(const struct request *request, const struct gp_options *options,
                          struct gp_error *err)
{
    for (uint32_t i = 0; i < options->setting_count; i++) {
        const struct gp_setting *setting = &options->settings[i];
        bool known = false;

        for (uint32_t s = 0; s < request->sweep.scenario_count; s++) {
            const struct gp_scenario_ops *scenario = request->scenarios[s];
            int index = gp_scenario_parameter(scenario, setting->name);

            known |= index >= 0;
            if (index >= 0 && gp_scenario_check(scenario, index, setting->value, err) != 0) {
                return gp_fail_context(err, "--set");
            }
        }
        if (!known) {
            return fail_setting(request, setting->name, err);
        }
    }
    for (uint32_t s = 0; s < request->sweep.scenario_count; s++) {
        int64_t values[GP_PARAMETERS_MAX];

        gp_sweep_values(&request->sweep, request->scenarios[s], values);
        if (gp_scenario_check_bytes(request->scenarios[s], values, err) != 0) {
            return err->code;
        }
    }
    return 0;
}

/* Everything but the output; touches nothing. */
static int make_request(const struct gp_cli *cli, const struct gp_options *options,
                        struct request *request, struct gp_error *err)
{
    struct gp_sweep_options *sweep = &request->sweep;

    if (options->scenario_count == 0) {
        return gp_fail(err, GP_EINVAL,
                       "which scenario? For example: gpuprobe --scenario batch "
                       "('gpuprobe list scenarios' has all)");
    }
    if (options->quiet && options->verbose) {
        return gp_fail(err, GP_EINVAL, "--quiet and --verbose exclude each other");
    }
    memset(request, 0, sizeof *request);
    for (uint32_t i = 0; i < options->scenario_count; i++) {
        request->scenarios[i] = gp_scenario_table[options->scenarios[i]];
    }
    sweep->scenarios = request->scenarios;
    sweep->scenario_count = options->scenario_count;
    if (load_plugins(request, options, err) != 0) {
        return err->code;
    }
    choose_policies(request, options);
    choose_streams(request, options);
    sweep->settings = options->settings;
    sweep->setting_count = options->setting_count;
    sweep->submits = options->submits;
    sweep->order = options->order;
    sweep->completion = options->completion;
    sweep->trace = options->trace;
    sweep->trace_chosen = options->trace_chosen;
    sweep->verify_off = options->verify_off;
    sweep->repeats = options->repeats;
    sweep->budget_ns = options->budget_ns;
    sweep->seed = options->seed;
    sweep->force = options->force;
    sweep->command_line = cli->command_line;
    request->progress = (struct gp_progress){
        .terminal = &cli->terminal, .quiet = options->quiet, .verbose = options->verbose};
    sweep->progress = gp_progress_show;
    sweep->message = gp_progress_message;
    sweep->user = &request->progress;
    return check_settings(request, options, err);
}

static int choose_output(const struct gp_options *options, struct request *request,
                         struct gp_error *err)
{
    const char *stem = request->sweep.scenario_count == 1 ? request->scenarios[0]->name : "sweep";
    int code;

    if (options->output != NULL) {
        request->sweep.output = options->output;
        return gp_output_check(options->output, options->force, err);
    }
    request->sweep.output = request->output;
    do {
        code = gp_output_choose(stem, request->output, err);
        if (code != 0) {
            return code;
        }
        code = gp_output_check(request->output, false, err);
    } while (code == GP_EEXISTS); /* another gpuprobe took it in between */
    return code;
}

static void print_plan(const struct gp_cell_plan *cells, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        printf("%s %s %u%s\n", cells[i].scenario->name, cells[i].policy->name, cells[i].streams,
               cells[i].submit == GP_SUBMIT_GRAPH ? " graph" : "");
    }
}

static void print_plan_json(const struct gp_cell_plan *cells, uint32_t count)
{
    json_t *list = gp_json_need(json_array());

    for (uint32_t i = 0; i < count; i++) {
        json_t *cell = json_pack("{s:s, s:s, s:i, s:s}", "scenario", cells[i].scenario->name,
                                 "policy", cells[i].policy->name, "streams", (int)cells[i].streams,
                                 "submit", gp_submit_name(cells[i].submit));

        (void)json_array_append_new(list, gp_json_need(cell));
    }
    gp_json_print(gp_json_need(json_pack("{s:o}", "cells", list)));
}

static enum gp_exit dry_run(const struct request *request, bool json)
{
    struct gp_error err = {0};
    struct gp_cell_plan *cells = NULL;
    uint32_t count = 0;

    if (gp_sweep_plan(&request->sweep, &cells, &count, &err) != 0) {
        return gp_cli_fail(&err);
    }
    if (json) {
        print_plan_json(cells, count);
    } else {
        print_plan(cells, count);
    }
    gp_free(cells);
    return GP_EXIT_OK;
}

/* What the cells say of the run as a whole. */
static enum gp_exit judge(const struct gp_results *results)
{
    if (gp_report_is_wrong(results)) {
        return GP_EXIT_CHECK;
    }
    for (uint32_t i = 0; i < results->count; i++) {
        if (results->cells[i].cell->status == GP_STATUS_FAILED) {
            return GP_EXIT_FAILED;
        }
    }
    return GP_EXIT_OK;
}

static enum gp_exit sweep(const struct gp_cli *cli, const struct gp_options *options,
                          struct request *request, struct gp_device *device)
{
    struct gp_error err = {0};
    enum gp_exit result = GP_EXIT_OK;
    struct gp_report report;
    int code = gp_sweep_run(device, &request->sweep, &err);

    /* Another gpuprobe took the free name since it was chosen. */
    while (code == GP_EEXISTS && options->output == NULL &&
           choose_output(options, request, &err) == 0) {
        code = gp_sweep_run(device, &request->sweep, &err);
    }
    gp_progress_clear(&request->progress);
    if (code == GP_EEXISTS) {
        return gp_cli_fail(&err); /* what is there is another's */
    }
    if (code != 0) {
        result = gp_cli_fail(&err);
    }
    /* Read back, so that what is printed is what was stored. */
    if (gp_report_load(request->sweep.output, &report, &err) != 0) {
        result = result != GP_EXIT_OK ? result : gp_cli_fail(&err);
    } else {
        gp_report_print(&report, &cli->terminal, options->json);
        result = result != GP_EXIT_OK ? result : judge(&report.results);
    }
    gp_report_finish(&report);
    return result;
}

enum gp_exit gp_cli_run(const struct gp_cli *cli, const struct gp_options *options)
{
    struct gp_error err = {0};
    struct request *request = gp_xalloc(1, sizeof *request);
    struct gp_chosen_device chosen = {0};
    enum gp_exit result;
    int code = make_request(cli, options, request, &err);

    if (code == 0 && !options->dry_run) {
        code = choose_output(options, request, &err);
    }
    if (code == 0) {
        request->sweep.interrupted = gp_interrupt_catch();
        code = gp_device_choose(options->device, options->quiet, &chosen, &err);
    }
    if (code != 0) {
        result = gp_cli_fail(&err);
    } else if (options->dry_run) {
        result = dry_run(request, options->json);
    } else {
        result = sweep(cli, options, request, chosen.device);
    }
    gp_device_unchoose(&chosen);
    for (uint32_t i = 0; i < request->plugin_count; i++) {
        gp_plugin_unload(&request->plugins[i]);
    }
    gp_free(request);
    return result;
}
