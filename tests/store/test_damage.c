/* Foreign and damaged files: refused with the reason, whatever is wrong with them. */
#include "test.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probe/store/reader.h"
#include "store/read_all.h"
#include "store/recordings.h"
#include "store/rows.h"

/* ---- foreign and damaged files ------------------------------------------------------------- */

static void assert_refused(const char *path, int code, const char *text)
{
    struct gp_error err = {0};
    struct gp_reader *reader = NULL;

    assert_int_equal(gp_reader_open(path, &reader, &err), code);
    assert_null(reader);
    if (strstr(err.text, text) == NULL || strstr(err.text, path) == NULL) {
        fail_msg("expected '%s' in '%s'", text, err.text);
    }
}

static void put_file(const char *path, const char *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

static void test_not_a_recording(void **state)
{
    const char *path = make_path("foreign");
    sqlite3 *db = NULL;

    (void)state;
    assert_refused(path, GP_ENOTFOUND, "No such file");
    assert_refused(make_path(""), GP_EFORMAT, "is not a file");
    put_file(path, "", 0);
    assert_refused(path, GP_EFORMAT, "is empty");
    put_file(path, "{\"json\": true}", 14);
    assert_refused(path, GP_EFORMAT, "not a SQLite database");
    put_file(path, "SQLite format 3\0abc", 19);
    assert_refused(path, GP_EFORMAT, "truncated");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "CREATE TABLE t (x)", NULL, NULL, NULL), SQLITE_OK);
    (void)sqlite3_close(db);
    assert_refused(path, GP_EFORMAT, "a SQLite database, but not a gpuprobe recording");
}

static void change(const char *path, const char *sql)
{
    sqlite3 *db = NULL;
    char *text = NULL;

    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &text) != SQLITE_OK) {
        fail_msg("%s: %s", sql, text);
    }
    (void)sqlite3_close(db);
}

static void test_other_versions(void **state)
{
    const char *path = make_path("version.gpuprobe");

    (void)state;
    write_file(path);
    change(path, "PRAGMA user_version = 7");
    assert_refused(path, GP_EFORMAT, "has schema 7, this gpuprobe reads up to 2");
    change(path, "PRAGMA user_version = 0");
    assert_refused(path, GP_EFORMAT, "schema 0 does not exist");
}

/* Cut at any place: refused, or what is read is refused; never a crash. */
static void test_truncated_files(void **state)
{
    const char *path = make_path("cut.gpuprobe");
    struct stat info;

    (void)state;
    write_file(path);
    assert_int_equal(stat(path, &info), 0);
    for (off_t size = info.st_size - 1; size > 0; size -= 3001) {
        assert_int_equal(truncate(path, size), 0);
        assert_refused(path, GP_EFORMAT, size < 16 ? "not a SQLite database" : "truncated");
    }
}

/* One change each, made with the checks of words off; what the message must have. */
static const struct {
    const char *sql, *text;
} damages[] = {
    {"UPDATE op SET kind = 'banana' WHERE row = 2", "'banana' is no operation kind"},
    {"UPDATE op SET source = 'x' WHERE row = 2", "is no time source"},
    {"UPDATE op SET end = begin - 1 WHERE row = 3", "table op, row 3, column end"},
    {"UPDATE op SET submit_end = submit_begin - 1 WHERE row = 3", "the end lies before the begin"},
    {"UPDATE op SET begin = -9223372036854775808 WHERE row = 1", "column begin: out of range"},
    {"UPDATE op SET end = 9000000000000000000 WHERE row = 1", "column end: out of range"},
    {"UPDATE op SET stream_id = 1 WHERE row = 1", "no such stream"},
    {"UPDATE op SET stream_id = -1 WHERE row = 1", "column stream_id: out of range"},
    {"UPDATE op SET name_id = 1000 WHERE row = 1", "column name_id: out of range"},
    {"UPDATE op SET name_id = 0 WHERE row = 1", "column name_id: out of range"},
    {"UPDATE op SET chain = 9 WHERE row = 1", "column chain: out of range"},
    {"UPDATE op SET id = 5 WHERE row = 1", "column id: out of range"},
    {"UPDATE op SET run_id = 1 WHERE row = 1", "another run"},
    {"UPDATE op SET grid_y = NULL WHERE row = 1", "without all its dimensions"},
    {"UPDATE op SET grid_x = 5000000000 WHERE row = 1", "column grid_x: out of range"},
    {"UPDATE op SET engine = -7 WHERE row = 1", "column engine: out of range"},
    {"DELETE FROM op WHERE row = 9", "lacks operations"},
    {"DELETE FROM op WHERE row = 4", "column id: out of range"},
    {"UPDATE run SET op_count = 1000000 WHERE id = 2", "column op_count: out of range"},
    {"UPDATE run SET op_count = 10 WHERE id = 2", "lacks operations"},
    {"UPDATE run SET op_first = 2 WHERE id = 2", "column id: out of range"},
    {"UPDATE run SET op_first = -2 WHERE id = 2", "column op_first: out of range"},
    {"UPDATE run SET pass = 'fast' WHERE id = 2", "is no pass"},
    {"UPDATE run SET verified = 2 WHERE id = 2", "column verified: out of range"},
    {"UPDATE run SET repeat = 3000000000 WHERE id = 2", "column repeat: out of range"},
    {"UPDATE edge SET dst_op = 99 WHERE dst_op = 3", "has no operation"},
    {"UPDATE edge SET kind = 'love' WHERE dst_op = 3", "is no edge kind"},
    {"UPDATE access SET op_id = 9 WHERE id = 3", "has no operation"},
    {"UPDATE access SET bytes = -1 WHERE id = 3", "column bytes: out of range"},
    {"UPDATE call SET op_id = 9 WHERE id = 3", "has no operation"},
    {"UPDATE call SET end = begin - 1 WHERE id = 3", "table call, row 4, column end"},
    {"UPDATE range SET end = begin - 1 WHERE id = 3", "table range, row 4, column end"},
    {"UPDATE range SET color = -1 WHERE id = 3", "column color: out of range"},
    {"UPDATE clock SET kind = 'sun' WHERE id = 1", "is no kind of clock sample"},
    {"UPDATE state SET power_mw = -5 WHERE at = 0", "table state, row 1, column power_mw"},
    {"UPDATE block SET end = begin - 1 WHERE block = 1", "table block, row 2, column end"},
    {"UPDATE block SET sm = -1 WHERE block = 1", "column sm: out of range"},
    {"UPDATE block SET op_id = 99 WHERE block = 1", "has no operation"},
    {"UPDATE stream SET flags = 'wet' WHERE id = 3", "is no stream flag"},
    {"UPDATE cell SET streams = 0", "column streams: out of range"},
    {"UPDATE cell SET device_id = 5", "no such device"},
    {"UPDATE cell SET submit = 'mail'", "is no submit mode"},
    {"UPDATE cell SET scenario = CAST(x'610062' AS TEXT)", "zero byte"},
    {"UPDATE device SET kind = 'abacus'", "is no device kind"},
    {"DELETE FROM string WHERE id = 1", "table string, row 1, column id"},
    {"DROP TABLE edge", "it has no table edge"},
    {"ALTER TABLE edge DROP COLUMN how", "no such column: how"},
    {"ALTER TABLE op ADD COLUMN more INTEGER AS (begin + 1)", "it has no table op"},
    {"DROP TABLE edge; CREATE VIEW edge AS SELECT 2 AS run_id, 0 AS src_op, 1 AS dst_op,"
     " 'data' AS kind, 'event' AS how",
     "it has no table edge"},
    {"DROP TABLE metric; CREATE TABLE metric (id, cell_id, run_id, name, value, lo, hi);"
     " DROP TABLE cell; CREATE TABLE cell (id, device_id, scenario, params, policy, streams, "
     "submit,"
     " issue_order, completion, status, error);"
     " INSERT INTO cell VALUES ('one', 1, '', '{}', '', 1, NULL, NULL, NULL, 'complete', '')",
     "column id: not an integer"},
};

