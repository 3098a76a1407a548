/* Sweeps on the model device, read back from their recordings. */
#include "test.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/memory.h"
#include "probe/store/reader.h"
#include "probe/sweep/sweep.h"

static const char path[] = "test_sweep.gpuprobe";

static const struct gp_setting small_batch[] = {{"batches", 24}, {"m", 64}, {"n", 128}, {"k", 128}};

/* A sweep of one scenario over all that the tests vary. */
struct trial {
    struct gp_sweep_options options;
    struct gp_device *device;
    struct gp_reader *reader;
    const struct gp_cell_row *cells;
    uint32_t cell_count;
    int code;
    struct gp_error err;
};

static void start(struct trial *trial, const struct gp_scenario_ops *const *scenario)
{
    static const uint32_t streams[] = {1, 4};
    static const struct gp_policy_ops *policies[2];
    struct gp_device_options none = {0};

    memset(trial, 0, sizeof *trial);
    policies[0] = gp_policy_find("single");
    policies[1] = gp_policy_find("round-robin");
    trial->options = (struct gp_sweep_options){
        .scenarios = scenario,
        .scenario_count = 1,
        .policies = policies,
        .policy_count = 2,
        .streams = streams,
        .stream_count = 2,
        .trace = GP_TRACE_STAMPS,
        .output = path,
        .force = true,
        .command_line = "test",
    };
    gp_assert_ok(gp_device_open("model", &none, &trial->device, &trial->err), trial->err);
}

static void run(struct trial *trial)
{
    trial->code = gp_sweep_run(trial->device, &trial->options, &trial->err);
    gp_device_close(trial->device);
    trial->device = NULL;
}

static void read_back(struct trial *trial)
{
    struct gp_error err = {0};

    gp_assert_ok(gp_reader_open(path, &trial->reader, &err), err);
    trial->cells = gp_reader_cells(trial->reader, &trial->cell_count);
}

static void finish(struct trial *trial)
{
    gp_reader_close(trial->reader);
    (void)unlink(path);
}

/* Makespan of the first plain run of a cell. */
static int64_t makespan(struct trial *trial, uint32_t cell)
{
    struct gp_run_row *runs = NULL;
    struct gp_error err = {0};
    uint32_t count = 0;
    int64_t ns;

    gp_assert_ok(gp_reader_runs(trial->reader, trial->cells[cell].id, &runs, &count, &err), err);
    assert_true(count > 0);
    assert_int_equal(runs[0].pass, GP_PASS_PLAIN);
    ns = runs[0].makespan_ns;
    gp_free(runs);
    return ns;
}

static void test_batch_on_the_model(void **state)
{
    const struct gp_scenario_ops *scenario = gp_scenario_find("batch");
    struct trial trial;

    (void)state;
    start(&trial, &scenario);
    trial.options.settings = small_batch;
    trial.options.setting_count = 4;
    run(&trial);
    gp_assert_ok(trial.code, trial.err);
    read_back(&trial);
    assert_true(gp_reader_is_complete(trial.reader));
    /* single ignores the pool's size: one cell. */
    assert_int_equal(trial.cell_count, 3);
    for (uint32_t i = 0; i < trial.cell_count; i++) {
        assert_int_equal(trial.cells[i].status, GP_STATUS_COMPLETE);
    }
    assert_string_equal(trial.cells[0].params, "{\"batches\":24,\"k\":128,\"m\":64,\"n\":128}");
    assert_true(fabs((double)makespan(&trial, 1) / (double)makespan(&trial, 0) - 1.0) < 0.02);
    assert_true(makespan(&trial, 2) < makespan(&trial, 1));
    finish(&trial);
}

/* All operations of a kept run are resolved and make sense. */
static void check_ops(struct trial *trial, const struct gp_run_row *run)
{
    struct gp_op_row ops[24 * 5];

    assert_int_equal(run->op_count, 24 * 5);
    gp_assert_ok(gp_reader_ops(trial->reader, run->id, 0, 24 * 5, ops, &trial->err), trial->err);
    for (uint32_t i = 0; i < 24 * 5; i++) {
        assert_int_equal(ops[i].source, GP_SOURCE_MODELLED);
        assert_true(ops[i].begin >= ops[i].submit_begin);
        assert_true(ops[i].end >= ops[i].begin);
        assert_true(ops[i].end <= run->makespan_ns);
        assert_true((ops[i].kind == GP_OP_KERNEL) == (ops[i].stamp_begin != GP_UNKNOWN));
        assert_non_null(ops[i].rule);
    }
}

