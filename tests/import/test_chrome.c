/* Chrome's traces: our own export comes back, Kineto's ways of saying things, and bad files. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zlib.h>

#include "export/whole.h"
#include "import/nsight_file.h"
#include "probe/export/utf8.h"
#include "probe/memory.h"
#include "store/rows.h"

static void write_bytes(const char *path, const char *text, size_t count)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

static const char *write_trace(const char *text)
{
    const char *path = make_path("trace.json");

    write_bytes(path, text, strlen(text));
    return path;
}

static struct gp_op_row *read_ops(struct gp_reader *reader, uint32_t *count)
{
    struct gp_run_row *runs;
    struct gp_error err = {0};
    struct gp_op_row *ops;
    uint32_t run_count;

    gp_assert_ok(gp_reader_runs(reader, 1, &runs, &run_count, &err), err);
    assert_true(run_count > 0);
    *count = runs[0].op_count;
    ops = gp_xalloc(*count, sizeof *ops);
    gp_assert_ok(gp_reader_ops(reader, runs[0].id, 0, *count, ops, &err), err);
    gp_free(runs);
    return ops;
}

/* ---- our own ------------------------------------------------------------------------------- */

static int by_begin(const void *a, const void *b)
{
    const struct gp_op_row *x = a;
    const struct gp_op_row *y = b;

    if (x->begin != y->begin) {
        return x->begin < y->begin ? -1 : 1;
    }
    return strcmp(x->name, y->name);
}

/* Those with times, by begin, the first at 0. */
static uint32_t sort_timed(struct gp_op_row *ops, uint32_t count)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < count; i++) {
        if (ops[i].begin != GP_UNKNOWN && ops[i].end != GP_UNKNOWN) {
            ops[kept++] = ops[i];
        }
    }
    qsort(ops, kept, sizeof *ops, by_begin);
    for (uint32_t i = kept; i-- > 0;) {
        ops[i].begin -= ops[0].begin;
        ops[i].end -= i > 0 ? ops[0].begin : 0;
    }
    return kept;
}

static void expect_same(const struct gp_op_row *a, const struct gp_op_row *b)
{
    char *name = gp_utf8_copy(a->name);

    assert_string_equal(name, b->name);
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->begin, b->begin);
    assert_int_equal(a->bytes, b->bytes);
    assert_memory_equal(a->grid, b->grid, sizeof a->grid);
    if (a->grid[0] != 0) {
        assert_memory_equal(a->block, b->block, sizeof a->block);
        assert_int_equal(a->regs, b->regs);
        assert_int_equal(a->smem, b->smem);
    }
    gp_free(name);
}

static void expect_round_trip(const char *ours, const char *trace)
{
    struct gp_import_counts counts;
    struct gp_reader *before = NULL;
    struct gp_reader *after = import_and_open(trace, &counts);
    struct gp_error err = {0};
    uint32_t before_count, after_count;
    struct gp_op_row *a, *b;

    gp_assert_ok(gp_reader_open(ours, &before, &err), err);
    a = read_ops(before, &before_count);
    b = read_ops(after, &after_count);
    before_count = sort_timed(a, before_count);
    assert_int_equal(before_count, sort_timed(b, after_count));
    assert_int_equal(before_count, NASTY_OPS - NASTY_UNTIMED);
    for (uint32_t i = 0; i < before_count; i++) {
        expect_same(&a[i], &b[i]);
    }
    assert_int_equal(sum_of(&counts), counts.in);
    gp_free(a);
    gp_free(b);
    gp_reader_close(before);
    gp_reader_close(after);
}

static void compress_file(const char *from, const char *to)
{
    char buffer[4096];
    FILE *in = fopen(from, "rb");
    gzFile out = gzopen(to, "wb");
    size_t count;

    assert_non_null(in);
    assert_non_null(out);
    while ((count = fread(buffer, 1, sizeof buffer, in)) > 0) {
        assert_int_equal(gzwrite(out, buffer, (unsigned)count), count);
    }
    (void)fclose(in);
    assert_int_equal(gzclose(out), Z_OK);
}

