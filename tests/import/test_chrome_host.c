/* Chrome's traces: events in two halves, waits, edges, and ranges. */
#include "test.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "export/whole.h"
#include "import/nsight_file.h"
#include "probe/memory.h"
#include "store/rows.h"

static const char *write_trace(const char *text)
{
    const char *path = make_path("host.json");
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
    return path;
}

static struct gp_edge_row *read_edges(struct gp_reader *reader, uint32_t *count)
{
    struct gp_edge_row *edges;
    struct gp_error err = {0};

    gp_assert_ok(gp_reader_edges(reader, 1, &edges, count, &err), err);
    return edges;
}

static struct gp_range_row *read_ranges(struct gp_reader *reader, uint32_t *count)
{
    struct gp_range_row *ranges;
    struct gp_error err = {0};

    gp_assert_ok(gp_reader_ranges(reader, 1, &ranges, count, &err), err);
    return ranges;
}

#define KERNEL_AT(stream, ts, dur, correlation)                                                    \
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":" stream ",\"ts\":" ts      \
    ",\"dur\":" dur ",\"args\":{\"device\":0,\"context\":1,\"stream\":" stream                     \
    ",\"correlation\":" correlation "}},"
#define CALL_AT(name, ts, dur, correlation)                                                        \
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"" name "\",\"pid\":9,\"tid\":9,\"ts\":" ts  \
    ",\"dur\":" dur ",\"args\":{\"correlation\":" correlation "}},"

/* Pairs nest on their thread, whatever threads are called, and may stay open. */
static void test_halves_make_events(void **state)
{
    struct gp_import_counts counts;
    struct gp_reader *reader = import_and_open(
        write_trace("[" KERNEL_AT(
            "7", "100", "10",
            "1") "{\"ph\":\"B\",\"cat\":\"user_annotation\",\"name\":\"outer\",\"pid\":\"p\","
                 "\"tid\":\"a\",\"ts\":1},"
                 "{\"ph\":\"B\",\"cat\":\"user_annotation\",\"name\":\"other\",\"pid\":\"p\","
                 "\"tid\":\"b\",\"ts\":2},"
                 "{\"ph\":\"B\",\"cat\":\"user_annotation\",\"name\":\"inner\",\"pid\":\"p\","
                 "\"tid\":\"a\",\"ts\":3},"
                 "{\"ph\":\"E\",\"pid\":\"p\",\"tid\":\"a\",\"ts\":4.5},"
                 "{\"ph\":\"E\",\"pid\":\"p\",\"tid\":\"a\",\"ts\":9},"
                 "{\"ph\":\"E\",\"pid\":\"p\",\"tid\":\"a\",\"ts\":10}," /* of nothing */
                 "{\"ph\":\"B\",\"cat\":\"kernel\",\"name\":\"halves\",\"pid\":0,\"tid\":7,"
                 "\"ts\":120,\"args\":{\"stream\":7}},"
                 "{\"ph\":\"E\",\"pid\":0,\"tid\":7,\"ts\":125.5},"
                 "{\"ph\":\"B\",\"cat\":\"kernel\",\"name\":\"never ends\",\"pid\":0,\"tid\":7,"
                 "\"ts\":130,\"args\":{\"stream\":7}}]"),
        &counts);
    struct gp_range_row *ranges;
    struct gp_op_row ops[2];
    struct gp_error err = {0};
    uint32_t count;

    (void)state;
    ranges = read_ranges(reader, &count);
    assert_int_equal(count, 3);
    assert_string_equal(ranges[0].text, "outer");
    assert_int_equal(ranges[0].end - ranges[0].begin, 8000);
    assert_string_equal(ranges[1].text, "other");
    assert_int_equal(ranges[1].end, GP_UNKNOWN);
    assert_string_equal(ranges[2].text, "inner");
    assert_int_equal(ranges[2].end - ranges[2].begin, 1500);
    gp_free(ranges);
    assert_int_equal(counts.operations, 2);
    gp_assert_ok(gp_reader_ops(reader, 1, 0, 2, ops, &err), err);
    assert_int_equal(ops[1].end - ops[1].begin, 5500);
    assert_int_equal(counts.lost[GP_IMPORT_MARK], 1);
    assert_int_equal(counts.lost[GP_IMPORT_NO_TIME], 1);
    assert_int_equal(sum_of(&counts), counts.in);
    gp_reader_close(reader);
}