/* Five traced runs a cell, of which one keeps its operations and one was verified. */
static void check_runs(struct trial *trial, uint32_t cell)
{
    struct gp_run_row *runs = NULL;
    uint32_t count = 0, traced = 0, kept = 0, verified = 0;

    gp_assert_ok(gp_reader_runs(trial->reader, trial->cells[cell].id, &runs, &count, &trial->err),
                 trial->err);
    for (uint32_t i = 0; i < count; i++) {
        traced += runs[i].pass == GP_PASS_TRACED;
        verified += runs[i].verified == 1;
        assert_int_equal(runs[i].status, GP_STATUS_COMPLETE);
        if (runs[i].op_count > 0) {
            kept++;
            check_ops(trial, &runs[i]);
        }
    }
    assert_int_equal(traced, 5);
    assert_int_equal(kept, 1);
    assert_int_equal(verified, 1);
    gp_free(runs);
}

static void test_traced_runs(void **state)
{
    const struct gp_scenario_ops *scenario = gp_scenario_find("batch");
    struct trial trial;

    (void)state;
    start(&trial, &scenario);
    trial.options.settings = small_batch;
    trial.options.setting_count = 4;
    run(&trial);
    gp_assert_ok(trial.code, trial.err);
    read_back(&trial);
    for (uint32_t i = 0; i < trial.cell_count; i++) {
        check_runs(&trial, i);
    }
    finish(&trial);
}

/* ---- what goes wrong ----------------------------------------------------------------------- */

static const struct gp_parameter no_parameters[] = {{NULL, NULL, 0, 0, 0, 0}};

struct tiny {
    struct gp_buffer *host, *device;
};

static int set_up_tiny(struct gp_workload *workload, struct gp_error *err)
{
    struct tiny *tiny = gp_alloc(1, sizeof *tiny);
    struct gp_builder *builder = NULL;
    int code;

    assert_non_null(tiny);
    workload->state = tiny;
    code = gp_buffer_create(workload->device, GP_SPACE_PINNED, 4096, 0, "host", &tiny->host, err);
    if (code == 0) {
        code = gp_buffer_create(workload->device, GP_SPACE_DEVICE, 4096, 1, "device", &tiny->device,
                                err);
    }
    if (code == 0) {
        code = gp_builder_create(&builder, err);
    }
    if (code == 0) {
        code =
            gp_dag_freeze(builder, gp_op_copy(builder, "up", tiny->device, 0, tiny->host, 0, 4096),
                          &workload->dag, err);
    }
    gp_builder_destroy(builder);
    return code;
}

static int reset_nothing(struct gp_workload *workload, struct gp_error *err)
{
    (void)workload;
    (void)err;
    return 0;
}

static void tear_down_tiny(struct gp_workload *workload)
{
    struct tiny *tiny = workload->state;

    if (tiny != NULL) {
        gp_buffer_destroy(tiny->host);
        gp_buffer_destroy(tiny->device);
    }
    gp_free(tiny);
}

static int find_wrong(struct gp_workload *workload, struct gp_error *err)
{
    (void)workload;
    return gp_fail(err, GP_EVERIFY, "wrong: y[7]: got 1, expected 2");
}

static const struct gp_scenario_ops wrong_scenario = {
    .name = "wrong",
    .summary = "finds an error each time",
    .expect = "to fail",
    .parameters = no_parameters,
    .setup = set_up_tiny,
    .reset = reset_nothing,
    .verify = find_wrong,
    .teardown = tear_down_tiny,
};

static void test_wrong_data_fails_the_cell(void **state)
{
    const struct gp_scenario_ops *scenario = &wrong_scenario;
    struct trial trial;

    (void)state;
    start(&trial, &scenario);
    run(&trial);
    gp_assert_ok(trial.code, trial.err);
    read_back(&trial);
    assert_int_equal(trial.cell_count, 3);
    for (uint32_t i = 0; i < trial.cell_count; i++) {
        struct gp_run_row *runs = NULL;
        uint32_t count = 0;

        assert_int_equal(trial.cells[i].status, GP_STATUS_FAILED);
        assert_string_equal(trial.cells[i].error, "wrong: y[7]: got 1, expected 2");
        gp_assert_ok(gp_reader_runs(trial.reader, trial.cells[i].id, &runs, &count, &trial.err),
                     trial.err);
        assert_int_equal(count, 2);
        assert_int_equal(runs[1].verified, 0);
        assert_int_equal(runs[1].op_count, 1);
        gp_free(runs);
    }
    finish(&trial);
}

