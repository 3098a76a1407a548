/* Dependencies of a recording, and those around a selection. */
#include "test.h"

#include <stdlib.h>

#include "probe/memory.h"
#include "probe/store/writer.h"
#include "store/rows.h"
#include "viewer/layout/links.h"

enum { OP_COUNT = 1200 };

/*
 * 0 → 1 → 2 → 3, 0 → 3 (missing), 3 → 4 … 3 → 1003
 */
static struct gp_view_edges *load_edges(void)
{
    const char *path = make_path("edges.gpuprobe");
    struct gp_edge_row edges[4 + 1000];
    struct gp_error err = {0};
    struct gp_writer *writer = NULL;
    struct gp_reader *reader = NULL;
    struct gp_view_edges *loaded = NULL;
    struct gp_device_row device = make_device(1);
    struct gp_cell_row cell = make_cell(1, 1);
    struct gp_run_rows rows = make_run(1, 1, OP_COUNT);
    uint32_t count = 0;

    for (uint32_t i = 0; i < 3; i++) {
        edges[count++] = (struct gp_edge_row){i, i + 1, GP_EDGE_DATA, GP_HOW_EVENT};
    }
    edges[count++] = (struct gp_edge_row){0, 3, GP_EDGE_DATA, GP_HOW_MISSING};
    for (uint32_t i = 0; i < 1000; i++) {
        edges[count++] = (struct gp_edge_row){3, 4 + i, GP_EDGE_FORK, GP_HOW_STREAM};
    }
    free((void *)rows.edges);
    rows.edges = edges;
    rows.edge_count = count;
    gp_assert_ok(gp_writer_create(path, true, &writer, &err), err);
    gp_assert_ok(gp_writer_add_device(writer, &device, &err), err);
    gp_assert_ok(gp_writer_add_cell(writer, &cell, &err), err);
    gp_assert_ok(gp_writer_add_run(writer, &rows, &err), err);
    gp_assert_ok(gp_writer_finish(writer, true, &err), err);
    rows.edges = NULL;
    free_run(&rows);
    gp_assert_ok(gp_reader_open(path, &reader, &err), err);
    assert_int_equal(gp_view_edges_load(reader, 1, 3, &loaded, &err), GP_EINVAL);
    assert_null(loaded);
    gp_assert_ok(gp_view_edges_load(reader, 1, OP_COUNT, &loaded, &err), err);
    gp_reader_close(reader);
    remove_directory();
    return loaded;
}

static void test_both_directions(void **state)
{
    struct gp_view_edges *edges = load_edges();
    uint32_t count;
    const uint32_t *ops = gp_view_edges_before(edges, 3, &count);

    (void)state;
    assert_int_equal(count, 2);
    assert_int_equal(ops[0], 0);
    assert_int_equal(ops[1], 2);
    (void)gp_view_edges_after(edges, 3, &count);
    assert_int_equal(count, 1000);
    ops = gp_view_edges_after(edges, 0, &count);
    assert_int_equal(count, 2);
    assert_int_equal(ops[0] + ops[1], 4);
    (void)gp_view_edges_before(edges, 0, &count);
    assert_int_equal(count, 0);
    (void)gp_view_edges_after(edges, OP_COUNT - 1, &count);
    assert_int_equal(count, 0);
    gp_view_edges_destroy(edges);
    gp_view_edges_destroy(NULL);
}

static void test_nearest_first_and_bounded(void **state)
{
    struct gp_view_edges *edges = load_edges();
    struct gp_view_link links[GP_VIEW_LINKS_MAX];
    uint32_t count = gp_view_links_find(edges, 2, 1, links, GP_VIEW_LINKS_MAX);

    (void)state;
    assert_int_equal(count, 2);
    assert_int_equal(links[0].from, 1);
    assert_int_equal(links[0].to, 2);
    assert_int_equal(links[1].from, 2);
    assert_int_equal(links[1].to, 3);
    count = gp_view_links_find(edges, 2, 9, links, GP_VIEW_LINKS_MAX);
    assert_int_equal(count, GP_VIEW_LINKS_MAX);
    for (uint32_t i = 1; i < count; i++) {
        assert_true(links[i].distance >= links[i - 1].distance);
    }
    assert_int_equal(gp_view_links_find(edges, 2, 9, links, 7), 7);
    /* 3 waits for 2 and for 0, which nothing keeps. */
    assert_int_equal(gp_view_links_find(edges, 3, 1, links, 2), 2);
    assert_int_equal(links[0].from, 0);
    assert_true(links[0].is_missing);
    assert_false(links[1].is_missing);
    assert_int_equal(gp_view_links_find(edges, OP_COUNT - 1, 5, links, GP_VIEW_LINKS_MAX), 0);
    gp_view_edges_destroy(edges);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_directions),
        cmocka_unit_test(test_nearest_first_and_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
