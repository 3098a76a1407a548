/* The summaries of a recording: pairs, kept runs, groups of cells. */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "probe/analysis/load.h"
#include "probe/store/writer.h"
#include "store/rows.h"

static int64_t next_run;

static struct gp_writer *start(const char *path)
{
    struct gp_error err = {0};
    struct gp_writer *writer = NULL;
    struct gp_device_row device = make_device(1);

    next_run = 1;
    gp_assert_ok(gp_writer_create(path, true, &writer, &err), err);
    gp_assert_ok(gp_writer_add_device(writer, &device, &err), err);
    return writer;
}

static void add_cell(struct gp_writer *writer, int64_t id, const char *scenario, const char *policy,
                     int32_t streams)
{
    struct gp_error err = {0};
    struct gp_cell_row cell = make_cell(id, 1);

    cell.scenario = scenario;
    cell.policy = policy;
    cell.streams = streams;
    cell.status = GP_STATUS_COMPLETE;
    gp_assert_ok(gp_writer_add_cell(writer, &cell, &err), err);
}

static void add_run(struct gp_writer *writer, int64_t cell, int32_t repeat, enum gp_pass pass,
                    int64_t makespan_ns, int32_t verified)
{
    struct gp_error err = {0};
    struct gp_run_rows rows = {.run = {.id = next_run++,
                                       .cell = cell,
                                       .pass = pass,
                                       .repeat = repeat,
                                       .trace_note = "",
                                       .makespan_ns = makespan_ns,
                                       .verified = verified,
                                       .status = GP_STATUS_COMPLETE}};

    gp_assert_ok(gp_writer_add_run(writer, &rows, &err), err);
}

/* Recorded out of order, with a twin that failed and one that is missing. */
static void test_pairs_by_repeat(void **state)
{
    const char *path = make_path("pairs.gpuprobe");
    struct gp_error err = {0};
    struct gp_writer *writer = start(path);
    struct gp_run_rows failed = {.run = {.cell = 1,
                                         .pass = GP_PASS_PLAIN,
                                         .repeat = 2,
                                         .trace_note = "",
                                         .makespan_ns = 7,
                                         .verified = -1,
                                         .status = GP_STATUS_FAILED}};
    struct gp_reader *reader = NULL;
    struct gp_results results;

    (void)state;
    add_cell(writer, 1, "batch", "single", 1);
    add_run(writer, 1, 1, GP_PASS_TRACED, 220, 1);
    add_run(writer, 1, 0, GP_PASS_PLAIN, 100, -1);
    add_run(writer, 1, 1, GP_PASS_PLAIN, 200, -1);
    add_run(writer, 1, 0, GP_PASS_TRACED, 110, 1);
    add_run(writer, 1, 2, GP_PASS_TRACED, 900, 1);
    add_run(writer, 1, 3, GP_PASS_PLAIN, GP_UNKNOWN, -1);
    add_run(writer, 1, 3, GP_PASS_TRACED, 900, 1);
    failed.run.id = next_run;
    gp_assert_ok(gp_writer_add_run(writer, &failed, &err), err);
    gp_assert_ok(gp_writer_finish(writer, true, &err), err);
    gp_assert_ok(gp_reader_open(path, &reader, &err), err);
    gp_assert_ok(gp_results_load(reader, &results, &err), err);
    assert_int_equal(results.count, 1);
    assert_int_equal(results.cells[0].summary.repeats, 2);
    assert_true(results.cells[0].summary.makespan_ns.median == 150);
    assert_true(fabs(results.cells[0].summary.perturbation.median - 1.1) < 1e-9);
    assert_true(fabs(results.cells[0].summary.perturbation.hi - 1.1) < 1e-9);
    assert_true(results.cells[0].summary.speedup == 1);
    assert_int_equal(results.cells[0].verified, 1);
    assert_int_equal(results.cells[0].kept_run, 0);
    gp_results_finish(&results);
    gp_reader_close(reader);
}