/* All kinds and all kinds of names, plain and compressed. */
static void test_our_export_comes_back(void **state)
{
    const char *ours = make_path("nasty.gpuprobe");
    const char *trace = make_path("nasty.json");
    const char *compressed = make_path("nasty.json.gz");
    struct gp_export_options options = {0};

    (void)state;
    write_nasty(ours);
    export_to(ours, "chrome", &options, trace);
    expect_round_trip(ours, trace);
    compress_file(trace, compressed);
    expect_round_trip(ours, compressed);
}

/* ---- Kineto's ------------------------------------------------------------------------------ */

#define KERNEL_EVENT "\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\""

/* Times from 1970, whose differences a double would lose; a launch; a copy; an annotation. */
static void test_kineto(void **state)
{
    struct gp_import_counts counts;
    uint32_t count;
    struct gp_reader *reader = import_and_open(
        write_trace(
            "{\"schemaVersion\":1,\"deviceProperties\":[{\"id\":3,\"name\":\"A\",\"numSms\":10,"
            "\"list\":[1,{\"a\":2}]}],\"traceEvents\":["
            "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":3,\"args\":{\"name\":\"x\"}},"
            "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":77,"
            "\"tid\":78,\"ts\":1700000000000000.001,\"dur\":2.5,\"args\":{\"correlation\":5}},"
            "{" KERNEL_EVENT ",\"pid\":3,\"tid\":7,\"ts\":1700000000000010.002,\"dur\":1,\"args\":"
            "{\"device\":3,\"stream\":7,\"correlation\":5,\"grid\":[4,2,1],\"block\":[32,1,1],"
            "\"registers per thread\":24,\"shared memory\":16}},"
            "{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"Memcpy HtoD (Pinned -> Device)\","
            "\"pid\":3,\"tid\":\"stream 7\",\"ts\":\"1700000000000012.004\",\"dur\":0,\"args\":"
            "{\"stream\":\"stream 9\",\"bytes\":4096,\"memory bandwidth (GB/s)\":Infinity}},"
            "{\"ph\":\"s\",\"id\":5,\"pid\":3,\"tid\":7,\"ts\":1,\"cat\":\"ac2g\",\"name\":\"a\"},"
            "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"step\",\"pid\":77,\"tid\":78,"
            "\"ts\":1700000000000000.001,\"dur\":50},"
            "{\"ph\":\"X\",\"cat\":\"Trace\",\"name\":\"PyTorch Profiler (0)\",\"pid\":\"Spans\","
            "\"tid\":\"x\",\"ts\":1700000000000000,\"dur\":90}]}"),
        &counts);
    struct gp_op_row *ops = read_ops(reader, &count);

    (void)state;
    assert_int_equal(count, 2);
    assert_int_equal(ops[0].begin, 10001);
    assert_int_equal(ops[0].end, 11001);
    assert_int_equal(ops[0].submit_begin, 0);
    assert_int_equal(ops[0].submit_end, 2500);
    assert_int_equal(ops[0].grid[1], 2);
    assert_int_equal(ops[0].regs, 24);
    assert_int_equal(ops[0].smem, 16);
    assert_int_equal(ops[1].kind, GP_OP_H2D);
    assert_int_equal(ops[1].begin, 12003);
    assert_int_equal(ops[1].bytes, 4096);
    assert_int_not_equal(ops[0].stream, ops[1].stream);
    assert_string_equal(gp_reader_device(reader, 1)->name, "A");
    assert_int_equal(gp_reader_device(reader, 1)->sm_count, 10);
    assert_int_equal(counts.in, 7);
    assert_int_equal(counts.ranges, 1);
    assert_int_equal(counts.calls, 1);
    assert_int_equal(counts.lost[GP_IMPORT_NO_RANGE], 1);
    assert_int_equal(counts.lost[GP_IMPORT_MARK], 1);
    assert_int_equal(counts.lost[GP_IMPORT_UNKNOWN], 1);
    gp_free(ops);
    gp_reader_close(reader);
}

