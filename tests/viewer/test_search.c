/* Finding spans: by name, along a lane, across rows, and edges to snap to, against looking at all.
 */
#include "test.h"

#include <string.h>

#include "probe/memory.h"
#include "viewer/layout/lane.h"
#include "viewer/layout/search.h"
#include "viewer/made.h"

enum { COUNT = 600, STREAMS_USED = 3, PARTS = 100 };

struct world {
    struct gp_view_timeline *timeline;
    struct gp_view_rows *rows;
};

static int set_up(void **state)
{
    struct world *world = gp_xalloc(1, sizeof *world);
    struct made_op *ops = make_random_ops(COUNT, STREAMS_USED, 200, 9);

    world->timeline = make_timeline(ops, COUNT, STREAMS_USED);
    world->rows = gp_view_rows_create(world->timeline);
    gp_free(ops);
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

static const struct gp_view_pick nothing = {GP_VIEW_OPS, GP_VIEW_NONE, GP_VIEW_NONE};

static void test_names(void **state)
{
    const struct world *world = *state;
    uint8_t matches[MADE_NAMES];

    assert_int_equal(gp_view_search_names(world->timeline, "COPY", matches), 2);
    assert_int_equal(matches[0] + matches[2], 0);
    assert_int_equal(gp_view_search_names(world->timeline, "gemm", matches), 1);
    assert_int_equal(gp_view_search_names(world->timeline, "gemmm", matches), 0);
    assert_int_equal(gp_view_search_names(world->timeline, "", matches), 0);
}

static void test_hits_are_where_the_spans_are(void **state)
{
    const struct world *world = *state;
    const struct gp_view_timeline *timeline = world->timeline;
    const struct gp_view_spans *spans = &timeline->tables[GP_VIEW_OPS];
    const struct gp_view_window bounds = gp_view_window_all(timeline->begin_ns, timeline->end_ns);
    uint8_t matches[MADE_NAMES] = {0, 1, 0, 0};
    uint8_t hits[PARTS], expected[PARTS] = {0};
    uint64_t count = 0;

    for (uint32_t i = 0; i < COUNT; i++) {
        if (spans->name[i] == 1) {
            size_t from = (size_t)gp_view_window_x(bounds, PARTS, spans->begin_ns[i]);
            size_t to = (size_t)gp_view_window_x(bounds, PARTS, gp_view_end_ns(spans, i));

            count++;
            memset(&expected[from], 1, to - from + 1);
        }
    }
    assert_int_equal(gp_view_search_hits(timeline, matches, bounds, hits, PARTS), count);
    assert_memory_equal(hits, expected, PARTS);
    assert_int_equal(gp_view_search_hits(timeline, matches, bounds, NULL, 0), count);
    /* Outside of the bounds nothing is written. */
    gp_view_search_hits(timeline, matches, (struct gp_view_window){-99999, -90000}, hits, PARTS);
    memset(expected, 0, sizeof expected);
    assert_memory_equal(hits, expected, PARTS - 1);
}

/* Steps in one direction visit every match once, in order of begin, and then begin again. */
static void check_walk(const struct world *world, const uint8_t *matches, bool is_forward)
{
    const struct gp_view_timeline *timeline = world->timeline;
    const struct gp_view_spans *spans = &timeline->tables[GP_VIEW_OPS];
    uint8_t seen[COUNT] = {0};
    uint64_t count = gp_view_search_hits(timeline, matches, (struct gp_view_window){0, 1}, NULL, 0);
    struct gp_view_pick first = nothing, at = nothing;

    for (uint64_t i = 0; i < count; i++) {
        struct gp_view_pick next =
            gp_view_search_step(timeline, world->rows, matches, at, is_forward);

        assert_int_not_equal(next.span, GP_VIEW_NONE);
        assert_true(matches[spans->name[next.span]]);
        assert_int_equal(seen[next.span], 0);
        assert_int_equal(next.lane, gp_view_lane_of(timeline, GP_VIEW_OPS, next.span));
        seen[next.span] = 1;
        if (i == 0) {
            first = next;
        } else {
            int64_t before = spans->begin_ns[at.span], begin = spans->begin_ns[next.span];

            assert_true(is_forward ? begin >= before : begin <= before);
        }
        at = next;
    }
    at = gp_view_search_step(timeline, world->rows, matches, at, is_forward);
    assert_int_equal(at.span, first.span);
}

static void test_steps_visit_every_match(void **state)
{
    const struct world *world = *state;
    const uint8_t some[MADE_NAMES] = {0, 1, 0, 1}, all[MADE_NAMES] = {1, 1, 1, 1};
    const uint8_t none[MADE_NAMES] = {0};

    check_walk(world, some, true);
    check_walk(world, some, false);
    check_walk(world, all, true);
    check_walk(world, all, false);
    assert_int_equal(gp_view_search_step(world->timeline, world->rows, none, nothing, true).span,
                     GP_VIEW_NONE);
}

static void test_hidden_rows_are_not_searched(void **state)
{
    const struct world *world = *state;
    const uint8_t all[MADE_NAMES] = {1, 1, 1, 1};
    struct gp_view_pick at = nothing;

    gp_view_rows_hide(world->rows, 0, true);
    assert_int_equal(gp_view_search_step(world->timeline, world->rows, all, at, true).span,
                     GP_VIEW_NONE);
    gp_view_rows_pin(world->rows, 2, true);
    for (int i = 0; i < 50; i++) {
        at = gp_view_search_step(world->timeline, world->rows, all, at, true);
        assert_int_equal(at.span % STREAMS_USED, 1);
    }
}

static void test_steps_along_a_lane(void **state)
{
    const struct world *world = *state;
    const struct gp_view_timeline *timeline = world->timeline;
    struct gp_view_pick at = {GP_VIEW_OPS, 0, gp_view_lane_of(timeline, GP_VIEW_OPS, 0)};

    assert_int_equal(gp_view_step_lane(timeline, at, false).span, 0);
    for (uint32_t i = 1; i < COUNT / STREAMS_USED; i++) {
        at = gp_view_step_lane(timeline, at, true);
        assert_int_equal(at.span, i * STREAMS_USED);
    }
    assert_int_equal(gp_view_step_lane(timeline, at, true).span, at.span);
    assert_int_equal(gp_view_step_lane(timeline, nothing, true).span, GP_VIEW_NONE);
}

static void test_steps_to_other_rows(void **state)
{
    const struct made_op ops[] = {
        {0, 0, 100, 0, GP_UNKNOWN, -1},   {0, 50, 70, 0, GP_UNKNOWN, -1},
        {1, 0, 10, 0, GP_UNKNOWN, -1},    {1, 45, 60, 0, GP_UNKNOWN, -1},
        {1, 300, 310, 0, GP_UNKNOWN, -1},
    };
    struct gp_view_timeline *timeline = make_timeline(ops, 5, 2);
    struct gp_view_rows *rows = gp_view_rows_create(timeline);
    struct gp_view_pick at = {GP_VIEW_OPS, 0, 0};

    (void)state;
    assert_int_equal(gp_view_step_row(timeline, rows, at, false).span, 0);
    at = gp_view_step_row(timeline, rows, at, true);
    assert_int_equal(at.span, 1);
    at = gp_view_step_row(timeline, rows, at, true);
    assert_int_equal(at.span, 3);
    assert_int_equal(gp_view_step_row(timeline, rows, at, true).span, 3);
    at = gp_view_step_row(timeline, rows, at, false);
    assert_int_equal(at.span, 1);
    gp_view_rows_destroy(rows);
    gp_view_timeline_destroy(timeline);
}

static void test_snap_is_the_nearest_edge(void **state)
{
    const struct world *world = *state;
    const struct gp_view_timeline *timeline = world->timeline;
    const struct gp_view_spans *spans = &timeline->tables[GP_VIEW_OPS];
    int64_t length_ns = timeline->end_ns - timeline->begin_ns;
    uint64_t seed = 2;

    for (int round = 0; round < 200; round++) {
        int64_t at_ns = timeline->begin_ns + (int64_t)next_random(&seed) % length_ns;
        int64_t reach_ns = round % 30, away_ns = INT64_MAX;
        int64_t snapped_ns = gp_view_snap(timeline, world->rows, at_ns, reach_ns);

        for (uint32_t i = 0; i < COUNT; i++) {
            int64_t edges[] = {spans->begin_ns[i], gp_view_end_ns(spans, i)};

            for (int e = 0; e < 2; e++) {
                int64_t distance_ns = edges[e] > at_ns ? edges[e] - at_ns : at_ns - edges[e];

                away_ns = distance_ns < away_ns ? distance_ns : away_ns;
            }
        }
        if (away_ns > reach_ns) {
            assert_int_equal(snapped_ns, at_ns);
        } else {
            assert_int_equal(snapped_ns > at_ns ? snapped_ns - at_ns : at_ns - snapped_ns, away_ns);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_names, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_hits_are_where_the_spans_are, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_steps_visit_every_match, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_hidden_rows_are_not_searched, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_steps_along_a_lane, set_up, tear_down),
        cmocka_unit_test(test_steps_to_other_rows),
        cmocka_unit_test_setup_teardown(test_snap_is_the_nearest_edge, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
