/* Nsight's databases: each trap of the format is a small file. */
#include "test.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "import/nsight_file.h"
#include "probe/import/order.h"
#include "probe/memory.h"
#include "store/rows.h"

static struct gp_op_row *read_ops(struct gp_reader *reader, int64_t run, uint32_t count)
{
    struct gp_op_row *ops = calloc(count, sizeof *ops);
    struct gp_error err = {0};

    assert_non_null(ops);
    gp_assert_ok(gp_reader_ops(reader, run, 0, count, ops, &err), err);
    return ops;
}

/* Two processes use the same correlation ids, streams and device numbers. */
static void test_ids_belong_to_processes(void **state)
{
    struct gp_import_counts counts;
    struct gp_reader *reader = import_and_open(
        make_nsight(CALL("100", "110", P1, "7", "2") CALL("500", "510", P2, "7", "2") KERNEL(
            "200", "300", "0", "1", "7", "7", P1) KERNEL("600", "650", "0", "1", "7", "7", P2)),
        &counts);
    struct gp_op_row *ops;
    struct gp_run_row *runs;
    struct gp_error err = {0};
    uint32_t cells, run_count;

    (void)state;
    (void)gp_reader_cells(reader, &cells);
    assert_int_equal(cells, 2);
    assert_int_equal(counts.in, 4);
    assert_int_equal(sum_of(&counts), 4);
    gp_assert_ok(gp_reader_runs(reader, 2, &runs, &run_count, &err), err);
    assert_int_equal(runs[0].makespan_ns, 150);
    assert_int_equal(runs[0].epoch_realtime_ns, INT64_C(1700000000000000500));
    gp_free(runs);
    ops = read_ops(reader, 2, 1);
    assert_int_equal(ops[0].submit_begin, 0); /* from the first moment of its process */
    assert_int_equal(ops[0].begin, 100);
    assert_int_equal(ops[0].release, GP_UNKNOWN);
    assert_string_equal(ops[0].name, "kernel_a");
    assert_int_equal(ops[0].smem, 32);
    free(ops);
    gp_reader_close(reader);
}

/* Streams of one number in two contexts, 4294967295, and unified memory's copies on stream 0. */
static void test_streams_have_contexts(void **state)
{
    struct gp_import_counts counts;
    struct gp_reader *reader = import_and_open(
        make_nsight(KERNEL("10", "20", "0", "1", "0", "1", P1) KERNEL(
            "10", "20", "0", "2", "0", "2",
            P1) "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (12,14,0,0,0,0," P1 ",64,11);"),
        &counts);
    struct gp_stream_row *streams;
    struct gp_error err = {0};
    uint32_t count;

    (void)state;
    gp_assert_ok(gp_reader_streams(reader, 1, &streams, &count, &err), err);
    assert_int_equal(count, 3);
    assert_string_equal(streams[1].name, "stream 0 of context 2");
    assert_string_equal(streams[2].name, "Unified Memory");
    gp_free(streams);
    gp_reader_close(reader);
}

static void test_devices_are_those_of_the_process(void **state)
{
    struct gp_import_counts counts;
    struct gp_reader *reader = import_and_open(
        make_nsight("CREATE TABLE TARGET_INFO_GPU (id, name, smCount);"
                    "INSERT INTO TARGET_INFO_GPU VALUES (0,'A',10),(1,'B',20);"
                    "CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId, cudaId, pid);"
                    "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (1,0,1),(0,1,1);" KERNEL(
                        "10", "20", "0", "1", "7", "1", P1)
                        KERNEL("10", "20", "1", "2", "7", "2", P1)),
        &counts);

    (void)state;
    assert_string_equal(gp_reader_device(reader, 1)->name, "B");
    assert_int_equal(gp_reader_device(reader, 1)->sm_count, 20);
    assert_int_equal(gp_reader_device(reader, 1)->kind, GP_ORIGIN_IMPORTED);
    assert_string_equal(gp_reader_device(reader, 2)->name, "A");
    gp_reader_close(reader);
}

