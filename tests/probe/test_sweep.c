/* Sweeps on the model device, read back from their recordings. */
#include "trial.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "scenarios/workload.h"

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
    trial_start(&trial, &scenario);
    trial.options.settings = trial_small_batch;
    trial.options.setting_count = 4;
    trial_run(&trial);
    gp_assert_ok(trial.code, trial.err);
    trial_read_back(&trial);
    assert_true(gp_reader_is_complete(trial.reader));
    /* single ignores the pool's size: one cell. */
    assert_int_equal(trial.cell_count, 3);
    for (uint32_t i = 0; i < trial.cell_count; i++) {
        assert_int_equal(trial.cells[i].status, GP_STATUS_COMPLETE);
    }
    assert_string_equal(trial.cells[0].params, "{\"batches\":24,\"k\":128,\"m\":64,\"n\":128}");
    assert_true(fabs((double)makespan(&trial, 1) / (double)makespan(&trial, 0) - 1.0) < 0.02);
    assert_true(makespan(&trial, 2) < makespan(&trial, 1));
    trial_finish(&trial);
}

/* The model has no CUPTI: the recording says so, and is as it would be without the wish. */
static void test_reference_is_refused_politely(void **state)
{
    const struct gp_scenario_ops *scenario = gp_scenario_find("batch");
    struct gp_run_row *runs = NULL;
    uint32_t count = 0;
    struct trial trial;

    (void)state;
    trial_start(&trial, &scenario);
    trial.options.settings = trial_small_batch;
    trial.options.setting_count = 4;
    trial.options.reference = GP_REFERENCE_CUPTI;
    trial_run(&trial);
    gp_assert_ok(trial.code, trial.err);
    trial_read_back(&trial);
    assert_string_equal(gp_reader_key(trial.reader, "reference"),
                        "none: the model has no CUPTI; --reference model has its own times");
    for (uint32_t i = 0; i < trial.cell_count; i++) {
        assert_int_equal(trial.cells[i].status, GP_STATUS_COMPLETE);
        gp_assert_ok(gp_reader_runs(trial.reader, trial.cells[i].id, &runs, &count, &trial.err),
                     trial.err);
        for (uint32_t k = 0; k < count; k++) {
            assert_true(runs[k].pass != GP_PASS_REFERENCE);
        }
        gp_free(runs);
    }
    trial_finish(&trial);
}

/* Of the one kept reference run of a cell: everything that runs has its times there, a kernel those
 * of its stamps to the tick. */
static void check_reference_times(struct trial *trial, int64_t cell, uint32_t op_count)
{
    struct gp_op_row *ops = gp_alloc(op_count, sizeof *ops);
    struct gp_run_row *runs = NULL;
    uint32_t count = 0, kept = 0;

    assert_non_null(ops);
    gp_assert_ok(gp_reader_runs(trial->reader, cell, &runs, &count, &trial->err), trial->err);
    for (uint32_t i = 0; i < count; i++) {
        if (runs[i].pass != GP_PASS_REFERENCE || runs[i].op_count == 0) {
            continue;
        }
        kept++;
        assert_int_equal(runs[i].op_count, op_count);
        gp_assert_ok(gp_reader_ops(trial->reader, runs[i].id, 0, op_count, ops, &trial->err),
                     trial->err);
        for (uint32_t k = 0; k < op_count; k++) {
            bool is_memory = ops[k].kind == GP_OP_ALLOC || ops[k].kind == GP_OP_FREE;

            assert_int_equal(ops[k].ref_end > ops[k].ref_begin, !is_memory);
            if (ops[k].kind == GP_OP_KERNEL) {
                assert_in_range(ops[k].ref_begin - ops[k].stamp_begin, 0, 31);
                assert_in_range(ops[k].ref_end - ops[k].stamp_end, 0, 31);
            }
        }
    }
    gp_free(runs);
    gp_free(ops);
    assert_int_equal(kept, 1);
}