#define FIRST                                                                                      \
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"ts\":5,\"dur\":2,\"args\":"       \
    "{\"stream\":1}}"

/* The array form, categories of 2021, a text that breaks off. */
static void test_a_trace_that_breaks_off(void **state)
{
    struct gp_import_counts counts;
    uint32_t count;
    struct gp_reader *reader = import_and_open(
        write_trace(" [{\"ph\":\"X\",\"cat\":\"Kernel\",\"name\":\"k\",\"pid\":0,\"tid\":1,"
                    "\"ts\":5,\"dur\":2,\"args\":{\"stream\":1}},\n"
                    "{\"ph\":\"X\",\"cat\":\"Memset\",\"name\":\"m\",\"pid\":0,\"ts\":9,"
                    "\"dur\":1.5e0,\"args\":{\"stream\":1,\"bytes\":8}},\n"
                    "{\"ph\":\"X\",\"cat\":\"Kernel\",\"name\":\"cut"),
        &counts);
    struct gp_op_row *ops = read_ops(reader, &count);

    static const struct {
        const char *text;
        bool breaks_off;
    } ends[] = {
        {"[" FIRST, false}, /* as Chrome allows */
        {"[" FIRST ",\n", false},
        {"{\"traceEvents\":[" FIRST "]}", false},
        {"{\"traceEvents\":[" FIRST, true},
        {"{\"traceEvents\":[" FIRST "],\"a\":{", true},
        {"{\"traceEvents\":[" FIRST "]", true},
    };

    (void)state;
    assert_int_equal(count, 2);
    assert_int_equal(ops[1].kind, GP_OP_MEMSET);
    assert_int_equal(ops[1].end - ops[1].begin, 1500);
    assert_int_equal(counts.in, 3);
    assert_int_equal(counts.lost[GP_IMPORT_CUT], 1);
    assert_true(counts.breaks_off);
    assert_string_equal(gp_reader_key(reader, "import.breaks_off"), "yes");
    gp_free(ops);
    gp_reader_close(reader);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        reader = import_and_open(write_trace(ends[i].text), &counts);
        assert_int_equal(counts.in, 1);
        assert_int_equal(counts.breaks_off, ends[i].breaks_off);
        gp_reader_close(reader);
    }
}

/* What a compressed file has before it is cut off is taken, and that it is cut is told. */
static void test_a_compressed_trace_that_is_cut(void **state)
{
    enum { EVENTS = 2000, BYTES = 128 };
    const char *path = make_path("part.json.gz");
    struct gp_import_counts counts;
    struct gp_reader *reader;
    struct stat info;
    char *text = gp_xalloc(EVENTS + 1, BYTES);
    size_t used = (size_t)sprintf(text, "[");

    (void)state;
    for (int i = 0; i < EVENTS; i++) {
        used += (size_t)sprintf(text + used,
                                "{" KERNEL_EVENT
                                ",\"pid\":0,\"ts\":%d,\"dur\":1,\"args\":{\"stream\":1}}%s",
                                1 + i * 977, i + 1 < EVENTS ? "," : "]");
    }
    compress_file(write_trace(text), path);
    gp_free(text);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(truncate(path, info.st_size / 2), 0);
    reader = import_and_open(path, &counts);
    assert_true(counts.breaks_off);
    assert_in_range(counts.operations, EVENTS / 4, EVENTS - 1);
    assert_int_equal(sum_of(&counts), counts.in);
    gp_reader_close(reader);
}