/* Programs are called without their folders. */
static void test_names_of_processes(void **state)
{
    static const char *const names[][2] = {
        {"/opt/my tools/gpuprobe", "gpuprobe"},
        {"./gpuprobe", "gpuprobe"},
        {"../build/bin/gpuprobe", "gpuprobe"},
        {"bin/gpuprobe", "gpuprobe"},
        {"gpuprobe", "gpuprobe"},
        {"batch 1/2 of it", "batch 1/2 of it"},
        {"./", "imported"},
        {"", "imported"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct gp_import_counts counts;
        struct gp_reader *reader;
        uint32_t count;
        char sql[512];

        (void)snprintf(sql, sizeof sql,
                       "CREATE TABLE PROCESSES (globalPid, pid, name);"
                       "INSERT INTO PROCESSES VALUES (" P1
                       ", 1, '%s');" KERNEL("10", "20", "0", "1", "7", "1", P1),
                       names[i][0]);
        reader = import_and_open(make_nsight(sql), &counts);
        assert_string_equal(gp_reader_cells(reader, &count)[0].scenario, names[i][1]);
        gp_reader_close(reader);
    }
}

/* −5 is stored as 4294967295 − 4; NVTX gives the stream a name. */
static void test_what_streams_are(void **state)
{
    struct gp_import_counts counts;
    struct gp_reader *reader = import_and_open(
        make_nsight("CREATE TABLE TARGET_INFO_CUDA_STREAM (streamId, hwId, vmId, processId,"
                    " contextId, priority, flag);"
                    "INSERT INTO TARGET_INFO_CUDA_STREAM VALUES (7,0,1,1,1,4294967291,2),"
                    "(8,0,1,1,1,0,1),(9,0,1,2,1,0,2);"
                    "CREATE TABLE TARGET_INFO_NVTX_CUDA_STREAM (streamId, hwId, vmId, processId,"
                    " contextId, name);"
                    "INSERT INTO TARGET_INFO_NVTX_CUDA_STREAM VALUES (8,0,1,1,1,'copies');" KERNEL(
                        "10", "20", "0", "1", "7", "1", P1)
                        KERNEL("10", "20", "0", "1", "8", "2", P1)),
        &counts);
    struct gp_stream_row *streams;
    struct gp_error err = {0};
    uint32_t count;

    (void)state;
    gp_assert_ok(gp_reader_streams(reader, 1, &streams, &count, &err), err);
    assert_int_equal(count, 2);
    assert_int_equal(streams[0].priority, -5);
    assert_int_equal(streams[0].flag, GP_STREAM_NON_BLOCKING);
    assert_int_equal(streams[1].flag, GP_STREAM_BLOCKING);
    assert_string_equal(streams[1].name, "copies");
    gp_free(streams);
    gp_reader_close(reader);
}

/* Kernels may begin before their call has ended, not before it has begun; a recorder that
 * complained is heard; times that were moved say nothing of the day. */
static void test_what_is_to_be_doubted(void **state)
{
    struct gp_import_counts counts;
    char text[GP_IMPORT_TEXT_BYTES_MAX];
    struct gp_reader *reader = import_and_open(
        make_nsight(
            CALL("100", "210", P1, "1", "2") CALL("300", "310", P1, "2", "2")
                KERNEL("200", "250", "0", "1", "7", "1", P1) KERNEL(
                    "290", "320", "0", "1", "7", "2",
                    P1) "CREATE TABLE DIAGNOSTIC_EVENT (timestamp, timestampType, source, severity,"
                        " text, globalPid);"
                        "INSERT INTO DIAGNOSTIC_EVENT VALUES (-5,1,1,1,'all is well',0),"
                        "(5,1,1,2,'Not all CUDA events might have been collected',0);"
                        "CREATE TABLE META_DATA_EXPORT (name, value);"
                        "INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PARAM_TIME_SHIFT','1000'),"
                        "('EXPORT_PARAM_TIME_NORMALIZE','false');"),
        &counts);
    struct gp_run_row *runs;
    struct gp_error err = {0};
    uint32_t count;

    (void)state;
    assert_int_equal(counts.early, 1);
    assert_int_equal(counts.diagnostics, 1);
    gp_import_describe(&counts, text);
    assert_non_null(strstr(text, "1 operations begin before their call"));
    assert_non_null(strstr(text, "the recorder gave 1 warnings"));
    assert_string_equal(gp_reader_key(reader, "import.diagnostic"),
                        "Not all CUDA events might have been collected");
    gp_assert_ok(gp_reader_runs(reader, 1, &runs, &count, &err), err);
    assert_int_equal(runs[0].epoch_realtime_ns, GP_UNKNOWN);
    gp_free(runs);
    gp_reader_close(reader);
}

/* Programmatic dependent launch: the second begins before the first has ended. */
static void test_overlap_on_one_stream_is_kept(void **state)
{
    struct gp_import_counts counts;
    struct gp_reader *reader =
        import_and_open(make_nsight(KERNEL("10", "100", "0", "1", "7", "1", P1)
                                        KERNEL("50", "150", "0", "1", "7", "2", P1)),
                        &counts);
    struct gp_op_row *ops = read_ops(reader, 1, 2);

    (void)state;
    assert_int_equal(ops[0].end - ops[0].begin, 90);
    assert_int_equal(ops[1].begin - ops[0].begin, 40);
    free(ops);
    gp_reader_close(reader);
}

/* Rows lie in any order, in several tables; two operations begin at once. */
static void test_rows_in_any_order(void **state)
{
    static const int64_t begins[] = {0, 10, 10, 20, 50, 60};
    struct gp_import_counts counts;
    struct gp_reader *reader = import_and_open(
        make_nsight(
            KERNEL("50", "55", "0", "1", "7", "5", P1) KERNEL("30", "35", "0", "1", "7", "3", P1)
                KERNEL("90", "95", "0", "1", "7", "9", P1) COPY("40", "45", "7", "4", "1")
                    COPY("40", "47", "7", "6", "2") COPY("80", "85", "7", "8", "1")
                        CALL("60", "61", P1, "9", "2") CALL("31", "32", P1, "8", "2")),
        &counts);
    struct gp_op_row *ops = read_ops(reader, 1, 6);
    struct gp_call_row *calls;
    struct gp_error err = {0};
    uint32_t count;

    (void)state;
    for (int i = 0; i < 6; i++) {
        assert_int_equal(ops[i].begin, begins[i]);
    }
    assert_int_equal(ops[2].kind, GP_OP_D2H);
    gp_assert_ok(gp_reader_calls(reader, 1, &calls, &count, &err), err);
    assert_int_equal(count, 2);
    assert_int_equal(calls[0].op, 4);
    assert_int_equal(calls[1].op, 5);
    gp_free(calls);
    free(ops);
    gp_reader_close(reader);
}

/* A graph's nodes share one call; whole graphs are rows of their own. */
/* 20 000 kernels, each with a call and every second one in a range. */
#define MANY                                                                                       \
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)"              \
    " INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT 1000 * i, 1000 * i + i % 900, 0, 1, i % 5, i," \
    " " P1 ", " SHAPE " FROM n;"                                                                   \
    "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT start - 300, start - 200, 0, globalPid + 1,"   \
    " correlationId, 2, 0 FROM CUPTI_ACTIVITY_KIND_KERNEL;"                                        \
    "INSERT INTO NVTX_EVENTS SELECT start - 310, start + 1, 59, NULL, NULL, NULL,"                 \
    " 'step ' || correlationId % 7, globalPid + 1, NULL, NULL, 0 FROM CUPTI_ACTIVITY_KIND_KERNEL"  \
    " WHERE correlationId % 2 = 0;"