/* The model's own word on each operation stands beside ours, in runs at the end. */
static void test_model_as_reference(void **state)
{
    static const struct gp_setting few[] = {
        {"chains", "4"}, {"rounds", "2"}, {"allocation", "ordered"}};
    const struct {
        const char *scenario;
        const struct gp_setting *settings;
        uint32_t setting_count, op_count;
    } cases[] = {{"batch", trial_small_batch, 4, 24 * 5}, {"alloc", few, 3, 4 * 2 * 5}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct gp_scenario_ops *scenario = gp_scenario_find(cases[i].scenario);
        struct trial trial;

        trial_start(&trial, &scenario);
        trial.options.settings = cases[i].settings;
        trial.options.setting_count = cases[i].setting_count;
        trial.options.reference = GP_REFERENCE_MODEL;
        trial_run(&trial);
        gp_assert_ok(trial.code, trial.err);
        trial_read_back(&trial);
        check_reference_times(&trial, trial.cells[2].id, cases[i].op_count);
        assert_true(trial_metric(&trial, trial.cells[2].id, "reference_perturbation") >= 1.0);
        trial_finish(&trial);
    }
}

static int64_t calibrated(struct trial *trial, const char *name)
{
    struct gp_calibration_row *rows = NULL;
    uint32_t count = 0;
    int64_t value = -1;

    gp_assert_ok(gp_reader_calibrations(trial->reader, &rows, &count, &trial->err), trial->err);
    for (uint32_t i = 0; i < count; i++) {
        value = strcmp(rows[i].name, name) == 0 ? (int64_t)rows[i].value : value;
    }
    gp_free(rows);
    assert_true(value >= 0);
    return value;
}

/* Large copies have an event each: when they began and ended is known to a few µs, and rightly so.
 */
static void test_large_copies_are_known_closely(void **state)
{
    static const struct gp_setting settings[] = {{"chunks", "16"}, {"chunk_kib", "8192"}};
    const struct gp_scenario_ops *scenario = gp_scenario_find("mixed");
    struct gp_op_row ops[3 * 16];
    struct gp_run_row *runs = NULL;
    uint32_t count = 0, copies = 0;
    int64_t event_ns[2], setup_ns[2];
    struct trial trial;

    (void)state;
    trial_start(&trial, &scenario);
    trial.options.settings = settings;
    trial.options.setting_count = 2;
    trial.options.reference = GP_REFERENCE_MODEL;
    trial.options.verify_off = true;
    trial_run(&trial);
    gp_assert_ok(trial.code, trial.err);
    trial_read_back(&trial);
    event_ns[0] = calibrated(&trial, "h2d_event_watched");
    event_ns[1] = calibrated(&trial, "d2h_event_watched");
    setup_ns[0] = calibrated(&trial, "h2d_setup_watched");
    setup_ns[1] = calibrated(&trial, "d2h_setup_watched");
    gp_assert_ok(gp_reader_runs(trial.reader, trial.cells[2].id, &runs, &count, &trial.err),
                 trial.err);
    for (uint32_t i = 0; i < count; i++) {
        if (runs[i].pass != GP_PASS_REFERENCE || runs[i].op_count == 0) {
            continue;
        }
        gp_assert_ok(gp_reader_ops(trial.reader, runs[i].id, 0, 3 * 16, ops, &trial.err),
                     trial.err);
        for (uint32_t k = 0; k < 3 * 16; k++) {
            int way = ops[k].kind == GP_OP_D2H;

            if (ops[k].kind == GP_OP_KERNEL) {
                continue;
            }
            copies++;
            assert_in_range(ops[k].ref_end, ops[k].end_lo, ops[k].end_hi);
            assert_in_range(ops[k].ref_begin, ops[k].begin_lo, ops[k].begin_hi + 5000);
            assert_true(ops[k].end_hi - ops[k].end_lo <= event_ns[way] * 11 / 10 + 32 + 600);
            assert_true(ops[k].begin_hi - ops[k].begin_lo <=
                        2 * event_ns[way] + setup_ns[way] + 10000);
        }
    }
    gp_free(runs);
    assert_int_equal(copies, 2 * 16);
    trial_finish(&trial);
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
    trial_start(&trial, &scenario);
    trial.options.settings = trial_small_batch;
    trial.options.setting_count = 4;
    trial_run(&trial);
    gp_assert_ok(trial.code, trial.err);
    trial_read_back(&trial);
    for (uint32_t i = 0; i < trial.cell_count; i++) {
        check_runs(&trial, i);
    }
    trial_finish(&trial);
}