/* More begins than are kept: the rest is counted. */
static void test_halves_without_end(void **state)
{
    enum { HALVES = 5000, BYTES = 80 };
    struct gp_import_counts counts;
    char *text = gp_xalloc(HALVES + 8, BYTES);
    size_t used = (size_t)sprintf(text, "[%s", KERNEL_AT("7", "100", "10", "1"));
    struct gp_reader *reader;

    (void)state;
    for (int i = 0; i < HALVES; i++) {
        used += (size_t)sprintf(text + used, "{\"ph\":\"B\",\"cat\":\"cpu_op\",\"ts\":%d},", i);
    }
    text[used - 1] = ']';
    reader = import_and_open(write_trace(text), &counts);
    assert_int_equal(counts.ranges, 4096);
    assert_int_equal(counts.lost[GP_IMPORT_LIMIT], HALVES - 4096);
    assert_int_equal(sum_of(&counts), counts.in);
    gp_reader_close(reader);
    gp_free(text);
}

/* Kineto's waits name the call that recorded the event: the record, not the last one of its id. */
static void test_waits(void **state)
{
    struct gp_import_counts counts;
    struct gp_reader *reader = import_and_open(
        write_trace(
            "[" CALL_AT("cudaLaunchKernel", "10", "1", "1") CALL_AT(
                "cudaEventRecord", "12", "1", "2") CALL_AT("cudaLaunchKernel", "14", "1", "3")
                CALL_AT("cudaEventRecord", "16", "1", "4") CALL_AT("cudaStreamWaitEvent", "18", "1",
                                                                   "5")
                    CALL_AT("cudaLaunchKernel", "20", "1", "6") CALL_AT("cudaStreamSynchronize",
                                                                        "22", "50", "7")
                        CALL_AT("cudaLaunchKernel", "80", "1", "8")
                            KERNEL_AT("7", "30", "5", "1") /* op 0 */
            KERNEL_AT("7", "36", "5", "3")                 /* op 1 */
            KERNEL_AT("9", "50", "5", "6")                 /* op 2 waits for op 0 */
            KERNEL_AT("7", "90", "5", "8")                 /* op 3 after stream 9 */
            "{\"ph\":\"X\",\"cat\":\"cuda_sync\",\"name\":\"Stream Wait Event\",\"pid\":0,"
            "\"tid\":9,\"ts\":18,\"dur\":1,\"args\":{\"cuda_sync_kind\":\"Stream Wait Event\","
            "\"wait_on_stream\":7,\"wait_on_cuda_event_record_corr_id\":2,"
            "\"wait_on_cuda_event_id\":3,\"stream\":9,\"correlation\":5,\"device\":0,"
            "\"context\":1}},"
            "{\"ph\":\"X\",\"cat\":\"cuda_sync\",\"name\":\"Stream Sync\",\"pid\":0,\"tid\":9,"
            "\"ts\":22,\"dur\":50,\"args\":{\"stream\":9,\"correlation\":7,\"device\":0,"
            "\"context\":1}},"
            "{\"ph\":\"X\",\"cat\":\"cuda_sync\",\"name\":\"Context Sync\",\"pid\":0,\"tid\":-1,"
            "\"ts\":95,\"dur\":5,\"args\":{\"stream\":-1,\"correlation\":99,\"device\":0,"
            "\"context\":1}}]"),
        &counts);
    struct gp_edge_row *edges;
    uint32_t count;

    (void)state;
    edges = read_edges(reader, &count);
    assert_int_equal(count, 2);
    assert_int_equal(edges[0].from, 0);
    assert_int_equal(edges[0].to, 2);
    assert_int_equal(edges[0].kind, GP_EDGE_EVENT);
    assert_int_equal(edges[1].from, 2);
    assert_int_equal(edges[1].to, 3);
    assert_int_equal(edges[1].kind, GP_EDGE_JOIN);
    gp_free(edges);
    assert_int_equal(counts.dependencies, 3);
    assert_int_equal(counts.in, 15);
    assert_int_equal(sum_of(&counts), counts.in);
    gp_reader_close(reader);
}

#define RECORDED(ts, stream, correlation, event)                                                   \
    "{\"ph\":\"X\",\"cat\":\"cuda_event\",\"name\":\"cudaEvent\",\"pid\":0,\"tid\":" stream        \
    ",\"ts\":" ts ",\"dur\":0,\"args\":{" event "\"stream\":" stream                               \
    ",\"correlation\":" correlation ",\"device\":0,\"context\":1}},"

/* A wait that does not know which call recorded its event: cuda_event says so. The event is
 * recorded again after the wait; a record without a call, and one without an event, are counted. */