static void test_damaged_rows(void **state)
{
    const char *good = make_path("undamaged.gpuprobe");
    const char *path = make_path("damaged.gpuprobe");
    char sql[700];

    (void)state;
    write_file(good);
    for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++) {
        struct gp_error err = {0};
        int code;

        copy_file(good, path);
        assert_int_equal(read_all(path, &err), 0);
        (void)snprintf(sql, sizeof sql, "PRAGMA ignore_check_constraints = ON; %s", damages[i].sql);
        change(path, sql);
        code = read_all(path, &err);
        if (code != GP_EFORMAT || strstr(err.text, damages[i].text) == NULL ||
            strstr(err.text, "damaged.gpuprobe") == NULL) {
            fail_msg("%s: expected '%s', got %d '%s'", damages[i].sql, damages[i].text, code,
                     err.text);
        }
    }
}

/* A user's own view, and triggers, are let be and never run. */
static void test_views_and_triggers_do_not_run(void **state)
{
    const char *path = make_path("hostile.gpuprobe");
    struct gp_error err = {0};

    (void)state;
    write_file(path);
    change(path, "CREATE VIEW mine AS SELECT * FROM op JOIN mine2;"
                 "CREATE VIEW mine2 AS SELECT * FROM mine;"
                 "CREATE TRIGGER t AFTER INSERT ON op BEGIN DELETE FROM op; END;");
    assert_int_equal(read_all(path, &err), 0);
}

/* Any single byte overwritten: an error or the same answers, never a crash (asan looks on). */
static void test_overwritten_bytes(void **state)
{
    const char *good = make_path("good.gpuprobe");
    const char *path = make_path("bytes.gpuprobe");
    struct stat info;

    (void)state;
    write_file(good);
    assert_int_equal(stat(good, &info), 0);
    for (off_t at = 0; at < info.st_size; at += 1021) {
        struct gp_error err = {0};
        FILE *file;

        copy_file(good, path);
        file = fopen(path, "r+b");
        assert_non_null(file);
        assert_int_equal(fseek(file, (long)at, SEEK_SET), 0);
        assert_int_equal(fwrite("\xff\x00\x7f\x80", 1, 4, file), 4);
        assert_int_equal(fclose(file), 0);
        (void)read_all(path, &err);
    }
}

/* A seed that this schema refuses at the door would fuzz nothing. */
static void test_fuzz_seed_is_a_recording(void **state)
{
    struct gp_error err = {0};

    (void)state;
    gp_assert_ok(read_all(GP_TEST_SEEDS "/complete", &err), err);
    gp_assert_ok(read_all(GP_TEST_SEEDS "/incomplete", &err), err);
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
        cmocka_unit_test(test_not_a_recording),
        cmocka_unit_test(test_other_versions),
        cmocka_unit_test(test_truncated_files),
        cmocka_unit_test(test_damaged_rows),
        cmocka_unit_test(test_views_and_triggers_do_not_run),
        cmocka_unit_test(test_overwritten_bytes),
        cmocka_unit_test(test_fuzz_seed_is_a_recording),
    };

    return cmocka_run_group_tests(tests, NULL, remove_all);
}