/* More rows than are written at once: none is lost, doubled or taken for another. */
static void test_many_rows(void **state)
{
    const char *out = make_path("imported.gpuprobe");
    struct gp_import_counts counts;

    (void)state;
    gp_reader_close(import_and_open(make_nsight(MANY), &counts));
    assert_int_equal(counts.in, 50000);
    assert_int_equal(sum_of(&counts), 50000);
    /* The first call is at 700. */
    assert_int_equal(query(out, "SELECT count(*) FROM op WHERE begin = 1000 * (id + 1) - 700"
                                " AND end - begin = (id + 1) % 900"
                                " AND submit_begin = begin - 300 AND chain = id"
                                " AND stream_id = (id + 1) % 5"),
                     20000);
    assert_int_equal(query(out, "SELECT count(*) FROM call WHERE begin = 1000 * (id + 1) - 1000"
                                " AND op_id = id"),
                     20000);
    assert_int_equal(query(out, "SELECT count(*) FROM range JOIN string ON string.id = text_id"
                                " WHERE begin = 2000 * (range.id + 1) - 1010"
                                " AND text = 'step ' || 2 * (range.id + 1) % 7"),
                     10000);
}

/* What cannot be written is said, however far reading has got, and nothing stays. */
static void test_full_disk(void **state)
{
    static const rlim_t limits[] = {200000, 600000, 1000000, 1500000, 2000000};
    const char *path = make_nsight(MANY);
    const char *out = make_path("full.gpuprobe");

    (void)state;
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        int status = 0;
        pid_t child = fork();

        assert_true(child >= 0);
        if (child == 0) {
            const struct rlimit limit = {limits[i], limits[i]};
            struct gp_import_counts counts;
            struct gp_error err = {0};

            (void)signal(SIGXFSZ, SIG_IGN);
            (void)setrlimit(RLIMIT_FSIZE, &limit);
            _exit(gp_import_file(path, out, false, &counts, &err) == GP_EIO && err.text[0] != '\0'
                      ? 0
                      : 1);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
        assert_int_not_equal(access(out, F_OK), 0);
    }
}

