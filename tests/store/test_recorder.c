/* The recorder: ids at once, everything stored in order, errors told. */
#include "test.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "probe/recorder/recorder.h"
#include "store/rows.h"

static int64_t count(const char *path, const char *sql)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *statement = NULL;
    int64_t answer;

    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    answer = sqlite3_column_int64(statement, 0);
    (void)sqlite3_finalize(statement);
    (void)sqlite3_close(db);
    return answer;
}

static struct gp_recorder *create(const char *path, int64_t *cell)
{
    struct gp_error err = {0};
    struct gp_recorder *recorder = NULL;
    struct gp_device_row device = make_device(0);
    struct gp_cell_row row;
    int64_t id = 0;

    gp_assert_ok(gp_recorder_create(path, false, &recorder, &err), err);
    gp_assert_ok(gp_recorder_set_key(recorder, "seed", "1", &err), err);
    gp_assert_ok(gp_recorder_add_device(recorder, &device, &id, &err), err);
    assert_int_equal(id, 1);
    row = make_cell(0, id);
    gp_assert_ok(gp_recorder_add_cell(recorder, &row, cell, &err), err);
    return recorder;
}

/* Rows and texts are freed or overwritten right after each call. */
static void test_everything_arrives(void **state)
{
    const char *path = make_path("all.gpuprobe");
    struct gp_error err = {0};
    int64_t cell = 0, run = 0;
    struct gp_recorder *recorder = create(path, &cell);
    struct gp_calibration_row calibration = {1,   "pcie_bytes_per_s", "B/s", "measured", 5e10, 4e10,
                                             6e10};

    (void)state;
    assert_int_equal(cell, 1);
    for (int i = 0; i < 300; i++) {
        struct gp_run_rows rows = make_run(0, cell, 20);
        struct gp_metric_row metric = {0};
        char name[32];

        (void)snprintf(name, sizeof name, "op of run %d", i % 10);
        ((struct gp_op_row *)rows.ops)[7].name = name;
        gp_assert_ok(gp_recorder_add_run(recorder, &rows, &run, &err), err);
        memset((void *)rows.ops, 0xee, 20 * sizeof *rows.ops);
        memset(name, 'x', sizeof name - 1);
        free_run(&rows);
        assert_int_equal(run, i + 1);
        metric = (struct gp_metric_row){.run = run, .name = "overlap", .value = i};
        gp_assert_ok(gp_recorder_add_metrics(recorder, &metric, 1, &err), err);
        if (i % 2 == 1) {
            gp_assert_ok(gp_recorder_drop_ops(recorder, run - 1, &err), err);
        }
    }
    gp_assert_ok(gp_recorder_add_calibrations(recorder, &calibration, 1, &err), err);
    gp_assert_ok(gp_recorder_update_cell(recorder, cell, GP_STATUS_FAILED, "because", &err), err);
    gp_assert_ok(gp_recorder_wait(recorder, &err), err);
    assert_int_equal(count(path, "SELECT count(*) FROM run"), 300);
    gp_assert_ok(gp_recorder_finish(recorder, true, &err), err);
    assert_int_equal(count(path, "SELECT count(*) FROM op"), 150 * 20);
    assert_int_equal(count(path, "SELECT count(*) FROM metric"), 300);
    assert_int_equal(count(path, "SELECT count(*) FROM calibration WHERE lo = 4e10"), 1);
    assert_int_equal(count(path, "SELECT count(*) FROM string WHERE text LIKE 'op of run _'"), 10);
    assert_int_equal(count(path, "SELECT count(*) FROM cell WHERE error = 'because'"), 1);
}

static void test_error_comes_with_the_next_call(void **state)
{
    const char *path = make_path("gone.gpuprobe");
    struct gp_error err = {0};
    int64_t cell = 0, run = 0;
    struct gp_recorder *recorder = create(path, &cell);
    struct gp_run_rows rows = make_run(0, cell, 5);

    (void)state;
    gp_assert_ok(gp_recorder_add_run(recorder, &rows, &run, &err), err);
    gp_assert_ok(gp_recorder_wait(recorder, &err), err);
    assert_int_equal(unlink(path), 0);
    gp_assert_ok(gp_recorder_add_run(recorder, &rows, &run, &err), err);
    assert_int_equal(gp_recorder_wait(recorder, &err), GP_EIO);
    err = (struct gp_error){0};
    assert_int_equal(gp_recorder_add_run(recorder, &rows, &run, &err), GP_EIO);
    assert_non_null(strstr(err.text, "gone.gpuprobe: deleted"));
    err = (struct gp_error){0};
    assert_int_equal(gp_recorder_finish(recorder, true, &err), GP_EIO);
    assert_non_null(strstr(err.text, "gone.gpuprobe: deleted"));
    free_run(&rows);
}