static void test_recorded_events(void **state)
{
    struct gp_import_counts counts;
    struct gp_reader *reader = import_and_open(
        write_trace(
            "[" CALL_AT("cudaLaunchKernel", "1000000010", "1",
                        "1") CALL_AT("cudaEventRecord", "1000000012", "1",
                                     "2") CALL_AT("cudaStreamWaitEvent", "1000000014", "1", "3")
                CALL_AT("cudaLaunchKernel", "1000000016", "1", "4") CALL_AT("cudaEventRecord",
                                                                            "1000000018", "1", "5")
                    KERNEL_AT("7", "1000000030", "5", "1") KERNEL_AT("9", "1000000050", "5", "4")
                        RECORDED("0", "7", "2", "\"event_id\":3,")
                            RECORDED("0", "9", "5", "\"event_id\":3,")
                                RECORDED("1000000020", "7", "77", "\"event_id\":4,")
                                    RECORDED("1000000020", "7", "5",
                                             "") "{\"ph\":\"X\",\"cat\":\"cuda_sync\",\"name\":"
                                                 "\"Stream Wait Event\",\"pid\":0,"
                                                 "\"tid\":9,\"ts\":1000000014,\"dur\":1,\"args\":{"
                                                 "\"wait_on_stream\":-1,"
                                                 "\"wait_on_cuda_event_record_corr_id\":-1,\"wait_"
                                                 "on_cuda_event_id\":3,\"stream\":9,"
                                                 "\"correlation\":3,\"device\":0,\"context\":1}}]"),
        &counts);
    struct gp_edge_row *edges;
    uint32_t count;

    (void)state;
    edges = read_edges(reader, &count);
    assert_int_equal(count, 1);
    assert_int_equal(edges[0].from, 0);
    assert_int_equal(edges[0].to, 1);
    assert_int_equal(edges[0].kind, GP_EDGE_EVENT);
    gp_free(edges);
    assert_int_equal(counts.dependencies, 3);
    assert_int_equal(counts.lost[GP_IMPORT_NO_CALL], 1);
    assert_int_equal(counts.lost[GP_IMPORT_UNKNOWN], 1);
    assert_int_equal(counts.in, 12);
    assert_int_equal(sum_of(&counts), counts.in);
    gp_reader_close(reader);
}

#define ARROW(from, to, kind)                                                                      \
    "{\"ph\":\"f\",\"cat\":\"edge\",\"name\":\"edge\",\"id\":1,\"pid\":0,\"tid\":7,\"ts\":1,"      \
    "\"args\":{\"from\":" from ",\"to\":" to ",\"kind\":\"" kind "\",\"how\":\"event\"}},"
#define NUMBERED(ts, op)                                                                           \
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"ts\":" ts ",\"dur\":1,\"args\":"  \
    "{\"stream\":7,\"op\":" op "}},"

/* Operations have other numbers here; what cannot be an edge is counted. */
static void test_arrows_that_are_edges(void **state)
{
    struct gp_import_counts counts;
    struct gp_reader *reader = import_and_open(
        write_trace("[" NUMBERED("30", "5") NUMBERED("10", "8") NUMBERED("20", "6")
                        ARROW("8", "5", "data") ARROW("8", "5", "data") /* twice */
                    ARROW("5", "8", "data")                             /* backwards */
                    ARROW("8", "77", "join")                            /* to nothing */
                    ARROW("8", "6", "friendship") "{\"ph\":\"f\",\"cat\":\"ac2g\",\"ts\":1}]"),
        &counts);
    struct gp_edge_row *edges;
    uint32_t count;

    (void)state;
    edges = read_edges(reader, &count);
    assert_int_equal(count, 1);
    assert_int_equal(edges[0].from, 0);
    assert_int_equal(edges[0].to, 2);
    assert_int_equal(edges[0].kind, GP_EDGE_DATA);
    assert_int_equal(edges[0].how, GP_HOW_EVENT);
    gp_free(edges);
    assert_int_equal(counts.lost[GP_IMPORT_DUPLICATE], 1);
    assert_int_equal(counts.lost[GP_IMPORT_UNKNOWN], 2);
    assert_int_equal(counts.lost[GP_IMPORT_MARK], 2);
    assert_int_equal(sum_of(&counts), counts.in);
    gp_reader_close(reader);
}