static void test_graphs_in_both_modes(void **state)
{
    struct gp_import_counts counts;
    struct gp_reader *reader = import_and_open(
        make_nsight(CALL("5", "9", P1, "3", "7") KERNEL("10", "20", "0", "1", "7", "3", P1) KERNEL(
            "20", "30", "0", "1", "7", "3",
            P1) "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start, end, deviceId,"
                " contextId, streamId, correlationId, globalPid, graphId, graphExecId);"
                "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES"
                " (40,90,0,1,7,4," P1 ",1,2);"),
        &counts);
    struct gp_op_row *ops = read_ops(reader, 1, 3);

    (void)state;
    assert_int_equal(ops[0].submit_begin, 0);
    assert_int_equal(ops[1].submit_begin, 0);
    assert_int_equal(ops[2].kind, GP_OP_GRAPH);
    assert_int_equal(ops[2].submit_begin, GP_UNKNOWN);
    free(ops);
    gp_reader_close(reader);
}

static void test_ranges(void **state)
{
    struct gp_import_counts counts;
    struct gp_reader *reader = import_and_open(
        make_nsight(
            KERNEL("10", "20", "0", "1", "7", "1",
                   P1) "INSERT INTO NVTX_EVENTS VALUES (-500,NULL,75,NULL,NULL,NULL,'mine'," P1
                       "+1,NULL,NULL,2),"
                       "(0,90,59,NULL,3,4278190335,'outer'," P1 "+1,NULL,NULL,2),"
                       "(20,30,59,NULL,NULL,NULL,NULL," P1 "+1,NULL,5,0),"
                       "(25,NULL,60,1,NULL,NULL,'open'," P1 "+1,NULL,NULL,0),"
                       "(40,NULL,34,NULL,NULL,NULL,'mark'," P1 "+2,NULL,NULL,0);"),
        &counts);
    struct gp_range_row *ranges;
    struct gp_error err = {0};
    uint32_t count;

    (void)state;
    gp_assert_ok(gp_reader_ranges(reader, 1, &ranges, &count, &err), err);
    assert_int_equal(count, 4);
    assert_string_equal(ranges[0].domain, "mine");
    assert_string_equal(ranges[0].text, "outer");
    assert_string_equal(ranges[1].text, "registered");
    assert_null(ranges[1].domain);
    assert_int_equal(ranges[1].level, 1);
    assert_int_equal(ranges[2].end, GP_UNKNOWN);
    assert_int_equal(ranges[3].end, ranges[3].begin);
    assert_int_equal(ranges[3].thread, 1);
    assert_int_equal(counts.lost[GP_IMPORT_NO_RANGE], 1);
    gp_free(ranges);
    gp_reader_close(reader);
}