/* Copies up, and down again at the same time: nothing orders them. */
static int set_up_racy(struct gp_workload *workload, struct gp_error *err)
{
    struct tiny *tiny;
    struct gp_builder *builder = NULL;
    struct gp_op *arms[2];
    int code = set_up_tiny(workload, err);

    gp_dag_destroy(workload->dag);
    workload->dag = NULL;
    tiny = workload->state;
    if (code == 0) {
        code = gp_builder_create(&builder, err);
    }
    if (code == 0) {
        arms[0] = gp_op_copy(builder, "up", tiny->device, 0, tiny->host, 0, 4096);
        arms[1] = gp_op_copy(builder, "down", tiny->host, 1024, tiny->device, 1024, 512);
        code = gp_dag_freeze(builder, gp_op_zip(builder, arms, 2), &workload->dag, err);
    }
    gp_builder_destroy(builder);
    return code;
}

static int find_right(struct gp_workload *workload, struct gp_error *err)
{
    (void)workload;
    (void)err;
    return 0;
}

static const struct gp_scenario_ops racy_scenario = {
    .name = "racy",
    .summary = "two copies use the same bytes in no order",
    .expect = "to fail where there are two streams",
    .parameters = no_parameters,
    .setup = set_up_racy,
    .reset = reset_nothing,
    .verify = find_right,
    .teardown = tear_down_tiny,
};

static double metric(struct trial *trial, int64_t cell, const char *name)
{
    struct gp_metric_row *rows = NULL;
    uint32_t count = 0;
    double value = NAN;

    gp_assert_ok(gp_reader_metrics(trial->reader, &rows, &count, &trial->err), trial->err);
    for (uint32_t i = 0; i < count; i++) {
        if (rows[i].cell == cell && strcmp(rows[i].name, name) == 0) {
            assert_true(isnan(value));
            value = rows[i].value;
        }
    }
    gp_free(rows);
    return value;
}

static void expect_missing_edge(struct trial *trial, int64_t cell)
{
    struct gp_run_row *runs = NULL;
    struct gp_edge_row *edges = NULL;
    uint32_t count = 0;

    gp_assert_ok(gp_reader_runs(trial->reader, cell, &runs, &count, &trial->err), trial->err);
    assert_int_equal(count, 2);
    assert_int_equal(runs[1].pass, GP_PASS_TRACED);
    gp_assert_ok(gp_reader_edges(trial->reader, runs[1].id, &edges, &count, &trial->err),
                 trial->err);
    assert_int_equal(count, 1);
    assert_true(edges[0].from == 0 && edges[0].to == 1);
    assert_int_equal(edges[0].how, GP_HOW_MISSING);
    gp_free(edges);
    gp_free(runs);
}

static void test_a_hazard_fails_the_cell(void **state)
{
    static const char words[] = "read after write: operations 0 'up' (stream 0) and 1 'down' "
                                "(stream 1) both use bytes 1024 to 1536 of 'device' in no order; "
                                "the dependency 0 -> 1 is missing (and 1 hazards more)";
    const struct gp_scenario_ops *scenario = &racy_scenario;
    struct trial trial;

    (void)state;
    start(&trial, &scenario);
    run(&trial);
    gp_assert_ok(trial.code, trial.err);
    read_back(&trial);
    assert_int_equal(trial.cell_count, 3);
    /* On one stream all is in order. */
    assert_int_equal(trial.cells[1].status, GP_STATUS_COMPLETE);
    assert_true(metric(&trial, trial.cells[1].id, "hazards") == 0);
    assert_true(metric(&trial, trial.cells[1].id, "waits") == 0);
    assert_true(metric(&trial, trial.cells[1].id, "waits_unneeded") == 0);
    assert_int_equal(trial.cells[2].status, GP_STATUS_FAILED);
    assert_string_equal(trial.cells[2].error, words);
    assert_true(metric(&trial, trial.cells[2].id, "hazards") == 2);
    assert_true(isnan(metric(&trial, trial.cells[2].id, "waits_unneeded")));
    expect_missing_edge(&trial, trial.cells[2].id);
    finish(&trial);
}

static int refuse_setup(struct gp_workload *workload, struct gp_error *err)
{
    (void)workload;
    return gp_fail(err, GP_EDEVICEMEM, "buffer 'a': 9 GiB do not fit");
}

static const struct gp_scenario_ops big_scenario = {
    .name = "big",
    .summary = "does not fit",
    .expect = "to fail",
    .parameters = no_parameters,
    .setup = refuse_setup,
    .reset = reset_nothing,
    .verify = find_wrong,
    .teardown = tear_down_tiny,
};

static void test_setup_failure_leaves_an_incomplete_recording(void **state)
{
    const struct gp_scenario_ops *scenario = &big_scenario;
    struct trial trial;

    (void)state;
    start(&trial, &scenario);
    run(&trial);
    assert_int_equal(trial.code, GP_EDEVICEMEM);
    assert_non_null(strstr(trial.err.text, "scenario big: "));
    assert_non_null(strstr(trial.err.text, "9 GiB"));
    read_back(&trial);
    assert_false(gp_reader_is_complete(trial.reader));
    finish(&trial);
}