/* Kernels of a graph have stamps, copies are between them, and all was submitted by one call. */
static void check_graph_run(struct trial *trial, int64_t cell)
{
    struct gp_run_row *runs = NULL;
    struct gp_call_row *calls = NULL;
    struct gp_op_row ops[24 * 5];
    uint32_t count = 0;
    uint32_t kept = 0;

    gp_assert_ok(gp_reader_runs(trial->reader, cell, &runs, &count, &trial->err), trial->err);
    assert_true(count >= 10);
    while (runs[kept].op_count == 0) {
        kept++;
        assert_true(kept < count);
    }
    assert_int_equal(runs[kept].trace, GP_TRACE_STAMPS);
    assert_int_equal(runs[kept].op_count, 24 * 5);
    gp_assert_ok(gp_reader_ops(trial->reader, runs[kept].id, 0, 24 * 5, ops, &trial->err),
                 trial->err);
    for (uint32_t i = 0; i < 24 * 5; i++) {
        assert_int_equal(ops[i].kind == GP_OP_KERNEL, ops[i].stamp_begin != GP_UNKNOWN);
        assert_true(ops[i].done == GP_UNKNOWN && ops[i].ready == GP_UNKNOWN);
        assert_true(ops[i].submit_begin == ops[0].submit_begin);
        assert_true(ops[i].begin >= ops[i].submit_begin && ops[i].end >= ops[i].begin);
        assert_true(ops[i].end <= runs[kept].makespan_ns);
    }
    gp_assert_ok(gp_reader_calls(trial->reader, runs[kept].id, &calls, &count, &trial->err),
                 trial->err);
    assert_int_equal(count, 1);
    assert_string_equal(calls[0].name, "graph launch");
    gp_free(calls);
    gp_free(runs);
}

static void test_graphs(void **state)
{
    static const struct gp_policy_ops *policies[2];
    const struct gp_scenario_ops *scenario = gp_scenario_find("batch");
    struct trial trial;

    (void)state;
    trial_start(&trial, &scenario);
    policies[0] = gp_policy_find("round-robin");
    policies[1] = gp_policy_find("null-stream");
    trial.options.policies = policies;
    trial.options.settings = trial_small_batch;
    trial.options.setting_count = 4;
    trial.options.trace = GP_TRACE_EVENTS;
    trial.options.submits = 1u << GP_SUBMIT_STREAMS | 1u << GP_SUBMIT_GRAPH;
    trial_run(&trial);
    gp_assert_ok(trial.code, trial.err);
    trial_read_back(&trial);
    assert_int_equal(trial.cell_count, 6);
    for (uint32_t i = 0; i < 6; i++) {
        const struct gp_cell_row *cell = &trial.cells[i];

        assert_int_equal(cell->submit, i < 3 ? GP_SUBMIT_STREAMS : GP_SUBMIT_GRAPH);
        assert_int_equal(cell->status, i < 5 ? GP_STATUS_COMPLETE : GP_STATUS_UNSUPPORTED);
        assert_int_equal(isnan(trial_metric(&trial, cell->id, "instantiate_ns")), i < 3 || i == 5);
        assert_true(trial_metric(&trial, cell->id, "hazards") == 0);
    }
    assert_non_null(strstr(trial.cells[5].error, "NULL stream"));
    check_graph_run(&trial, trial.cells[3].id);
    check_graph_run(&trial, trial.cells[4].id);
    trial_finish(&trial);
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
    trial_start(&trial, &scenario);
    trial.options.settings = trial_small_batch;
    trial.options.setting_count = 4;
    trial.options.interrupted = &interrupted;
    trial.options.progress = interrupt_later;
    interrupted = 0;
    trial_run(&trial);
    assert_int_equal(trial.code, GP_EINTERRUPTED);
    trial_read_back(&trial);
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
    trial_finish(&trial);
}