/* A lazy export lacks tables, an old one columns, a new one has another name. */
static void test_tables_and_columns_are_looked_for(void **state)
{
    const char *path = make_path("old.sqlite");
    struct gp_import_counts counts;
    struct gp_reader *reader;

    (void)state;
    make_database(path, "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL_V2 (end, start, streamId);"
                        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL_V2 VALUES (20, 10, 7);");
    reader = import_and_open(path, &counts);
    assert_int_equal(counts.operations, 1);
    assert_string_equal(gp_reader_device(reader, 1)->name, "GPU 0");
    gp_reader_close(reader);
}

static const struct gp_edge_row *find_edge(const struct gp_edge_row *edges, uint32_t count,
                                           uint32_t from, uint32_t to)
{
    for (uint32_t i = 0; i < count; i++) {
        if (edges[i].from == from && edges[i].to == to) {
            return &edges[i];
        }
    }
    return NULL;
}

/* A record in stream 1, a wait in stream 2 whatever its number says, and a wait of the host. */
static void test_dependencies_are_found_again(void **state)
{
    struct gp_import_counts counts;
    struct gp_reader *reader = import_and_open(
        make_nsight(
            CALL("10", "11", P1, "1", "2") CALL("12", "13", P1, "2", "4")
                CALL("14", "15", P1, "3", "3") CALL("16", "17", P1, "4", "2")
                    CALL("18", "19", P1, "5", "2") CALL("300", "400", P1, "6", "6")
                        CALL("410", "411", P1, "7", "2")
                            KERNEL("100", "200", "0", "1", "1", "1", P1) /* op 0, on stream 1 */
            KERNEL("110", "120", "0", "1", "1", "5", P1) /* op 1, after the record */
            KERNEL("210", "390", "0", "1", "2", "4", P1) /* op 2, waits for op 0 */
            KERNEL("420", "430", "0", "1", "1", "7", P1) /* op 3, after the host has waited */
            "INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES (0,1,1,2," P1 ",9);"
            "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (14,15,0,1,2,3," P1 ",77,9),"
            "(300,400,0,1,4294967295,6," P1 ",1,4294967295);"),
        &counts);
    struct gp_edge_row *edges;
    struct gp_error err = {0};
    uint32_t count;

    (void)state;
    gp_assert_ok(gp_reader_edges(reader, 1, &edges, &count, &err), err);
    assert_int_equal(count, 2);
    assert_int_equal(find_edge(edges, count, 0, 2)->kind, GP_EDGE_EVENT);
    assert_int_equal(find_edge(edges, count, 2, 3)->kind, GP_EDGE_JOIN);
    assert_int_equal(sum_of(&counts), counts.in);
    gp_free(edges);
    gp_reader_close(reader);
}

struct edges {
    struct gp_edge_row rows[16];
    uint32_t count;
};

static int keep_edges(void *user, const struct gp_edge_row *edges, uint32_t count,
                      struct gp_error *err)
{
    struct edges *kept = user;

    (void)err;
    assert_true(kept->count + count <= 16);
    memcpy(&kept->rows[kept->count], edges, count * sizeof *edges);
    kept->count += count;
    return 0;
}

/* Matched to the latest record before the wait, not to the id alone. */
static void test_events_that_are_recorded_again(void **state)
{
    struct gp_order_item items[] = {
        {.at = 1, .kind = GP_HOST_OP, .op = 0, .stream = 0, .end = 10},
        {.at = 2, .kind = GP_HOST_RECORD, .event = 5, .stream = 0},
        {.at = 3, .kind = GP_HOST_OP, .op = 1, .stream = 1, .end = 11},
        {.at = 4, .kind = GP_HOST_RECORD, .event = 5, .stream = 1},
        {.at = 5, .kind = GP_HOST_WAIT, .event = 5, .stream = 2},
        {.at = 5, .kind = GP_HOST_WAIT, .event = 5, .stream = 2},
        {.at = 6, .kind = GP_HOST_OP, .op = 2, .stream = 2, .end = 20},
        {.at = 7, .kind = GP_HOST_WAIT, .event = 6, .stream = 2}, /* never recorded */
        {.at = 8, .kind = GP_HOST_OP, .op = 3, .stream = 2, .end = 30},
    };
    struct gp_order_sort sort = {0};
    struct edges edges = {.count = 0};
    struct gp_error err = {0};

    (void)state;
    for (size_t i = sizeof items / sizeof items[0]; i > 0; i--) {
        gp_order_sort_add(&sort, &items[i - 1]);
    }
    gp_assert_ok(gp_order_edges(&sort, 3, keep_edges, &edges, &err), err);
    assert_int_equal(edges.count, 1);
    assert_int_equal(edges.rows[0].from, 1);
    assert_int_equal(edges.rows[0].to, 2);
    gp_order_sort_finish(&sort);
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
        cmocka_unit_test(test_ids_belong_to_processes),
        cmocka_unit_test(test_streams_have_contexts),
        cmocka_unit_test(test_devices_are_those_of_the_process),
        cmocka_unit_test(test_names_of_processes),
        cmocka_unit_test(test_what_streams_are),
        cmocka_unit_test(test_what_is_to_be_doubted),
        cmocka_unit_test(test_overlap_on_one_stream_is_kept),
        cmocka_unit_test(test_rows_in_any_order),
        cmocka_unit_test(test_many_rows),
        cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_graphs_in_both_modes),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_tables_and_columns_are_looked_for),
        cmocka_unit_test(test_dependencies_are_found_again),
        cmocka_unit_test(test_events_that_are_recorded_again),
    };

    return cmocka_run_group_tests(tests, NULL, remove_all);
}