static volatile sig_atomic_t interrupted;

static void interrupt_later(void *user, const struct gp_sweep_progress *progress)
{
    (void)user;
    interrupted = progress->runs_done >= 4;
}

static void test_interrupt_keeps_what_was_run(void **state)
{
    const struct gp_scenario_ops *scenario = gp_scenario_find("batch");
    struct trial trial;
    uint32_t runs_total = 0;

    (void)state;
    start(&trial, &scenario);
    trial.options.settings = small_batch;
    trial.options.setting_count = 4;
    trial.options.interrupted = &interrupted;
    trial.options.progress = interrupt_later;
    interrupted = 0;
    run(&trial);
    assert_int_equal(trial.code, GP_EINTERRUPTED);
    read_back(&trial);
    assert_false(gp_reader_is_complete(trial.reader));
    for (uint32_t i = 0; i < trial.cell_count; i++) {
        struct gp_run_row *runs = NULL;
        uint32_t count = 0;

        assert_int_equal(trial.cells[i].status, GP_STATUS_INCOMPLETE);
        gp_assert_ok(gp_reader_runs(trial.reader, trial.cells[i].id, &runs, &count, &trial.err),
                     trial.err);
        runs_total += count;
        gp_free(runs);
    }
    /* The run in hand is finished, and its traced twin. */
    assert_in_range(runs_total, 5, 6);
    finish(&trial);
}

static void test_existing_output_is_kept(void **state)
{
    const struct gp_scenario_ops *scenario = &wrong_scenario;
    struct trial trial;
    FILE *file = fopen(path, "w");

    (void)state;
    assert_non_null(file);
    (void)fclose(file);
    start(&trial, &scenario);
    trial.options.force = false;
    run(&trial);
    assert_int_equal(trial.code, GP_EEXISTS);
    (void)unlink(path);
}

static void test_repeats_and_no_trace(void **state)
{
    const struct gp_scenario_ops *scenario = gp_scenario_find("batch");
    struct trial trial;

    (void)state;
    start(&trial, &scenario);
    trial.options.settings = small_batch;
    trial.options.setting_count = 4;
    trial.options.trace = GP_TRACE_OFF;
    trial.options.repeats = 3;
    run(&trial);
    gp_assert_ok(trial.code, trial.err);
    read_back(&trial);
    for (uint32_t i = 0; i < trial.cell_count; i++) {
        struct gp_run_row *runs = NULL;
        uint32_t count = 0;

        gp_assert_ok(gp_reader_runs(trial.reader, trial.cells[i].id, &runs, &count, &trial.err),
                     trial.err);
        assert_int_equal(count, 3);
        assert_int_equal(runs[0].verified, 1);
        assert_int_equal(runs[1].verified, -1);
        gp_free(runs);
    }
    finish(&trial);
}

static char told[2][256];
static uint32_t told_count;

static void keep_message(void *user, const char *text)
{
    (void)user;
    assert_true(told_count < 2);
    (void)snprintf(told[told_count++], sizeof told[0], "%s", text);
}

/* The naive recorder on more streams than connections spoils what it measures, and says so once a
 * cell. */
static void test_naive_recorder_warns(void **state)
{
    static const uint32_t streams[] = {4, 12};
    const struct gp_scenario_ops *scenario = gp_scenario_find("batch");
    struct trial trial;

    (void)state;
    start(&trial, &scenario);
    trial.options.settings = small_batch;
    trial.options.setting_count = 4;
    trial.options.streams = streams;
    trial.options.trace = GP_TRACE_EVENTS;
    trial.options.repeats = 2;
    trial.options.message = keep_message;
    told_count = 0;
    run(&trial);
    gp_assert_ok(trial.code, trial.err);
    assert_int_equal(told_count, 1);
    assert_string_equal(told[0],
                        "batch round-robin/12: timed events hold connections: 12 streams on 8 "
                        "connections are serialised by the recorder itself");
    read_back(&trial);
    finish(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_batch_on_the_model),
        cmocka_unit_test(test_traced_runs),
        cmocka_unit_test(test_wrong_data_fails_the_cell),
        cmocka_unit_test(test_a_hazard_fails_the_cell),
        cmocka_unit_test(test_setup_failure_leaves_an_incomplete_recording),
        cmocka_unit_test(test_interrupt_keeps_what_was_run),
        cmocka_unit_test(test_existing_output_is_kept),
        cmocka_unit_test(test_repeats_and_no_trace),
        cmocka_unit_test(test_naive_recorder_warns),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
