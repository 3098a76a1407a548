/* The formats for other tools: strict, whole, and the losses are counted. */
#include "test.h"

#include <jansson.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "export/whole.h"
#include "probe/export/packing.h"
#include "store/recordings.h"
#include "store/rows.h"

/* Strict: jansson refuses bad UTF-8, raw control characters, NaN and names that occur twice. */
static json_t *export_json(const char *recording, const char *format,
                           const struct gp_export_options *options)
{
    size_t count;
    char *bytes = export_bytes(recording, format, options, &count);
    json_error_t error;
    json_t *value = json_loadb(bytes, count, JSON_REJECT_DUPLICATES, &error);

    if (value == NULL) {
        fail_msg("%s: line %d: %s", format, error.line, error.text);
    }
    free(bytes);
    return value;
}

static const char *text_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));

    return text != NULL ? text : "";
}

/* ---- packing ------------------------------------------------------------------------------- */

struct ended {
    int64_t ends[8];
    uint32_t lanes[8];
    unsigned count;
};

static void note_end(void *user, uint32_t lane, int64_t end)
{
    struct ended *ended = user;

    ended->lanes[ended->count] = lane;
    ended->ends[ended->count++] = end;
}

static void test_packing(void **state)
{
    struct gp_packing packing = {0};
    struct ended ended = {0};

    (void)state;
    assert_int_equal(gp_packing_place(&packing, 0, 10, note_end, &ended), 0);
    assert_int_equal(gp_packing_place(&packing, 2, 8, note_end, &ended), 0);   /* inside */
    assert_int_equal(gp_packing_place(&packing, 5, 12, note_end, &ended), 1);  /* across */
    assert_int_equal(gp_packing_place(&packing, 10, 10, note_end, &ended), 0); /* of no length */
    assert_int_equal(gp_packing_place(&packing, 11, 20, note_end, &ended), 0);
    assert_int_equal(ended.count, 3);
    assert_int_equal(ended.ends[0], 8); /* the innermost first */
    assert_int_equal(ended.ends[1], 10);
    gp_packing_finish(&packing, note_end, &ended);
    assert_int_equal(ended.count, 5);
    assert_int_equal(ended.lanes[4], 1);
}

/* ---- chrome -------------------------------------------------------------------------------- */

/* No two slices of one lane overlap partly. */
static void check_lane(const json_t *events, const json_t *slice)
{
    double begin = json_number_value(json_object_get(slice, "ts"));
    double end = begin + json_number_value(json_object_get(slice, "dur"));
    size_t i;
    const json_t *other;

    json_array_foreach(events, i, other)
    {
        double from = json_number_value(json_object_get(other, "ts"));
        double to = from + json_number_value(json_object_get(other, "dur"));

        if (strcmp(text_of(other, "ph"), "X") == 0 &&
            json_equal(json_object_get(other, "pid"), json_object_get(slice, "pid")) &&
            json_equal(json_object_get(other, "tid"), json_object_get(slice, "tid"))) {
            bool crosses = from > begin + 1e-6 && from < end - 1e-6 && to > end + 1e-6;

            assert_false(crosses);
        }
    }
}

static void test_chrome(void **state)
{
    const char *path = make_path("chrome.gpuprobe");
    struct gp_export_counts counts;
    struct gp_export_options options = {.counts = &counts};
    json_t *trace, *events;
    unsigned on_device = 0, flows = 0;
    size_t i;
    const json_t *event;

    (void)state;
    write_nasty(path);
    trace = export_json(path, "chrome", &options);
    events = json_object_get(trace, "traceEvents");
    json_array_foreach(events, i, event)
    {
        const char *phase = text_of(event, "ph");

        flows += phase[0] == 's' && strcmp(text_of(event, "cat"), "edge") == 0;
        if (phase[0] == 'X') {
            on_device += json_object_get(json_object_get(event, "args"), "stream") != NULL;
            check_lane(events, event);
        }
    }
    assert_int_equal(counts.chosen, NASTY_OPS);
    assert_int_equal(counts.untimed, NASTY_UNTIMED);
    assert_int_equal(counts.written, NASTY_OPS - NASTY_UNTIMED);
    assert_int_equal(on_device, counts.written);
    assert_int_equal(flows, 2); /* the third edge is to the operation without times */
    json_decref(trace);
}