/* What an export tells beside the operations comes back. */
static void test_edges_and_ranges_come_back(void **state)
{
    const char *ours = make_path("nasty.gpuprobe");
    const char *trace = make_path("nasty.json");
    struct gp_import_counts counts;
    struct gp_reader *reader;
    struct gp_edge_row *edges;
    struct gp_range_row *ranges;
    uint32_t count;

    (void)state;
    write_nasty(ours);
    export_to(ours, "chrome", &(struct gp_export_options){0}, trace);
    reader = import_and_open(trace, &counts);
    edges = read_edges(reader, &count);
    assert_int_equal(count, 2); /* the third is to an operation without times */
    assert_int_equal(edges[0].from, 0);
    assert_int_equal(edges[0].to, 1);
    assert_int_equal(edges[0].kind, GP_EDGE_DATA);
    assert_int_equal(edges[0].how, GP_HOW_EVENT);
    assert_int_equal(edges[1].kind, GP_EDGE_CHAIN);
    assert_int_equal(edges[1].how, GP_HOW_STREAM);
    gp_free(edges);
    ranges = read_ranges(reader, &count);
    assert_int_equal(count, 3);
    assert_string_equal(ranges[0].text, "outer \"run\"");
    assert_string_equal(ranges[0].domain, "gpuprobe");
    assert_int_equal(ranges[1].category, 3);
    assert_null(ranges[2].domain);
    assert_int_equal(ranges[2].end, GP_UNKNOWN);
    gp_free(ranges);
    gp_reader_close(reader);
}

#define THREAD(pid, tid, name)                                                                     \
    "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":" pid ",\"tid\":" tid                          \
    ",\"args\":{\"name\":\"" name "\"}},"

/* What a thread of a device is called is what its stream is called, before its work or after. */
static void test_streams_have_the_names_of_threads(void **state)
{
    struct gp_import_counts counts;
    struct gp_reader *reader = import_and_open(
        write_trace("[" THREAD("0", "7", "uploads ") KERNEL_AT("7", "1", "1", "1")
                        KERNEL_AT("9", "2", "1", "2") KERNEL_AT("11", "3", "1", "3")
                            KERNEL_AT("13", "4", "1", "4") THREAD("0", "9", "a \\\"b\\\"")
                                THREAD("0", "11", "stream 11 ") THREAD("1", "13", "another GPU's")
                                    THREAD("0", "\"thread\"", "none") "{\"ph\":\"M\"}]"),
        &counts);
    struct gp_stream_row *streams;
    struct gp_error err = {0};
    uint32_t count;

    (void)state;
    gp_assert_ok(gp_reader_streams(reader, 1, &streams, &count, &err), err);
    assert_int_equal(count, 4);
    assert_string_equal(streams[0].name, "uploads");
    assert_string_equal(streams[1].name, "a \"b\"");
    assert_string_equal(streams[2].name, "stream 11");
    assert_string_equal(streams[3].name, "stream 13");
    gp_free(streams);
    assert_int_equal(counts.lost[GP_IMPORT_NO_RANGE], 6);
    assert_int_equal(sum_of(&counts), counts.in);
    gp_reader_close(reader);
}

static void expect_stream(struct gp_reader *reader, int64_t run, uint32_t index, const char *name)
{
    struct gp_stream_row *streams;
    struct gp_error err = {0};
    uint32_t count;

    gp_assert_ok(gp_reader_streams(reader, run, &streams, &count, &err), err);
    assert_true(index < count);
    assert_string_equal(streams[index].name, name);
    gp_free(streams);
}

#define OF_RUN(run, rest)                                                                          \
    "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":0,\"tid\":7,\"args\":{\"name\":\"run " run     \
    "\",\"run\":" run                                                                              \
    "}},{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":1"              \
    ",\"dur\":1,\"args\":{\"stream\":7,\"run\":" run "}}" rest

/* Streams of an export have their names again, each run its own. */
static void test_names_of_streams_come_back(void **state)
{
    const char *ours = make_path("named.gpuprobe");
    const char *trace = make_path("named.json");
    struct gp_import_counts counts;
    struct gp_reader *reader;
    sqlite3 *db = NULL;

    (void)state;
    write_nasty(ours);
    assert_int_equal(sqlite3_open(ours, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "UPDATE stream SET name = 'lane ' || id", NULL, NULL, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    export_to(ours, "chrome", &(struct gp_export_options){0}, trace);
    reader = import_and_open(trace, &counts);
    expect_stream(reader, 1, 0, "lane 0");
    expect_stream(reader, 1, 1, "lane 3");
    gp_reader_close(reader);
    reader = import_and_open(write_trace("[" OF_RUN("1", ",") OF_RUN("2", "]")), &counts);
    expect_stream(reader, 1, 0, "run 1");
    expect_stream(reader, 2, 0, "run 2");
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
        cmocka_unit_test(test_halves_make_events),
        cmocka_unit_test(test_halves_without_end),
        cmocka_unit_test(test_waits),
        cmocka_unit_test(test_recorded_events),
        cmocka_unit_test(test_arrows_that_are_edges),
        cmocka_unit_test(test_edges_and_ranges_come_back),
        cmocka_unit_test(test_streams_have_the_names_of_threads),
        cmocka_unit_test(test_names_of_streams_come_back),
    };

    return cmocka_run_group_tests(tests, NULL, remove_all);
}