static void test_what_cannot_be_is_counted(void **state)
{
    struct gp_import_counts counts;
    struct gp_reader *reader = import_and_open(
        write_trace("[{" KERNEL_EVENT ",\"pid\":0,\"ts\":10,\"dur\":2,\"args\":{\"stream\":1}},"
                    "{" KERNEL_EVENT ",\"pid\":0,\"ts\":10,\"dur\":-2,\"args\":{\"stream\":1}},"
                    "{" KERNEL_EVENT ",\"pid\":0,\"ts\":10,\"args\":{\"stream\":1}},"
                    "{" KERNEL_EVENT
                    ",\"pid\":0,\"ts\":\"soon\",\"dur\":1,\"args\":{\"stream\":1}},"
                    "{" KERNEL_EVENT ",\"pid\":0,\"ts\":1600000000000000,\"dur\":1,"
                    "\"args\":{\"stream\":1}},"
                    "{" KERNEL_EVENT ",\"pid\":0,\"ts\":1,\"dur\":99999999999999999999,"
                    "\"args\":{\"stream\":1}},"
                    "{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"?\",\"pid\":0,\"ts\":3,"
                    "\"dur\":1,\"args\":{\"stream\":1}},"
                    "{\"ph\":\"B\",\"name\":\"half\",\"ts\":1},{},"
                    "null,7,\"text\",[{\"ph\":\"X\"}]]"),
        &counts);

    (void)state;
    assert_int_equal(counts.operations, 1);
    assert_int_equal(counts.lost[GP_IMPORT_BACKWARDS], 1);
    assert_int_equal(counts.lost[GP_IMPORT_NO_TIME], 3);
    assert_int_equal(counts.lost[GP_IMPORT_OUTSIDE], 1);
    assert_int_equal(counts.lost[GP_IMPORT_UNKNOWN], 2);
    assert_int_equal(counts.lost[GP_IMPORT_MARK], 1);
    assert_int_equal(counts.lost[GP_IMPORT_TYPE], 4);
    assert_int_equal(counts.in, 13);
    assert_int_equal(sum_of(&counts), 13);
    gp_reader_close(reader);
}

/* ---- bad files ----------------------------------------------------------------------------- */

static void expect_failure(const char *path, const char *text)
{
    const char *out = make_path("none.gpuprobe");
    struct gp_import_counts counts;
    struct gp_error err = {0};

    assert_int_equal(gp_import_file(path, out, false, &counts, &err), GP_EFORMAT);
    if (strstr(err.text, text) == NULL) {
        fail_msg("'%s' is not in '%s'", text, err.text);
    }
    assert_int_not_equal(access(out, F_OK), 0);
}

static void test_what_is_no_trace(void **state)
{
    static const char event[] =
        "[{" KERNEL_EVENT ",\"pid\":0,\"ts\":1,\"dur\":2,\"args\":{\"stream\":1}}]";
    const char *plain = write_trace(event);
    const char *path = make_path("cut.json.gz");
    struct stat info;
    char *deep;

    (void)state;
    compress_file(plain, path);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(truncate(path, info.st_size - 12), 0);
    expect_failure(path, "cut off where the file ends");
    write_bytes(path, "\x1f\x8bnot compressed", 16);
    expect_failure(path, path);
    expect_failure(write_trace("[]"), "no work of a GPU");
    expect_failure(write_trace("{\"hello\": \"world\"}"), "no work of a GPU");
    expect_failure(write_trace("[1]"), "1 hold something else than numbers");
    expect_failure(write_trace("{\"traceEvents\":[{\"ph\":\"X\",}]}"), "no JSON");
    expect_failure(write_trace("{\"traceEvents\":[]} more"), "no JSON");
    expect_failure(write_trace("{this is C}"), "no JSON");
    deep = gp_xalloc(10000, 1);
    (void)snprintf(deep, 10000, "{\"a\":%0999d", 0);
    memset(strchr(deep, '0'), '[', 999);
    expect_failure(write_trace(deep), "nested deeper");
    gp_free(deep);
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
        cmocka_unit_test(test_our_export_comes_back),
        cmocka_unit_test(test_kineto),
        cmocka_unit_test(test_a_trace_that_breaks_off),
        cmocka_unit_test(test_a_compressed_trace_that_is_cut),
        cmocka_unit_test(test_what_cannot_be_is_counted),
        cmocka_unit_test(test_what_is_no_trace),
    };

    return cmocka_run_group_tests(tests, NULL, remove_all);
}
