/* Nsight's databases: what is wrong with rows is counted, what is wrong with files is told, and
 * real files are taken whole. */
#include "test.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "import/nsight_file.h"
#include "store/rows.h"

static void test_what_cannot_be_is_counted(void **state)
{
    struct gp_import_counts counts;
    struct gp_reader *reader = import_and_open(
        make_nsight(KERNEL("10", "20", "0", "1", "7", "1", P1)     /* good */
                    KERNEL("0", "0", "0", "1", "7", "2", P1)       /* never filled */
                    KERNEL("NULL", "20", "0", "1", "7", "3", P1)   /* no time */
                    KERNEL("30", "25", "0", "1", "7", "4", P1)     /* backwards */
                    KERNEL("'soon'", "25", "0", "1", "7", "5", P1) /* a text */
                    KERNEL("1600000000000000000", "1600000000000000010", "0", "1", "7", "6", P1)
                        KERNEL("40", "40", "0", "1", "7", "7", P1) /* of no length: good */
                    COPY("50", "60", "7", "8", "77")               /* of no known kind */
                    CALL("5", "6", P1, "9", "2") CALL("5", "7", P1, "9", "2") /* twice */
                    CALL("5", "6", P2, "1", "2")                              /* of no GPU */
                    "INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES (0,1,7,99," P1 ",1);"),
        &counts);

    (void)state;
    assert_int_equal(counts.operations, 2);
    assert_int_equal(counts.lost[GP_IMPORT_NO_TIME], 2);
    assert_int_equal(counts.lost[GP_IMPORT_BACKWARDS], 1);
    assert_int_equal(counts.lost[GP_IMPORT_TYPE], 1);
    assert_int_equal(counts.lost[GP_IMPORT_OUTSIDE], 1);
    assert_int_equal(counts.lost[GP_IMPORT_UNKNOWN], 1);
    assert_int_equal(counts.lost[GP_IMPORT_DUPLICATE], 1);
    assert_int_equal(counts.lost[GP_IMPORT_NO_DEVICE], 1);
    assert_int_equal(counts.lost[GP_IMPORT_NO_CALL], 1);
    assert_int_equal(counts.in, 12);
    assert_int_equal(sum_of(&counts), 12);
    assert_string_equal(gp_reader_key(reader, "import.lost.outside"), "1");
    gp_reader_close(reader);
}

/* More processes than an import takes, each with a kernel and a call. */
static void test_too_many_processes_are_counted(void **state)
{
    struct gp_import_counts counts;
    struct gp_reader *reader = import_and_open(
        make_nsight("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1030)"
                    " INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT 10 * i, 10 * i + 5, 0, 1, 7, i,"
                    " (1 << 48) + (i << 24), " SHAPE " FROM n;"
                    "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT start - 3, start - 2, 0,"
                    " globalPid + 1, correlationId, 2, 0 FROM CUPTI_ACTIVITY_KIND_KERNEL;"),
        &counts);

    (void)state;
    assert_int_equal(counts.operations, 1024);
    assert_int_equal(counts.calls, 1024);
    assert_int_equal(counts.lost[GP_IMPORT_LIMIT], 6);
    assert_int_equal(counts.lost[GP_IMPORT_NO_DEVICE], 6); /* calls of these processes */
    assert_int_equal(counts.in, 2 * 1030);
    assert_int_equal(sum_of(&counts), 2 * 1030);
    gp_reader_close(reader);
}

static void expect_failure(const char *path, int code, const char *text)
{
    struct gp_import_counts counts;
    struct gp_error err = {0};
    const char *out = make_path("none.gpuprobe");

    assert_int_equal(gp_import_file(path, out, false, &counts, &err), code);
    if (strstr(err.text, text) == NULL) {
        fail_msg("'%s' is not in '%s'", text, err.text);
    }
    assert_int_not_equal(access(out, F_OK), 0);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    (void)fputs(text, file);
    (void)fclose(file);
}

static void test_what_is_no_trace(void **state)
{
    const char *path = make_path("bad.sqlite");

    (void)state;
    expect_failure(make_path("nowhere.sqlite"), GP_ENOTFOUND, "cannot be read");
    write_text(path, "");
    expect_failure(path, GP_EFORMAT, "is empty");
    write_text(path, "hello");
    expect_failure(path, GP_EFORMAT, "neither a recording nor a trace");
    make_database(path, "CREATE TABLE other (a)");
    expect_failure(path, GP_EFORMAT, "no work of a GPU");
    make_database(path, "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, finish)");
    expect_failure(path, GP_EFORMAT, "no work of a GPU");
    (void)mkdir(make_path("folder.sqlite"), 0700);
    expect_failure(make_path("folder.sqlite"), GP_EFORMAT, "is not a file");
    (void)make_nsight(KERNEL("10", "20", "0", "1", "7", "1", P1));
    assert_int_equal(truncate(make_path("nsight.sqlite"), 5000), 0);
    expect_failure(make_path("nsight.sqlite"), GP_EFORMAT, "nsight.sqlite");
}

