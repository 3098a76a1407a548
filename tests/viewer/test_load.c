/* The loader: columns are the file's, whatever the number of threads; what cannot be read is said.
 */
#include "test.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "probe/memory.h"
#include "probe/store/reader.h"
#include "store/recordings.h"
#include "store/rows.h"
#include "viewer/layout/lane.h"
#include "viewer/layout/load.h"
#include "viewer/layout/sample.h"

enum { MANY = 30000, TRACED = 2 };

static int load(const char *path, int64_t run, uint32_t threads, struct gp_view_timeline **out,
                struct gp_error *err)
{
    const struct gp_view_load_options options = {.path = path, .run = run, .threads = threads};
    struct gp_view_load *loading = NULL;
    int code = gp_view_load_begin(&options, &loading, err);

    return code != 0 ? code : gp_view_load_finish(loading, out, err);
}

/* A recording whose run 1 has so many operations. */
static const char *write_ops(uint32_t count, bool has_rest)
{
    const char *path = make_path("many.gpuprobe");
    struct gp_error err = {0};
    struct gp_writer *writer = NULL;
    struct gp_device_row device = make_device(1);
    struct gp_cell_row cell = make_cell(1, 1);
    struct gp_run_rows rows = make_run(1, 1, count);

    rows.access_count = rows.range_count = 0;
    if (!has_rest) {
        rows.edge_count = rows.call_count = 0;
    }
    gp_assert_ok(gp_writer_create(path, true, &writer, &err), err);
    gp_assert_ok(gp_writer_add_device(writer, &device, &err), err);
    gp_assert_ok(gp_writer_add_cell(writer, &cell, &err), err);
    gp_assert_ok(gp_writer_add_run(writer, &rows, &err), err);
    gp_assert_ok(gp_writer_finish(writer, true, &err), err);
    free_run(&rows);
    return path;
}

static const char *write_many(void)
{
    return write_ops(MANY, true);
}

static void check_ops(const char *path, int64_t run, const struct gp_view_timeline *timeline)
{
    const struct gp_view_spans *spans = &timeline->tables[GP_VIEW_OPS];
    struct gp_op_row *ops = gp_xalloc(spans->count, sizeof *ops);
    struct gp_error err = {0};
    struct gp_reader *reader = NULL;

    gp_assert_ok(gp_reader_open(path, &reader, &err), err);
    gp_assert_ok(gp_reader_ops(reader, run, 0, spans->count, ops, &err), err);
    for (uint32_t i = 0; i < spans->count; i++) {
        assert_int_equal(gp_view_begin_ns(spans, i), ops[i].begin);
        assert_int_equal(gp_view_end_ns(spans, i), ops[i].end);
        assert_int_equal(gp_view_waiting_ns(spans, i), ops[i].begin - ops[i].ready);
        assert_int_equal(gp_view_narrow_get(&spans->begin_early_ns, i),
                         ops[i].begin - ops[i].begin_lo);
        assert_int_equal(gp_view_narrow_get(&spans->begin_late_ns, i),
                         ops[i].begin_hi - ops[i].begin);
        assert_int_equal(gp_view_narrow_get(&spans->end_early_ns, i), ops[i].end - ops[i].end_lo);
        assert_int_equal(gp_view_narrow_get(&spans->end_late_ns, i), ops[i].end_hi - ops[i].end);
        assert_string_equal(timeline->names[spans->name[i]], ops[i].name);
        assert_int_equal(spans->stream[i], ops[i].stream);
        assert_int_equal(spans->kind[i], ops[i].kind);
        assert_int_equal(spans->source[i], ops[i].source);
        assert_int_equal(spans->engine[i], ops[i].engine);
    }
    gp_free(ops);
    gp_reader_close(reader);
}

