/* The tree of rows: folding, hiding, pinning, order and filter. */
#include "test.h"

#include <string.h>

#include "core/memory.h"
#include "viewer/layout/rows.h"
#include "viewer/made.h"

/* Stream 0 overlaps itself, stream 1 has a copy, stream 2 is unused. */
static const struct made_op ops[] = {
    {0, 0, 100, 0, GP_UNKNOWN, -1},
    {0, 50, 150, 1, GP_UNKNOWN, -1},
    {1, 20, 80, 2, GP_UNKNOWN, 0},
};

/* Rows as they are made. */
enum { DEVICE, STREAM_0, STREAM_1, STREAM_2, ENGINES, ENGINE_0, ROW_COUNT };
/* Lanes as they are made. */
enum { LANE_0, LANE_0_BELOW, LANE_1, LANE_ENGINE };

struct world {
    struct gp_view_timeline *timeline;
    struct gp_view_rows *rows;
};

static int set_up(void **state)
{
    struct world *world = gp_alloc(1, sizeof *world);

    world->timeline = make_timeline(ops, 3, 3);
    world->rows = gp_view_rows_create(world->timeline);
    *state = world;
    return 0;
}

static int tear_down(void **state)
{
    struct world *world = *state;

    gp_view_rows_destroy(world->rows);
    gp_view_timeline_destroy(world->timeline);
    gp_free(world);
    return 0;
}

/* expected: rows by number, for example "012345". */
static void expect_shown(const struct world *world, const char *expected)
{
    uint32_t count;
    const uint32_t *shown = gp_view_rows_shown(world->rows, &count);
    char text[ROW_COUNT + 1] = "";

    for (uint32_t i = 0; i < count; i++) {
        text[i] = (char)('0' + shown[i]);
    }
    assert_string_equal(text, expected);
}

static void test_rows_are_the_device(void **state)
{
    const struct world *world = *state;
    uint32_t count;
    const struct gp_view_row *rows = gp_view_rows_all(world->rows, &count);

    assert_int_equal(count, ROW_COUNT);
    assert_string_equal(rows[DEVICE].label, "made (modelled)");
    assert_int_equal(rows[DEVICE].lane_count, 3);
    assert_int_equal(rows[STREAM_0].kind, GP_VIEW_ROW_STREAM);
    assert_int_equal(rows[STREAM_0].lane_count, 2);
    assert_int_equal(rows[STREAM_0].level, 1);
    assert_int_equal(gp_view_row_strips(&rows[STREAM_0]), 2);
    assert_int_equal(gp_view_row_strips(&rows[DEVICE]), 1);
    assert_int_equal(rows[STREAM_2].lane_count, 0);
    assert_int_equal(gp_view_row_strips(&rows[STREAM_2]), 1);
    assert_string_equal(rows[ENGINE_0].label, "engine 0");
    assert_int_equal(rows[ENGINE_0].parent, ENGINES);
    assert_int_equal(rows[ENGINE_0].lane_first, LANE_ENGINE);
    assert_false(rows[STREAM_1].can_fold);
    expect_shown(world, "012345");
}

static void test_folding(void **state)
{
    const struct world *world = *state;
    uint32_t count;
    const struct gp_view_row *rows = gp_view_rows_all(world->rows, &count);

    gp_view_rows_fold(world->rows, DEVICE, true);
    expect_shown(world, "045");
    assert_int_equal(gp_view_rows_find(world->rows, LANE_1), DEVICE);
    gp_view_rows_fold(world->rows, DEVICE, false);
    gp_view_rows_fold(world->rows, STREAM_0, true);
    expect_shown(world, "012345");
    assert_int_equal(gp_view_row_strips(&rows[STREAM_0]), 1);
    assert_int_equal(gp_view_rows_find(world->rows, LANE_0_BELOW), STREAM_0);
    /* There is nothing to fold. */
    gp_view_rows_fold(world->rows, STREAM_1, true);
    assert_false(rows[STREAM_1].is_folded);
    gp_view_rows_fold_all(world->rows, true);
    expect_shown(world, "04");
    gp_view_rows_fold_all(world->rows, false);
    expect_shown(world, "012345");
    assert_int_equal(gp_view_row_strips(&rows[STREAM_0]), 2);
}

static void test_hiding(void **state)
{
    const struct world *world = *state;

    gp_view_rows_hide(world->rows, STREAM_1, true);
    expect_shown(world, "01345");
    /* The device's strip still has it. */
    assert_int_equal(gp_view_rows_find(world->rows, LANE_1), DEVICE);
    gp_view_rows_hide(world->rows, ENGINES, true);
    expect_shown(world, "013");
    assert_int_equal(gp_view_rows_find(world->rows, LANE_ENGINE), GP_VIEW_NONE);
    gp_view_rows_unhide_all(world->rows);
    expect_shown(world, "012345");
}

static void test_pinned_rows_come_first(void **state)
{
    const struct world *world = *state;

    gp_view_rows_pin(world->rows, ENGINE_0, true);
    gp_view_rows_pin(world->rows, STREAM_1, true);
    expect_shown(world, "250134");
    gp_view_rows_fold(world->rows, DEVICE, true);
    expect_shown(world, "2504");
    assert_int_equal(gp_view_rows_find(world->rows, LANE_1), STREAM_1);
    gp_view_rows_pin(world->rows, STREAM_1, false);
    gp_view_rows_fold(world->rows, DEVICE, false);
    expect_shown(world, "501234");
}

static void test_moving_among_siblings(void **state)
{
    const struct world *world = *state;

    gp_view_rows_move(world->rows, STREAM_0, 1);
    expect_shown(world, "021345");
    gp_view_rows_move(world->rows, STREAM_0, 100);
    expect_shown(world, "023145");
    gp_view_rows_move(world->rows, STREAM_0, -2);
    expect_shown(world, "012345");
    gp_view_rows_move(world->rows, DEVICE, 1);
    expect_shown(world, "450123");
    gp_view_rows_move(world->rows, DEVICE, -5);
    expect_shown(world, "012345");
    gp_view_rows_move(world->rows, ENGINE_0, -1);
    expect_shown(world, "012345");
}

static void test_filter(void **state)
{
    const struct world *world = *state;

    gp_view_rows_filter(world->rows, "ENGINE 0");
    expect_shown(world, "45");
    gp_view_rows_filter(world->rows, "made");
    expect_shown(world, "0123");
    gp_view_rows_filter(world->rows, "nowhere");
    expect_shown(world, "");
    gp_view_rows_filter(world->rows, "");
    expect_shown(world, "012345");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_rows_are_the_device, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_folding, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_hiding, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_pinned_rows_come_first, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_moving_among_siblings, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_filter, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
