/*
 * The verb verdict: runs the cells that decide claims into one recording, answers the claims from
 * what was stored, and stores the answers beside it. See verbs.h.
 */
#include <stdio.h>
#include <string.h>

#include "probe/cli/claims_print.h"
#include "probe/cli/connections.h"
#include "probe/cli/device_choice.h"
#include "probe/cli/interrupt.h"
#include "probe/cli/json.h"
#include "probe/cli/output.h"
#include "probe/cli/progress.h"
#include "probe/cli/report.h"
#include "probe/cli/verbs.h"
#include "probe/memory.h"
#include "probe/store/writer.h"
#include "probe/verdict/judge.h"
#include "scenarios/workload.h"

/* The model repeats itself exactly; two runs make an interval. On a GPU an interval of the median
 * needs some more. */
enum { REPEATS_OF_MODEL = 2, REPEATS_OF_GPU = 9 };

struct request {
    const struct gp_claim_test *tests[GP_CHOICES_MAX];
    uint32_t test_count;
    uint32_t connections[GP_CONNECTIONS_MAX + 1]; /* a process each, when there are several */
    uint32_t connection_count;
    struct gp_error missing; /* why numbers of connections of one's own cannot be had; code 0: they
                                can */
    const struct gp_options *options;
    const char *output;
    char chosen_output[GP_PATH_BYTES_MAX];
    struct gp_progress progress;
    struct gp_sweep_options sweep;
};

static void choose_tests(struct request *request)
{
    const struct gp_options *options = request->options;

    request->test_count = options->claims.count;
    for (uint32_t i = 0; i < options->claims.count; i++) {
        request->tests[i] = &gp_claim_tests[options->claims.indices[i]];
    }
    for (size_t i = 0; i < gp_claim_test_count && options->claims.count == 0; i++) {
        request->tests[request->test_count++] = &gp_claim_tests[i];
    }
}

/* Where the number is not ours to choose, only what needs none of its own is run. */
static void choose_connections(struct request *request)
{
    uint32_t kept = 0;

    request->connection_count =
        gp_claim_connections(request->tests, request->test_count, request->connections);
    if (gp_connections_check(request->options->device, &request->missing) == 0) {
        return;
    }
    for (uint32_t i = 0; i < request->connection_count; i++) {
        if (request->connections[i] == 0) {
            request->connections[kept++] = 0;
        }
    }
    request->connection_count = kept;
}

static int choose_output(struct request *request, struct gp_error *err)
{
    const struct gp_options *options = request->options;
    int code = 0;

    request->output = options->output;
    if (options->output == NULL) {
        code = gp_output_choose("verdict", request->chosen_output, err);
        request->output = request->chosen_output;
    }
    return code == 0 ? gp_output_check(request->output, options->force, err) : code;
}

static int make_request(const struct gp_cli *cli, struct request *request, struct gp_error *err)
{
    const struct gp_options *options = request->options;
    int code;

    if (options->quiet && options->verbose) {
        return gp_fail(err, GP_EINVAL, "--quiet and --verbose exclude each other");
    }
    choose_tests(request);
    choose_connections(request);
    if (request->connection_count == 0) {
        return gp_fail(err, request->missing.code, "%s", request->missing.text);
    }
    code = choose_output(request, err);
    request->progress = (struct gp_progress){
        .terminal = &cli->terminal, .quiet = options->quiet, .verbose = options->verbose};
    request->sweep = (struct gp_sweep_options){
        .seed = options->seed,
        .force = options->force,
        .output = request->output,
        .command_line = cli->command_line,
        .progress = gp_progress_show,
        .message = gp_progress_message,
        .user = &request->progress,
    };
    return code;
}

/* ---- running ---- */

static int sweep(struct request *request, struct gp_device *device, uint32_t connections,
                 struct gp_error *err)
{
    uint32_t repeats = request->options->repeats;
    struct gp_cell_plan *plan = NULL;
    uint32_t count = 0;
    const struct gp_claim_choice choice = {request->tests, request->test_count, connections};
    int code = gp_claim_plan(&choice, &device->info, &plan, &count, err);

