/* Kept timelines: the same again, and never one that is not the recording's. */
#include "test.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "probe/memory.h"
#include "store/rows.h"
#include "viewer/layout/cache.h"
#include "viewer/layout/lane.h"
#include "viewer/made.h"

enum { COUNT = 500, STREAMS_USED = 3, RUN = 7 };

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    (void)fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* The kept file: the only one of the folder. */
static const char *find_kept(const char *folder)
{
    static char name[600];
    DIR *entries = opendir(folder);
    struct dirent *entry;
    int count = 0;

    assert_non_null(entries);
    while ((entry = readdir(entries)) != NULL) {
        if (entry->d_name[0] != '.') {
            (void)snprintf(name, sizeof name, "%s/%s", folder, entry->d_name);
            count++;
        }
    }
    (void)closedir(entries);
    assert_int_equal(count, 1);
    return name;
}

static struct gp_view_timeline *make(void)
{
    struct made_op *ops = make_random_ops(COUNT, STREAMS_USED, 300, 3);
    struct gp_view_timeline *timeline;

    /* One length does not fit 32 bits. */
    ops[COUNT - 1].end += INT64_C(10000000000);
    timeline = make_timeline(ops, COUNT, STREAMS_USED);
    gp_free(ops);
    return timeline;
}

static void assert_same(const struct gp_view_timeline *a, const struct gp_view_timeline *b)
{
    assert_int_equal(a->run, b->run);
    assert_int_equal(a->begin_ns, b->begin_ns);
    assert_int_equal(a->end_ns, b->end_ns);
    assert_string_equal(a->device, b->device);
    assert_int_equal(a->name_count, b->name_count);
    for (uint32_t i = 0; i < a->name_count; i++) {
        assert_string_equal(a->names[i], b->names[i]);
    }
    for (uint32_t i = 0; i < a->stream_count; i++) {
        assert_string_equal(a->streams[i].name, b->streams[i].name);
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_int_equal(gp_view_end_ns(&a->tables[0], i), gp_view_end_ns(&b->tables[0], i));
        assert_int_equal(gp_view_waiting_ns(&a->tables[0], i),
                         gp_view_waiting_ns(&b->tables[0], i));
        assert_int_equal(a->tables[0].stream[i], b->tables[0].stream[i]);
    }
    assert_int_equal(a->lane_count, b->lane_count);
    for (uint32_t i = 0; i < a->lane_count; i++) {
        struct gp_view_pieces first = {0}, second = {0};

        for (int64_t pixel_ns = 1; pixel_ns < INT64_C(10000000000); pixel_ns *= 100) {
            gp_view_lane_query(a, &a->lanes[i], a->begin_ns, a->end_ns, (double)pixel_ns, &first);
            gp_view_lane_query(b, &b->lanes[i], a->begin_ns, a->end_ns, (double)pixel_ns, &second);
            assert_int_equal(first.count, second.count);
            for (size_t k = 0; k < first.count; k++) {
                assert_int_equal(first.items[k].begin_ns, second.items[k].begin_ns);
                assert_int_equal(first.items[k].name, second.items[k].name);
                assert_int_equal(first.items[k].busy, second.items[k].busy);
            }
        }
        gp_free(first.items);
        gp_free(second.items);
    }
}

static void test_the_same_again(void **state)
{
    const char *path = make_path("a.gpuprobe"), *folder = make_path("cache");
    struct gp_view_timeline *timeline = make(), *again;

    (void)state;
    write_text(path, "a recording");
    assert_null(gp_view_cache_read(folder, path, RUN));
    assert_true(gp_view_cache_write(folder, path, timeline, NULL));
    again = gp_view_cache_read(folder, path, RUN);
    assert_non_null(again);
    assert_same(timeline, again);
    gp_view_timeline_destroy(again);
    assert_null(gp_view_cache_read(folder, path, RUN + 1));
    gp_view_timeline_destroy(timeline);
    remove_directory();
}

