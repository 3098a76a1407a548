/* Nsight's databases: what other years and other options of the recorder make of them. */
#include "test.h"

#include <stdio.h>
#include <string.h>

#include "import/nsight_file.h"
#include "probe/memory.h"
#include "store/rows.h"

/* In 2021 the number of a GPU was called deviceId, and there was no day. */
static void test_gpus_of_2021(void **state)
{
    const char *path = make_path("2021.sqlite");
    struct gp_import_counts counts;
    struct gp_reader *reader;

    (void)state;
    make_database(path, "CREATE TABLE TARGET_INFO_GPU (deviceId, name, smCount);"
                        "INSERT INTO TARGET_INFO_GPU VALUES (0, 'old', 68), (1, 'other', 20);"
                        "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, streamId);"
                        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (10, 20, 0, 7);");
    reader = import_and_open(path, &counts);
    assert_string_equal(gp_reader_device(reader, 1)->name, "old");
    assert_int_equal(gp_reader_device(reader, 1)->sm_count, 68);
    gp_reader_close(reader);
}

static int64_t read_epoch(struct gp_reader *reader)
{
    struct gp_run_row *runs;
    struct gp_error err = {0};
    uint32_t count;
    int64_t epoch;

    gp_assert_ok(gp_reader_runs(reader, 1, &runs, &count, &err), err);
    epoch = runs[0].epoch_realtime_ns;
    gp_free(runs);
    return epoch;
}

/* In 2022 the table that tells of moved times had another name. */
static void test_moved_times_of_2022(void **state)
{
    static const char *const values[] = {"0", "1000"};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct gp_import_counts counts;
        struct gp_reader *reader;
        char rows[512];

        (void)snprintf(rows, sizeof rows,
                       KERNEL("10", "20", "0", "1", "7", "1", P1) //
                       "CREATE TABLE EXPORT_META_DATA (name, value);"
                       "INSERT INTO EXPORT_META_DATA VALUES ('EXPORT_PARAM_TIME_SHIFT', '%s');",
                       values[i]);
        reader = import_and_open(make_nsight(rows), &counts);
        assert_int_equal(read_epoch(reader), i == 0 ? INT64_C(1700000000000000010) : GP_UNKNOWN);
        gp_reader_close(reader);
    }
}

/* Kernels without a call are normal then, and it is said. */
static void test_calls_that_were_skipped(void **state)
{
    struct gp_import_counts counts;
    char text[GP_IMPORT_TEXT_BYTES_MAX];
    struct gp_reader *reader = import_and_open(
        make_nsight(CALL("5", "6", P1, "1", "2") KERNEL("10", "20", "0", "1", "7", "1", P1) KERNEL(
            "30", "40", "0", "1", "7", "2",
            P1) "CREATE TABLE META_DATA_CAPTURE (name, value);"
                "INSERT INTO META_DATA_CAPTURE VALUES ('CUDA_TRACE_SCOPE', 'ProcessTree'),"
                "('CUDA_SKIP_SOME_API_CALLS', 'true');"),
        &counts);
    struct gp_op_row ops[2];
    struct gp_error err = {0};

    (void)state;
    gp_assert_ok(gp_reader_ops(reader, 1, 0, 2, ops, &err), err);
    assert_int_equal(ops[0].submit_begin, 0);
    assert_int_equal(ops[1].submit_begin, GP_UNKNOWN);
    assert_true(counts.skips_calls);
    gp_import_describe(&counts, text);
    assert_non_null(strstr(text, "left out some calls"));
    assert_string_equal(gp_reader_key(reader, "import.skips_calls"), "yes");
    gp_reader_close(reader);
}

/* Without calls, the ids of a synchronisation say what it was, whatever its number says. */
static void test_waits_without_calls(void **state)
{
    struct gp_import_counts counts;
    struct gp_reader *reader = import_and_open(
        make_nsight(CALL("12", "13", P1, "2", "4")
                        KERNEL("10", "11", "0", "1", "1", "1", P1) /* op 0 */
                    KERNEL("20", "40", "0", "1", "2", "3", P1)     /* op 1 waits for it */
                    KERNEL("60", "70", "0", "1", "1", "4", P1)     /* op 2 after stream 2 */
                    "INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES (0,1,1,2," P1 ",9);"
                    "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES"
                    " (14,15,0,1,2,55," P1 ",1,9),"
                    " (45,50,0,1,2,56," P1 ",4,4294967295);"),
        &counts);
    struct gp_edge_row *edges;
    struct gp_error err = {0};
    uint32_t count;

    (void)state;
    gp_assert_ok(gp_reader_edges(reader, 1, &edges, &count, &err), err);
    assert_int_equal(count, 2);
    assert_int_equal(edges[0].from, 0);
    assert_int_equal(edges[0].to, 1);
    assert_int_equal(edges[0].kind, GP_EDGE_EVENT);
    assert_int_equal(edges[1].from, 1);
    assert_int_equal(edges[1].to, 2);
    assert_int_equal(edges[1].kind, GP_EDGE_JOIN);
    gp_free(edges);
    gp_reader_close(reader);
}

