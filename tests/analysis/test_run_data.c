/* Loading a run whole, and what is known of its device. */
#include "test.h"

#include <math.h>
#include <string.h>

#include "probe/analysis/run_data.h"
#include "probe/memory.h"
#include "probe/store/writer.h"
#include "store/rows.h"

static struct gp_reader *record(const char *path)
{
    struct gp_error err = {0};
    struct gp_writer *writer = NULL;
    struct gp_reader *reader = NULL;
    struct gp_device_row device = make_device(1);
    struct gp_cell_row cell = make_cell(1, 1);
    struct gp_run_rows rows = make_run(1, 1, 6);
    const struct gp_calibration_row calibration = {
        .device = 1, .name = "h2d_rate", .unit = "B/s", .source = "event", .value = 5e10};

    gp_assert_ok(gp_writer_create(path, true, &writer, &err), err);
    gp_assert_ok(gp_writer_add_device(writer, &device, &err), err);
    gp_assert_ok(gp_writer_add_calibrations(writer, &calibration, 1, &err), err);
    gp_assert_ok(gp_writer_add_cell(writer, &cell, &err), err);
    gp_assert_ok(gp_writer_add_run(writer, &rows, &err), err);
    gp_assert_ok(gp_writer_finish(writer, true, &err), err);
    free_run(&rows);
    gp_assert_ok(gp_reader_open(path, &reader, &err), err);
    return reader;
}

static void test_whole_run(void **state)
{
    struct gp_error err = {0};
    struct gp_reader *reader = record(make_path("run.gpuprobe"));
    struct gp_run_rows rows = make_run(1, 1, 6);
    struct gp_run_data data;

    (void)state;
    gp_assert_ok(gp_run_load(reader, 1, 1, &data, &err), err);
    assert_int_equal(data.cell->id, 1);
    assert_int_equal(data.device->id, 1);
    assert_int_equal(data.run.makespan_ns, rows.run.makespan_ns);
    assert_int_equal(data.op_count, rows.op_count);
    assert_int_equal(data.edge_count, rows.edge_count);
    assert_int_equal(data.access_count, rows.access_count);
    assert_int_equal(data.stream_count, rows.stream_count);
    assert_int_equal(data.call_count, rows.call_count);
    assert_int_equal(data.state_count, rows.state_count);
    assert_string_equal(data.ops[5].name, rows.ops[5].name);
    assert_true(data.facts.h2d_rate == 5e10);
    gp_run_finish(&data);
    assert_null(data.ops);
    free_run(&rows);
    gp_reader_close(reader);
}

static void test_no_such_run(void **state)
{
    struct gp_error err = {0};
    struct gp_reader *reader = record(make_path("missing.gpuprobe"));
    struct gp_run_data data;

    (void)state;
    assert_int_equal(gp_run_load(reader, 1, 7, &data, &err), GP_ENOTFOUND);
    assert_string_equal(err.text, "cell 1 has no run 7");
    assert_int_equal(gp_run_load(reader, 3, 1, &data, &err), GP_ENOTFOUND);
    assert_string_equal(err.text, "there is no cell 3");
    gp_reader_close(reader);
}

static void test_facts(void **state)
{
    const struct gp_device_row device = {
        .id = 4,
        .profile = "{\"parameters\": {\"h2d_rate\": {\"value\": 55400}, \"d2h_rate\": {\"value\": "
                   "50000}, \"grids_resident\": {\"value\": 128}}}"};
    const struct gp_device_row bare = {.id = 4, .profile = NULL};
    const struct gp_device_row broken = {.id = 4, .profile = "{\"parameters\""};
    const struct gp_calibration_row rows[] = {{.device = 4, .name = "d2h_rate", .value = 4e10},
                                              {.device = 3, .name = "h2d_rate", .value = 1},
                                              {.device = 4, .name = "other", .value = 2}};
    struct gp_facts facts;

    (void)state;
    gp_facts_collect(&device, rows, 3, &facts);
    assert_true(facts.h2d_rate == 55.4e9);
    assert_true(facts.d2h_rate == 5e10);
    assert_true(facts.grids_resident == 128);
    assert_true(isnan(facts.queue_launches));
    gp_facts_collect(&bare, rows, 3, &facts);
    assert_true(isnan(facts.h2d_rate));
    assert_true(facts.d2h_rate == 4e10);
    gp_facts_collect(&broken, NULL, 0, &facts);
    assert_true(isnan(facts.d2h_rate));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_run),
        cmocka_unit_test(test_no_such_run),
        cmocka_unit_test(test_facts),
    };
    int result = cmocka_run_group_tests(tests, NULL, NULL);

    remove_directory();
    return result;
}