static void test_columns_are_the_files(void **state)
{
    const char *path = write_many();

    (void)state;
    for (uint32_t threads = 1; threads <= 4; threads++) {
        struct gp_error err = {0};
        struct gp_view_timeline *timeline = NULL;
        size_t calls = 0;

        gp_assert_ok(load(path, 1, threads, &timeline, &err), err);
        assert(timeline != NULL);
        assert_int_equal(timeline->tables[GP_VIEW_OPS].count, MANY);
        check_ops(path, 1, timeline);
        assert_int_equal(timeline->stream_count, 2);
        assert_int_equal(timeline->streams[1].id, 3);
        assert_string_equal(timeline->streams[1].role, "copies");
        assert_true(timeline->is_modelled);
        for (uint32_t i = 0; i < timeline->lane_count; i++) {
            calls += timeline->lanes[i].owner == GP_VIEW_CALL_THREAD ? timeline->lanes[i].count : 0;
        }
        assert_int_equal(calls, MANY);
        assert_int_equal(timeline->tables[GP_VIEW_CALLS].op[2], 2);
        assert_int_equal(timeline->tables[GP_VIEW_CALLS].op[3], GP_VIEW_NONE);
        /* The calls take 22 bytes and lanes of them 9. */
        assert_in_range(gp_view_timeline_bytes(timeline) / MANY, 40, 64 + 31);
        gp_view_timeline_destroy(timeline);
    }
    remove_directory();
}

/* A first look is there before the whole, which takes its place. */
static void test_large_runs_are_seen_before_they_are_read(void **state)
{
    const char *path = write_ops(GP_VIEW_SAMPLE_FROM, false);
    const struct gp_view_load_options options = {.path = path, .run = 1, .threads = 2};
    struct gp_error err = {0};
    struct gp_view_load *loading = NULL;
    struct gp_view_timeline *timeline = NULL, *sample;
    struct gp_view_progress progress = {0};
    int64_t begin_ns = 0, end_ns = 0;
    uint32_t sample_count = 0, op_count = 0;

    (void)state;
    gp_assert_ok(gp_view_load_begin(&options, &loading, &err), err);
    while (!progress.is_over) {
        gp_view_load_look(loading, &progress);
        sample = gp_view_load_sample(loading);
        if (sample != NULL) {
            assert_true(gp_view_is_sample(sample));
            assert_true(sample->tables[GP_VIEW_OPS].count >= op_count);
            op_count = sample->tables[GP_VIEW_OPS].count;
            begin_ns = sample->begin_ns;
            end_ns = sample->end_ns;
            sample_count++;
            gp_view_timeline_destroy(sample);
        }
    }
    assert_in_range(sample_count, 1, 4);
    assert_in_range(op_count, 32000, GP_VIEW_SAMPLE_FROM - 1);
    gp_assert_ok(gp_view_load_finish(loading, &timeline, &err), err);
    assert_false(gp_view_is_sample(timeline));
    assert_int_equal(timeline->tables[GP_VIEW_OPS].count, GP_VIEW_SAMPLE_FROM);
    assert_int_equal(timeline->begin_ns, begin_ns);
    assert_int_equal(timeline->end_ns, end_ns);
    check_ops(path, 1, timeline);
    gp_view_timeline_destroy(timeline);
    remove_directory();
}

static void test_every_table_is_there(void **state)
{
    const char *path = make_path("whole.gpuprobe");
    struct gp_error err = {0};
    struct gp_view_timeline *timeline = NULL;
    const struct gp_view_spans *ranges;

    (void)state;
    write_file(path);
    gp_assert_ok(load(path, TRACED, 0, &timeline, &err), err);
    assert(timeline != NULL);
    check_ops(path, TRACED, timeline);
    ranges = &timeline->tables[GP_VIEW_RANGES];
    assert_int_equal(ranges->count, OPS);
    assert_string_equal(timeline->names[ranges->name[0]], "op, \"quoted\"\nline");
    assert_int_equal(gp_view_end_ns(ranges, 2) - gp_view_begin_ns(ranges, 2), 40);
    /* Range 1 was never closed. */
    assert_int_equal(gp_view_begin_ns(ranges, 1), GP_UNKNOWN);
    assert_int_equal(timeline->undrawn, 1);
    assert_int_equal(timeline->thread_count, 1);
    gp_view_timeline_destroy(timeline);
    remove_directory();
}

