/* CSV: exact bytes, the same for equal recordings, and errors that are told. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/export/export.h"
#include "store/recordings.h"
#include "store/rows.h"

static char text[65536];

/* The whole export of a table as text; static. */
static const char *export_table(const char *path, const char *table)
{
    struct gp_export_options options = {.table = table};
    struct gp_error err = {0};
    struct gp_reader *reader = NULL;
    FILE *file = tmpfile();
    size_t got;

    assert_non_null(file);
    gp_assert_ok(gp_reader_open(path, &reader, &err), err);
    gp_assert_ok(gp_export_write(gp_export_find("csv"), reader, &options, file, &err), err);
    gp_reader_close(reader);
    rewind(file);
    got = fread(text, 1, sizeof text - 1, file);
    text[got] = '\0';
    (void)fclose(file);
    return text;
}

static unsigned count_lines(const char *lines)
{
    unsigned count = 0;

    for (; (lines = strstr(lines, "\r\n")) != NULL; lines += 2) {
        count++;
    }
    return count;
}

static void assert_has(const char *whole, const char *part)
{
    if (strstr(whole, part) == NULL) {
        fail_msg("'%s' is not in '%s'", part, whole);
    }
}

static void test_run_table(void **state)
{
    const char *path = make_path("run.gpuprobe");

    (void)state;
    write_file(path);
    assert_string_equal(
        export_table(path, "run"),
        "id,cell_id,scenario,params,policy,streams,submit,issue_order,completion,pass,trace,"
        "trace_note,repeat,makespan_ns,submit_ns,verified,status,op_count\r\n"
        "1,1,batch,\"{\"\"batches\"\": 2, \"\"name\"\": \"\"a,b\"\"}\",round-robin,2,streams,"
        "breadth,event-poll,plain,off,no events,1,,2345,,complete,0\r\n"
        "2,1,batch,\"{\"\"batches\"\": 2, \"\"name\"\": \"\"a,b\"\"}\",round-robin,2,streams,"
        "breadth,event-poll,traced,stamps,no events,1,123456,2345,1,complete,9\r\n");
}

static void test_op_table(void **state)
{
    const char *path = make_path("op.gpuprobe");
    const char *csv;

    (void)state;
    write_file(path);
    csv = export_table(path, NULL); /* the default */
    assert_int_equal(count_lines(csv), OPS + 1);
    assert_int_equal(strncmp(csv, "run_id,id,stream_id,kind,name,begin,end,", 40), 0);
    assert_has(csv, "\r\n2,0,0,kernel,gemm,0,150,-1,1,149,151,stamp,-10,160,0,150,,,0,5,0,,16,4,1,"
                    "256,1,1,8192,40,,,the counter modulo the pool's size,0,-7\r\n");
    /* On the second stream, whose pool index is 3. */
    assert_has(csv, "\r\n2,1,3,h2d,\"h2d of \"\"x\"\"\",100,250,99,101,249,251,bounded,90,260,,,,,"
                    "50,55,0,4096,,,,,,,,,0,3,,,\r\n");
}

static void test_edge_and_range_tables(void **state)
{
    const char *path = make_path("edge.gpuprobe");
    const char *csv;

    (void)state;
    write_file(path);
    csv = export_table(path, "edge");
    assert_int_equal(count_lines(csv), OPS);
    assert_has(csv, "run_id,dst_op,src_op,kind,how\r\n2,1,0,chain,stream\r\n2,2,1,join,event\r\n");
    csv = export_table(path, "range");
    assert_int_equal(count_lines(csv), OPS + 1);
    assert_has(csv, "\r\n2,0,0,,1,4281558681,\"op, \"\"quoted\"\"\nline\",0,0,40\r\n");
    assert_has(csv, "\r\n2,1,0,gpuprobe,1,,\"op, \"\"quoted\"\"\nline\",1,50,\r\n");
    csv = export_table(path, "block");
    assert_string_equal(csv,
                        "run_id,op_id,block,sm,begin,end\r\n2,0,0,131,0,80\r\n2,0,1,0,3,150\r\n"
                        "2,0,5,131,90,150\r\n");
}

static void test_equal_recordings_export_alike(void **state)
{
    static const char *const names[] = {"op", "edge", "range", "run", "block"};
    const char *one = make_path("one.gpuprobe");
    const char *two = make_path("two.gpuprobe");

    (void)state;
    write_file(one);
    write_file(two);
    for (size_t i = 0; i < 5; i++) {
        char *first = strdup(export_table(one, names[i]));

        assert_string_equal(first, export_table(two, names[i]));
        free(first);
    }
}

static void test_unknown_table(void **state)
{
    const char *path = make_path("table.gpuprobe");
    struct gp_export_options options = {.table = "opp"};
    struct gp_error err = {0};
    struct gp_reader *reader = NULL;

    (void)state;
    write_file(path);
    gp_assert_ok(gp_reader_open(path, &reader, &err), err);
    assert_int_equal(gp_export_write(&gp_export_csv, reader, &options, stdout, &err), GP_EINVAL);
    assert_non_null(strstr(err.text, "did you mean 'op'"));
    gp_reader_close(reader);
    assert_null(gp_export_find("cvs"));
}

static void test_full_disk_is_told(void **state)
{
    const char *path = make_path("full.gpuprobe");
    struct gp_error err = {0};
    struct gp_reader *reader = NULL;
    FILE *full = fopen("/dev/full", "w");

    (void)state;
    if (full == NULL) {
        skip();
    }
    write_file(path);
    gp_assert_ok(gp_reader_open(path, &reader, &err), err);
    assert_int_equal(gp_export_write(&gp_export_csv, reader, NULL, full, &err), GP_EIO);
    assert_non_null(strstr(err.text, "No space left"));
    gp_reader_close(reader);
    (void)fclose(full);
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
        cmocka_unit_test(test_run_table),
        cmocka_unit_test(test_op_table),
        cmocka_unit_test(test_edge_and_range_tables),
        cmocka_unit_test(test_equal_recordings_export_alike),
        cmocka_unit_test(test_unknown_table),
        cmocka_unit_test(test_full_disk_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, remove_all);
}