static void test_kept_operations_are_measured(void **state)
{
    const char *path = make_path("kept.gpuprobe");
    struct gp_error err = {0};
    struct gp_writer *writer = start(path);
    struct gp_run_rows rows = make_run(1, 1, 20);
    struct gp_reader *reader = NULL;
    struct gp_results results;

    (void)state;
    add_cell(writer, 1, "batch", "single", 1);
    rows.run.verified = 0;
    gp_assert_ok(gp_writer_add_run(writer, &rows, &err), err);
    next_run = 2;
    add_run(writer, 1, 1, GP_PASS_TRACED, 10, 1);
    gp_assert_ok(gp_writer_finish(writer, true, &err), err);
    gp_assert_ok(gp_reader_open(path, &reader, &err), err);
    gp_assert_ok(gp_results_load(reader, &results, &err), err);
    assert_int_equal(results.cells[0].kept_run, 1);
    assert_int_equal(results.cells[0].verified, 0);
    /* make_run: 20 of 150 ns, each 100 ns after the other. */
    assert_true(fabs(results.cells[0].summary.concurrency - 20 * 150.0 / (19 * 100 + 150)) < 1e-9);
    assert_string_equal(results.cells[0].device->uuid, "GPU-0");
    gp_results_finish(&results);
    gp_reader_close(reader);
    free_run(&rows);
}

/* Two scenarios whose cells are mixed; an incomplete cell takes no part. */
static void test_cells_are_compared_by_scenario(void **state)
{
    const char *path = make_path("groups.gpuprobe");
    struct gp_error err = {0};
    struct gp_writer *writer = start(path);
    struct gp_reader *reader = NULL;
    struct gp_results results;

    (void)state;
    add_cell(writer, 1, "batch", "round-robin", 4);
    add_cell(writer, 2, "mixed", "single", 1);
    add_cell(writer, 3, "batch", "single", 1);
    add_cell(writer, 4, "mixed", "round-robin", 4);
    add_cell(writer, 5, "batch", "round-robin", 8);
    for (int32_t repeat = 0; repeat < 3; repeat++) {
        add_run(writer, 1, repeat, GP_PASS_PLAIN, 100, -1);
        add_run(writer, 2, repeat, GP_PASS_PLAIN, 60, -1);
        add_run(writer, 3, repeat, GP_PASS_PLAIN, 300, -1);
        add_run(writer, 4, repeat, GP_PASS_PLAIN, 50, -1);
        add_run(writer, 5, repeat, GP_PASS_PLAIN, 1, -1);
    }
    gp_assert_ok(gp_writer_update_cell(writer, 5, GP_STATUS_FAILED, "wrong", &err), err);
    gp_assert_ok(gp_writer_finish(writer, true, &err), err);
    gp_assert_ok(gp_reader_open(path, &reader, &err), err);
    gp_assert_ok(gp_results_load(reader, &results, &err), err);
    assert_int_equal(results.count, 5);
    assert_true(results.cells[0].summary.speedup == 3);
    assert_true(results.cells[0].summary.is_recommended && results.cells[0].summary.is_best);
    assert_true(results.cells[1].summary.speedup == 1);
    assert_true(fabs(results.cells[3].summary.speedup - 1.2) < 1e-9);
    assert_true(results.cells[3].summary.is_recommended);
    assert_true(isnan(results.cells[4].summary.speedup));
    assert_false(results.cells[4].summary.is_best);
    assert_true(results.cells[4].summary.makespan_ns.median == 1);
    gp_results_finish(&results);
    gp_reader_close(reader);
}

static void test_empty_recording(void **state)
{
    const char *path = make_path("empty.gpuprobe");
    struct gp_error err = {0};
    struct gp_writer *writer = start(path);
    struct gp_reader *reader = NULL;
    struct gp_results results;

    (void)state;
    gp_assert_ok(gp_writer_finish(writer, true, &err), err);
    gp_assert_ok(gp_reader_open(path, &reader, &err), err);
    gp_assert_ok(gp_results_load(reader, &results, &err), err);
    assert_int_equal(results.count, 0);
    gp_results_finish(&results);
    gp_reader_close(reader);
}

static int remove_all(void **state)
{
    (void)state;
    remove_directory();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs_by_repeat),
        cmocka_unit_test(test_kept_operations_are_measured),
        cmocka_unit_test(test_cells_are_compared_by_scenario),
        cmocka_unit_test(test_empty_recording),
    };

    return cmocka_run_group_tests(tests, NULL, remove_all);
}
