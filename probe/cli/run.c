/* The verb run: from options to a recording and what it says. See verbs.h. */
#include <stdio.h>

#include "probe/cli/choices.h"
#include "probe/cli/connections.h"
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
    struct gp_chosen chosen;
    char output[GP_PATH_BYTES_MAX];
    struct gp_progress progress;
    struct gp_sweep_options sweep;
};

/* Everything but the output and the plan; touches nothing. */
static int make_request(const struct gp_cli *cli, const struct gp_options *options,
                        struct request *request, struct gp_error *err)
{
    struct gp_sweep_options *sweep = &request->sweep;

    if (options->scenarios.count == 0) {
        return gp_fail(err, GP_EINVAL,
                       "which scenario? For example: gpuprobe --scenario batch "
                       "('gpuprobe list scenarios' has all)");
    }
    if (options->quiet && options->verbose) {
        return gp_fail(err, GP_EINVAL, "--quiet and --verbose exclude each other");
    }
    if (gp_chosen_init(&request->chosen, options, err) != 0) {
        return err->code;
    }
    sweep->scenarios = request->chosen.scenarios;
    sweep->scenario_count = options->scenarios.count;
    sweep->policies = request->chosen.policies;
    sweep->policy_count = options->policies.count;
    sweep->streams = options->streams;
    sweep->stream_count = options->stream_count;
    sweep->settings = options->settings;
    sweep->setting_count = options->setting_count;
    sweep->submits = options->submits;
    sweep->order = options->order;
    sweep->completion = options->completion;
    sweep->trace = options->trace;
    sweep->trace_chosen = options->trace_chosen;
    sweep->reference = options->reference;
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
    return gp_sweep_check_settings(sweep, err);
}