    if (repeats == 0) {
        repeats = device->info.kind == GP_DEVICE_MODEL ? REPEATS_OF_MODEL : REPEATS_OF_GPU;
    }
    request->sweep.repeats = repeats;
    if (code == 0) {
        code = gp_sweep_run_plan(device, &request->sweep, plan, count, err);
    }
    gp_progress_clear(&request->progress);
    gp_free(plan);
    return code;
}

/* All with one number of connections. */
static enum gp_exit work(void *user, uint32_t index)
{
    struct request *request = user;
    uint32_t connections = request->connections[index];
    struct gp_chosen_device chosen = {0};
    struct gp_error err = {0};
    enum gp_exit result = GP_EXIT_OK;
    int code;

    request->sweep.append = index > 0;
    if (connections > 0) {
        gp_connections_set(connections);
    }
    code = gp_device_choose(request->options->device, connections, request->options->quiet, &chosen,
                            &err);
    if (code == 0) {
        code = sweep(request, chosen.device, connections, &err);
    }
    if (code != 0) {
        result = gp_cli_fail(&err);
    }
    gp_device_unchoose(&chosen);
    return result;
}

/* ---- judging ---- */

static int store(const char *path, const struct gp_verdicts *verdicts, struct gp_error *err)
{
    struct gp_writer *writer = NULL;
    struct gp_writer_ids ids;
    struct gp_error also = {0};
    int code = gp_writer_open(path, &writer, &ids, err);
    int closed;

    if (code != 0) {
        return code;
    }
    code = gp_writer_add_verdicts(writer, verdicts->rows, verdicts->count, err);
    closed = gp_writer_finish(writer, code == 0, &also);
    if (code == 0 && closed != 0) {
        *err = also;
    }
    return code != 0 ? code : closed;
}

static int judge(const struct request *request, struct gp_error *err)
{
    struct gp_verdicts verdicts = {0};
    struct gp_reader *reader = NULL;
    int code = gp_reader_open(request->output, &reader, err);

    if (code == 0) {
        code = gp_verdicts_judge(reader, request->tests, request->test_count,
                                 request->missing.code != 0 ? request->missing.text : NULL,
                                 &verdicts, err);
    }
    gp_reader_close(reader);
    if (code == 0) {
        code = store(request->output, &verdicts, err);
    }
    gp_verdicts_finish(&verdicts);
    return code;
}

/* What went wrong beyond the claims: data, or a run. What is wrong on purpose does not count. */
static enum gp_exit result_of(const struct gp_results *results)
{
    enum gp_exit result = GP_EXIT_OK;

    for (uint32_t i = 0; i < results->count; i++) {
        const struct gp_cell_row *cell = results->cells[i].cell;
        const struct gp_scenario_ops *scenario = gp_scenario_find(cell->scenario);

        if (scenario != NULL && (scenario->flags & GP_SCENARIO_FAULTY) != 0) {
            continue;
        }
        if (results->cells[i].verified == 0) {
            return GP_EXIT_CHECK;
        }
        result = cell->status == GP_STATUS_FAILED ? GP_EXIT_FAILED : result;
    }
    return result;
}

/* Read back, so that what is printed is what was stored. */
static enum gp_exit report(const struct gp_cli *cli, const struct request *request)
{
    struct gp_error err = {0};
    struct gp_report report;
    enum gp_exit result = GP_EXIT_OK;

    if (judge(request, &err) != 0 || gp_report_load(request->output, &report, &err) != 0) {
        return gp_cli_fail(&err);
    }
    gp_report_print_verdicts(&report, &cli->terminal, request->options->json);
    result = result_of(&report.results);
    gp_report_finish(&report);
    return result;
}

enum gp_exit gp_cli_verdict(const struct gp_cli *cli, const struct gp_options *options)
{
    struct gp_error err = {0};
    struct request *request = gp_xalloc(1, sizeof *request);
    enum gp_exit result;

    request->options = options;
    if (make_request(cli, request, &err) != 0) {
        result = gp_cli_fail(&err);
    } else {
        request->sweep.interrupted = gp_interrupt_catch();
        result = request->connection_count > 1
                     ? gp_connections_each(request->connection_count, work, request)
                     : work(request, 0);
        if (result == GP_EXIT_OK) {
            result = report(cli, request);
        }
    }
    gp_free(request);
    return result;
}