/* Made of integers: 3.003 µs is not 3.0029999. */
static void test_chrome_decimals(void **state)
{
    const char *path = make_path("decimals.gpuprobe");
    size_t count;
    char *bytes;

    (void)state;
    write_nasty(path);
    bytes = export_bytes(path, "chrome", NULL, &count);
    assert_non_null(strstr(bytes, "\"ts\":0.001,\"dur\":3.003,"));
    assert_non_null(strstr(bytes, "\"ts\":-0.100,\"dur\":20.100,"));
    assert_null(strstr(bytes, "Infinity"));
    assert_null(strstr(bytes, "nan"));
    free(bytes);
}

/* ---- json ---------------------------------------------------------------------------------- */

static void test_json(void **state)
{
    const char *path = make_path("json.gpuprobe");
    json_t *whole, *run, *op;

    (void)state;
    write_nasty(path);
    whole = export_json(path, "json", NULL);
    run = json_array_get(
        json_object_get(json_array_get(json_object_get(whole, "cells"), 0), "runs"), 0);
    assert_int_equal(json_array_size(json_object_get(run, "ops")), NASTY_OPS);
    assert_int_equal(json_array_size(json_object_get(run, "edges")), 3);
    op = json_array_get(json_object_get(run, "ops"), 9);
    assert_true(json_is_null(json_object_get(op, "begin")));
    op = json_array_get(json_object_get(run, "ops"), 2);
    assert_string_equal(text_of(op, "name"), "bad \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd utf-8 "
                                             "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    json_decref(whole);
}

/* ---- perfetto ------------------------------------------------------------------------------ */

/* protoc with these files as its input and output; its exit code, 127 when there is none. */
static int run_protoc(const char *argument, const char *in, const char *out)
{
    int status = 0;
    pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        if (freopen(in, "r", stdin) != NULL && freopen(out, "w", stdout) != NULL) {
            (void)execlp("protoc", "protoc", argument, (char *)NULL);
        }
        _exit(127);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* What protoc makes of it without knowing any schema; the caller's to free. */
static char *decode(const char *path)
{
    const char *decoded = make_path("decoded.txt");
    char *text = calloc(1, 1 << 22);
    FILE *file;

    assert_non_null(text);
    assert_int_equal(run_protoc("--decode_raw", path, decoded), 0);
    file = fopen(decoded, "r");
    assert_non_null(file);
    (void)fread(text, 1, (1 << 22) - 1, file);
    (void)fclose(file);
    return text;
}

static unsigned count_of(const char *text, const char *part)
{
    unsigned count = 0;

    for (; (text = strstr(text, part)) != NULL; text += strlen(part)) {
        count++;
    }
    return count;
}

static void test_perfetto(void **state)
{
    const char *path = make_path("perfetto.gpuprobe");
    const char *out = make_path("perfetto.pftrace");
    char *text;

    (void)state;
    if (run_protoc("--version", "/dev/null", "/dev/null") != 0) {
        skip();
    }
    write_nasty(path);
    export_to(path, "perfetto", NULL, out);
    text = decode(out);
    /* A BEGIN and an END for each operation with times, range and call (one a submission, but of
     * values, and two more). */
    assert_int_equal(count_of(text, "    9: 1\n"), NASTY_OPS - NASTY_UNTIMED + 3 + NASTY_OPS + 1);
    assert_int_equal(count_of(text, "    9: 2\n"), count_of(text, "    9: 1\n"));
    assert_int_equal(count_of(text, "  13: 1\n"), 1);
    free(text);
}

/* ---- nsys-sqlite --------------------------------------------------------------------------- */

static int64_t query(const char *path, const char *sql)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *statement = NULL;
    int64_t value;

    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    value = sqlite3_column_int64(statement, 0);
    (void)sqlite3_finalize(statement);
    (void)sqlite3_close(db);
    return value;
}

static void test_nsys(void **state)
{
    const char *path = make_path("nsys.gpuprobe");
    const char *out = make_path("nsys.sqlite");
    struct gp_export_counts counts;
    struct gp_export_options options = {.counts = &counts};

    (void)state;
    write_nasty(path);
    export_to(path, "nsys-sqlite", &options, out);
    assert_int_equal(counts.untimed, NASTY_UNTIMED);
    assert_int_equal(counts.unsuited, NASTY_ON_HOST);
    assert_int_equal(query(out, "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL"), NASTY_KERNELS);
    assert_int_equal(query(out, "SELECT sum(end - start) FROM CUPTI_ACTIVITY_KIND_KERNEL"),
                     query(path, "SELECT sum(end - begin) FROM op WHERE kind = 'kernel'"));
    /* A time of 0 is none to Nsight's readers. */
    assert_int_equal(query(path, "SELECT min(begin) FROM op WHERE kind = 'kernel'"), 1);
    assert_int_equal(query(out, "SELECT min(start) > 1000 FROM CUPTI_ACTIVITY_KIND_KERNEL"), 1);
    assert_int_equal(query(out, "SELECT sum(bytes) FROM CUPTI_ACTIVITY_KIND_MEMCPY"), 3 * 4096);
    assert_int_equal(query(out, "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_MEMSET"), 1);
    assert_int_equal(query(out, "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_GRAPH_TRACE"), 1);
    assert_int_equal(query(out, "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL k"
                                " JOIN CUPTI_ACTIVITY_KIND_RUNTIME r USING (correlationId)"
                                " JOIN StringIds s ON s.id = r.nameId"
                                " WHERE s.value = 'cuLaunchKernel'"),
                     NASTY_KERNELS);
    assert_int_equal(query(out, "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_SYNCHRONIZATION w"
                                " JOIN CUPTI_ACTIVITY_KIND_CUDA_EVENT e USING (eventId)"),
                     1);
    assert_int_equal(query(out, "SELECT count(*) FROM NVTX_EVENTS WHERE eventType = 60"), 1);
    assert_int_equal(query(out, "SELECT count(*) FROM NVTX_EVENTS WHERE eventType = 59"), 2);
}

/* ---- choices ------------------------------------------------------------------------------- */

static void test_choices(void **state)
{
    const char *path = make_path("choices.gpuprobe");
    struct gp_export_counts counts;
    struct gp_export_options range = {
        .has_from = true, .from_ns = 2000, .has_to = true, .to_ns = 4000, .counts = &counts};
    struct gp_export_options pass = {.passes = 1u << GP_PASS_PLAIN, .counts = &counts};
    struct gp_export_options cell = {.cell = 7};
    struct gp_error err = {0};
    struct gp_reader *reader = NULL;

    (void)state;
    write_nasty(path);
    json_decref(export_json(path, "chrome", &range));
    assert_int_equal(counts.written, 3); /* 0 and 3 reach in, 2 lies in it */
    assert_int_equal(counts.outside, NASTY_OPS - NASTY_UNTIMED - 3);
    json_decref(export_json(path, "json", &pass));
    assert_int_equal(counts.chosen, 0);
    gp_assert_ok(gp_reader_open(path, &reader, &err), err);
    assert_int_equal(gp_export_write(&gp_export_chrome, reader, &cell, stdout, &err), GP_EINVAL);
    assert_non_null(strstr(err.text, "no cell 7"));
    gp_reader_close(reader);
}

static void test_same_bytes_each_time(void **state)
{
    static const char *const formats[] = {"csv", "json", "chrome", "perfetto"};
    const char *path = make_path("same.gpuprobe");

    (void)state;
    write_file(path);
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        size_t one, two;
        char *first = export_bytes(path, formats[i], NULL, &one);
        char *second = export_bytes(path, formats[i], NULL, &two);

        assert_int_equal(one, two);
        assert_memory_equal(first, second, one);
        free(first);
        free(second);
    }
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
        cmocka_unit_test(test_packing),         cmocka_unit_test(test_chrome),
        cmocka_unit_test(test_chrome_decimals), cmocka_unit_test(test_json),
        cmocka_unit_test(test_perfetto),        cmocka_unit_test(test_nsys),
        cmocka_unit_test(test_choices),         cmocka_unit_test(test_same_bytes_each_time),
    };

    return cmocka_run_group_tests(tests, NULL, remove_all);
}