/* Synchronisation says device 0 of a context on device 1: the context decides. */
static void test_waits_on_another_device(void **state)
{
    struct gp_import_counts counts;
    struct gp_reader *reader = import_and_open(
        make_nsight(CALL("1", "2", P1, "1", "2") CALL("5", "9", P1, "2", "6")
                        CALL("11", "12", P1, "3", "2") KERNEL("3", "4", "0", "1", "7", "9", P1)
                            KERNEL("4", "5", "1", "2", "7", "1", P1)
                                KERNEL("20", "30", "1", "2", "8", "3",
                                       P1) "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES"
                                           " (5,9,0,2,4294967295,2," P1 ",1,4294967295);"),
        &counts);
    struct gp_edge_row *edges;
    struct gp_error err = {0};
    uint32_t count;

    (void)state;
    gp_assert_ok(gp_reader_edges(reader, 1, &edges, &count, &err), err);
    assert_int_equal(count, 0);
    gp_free(edges);
    gp_assert_ok(gp_reader_edges(reader, 2, &edges, &count, &err), err);
    assert_int_equal(count, 1);
    assert_int_equal(edges[0].kind, GP_EDGE_JOIN);
    gp_free(edges);
    gp_reader_close(reader);
}

/* A number names another domain in another process. */
static void test_domains_belong_to_processes(void **state)
{
    struct gp_import_counts counts;
    struct gp_reader *reader = import_and_open(
        make_nsight(KERNEL("10", "20", "0", "1", "7", "1", P1) KERNEL(
            "10", "20", "0", "1", "7", "1",
            P2) "INSERT INTO NVTX_EVENTS VALUES"
                " (1,NULL,75,NULL,NULL,NULL,'one'," P1 "+1,NULL,NULL,1),"
                " (1,NULL,75,NULL,NULL,NULL,'two'," P2 "+1,NULL,NULL,1),"
                " (11,12,59,NULL,NULL,NULL,'a'," P1 "+1,NULL,NULL,1),"
                " (11,12,59,NULL,NULL,NULL,'b'," P2 "+1,NULL,NULL,1),"
                " (2,NULL,39,NULL,NULL,NULL,'name of a thread'," P2 "+1,NULL,NULL,0);"),
        &counts);
    static const char *const domains[] = {"one", "two"};

    (void)state;
    for (int64_t run = 1; run <= 2; run++) {
        struct gp_range_row *ranges;
        struct gp_error err = {0};
        uint32_t count;

        gp_assert_ok(gp_reader_ranges(reader, run, &ranges, &count, &err), err);
        assert_int_equal(count, 1);
        assert_string_equal(ranges[0].domain, domains[run - 1]);
        gp_free(ranges);
    }
    assert_int_equal(counts.lost[GP_IMPORT_NO_RANGE], 3);
    gp_reader_close(reader);
}

/* Columns of graphs are there and hold nothing: the launches are in a table of their own. */
static void test_columns_of_graphs_without_values(void **state)
{
    const char *path = make_path("graphs.sqlite");
    struct gp_import_counts counts;
    struct gp_reader *reader;
    struct gp_op_row ops[2];
    struct gp_error err = {0};

    (void)state;
    make_database(path,
                  "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId,"
                  " streamId, correlationId, globalPid, graphNodeId, graphId);"
                  "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES"
                  " (10, 20, 0, 1, 7, 1, " P1 ", NULL, NULL);"
                  "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start, end, deviceId, contextId,"
                  " streamId, correlationId, globalPid, graphId, graphExecId);"
                  "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES"
                  " (40, 90, 0, 1, 13, 2, " P1 ", NULL, 2);");
    reader = import_and_open(path, &counts);
    assert_int_equal(counts.operations, 2);
    gp_assert_ok(gp_reader_ops(reader, 1, 0, 2, ops, &err), err);
    assert_int_equal(ops[0].kind, GP_OP_KERNEL);
    assert_int_equal(ops[1].kind, GP_OP_GRAPH);
    assert_int_not_equal(ops[0].stream, ops[1].stream);
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
        cmocka_unit_test(test_gpus_of_2021),
        cmocka_unit_test(test_moved_times_of_2022),
        cmocka_unit_test(test_calls_that_were_skipped),
        cmocka_unit_test(test_waits_without_calls),
        cmocka_unit_test(test_waits_on_another_device),
        cmocka_unit_test(test_domains_belong_to_processes),
        cmocka_unit_test(test_columns_of_graphs_without_values),
    };

    return cmocka_run_group_tests(tests, NULL, remove_all);
}