/* Names of tables that are views, among them endless ones, and computed columns: not read. */
static void test_views_and_computed_columns_are_not_read(void **state)
{
    const char *path = make_path("hostile.sqlite");

    (void)state;
    make_database(path, "CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS WITH RECURSIVE n(start) AS"
                        " (SELECT 1 UNION ALL SELECT start + 1 FROM n) SELECT start, start AS end,"
                        " 1 AS streamId FROM n;"
                        "CREATE VIEW a AS SELECT * FROM b; CREATE VIEW b AS SELECT * FROM a;"
                        "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start, end AS (start + 1),"
                        " copyKind, streamId);"
                        "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (1, 1, 1);");
    expect_failure(path, GP_EFORMAT, "no work of a GPU");
}

/* A table of texts only, one of another kind of thing altogether, ids that nothing has, names that
 * are endless, and triggers, which nobody sets off. */
static void test_other_types_and_ids(void **state)
{
    const char *path = make_path("types.sqlite");
    struct gp_import_counts counts;
    struct gp_reader *reader;
    struct gp_op_row op;
    struct gp_error err = {0};

    (void)state;
    make_database(
        path,
        "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId,"
        " correlationId, globalPid, demangledName, gridX, registersPerThread);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (10, 20, 99, -1, 88, 77, 66, 55, -4, "
        "'many'),"
        " ('10', '20', '0', '0', '7', 'x', x'00', 'name', 1e300, NULL);"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start TEXT, end TEXT, streamId TEXT,"
        " copyKind TEXT);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES ('now', 'then', 'there', 'up');"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, correlationId, nameId);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (5, 6, 66, 'x', 'y'), (x'ff', 1, 2, 3, 4);"
        "CREATE TABLE StringIds (id TEXT, value BLOB);"
        "INSERT INTO StringIds VALUES ('one', x'00ff'), (NULL, NULL);"
        "CREATE TABLE NVTX_EVENTS (start, end, eventType, text, globalTid);"
        "INSERT INTO NVTX_EVENTS VALUES (5, 6, 59, replace(hex(zeroblob(50000)), '0', 'n'), 66);"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET AS SELECT 'a' AS b;"
        "CREATE TRIGGER t BEFORE INSERT ON StringIds BEGIN DELETE FROM"
        " CUPTI_ACTIVITY_KIND_KERNEL; END;");
    reader = import_and_open(path, &counts);
    assert_int_equal(counts.operations, 1);
    assert_int_equal(counts.lost[GP_IMPORT_TYPE], 3);
    assert_int_equal(counts.ranges, 1);
    assert_int_equal(sum_of(&counts), counts.in);
    gp_assert_ok(gp_reader_ops(reader, 2, 0, 1, &op, &err), err);
    assert_string_equal(op.name, "kernel without a name");
    assert_int_equal(op.submit_begin, GP_UNKNOWN);
    assert_int_equal(op.grid[0], 0);
    assert_int_equal(op.regs, -1);
    gp_reader_close(reader);
}

/* What a file is called does not matter, but for Nsight's own reports. */
static void test_other_names(void **state)
{
    const char *path = make_nsight(KERNEL("10", "20", "0", "1", "7", "1", P1));
    const char *called_json = make_path("database.json");
    struct gp_error err = {0};
    struct gp_reader *reader = NULL;

    (void)state;
    assert_int_equal(rename(path, called_json), 0);
    gp_assert_ok(gp_import_open(called_json, &reader, &err), err);
    gp_reader_close(reader);
    write_text(path, "[{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"ts\":1,"
                     "\"dur\":2,\"args\":{\"stream\":1}}]");
    gp_assert_ok(gp_import_open(path, &reader, &err), err);
    gp_reader_close(reader);
}