static void test_changed_recordings_are_read_anew(void **state)
{
    const char *path = make_path("a.gpuprobe"), *folder = make_path("cache");
    const char *log = make_path("a.gpuprobe-wal");
    struct gp_view_timeline *timeline = make(), *again;
    const struct timespec times[] = {{1000, 0}, {1000, 0}};

    (void)state;
    write_text(path, "a recording");
    assert_true(gp_view_cache_write(folder, path, timeline, NULL));
    write_text(log, "being written");
    assert_null(gp_view_cache_read(folder, path, RUN));
    assert_false(gp_view_cache_write(folder, path, timeline, NULL));
    assert_int_equal(remove(log), 0);
    again = gp_view_cache_read(folder, path, RUN);
    assert_non_null(again);
    gp_view_timeline_destroy(again);
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    assert_null(gp_view_cache_read(folder, path, RUN));
    assert_true(gp_view_cache_write(folder, path, timeline, NULL));
    write_text(path, "another recording");
    assert_null(gp_view_cache_read(folder, path, RUN));
    assert_int_equal(remove(path), 0);
    assert_null(gp_view_cache_read(folder, path, RUN));
    gp_view_timeline_destroy(timeline);
    remove_directory();
}

static void test_damaged_ones_are_not_believed(void **state)
{
    const char *path = make_path("a.gpuprobe"), *folder = make_path("cache");
    struct gp_view_timeline *timeline = make();
    const char *kept;
    char *bytes;
    size_t size;
    FILE *file;

    (void)state;
    write_text(path, "a recording");
    assert_true(gp_view_cache_write(folder, path, timeline, NULL));
    gp_view_timeline_destroy(timeline);
    kept = find_kept(folder);
    file = fopen(kept, "rb");
    assert_non_null(file);
    bytes = gp_xalloc(1 << 20, 1);
    size = fread(bytes, 1, 1 << 20, file);
    (void)fclose(file);
    assert_in_range(size, 1000, (1 << 20) - 1);
    for (size_t i = 0; i < 400; i++) {
        size_t at = i * (size - 1) / 399;
        bool is_cut = i % 4 == 0;

        file = fopen(kept, "wb");
        assert_non_null(file);
        bytes[at] = (char)(bytes[at] ^ 0x5a);
        (void)fwrite(bytes, 1, is_cut ? at : size, file);
        bytes[at] = (char)(bytes[at] ^ 0x5a);
        (void)fclose(file);
        assert_null(gp_view_cache_read(folder, path, RUN));
    }
    gp_free(bytes);
    remove_directory();
}

/* Small ones are not kept, nor those that came from there, nor what is cancelled. */
static void test_kept_in_the_background(void **state)
{
    enum { MANY = 200001 };
    const char *path = make_path("a.gpuprobe"), *folder = make_path("cache");
    struct made_op *ops = make_random_ops(MANY, STREAMS_USED, 300, 3);
    struct gp_view_timeline *small = make(), *large = make_timeline(ops, MANY, STREAMS_USED);
    struct gp_view_timeline *again;
    atomic_bool is_cancelled = true;

    (void)state;
    gp_free(ops);
    write_text(path, "a recording");
    assert_null(gp_view_keep_begin(folder, path, small));
    assert_false(gp_view_cache_write(folder, path, large, &is_cancelled));
    assert_null(gp_view_cache_read(folder, path, RUN));
    gp_view_keep_finish(gp_view_keep_begin(folder, path, large), false);
    again = gp_view_cache_read(folder, path, RUN);
    assert_non_null(again);
    assert_int_equal(again->tables[GP_VIEW_OPS].count, MANY);
    assert_null(gp_view_keep_begin(folder, path, again));
    gp_view_timeline_destroy(again);
    gp_view_keep_finish(NULL, true);
    gp_view_timeline_destroy(small);
    gp_view_timeline_destroy(large);
    remove_directory();
}

static void test_nowhere_to_keep_it(void **state)
{
    const char *path = make_path("a.gpuprobe");
    struct gp_view_timeline *timeline = make();

    (void)state;
    write_text(path, "a recording");
    assert_false(gp_view_cache_write(make_path("no/such/folder"), path, timeline, NULL));
    assert_false(gp_view_cache_write(make_path("cache"), make_path("none"), timeline, NULL));
    gp_view_timeline_destroy(timeline);
    remove_directory();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_same_again),
        cmocka_unit_test(test_changed_recordings_are_read_anew),
        cmocka_unit_test(test_damaged_ones_are_not_believed),
        cmocka_unit_test(test_kept_in_the_background),
        cmocka_unit_test(test_nowhere_to_keep_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