static void test_existing_output_is_kept(void **state)
{
    const struct gp_scenario_ops *scenario = gp_scenario_find("batch");
    struct trial trial;
    FILE *file;

    (void)state;
    trial_start(&trial, &scenario);
    trial.options.force = false;
    file = fopen(trial.path, "w");
    assert_non_null(file);
    (void)fclose(file);
    trial_run(&trial);
    assert_int_equal(trial.code, GP_EEXISTS);
    trial_finish(&trial);
}

static void test_repeats_and_no_trace(void **state)
{
    const struct gp_scenario_ops *scenario = gp_scenario_find("batch");
    struct trial trial;

    (void)state;
    trial_start(&trial, &scenario);
    trial.options.settings = trial_small_batch;
    trial.options.setting_count = 4;
    trial.options.trace = GP_TRACE_OFF;
    trial.options.repeats = 3;
    trial_run(&trial);
    gp_assert_ok(trial.code, trial.err);
    trial_read_back(&trial);
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
    trial_finish(&trial);
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
    trial_start(&trial, &scenario);
    trial.options.settings = trial_small_batch;
    trial.options.setting_count = 4;
    trial.options.streams = streams;
    trial.options.trace = GP_TRACE_EVENTS;
    trial.options.repeats = 2;
    trial.options.message = keep_message;
    told_count = 0;
    trial_run(&trial);
    gp_assert_ok(trial.code, trial.err);
    assert_int_equal(told_count, 1);
    assert_string_equal(told[0],
                        "batch round-robin/12: timed events hold connections: 12 streams on 8 "
                        "connections are serialised by the recorder itself");
    trial_read_back(&trial);
    trial_finish(&trial);
}

/* Each line of a plan of one's own has its order, its way of completion and its trace. */
static void test_a_plan_of_ones_own(void **state)
{
    const struct gp_scenario_ops *scenario = gp_scenario_find("batch");
    struct gp_cell_plan plan[2];
    struct gp_run_row *runs = NULL;
    uint32_t count = 0;
    struct trial trial;

    (void)state;
    trial_start(&trial, &scenario);
    gp_assert_ok(gp_sweep_plan_line(scenario, trial_small_batch, 4, &trial.device->info, &plan[0],
                                    &trial.err),
                 trial.err);
    plan[0].policy = gp_policy_find("single");
    plan[0].streams = 1;
    plan[1] = plan[0];
    plan[1].policy = gp_policy_find("round-robin");
    plan[1].streams = 4;
    plan[1].order = GP_ORDER_BREADTH;
    plan[1].completion = GP_COMPLETION_FLAG;
    plan[1].trace = GP_TRACE_STAMPS;
    plan[1].index = 1;
    trial.options.repeats = 2;
    gp_assert_ok(gp_sweep_run_plan(trial.device, &trial.options, plan, 2, &trial.err), trial.err);
    gp_device_close(trial.device);
    trial_read_back(&trial);
    assert_int_equal(trial.cell_count, 2);
    assert_int_equal(trial.cells[0].order, GP_ORDER_DEPTH);
    assert_string_equal(trial.cells[0].completion, "event-poll");
    assert_int_equal(trial.cells[1].order, GP_ORDER_BREADTH);
    assert_string_equal(trial.cells[1].completion, "flag");
    for (uint32_t i = 0; i < 2; i++) {
        gp_assert_ok(gp_reader_runs(trial.reader, trial.cells[i].id, &runs, &count, &trial.err),
                     trial.err);
        assert_int_equal(count, i == 0 ? 2 : 4);
        gp_free(runs);
    }
    trial_finish(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_plan_of_ones_own),
        cmocka_unit_test(test_batch_on_the_model),
        cmocka_unit_test(test_reference_is_refused_politely),
        cmocka_unit_test(test_model_as_reference),
        cmocka_unit_test(test_large_copies_are_known_closely),
        cmocka_unit_test(test_traced_runs),
        cmocka_unit_test(test_graphs),
        cmocka_unit_test(test_interrupt_keeps_what_was_run),
        cmocka_unit_test(test_existing_output_is_kept),
        cmocka_unit_test(test_repeats_and_no_trace),
        cmocka_unit_test(test_naive_recorder_warns),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