static void test_existing_file_is_refused_at_once(void **state)
{
    const char *path = make_path("twice.gpuprobe");
    struct gp_error err = {0};
    int64_t cell = 0;
    struct gp_recorder *recorder = create(path, &cell);

    (void)state;
    gp_assert_ok(gp_recorder_finish(recorder, false, &err), err);
    assert_int_equal(count(path, "SELECT value = 'incomplete' FROM recording"
                                 " WHERE key = 'status'"),
                     1);
    assert_int_equal(gp_recorder_create(path, false, &recorder, &err), GP_EEXISTS);
}

/* Ids and texts go on where the file ended, and nothing that was there changes. */
static void test_a_recording_is_gone_on_with(void **state)
{
    const char *path = make_path("more.gpuprobe");
    struct gp_device_row device = make_device(0);
    struct gp_error err = {0};
    int64_t cell = 0, run = 0, id = 0;
    struct gp_recorder *recorder = create(path, &cell);
    struct gp_run_rows rows = make_run(0, cell, 5);
    struct gp_cell_row row;
    int64_t strings;

    (void)state;
    gp_assert_ok(gp_recorder_add_run(recorder, &rows, &run, &err), err);
    gp_assert_ok(gp_recorder_finish(recorder, true, &err), err);
    strings = count(path, "SELECT count(*) FROM string");
    gp_assert_ok(gp_recorder_open(path, &recorder, &err), err);
    assert_int_equal(count(path, "SELECT value = 'incomplete' FROM recording"
                                 " WHERE key = 'status'"),
                     1);
    gp_assert_ok(gp_recorder_add_device(recorder, &device, &id, &err), err);
    assert_int_equal(id, 2);
    row = make_cell(0, id);
    gp_assert_ok(gp_recorder_add_cell(recorder, &row, &cell, &err), err);
    assert_int_equal(cell, 2);
    rows.run.cell = cell;
    gp_assert_ok(gp_recorder_add_run(recorder, &rows, &run, &err), err);
    assert_int_equal(run, 2);
    gp_assert_ok(gp_recorder_finish(recorder, true, &err), err);
    free_run(&rows);
    assert_int_equal(count(path, "SELECT count(*) FROM string"), strings);
    assert_int_equal(count(path, "SELECT count(*) FROM op"), 10);
    assert_int_equal(count(path, "SELECT op_first FROM run WHERE id = 2"), 6);
    assert_int_equal(count(path, "SELECT value = 'complete' FROM recording"
                                 " WHERE key = 'status'"),
                     1);
}

static void test_only_recordings_of_this_schema_are_gone_on_with(void **state)
{
    const char *path = make_path("other.gpuprobe");
    struct gp_error err = {0};
    struct gp_recorder *recorder = NULL;
    int64_t cell = 0;
    sqlite3 *db = NULL;

    (void)state;
    assert_int_equal(gp_recorder_open(make_path("none"), &recorder, &err), GP_EIO);
    gp_assert_ok(gp_recorder_finish(create(path, &cell), true, &err), err);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "PRAGMA user_version = 1", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(gp_recorder_open(path, &recorder, &err), GP_EFORMAT);
    assert_non_null(strstr(err.text, "other.gpuprobe cannot be added to"));
    assert_int_equal(sqlite3_exec(db, "PRAGMA user_version = 2; DELETE FROM string WHERE id = 1",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "INSERT INTO string VALUES (7, 'far')", NULL, NULL, NULL),
                     SQLITE_OK);
    (void)sqlite3_close(db);
    assert_int_equal(gp_recorder_open(path, &recorder, &err), GP_EFORMAT);
    assert_non_null(strstr(err.text, "table string has gaps"));
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
        cmocka_unit_test(test_everything_arrives),
        cmocka_unit_test(test_error_comes_with_the_next_call),
        cmocka_unit_test(test_existing_file_is_refused_at_once),
        cmocka_unit_test(test_a_recording_is_gone_on_with),
        cmocka_unit_test(test_only_recordings_of_this_schema_are_gone_on_with),
    };

    return cmocka_run_group_tests(tests, NULL, remove_all);
}