static int choose_output(const struct gp_options *options, struct request *request,
                         struct gp_error *err)
{
    const char *stem =
        request->sweep.scenario_count == 1 ? request->sweep.scenarios[0]->name : "sweep";
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

/* " width=4,links=64": what is not as usual; nothing when all is. */
static void print_values(const struct gp_cell_plan *cell)
{
    const struct gp_parameter *parameters = cell->scenario->parameters;
    const char *before = " ";
    char value[GP_PARAMETER_BYTES_MAX];

    for (int i = 0; parameters[i].name != NULL; i++) {
        if (cell->values[i] != parameters[i].initial) {
            gp_parameter_write(&parameters[i], cell->values[i], value);
            printf("%s%s=%s", before, parameters[i].name, value);
            before = ",";
        }
    }
}

/* connections 0: not asked for. */
static void print_plan(const struct gp_cell_plan *cells, uint32_t count, uint32_t connections)
{
    for (uint32_t i = 0; i < count; i++) {
        printf("%s %s %u%s", cells[i].scenario->name, cells[i].policy->name, cells[i].streams,
               cells[i].submit == GP_SUBMIT_GRAPH ? " graph" : "");
        print_values(&cells[i]);
        if (connections > 0) {
            printf(" connections=%u", connections);
        }
        putchar('\n');
    }
}

static json_t *values_of(const struct gp_cell_plan *cell)
{
    const struct gp_parameter *parameters = cell->scenario->parameters;
    json_t *values = gp_json_need(json_object());

    for (int i = 0; parameters[i].name != NULL; i++) {
        (void)json_object_set_new(values, parameters[i].name,
                                  gp_json_value(&parameters[i], cell->values[i]));
    }
    return values;
}

static void add_plan_json(json_t *list, const struct gp_cell_plan *cells, uint32_t count,
                          int32_t connections)
{
    for (uint32_t i = 0; i < count; i++) {
        json_t *cell = json_pack(
            "{s:s, s:o, s:i, s:s, s:i, s:s}", "scenario", cells[i].scenario->name, "params",
            values_of(&cells[i]), "connections", (int)connections, "policy", cells[i].policy->name,
            "streams", (int)cells[i].streams, "submit", gp_submit_name(cells[i].submit));

        (void)json_array_append_new(list, gp_json_need(cell));
    }
}

/* The same cells for each number of connections. */
static void show_plan(const struct gp_options *options, const struct gp_device *device,
                      const struct gp_cell_plan *cells, uint32_t count)
{
    json_t *list = gp_json_need(json_array());
    uint32_t i = 0;

    do {
        uint32_t connections = i < options->connection_count ? options->connections[i] : 0;

        if (options->json) {
            add_plan_json(list, cells, count,
                          connections > 0 ? (int32_t)connections : device->info.connections);
        } else {
            print_plan(cells, count, connections);
        }
    } while (++i < options->connection_count);
    if (options->json) {
        gp_json_print(gp_json_need(json_pack("{s:O}", "cells", list)));
    }
    json_decref(list);
}

/* Also what a sweep itself will do first: so that nothing is written when a value is wrong. */
static int plan(const struct request *request, const struct gp_options *options,
                const struct gp_device *device, struct gp_error *err)
{
    struct gp_cell_plan *cells = NULL;
    uint32_t count = 0;
    int code = gp_sweep_plan(&request->sweep, &device->info, &cells, &count, err);

    if (code == 0 && options->dry_run) {
        show_plan(options, device, cells, count);
    }
    gp_free(cells);
    return code;
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

/* Read back, so that what is printed is what was stored. result: what became of the sweep. */
static enum gp_exit report(const struct gp_cli *cli, const struct gp_options *options,
                           const struct request *request, enum gp_exit result)
{
    struct gp_error err = {0};
    struct gp_report report;

    if (gp_report_load(request->sweep.output, &report, &err) != 0) {
        result = result != GP_EXIT_OK ? result : gp_cli_fail(&err);
    } else {
        gp_report_print(&report, &cli->terminal, options->json);
        result = result != GP_EXIT_OK ? result : judge(&report.results);
    }
    gp_report_finish(&report);
    return result;
}

/* Runs it on an open device. *is_recorded: there is a file of ours, also when it failed. */
static enum gp_exit sweep(const struct gp_options *options, struct request *request,
                          struct gp_device *device, bool *is_recorded)
{
    struct gp_error err = {0};
    int code = gp_sweep_run(device, &request->sweep, &err);

    /* Another gpuprobe took the free name since it was chosen. */
    while (code == GP_EEXISTS && options->output == NULL &&
           choose_output(options, request, &err) == 0) {
        code = gp_sweep_run(device, &request->sweep, &err);
    }
    gp_progress_clear(&request->progress);
    *is_recorded = code != GP_EEXISTS; /* what is there is another's */
    return code != 0 ? gp_cli_fail(&err) : GP_EXIT_OK;
}

/* All that one process does with a device: *is_recorded as for sweep. connections 0: as the
 * environment says. */
static enum gp_exit run_on_device(const struct gp_options *options, struct request *request,
                                  uint32_t connections, bool *is_recorded)
{
    struct gp_chosen_device chosen = {0};
    struct gp_error err = {0};
    enum gp_exit result = GP_EXIT_OK;
    int code;

    if (connections > 0) {
        gp_connections_set(connections);
    }
    code = gp_device_choose(options->device, connections, options->quiet, &chosen, &err);
    if (code == 0) {
        code = plan(request, options, chosen.device, &err);
    }
    if (code != 0) {
        result = gp_cli_fail(&err);
    } else if (!options->dry_run) {
        result = sweep(options, request, chosen.device, is_recorded);
    }
    gp_device_unchoose(&chosen);
    return result;
}

/* What a process of one number of connections needs. */
struct worker {
    const struct gp_options *options;
    struct request *request;
};

/* The first makes the recording, the others go on with it. */
static enum gp_exit work(void *user, uint32_t index)
{
    struct worker *worker = user;
    bool is_recorded = false;

    worker->request->sweep.append = index > 0;
    return run_on_device(worker->options, worker->request, worker->options->connections[index],
                         &is_recorded);
}

static enum gp_exit run(const struct gp_cli *cli, const struct gp_options *options,
                        struct request *request)
{
    uint32_t count = options->connection_count;
    bool is_recorded = false;
    enum gp_exit result;

    if (count > 1 && !options->dry_run) {
        struct worker worker = {options, request};

        result = gp_connections_each(count, work, &worker);
        is_recorded = result == GP_EXIT_OK;
    } else {
        result =
            run_on_device(options, request, count > 0 ? options->connections[0] : 0, &is_recorded);
    }
    return is_recorded ? report(cli, options, request, result) : result;
}

enum gp_exit gp_cli_run(const struct gp_cli *cli, const struct gp_options *options)
{
    struct gp_error err = {0};
    struct request *request = gp_xalloc(1, sizeof *request);
    enum gp_exit result;
    int code = make_request(cli, options, request, &err);

    if (code == 0 && options->connection_count > 0) {
        code = gp_connections_check(options->device, &err);
    }
    if (code == 0 && !options->dry_run) {
        code = choose_output(options, request, &err);
    }
    if (code == 0) {
        request->sweep.interrupted = gp_interrupt_catch();
        result = run(cli, options, request);
    } else {
        result = gp_cli_fail(&err);
    }
    gp_chosen_finish(&request->chosen);
    gp_free(request);
    return result;
}
