/* Sweeps whose workload is at fault: wrong data, a hazard, set-up that fails. */
#include "trial.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"

static const struct gp_parameter no_parameters[] = {{.name = NULL}};

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
    trial_start(&trial, &scenario);
    trial_run(&trial);
    gp_assert_ok(trial.code, trial.err);
    trial_read_back(&trial);
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
    trial_finish(&trial);
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
    trial_start(&trial, &scenario);
    trial_run(&trial);
    gp_assert_ok(trial.code, trial.err);
    trial_read_back(&trial);
    assert_int_equal(trial.cell_count, 3);
    /* On one stream all is in order. */
    assert_int_equal(trial.cells[1].status, GP_STATUS_COMPLETE);
    assert_true(trial_metric(&trial, trial.cells[1].id, "hazards") == 0);
    assert_true(trial_metric(&trial, trial.cells[1].id, "waits") == 0);
    assert_true(trial_metric(&trial, trial.cells[1].id, "waits_unneeded") == 0);
    assert_int_equal(trial.cells[2].status, GP_STATUS_FAILED);
    assert_string_equal(trial.cells[2].error, words);
    assert_true(trial_metric(&trial, trial.cells[2].id, "hazards") == 2);
    assert_true(isnan(trial_metric(&trial, trial.cells[2].id, "waits_unneeded")));
    expect_missing_edge(&trial, trial.cells[2].id);
    trial_finish(&trial);
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
    trial_start(&trial, &scenario);
    trial_run(&trial);
    assert_int_equal(trial.code, GP_EDEVICEMEM);
    assert_non_null(strstr(trial.err.text, "scenario big: "));
    assert_non_null(strstr(trial.err.text, "9 GiB"));
    trial_read_back(&trial);
    assert_false(gp_reader_is_complete(trial.reader));
    trial_finish(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrong_data_fails_the_cell),
        cmocka_unit_test(test_a_hazard_fails_the_cell),
        cmocka_unit_test(test_setup_failure_leaves_an_incomplete_recording),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