/* Not a byte, not a time, and no file beside it; not even where nothing can be written. */
static void test_the_source_is_left_alone(void **state)
{
    const char *path = make_nsight(KERNEL("10", "20", "0", "1", "7", "1", P1));
    struct gp_error err = {0};
    struct gp_reader *reader = NULL;
    struct stat before, after;
    char beside[300];
    uint32_t cells;

    (void)state;
    assert_int_equal(stat(path, &before), 0);
    assert_int_equal(chmod(path, 0400), 0);
    gp_assert_ok(gp_import_open(path, &reader, &err), err);
    (void)gp_reader_cells(reader, &cells);
    assert_int_equal(cells, 1);
    gp_reader_close(reader);
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(before.st_mtime, after.st_mtime);
    assert_int_equal(before.st_size, after.st_size);
    (void)snprintf(beside, sizeof beside, "%s-shm", path);
    assert_int_not_equal(access(beside, F_OK), 0);
    (void)snprintf(beside, sizeof beside, "%s-journal", path);
    assert_int_not_equal(access(beside, F_OK), 0);
    (void)snprintf(beside, sizeof beside, "%s-wal", path);
    assert_int_not_equal(access(beside, F_OK), 0);
    write_text(beside, "x");
    assert_int_equal(gp_import_open(path, &reader, &err), GP_EFORMAT);
    assert_non_null(strstr(err.text, "still being written"));
    (void)unlink(beside);
}

static void test_bent_bytes(void **state)
{
    const char *path =
        make_nsight(KERNEL("10", "20", "0", "1", "7", "1", P1) COPY("5", "9", "7", "2", "1"));
    const char *bent = make_path("bent.sqlite");
    static unsigned char bytes[1 << 18];
    FILE *file = fopen(path, "rb");
    size_t count = fread(bytes, 1, sizeof bytes, file);

    (void)state;
    (void)fclose(file);
    for (size_t at = 16; at < count; at += 29989) {
        unsigned char kept = bytes[at];
        struct gp_error err = {0};
        struct gp_reader *reader = NULL;

        bytes[at] ^= 0xff;
        file = fopen(bent, "wb");
        assert_int_equal(fwrite(bytes, 1, count, file), count);
        (void)fclose(file);
        if (gp_import_open(bent, &reader, &err) == 0) {
            gp_reader_close(reader);
        } else {
            assert_true(err.text[0] != '\0');
        }
        bytes[at] = kept;
    }
}

/* ---- real files ---------------------------------------------------------------------------- */

static void check_real(const char *path)
{
    static const char kernel_time[] =
        "SELECT sum(t * (i + 1)) FROM (SELECT t, row_number() OVER (ORDER BY t) i FROM (%s))";
    static const char theirs[] = "SELECT sum(end - start) t FROM CUPTI_ACTIVITY_KIND_KERNEL"
                                 " GROUP BY globalPid, deviceId, contextId, streamId";
    static const char ours[] =
        "SELECT sum(end - begin) t FROM op WHERE kind = 'kernel' GROUP BY run_id, stream_id";
    const char *out = make_path("real.gpuprobe");
    struct gp_import_counts counts;
    struct gp_error err = {0};
    char first[512], second[512];

    gp_assert_ok(gp_import_file(path, out, true, &counts, &err), err);
    assert_int_equal(sum_of(&counts), counts.in);
    assert_int_equal(counts.operations, query(out, "SELECT count(*) FROM op"));
    (void)snprintf(first, sizeof first, kernel_time, theirs);
    (void)snprintf(second, sizeof second, kernel_time, ours);
    assert_int_equal(query(path, first), query(out, second));
    assert_true(query(path, first) > 0);
}

/* Those of tests/import, and of the folder that GPUPROBE_NSYS_SAMPLES names. */
static void test_real_files(void **state)
{
    const char *const folders[] = {GP_TEST_SAMPLES, getenv("GPUPROBE_NSYS_SAMPLES")};
    unsigned files = 0;

    (void)state;
    for (size_t i = 0; i < 2 && folders[i] != NULL; i++) {
        DIR *folder = opendir(folders[i]);
        struct dirent *entry;

        while (folder != NULL && (entry = readdir(folder)) != NULL) {
            char path[600];

            if (strstr(entry->d_name, ".sqlite") != NULL) {
                (void)snprintf(path, sizeof path, "%s/%s", folders[i], entry->d_name);
                check_real(path);
                files++;
            }
        }
        if (folder != NULL) {
            (void)closedir(folder);
        }
    }
    assert_true(files > 0);
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
        cmocka_unit_test(test_what_cannot_be_is_counted),
        cmocka_unit_test(test_too_many_processes_are_counted),
        cmocka_unit_test(test_what_is_no_trace),
        cmocka_unit_test(test_views_and_computed_columns_are_not_read),
        cmocka_unit_test(test_other_types_and_ids),
        cmocka_unit_test(test_other_names),
        cmocka_unit_test(test_the_source_is_left_alone),
        cmocka_unit_test(test_bent_bytes),
        cmocka_unit_test(test_real_files),
    };

    return cmocka_run_group_tests(tests, NULL, remove_all);
}