static void expect_error(const char *path, int64_t run, int code, const char *words)
{
    struct gp_error err = {0};
    struct gp_view_timeline *timeline = (void *)&err;

    assert_int_equal(load(path, run, 2, &timeline, &err), code);
    assert_null(timeline);
    if (strstr(err.text, words) == NULL) {
        fail_msg("'%s' does not say '%s'", err.text, words);
    }
}

static void test_what_cannot_be_read_is_said(void **state)
{
    const char *path = make_path("some.gpuprobe");
    const char *other = make_path("text.gpuprobe");
    FILE *file;

    (void)state;
    write_file(path);
    expect_error(make_path("nothing.gpuprobe"), 1, GP_ENOTFOUND, "nothing.gpuprobe");
    file = fopen(other, "w");
    assert_non_null(file);
    (void)fputs("this is no database at all, and long enough for a header of one: really it is not",
                file);
    (void)fclose(file);
    expect_error(other, 1, GP_EFORMAT, "text.gpuprobe");
    expect_error(path, 99, GP_ENOTFOUND, "there is no run 99");
    expect_error(path, 1, GP_ENOTFOUND, "kept no operations");
    remove_directory();
}

static void test_cancelled_loads_end(void **state)
{
    const char *path = write_many();

    (void)state;
    for (int round = 0; round < 5; round++) {
        const struct gp_view_load_options options = {.path = path, .run = 1, .threads = 3};
        struct gp_error err = {0};
        struct gp_view_load *loading = NULL;
        struct gp_view_timeline *timeline = NULL;
        struct gp_view_progress progress;
        int code;

        gp_assert_ok(gp_view_load_begin(&options, &loading, &err), err);
        gp_view_load_cancel(loading);
        gp_view_load_look(loading, &progress);
        assert_true(progress.done <= MANY);
        code = gp_view_load_finish(loading, &timeline, &err);
        /* It may have been just over. */
        assert_true(code == 0 || code == GP_EINTERRUPTED);
        assert_int_equal(timeline != NULL, code == 0);
        gp_view_timeline_destroy(timeline);
    }
    remove_directory();
}

static void count_notice(void *user)
{
    ++*(int *)user;
}

static void test_the_end_is_told_once(void **state)
{
    const char *path = make_path("told.gpuprobe");
    int notices = 0;
    struct gp_view_load_options options = {
        .path = path, .run = TRACED, .notify = count_notice, .user = &notices};
    struct gp_error err = {0};
    struct gp_view_load *loading = NULL;
    struct gp_view_timeline *timeline = NULL;

    (void)state;
    write_file(path);
    gp_assert_ok(gp_view_load_begin(&options, &loading, &err), err);
    gp_assert_ok(gp_view_load_finish(loading, &timeline, &err), err);
    assert_int_equal(notices, 1);
    gp_view_timeline_destroy(timeline);
    options.run = 99;
    gp_assert_ok(gp_view_load_begin(&options, &loading, &err), err);
    assert_int_equal(gp_view_load_finish(loading, &timeline, &err), GP_ENOTFOUND);
    assert_int_equal(notices, 2);
    assert_int_equal(gp_view_load_finish(NULL, &timeline, &err), GP_EINVAL);
    remove_directory();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns_are_the_files),
        cmocka_unit_test(test_large_runs_are_seen_before_they_are_read),
        cmocka_unit_test(test_every_table_is_there),
        cmocka_unit_test(test_what_cannot_be_read_is_said),
        cmocka_unit_test(test_cancelled_loads_end),
        cmocka_unit_test(test_the_end_is_told_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
