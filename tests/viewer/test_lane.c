/* What a lane says of itself, against looking at every span: nothing is lost at any zoom, sums are
 * exact, and the pyramid agrees with the spans below it. */
#include "test.h"

#include <math.h>

#include "core/memory.h"
#include "viewer/layout/lane.h"
#include "viewer/made.h"

enum { COUNT = 3000, STREAMS_USED = 3 };

struct world {
    struct gp_view_timeline *timeline;
    struct gp_view_pieces pieces;
};

static int set_up(void **state)
{
    struct world *world = gp_alloc(1, sizeof *world);
    struct made_op *ops = make_random_ops(COUNT, STREAMS_USED, 500, 1);

    world->timeline = make_timeline(ops, COUNT, STREAMS_USED);
    gp_free(ops);
    *state = world;
    return 0;
}

static int tear_down(void **state)
{
    struct world *world = *state;

    gp_view_timeline_destroy(world->timeline);
    gp_free(world->pieces.items);
    gp_free(world);
    return 0;
}

/* Time of [begin, end) inside [from, to). */
static int64_t common(int64_t begin, int64_t end, int64_t from, int64_t to)
{
    int64_t low = begin > from ? begin : from, high = end < to ? end : to;

    return high > low ? high - low : 0;
}

/* Every span that meets the window is covered by a piece that is busy, or is the piece. */
static void check_nothing_lost(const struct world *world, const struct gp_view_lane *lane,
                               int64_t begin_ns, int64_t end_ns, double pixel_ns)
{
    const struct gp_view_spans *spans = gp_view_lane_spans(world->timeline, lane);
    size_t piece = 0;

    for (uint32_t i = 0; i < lane->count; i++) {
        int64_t from = gp_view_begin_ns(spans, lane->order[i]);
        int64_t to = gp_view_end_ns(spans, lane->order[i]);
        bool is_seen = false;

        if (from >= end_ns || (from == to ? from < begin_ns : to <= begin_ns)) {
            continue;
        }
        from = from > begin_ns ? from : begin_ns;
        while (piece < world->pieces.count && world->pieces.items[piece].end_ns < from) {
            piece++;
        }
        for (size_t k = piece; k < world->pieces.count && !is_seen; k++) {
            const struct gp_view_piece *at = &world->pieces.items[k];

            if (at->begin_ns > from) {
                break;
            }
            is_seen = at->busy > 0 && at->begin_ns <= from && from <= at->end_ns;
        }
        if (!is_seen) {
            fail_msg("span %u is lost with %g ns a pixel", lane->order[i], pixel_ns);
        }
    }
}

/* The pieces say how busy and how waiting the window is, up to their rounding and ends. */
static void check_shares(const struct world *world, const struct gp_view_lane *lane,
                         double pixel_ns)
{
    const struct gp_view_timeline *timeline = world->timeline;
    const struct gp_view_spans *spans = gp_view_lane_spans(timeline, lane);
    double busy = 0, waiting = 0, seen_busy = 0, seen_waiting = 0, length = 0;

    for (uint32_t i = 0; i < lane->count; i++) {
        int64_t begin = gp_view_begin_ns(spans, lane->order[i]);

        busy += (double)(gp_view_end_ns(spans, lane->order[i]) - begin);
        waiting += (double)(begin - gp_view_lane_ready_ns(timeline, lane, i));
    }
    for (size_t k = 0; k < world->pieces.count; k++) {
        const struct gp_view_piece *at = &world->pieces.items[k];
        double ns = (double)(at->end_ns - at->begin_ns);

        assert_true(at->busy > 0 || at->waiting > 0);
        assert_true(at->span != GP_VIEW_NONE || ns <= fmax(pixel_ns, 1));
        assert_true(k == 0 || at[-1].end_ns <= at->begin_ns);
        length += ns;
        seen_busy += ns * at->busy / UINT16_MAX;
        seen_waiting += ns * at->waiting / UINT16_MAX;
    }
    /* 16 bits, rounded up at each level. */
    assert_true(fabs(seen_busy - busy) <= length * 20 / UINT16_MAX + 1);
    /* The waiting of folded pieces is not cut at the spans before. */
    assert_true(fabs(seen_waiting - waiting) <= length * 20 / UINT16_MAX + 0.02 * busy + 1);
}

static void test_nothing_is_lost_at_any_zoom(void **state)
{
    struct world *world = *state;
    const struct gp_view_timeline *timeline = world->timeline;
    int64_t length_ns = timeline->end_ns - timeline->begin_ns;

    for (uint32_t i = 0; i < timeline->lane_count; i++) {
        const struct gp_view_lane *lane = &timeline->lanes[i];

        for (int zoom = 0; zoom < 38; zoom++) {
            double pixel_ns = 0.01 * pow(1.7, zoom);

            gp_view_lane_query(timeline, lane, timeline->begin_ns, timeline->end_ns + 1, pixel_ns,
                               &world->pieces);
            check_nothing_lost(world, lane, timeline->begin_ns, timeline->end_ns + 1, pixel_ns);
            check_shares(world, lane, pixel_ns);
            for (int part = 0; part < 20; part++) {
                int64_t begin_ns = timeline->begin_ns + length_ns * part / 20;
                int64_t end_ns = begin_ns + 1 + length_ns / (part + 5);

                gp_view_lane_query(timeline, lane, begin_ns, end_ns, pixel_ns, &world->pieces);
                check_nothing_lost(world, lane, begin_ns, end_ns, pixel_ns);
            }
        }
    }
}

static void test_few_pieces_whatever_the_zoom(void **state)
{
    struct world *world = *state;
    const struct gp_view_lane *lane = &world->timeline->lanes[0];
    int64_t begin_ns = world->timeline->begin_ns, end_ns = world->timeline->end_ns;

    for (int64_t length_ns = end_ns - begin_ns; length_ns > 10; length_ns /= 3) {
        gp_view_lane_query(world->timeline, lane, begin_ns, begin_ns + length_ns,
                           (double)length_ns / 50, &world->pieces);
        assert_in_range(world->pieces.count, 0, 50 * 4 + 4);
    }
}

/* Bins of every level against the spans themselves. */
static void test_pyramid_is_brute_force(void **state)
{
    struct world *world = *state;
    const struct gp_view_lane *lane = &world->timeline->lanes[1];
    const struct gp_view_spans *spans = gp_view_lane_spans(world->timeline, lane);
    const struct gp_view_pyramid *pyramid = &lane->pyramid;

    assert_true(pyramid->level_count > 5);
    assert_in_range(pyramid->levels[0].count, lane->count / 16, lane->count / 4 + 2);
    for (uint32_t k = 0; k < pyramid->level_count; k++) {
        const struct gp_view_bins *bins = &pyramid->levels[k];

        for (uint32_t b = 0; b < bins->count; b++) {
            int64_t from = gp_view_bin_ns(bins->first + b, pyramid->shift + k);
            int64_t to = gp_view_bin_ns(bins->first + b + 1, pyramid->shift + k);
            double busy = 0, waiting = 0;
            bool is_any = false, is_named = false;

            for (uint32_t i = 0; i < lane->count; i++) {
                int64_t begin = gp_view_begin_ns(spans, lane->order[i]);
                int64_t end = gp_view_end_ns(spans, lane->order[i]);
                bool is_met =
                    begin == end ? begin >= from && begin < to : common(begin, end, from, to) > 0;

                busy += (double)common(begin, end, from, to);
                waiting += (double)common(gp_view_lane_ready_ns(world->timeline, lane, i), begin,
                                          from, to);
                is_any = is_any || is_met;
                is_named = is_named || (is_met && spans->name[lane->order[i]] == bins->name[b]);
            }
            assert_int_equal(bins->busy[b] > 0, is_any);
            assert_int_equal(bins->name[b] != GP_VIEW_NONE, is_any);
            assert_true(!is_any || is_named);
            assert_true(bins->by_name[b] <= bins->busy[b] + 1);
            busy *= UINT16_MAX / (double)(to - from);
            waiting *= UINT16_MAX / (double)(to - from);
            assert_true(bins->busy[b] >= floor(busy) && bins->busy[b] <= ceil(busy) + k + 1);
            assert_true(bins->waiting[b] >= floor(waiting) &&
                        bins->waiting[b] <= ceil(waiting) + k + 1);
        }
    }
}

static void test_sums_are_exact(void **state)
{
    struct world *world = *state;
    const struct gp_view_timeline *timeline = world->timeline;
    int64_t length_ns = timeline->end_ns - timeline->begin_ns;
    uint64_t seed = 5;

    for (int round = 0; round < 300; round++) {
        const struct gp_view_lane *lane = &timeline->lanes[(uint32_t)round % timeline->lane_count];
        const struct gp_view_spans *spans = gp_view_lane_spans(timeline, lane);
        int64_t from = timeline->begin_ns + (int64_t)next_random(&seed) % length_ns;
        int64_t to = from + 1 + (int64_t)next_random(&seed) % (round % 2 == 0 ? 100 : length_ns);
        struct gp_view_sums expected = {0}, sums;

        for (uint32_t i = 0; i < lane->count; i++) {
            int64_t begin = gp_view_begin_ns(spans, lane->order[i]);
            int64_t end = gp_view_end_ns(spans, lane->order[i]);

            if (begin < to && (begin == end ? begin >= from : end > from)) {
                expected.count++;
                expected.busy_ns += common(begin, end, from, to);
                expected.waiting_ns += gp_view_waiting_ns(spans, lane->order[i]);
            }
        }
        gp_view_lane_sum(timeline, lane, from, to, &sums);
        assert_int_equal(sums.count, expected.count);
        assert_int_equal(sums.busy_ns, expected.busy_ns);
        assert_int_equal(sums.waiting_ns, expected.waiting_ns);
    }
}

static void test_every_span_is_found(void **state)
{
    struct world *world = *state;
    const struct gp_view_timeline *timeline = world->timeline;

    assert_int_equal(timeline->undrawn, 0);
    for (uint32_t span = 0; span < COUNT; span++) {
        uint32_t lane = gp_view_lane_of(timeline, GP_VIEW_OPS, span);
        uint32_t position;

        assert_int_not_equal(lane, GP_VIEW_NONE);
        assert_int_equal(timeline->lanes[lane].owner, GP_VIEW_STREAM);
        assert_int_equal(timeline->lanes[lane].owner_index, span % STREAMS_USED);
        position = gp_view_lane_position(timeline, &timeline->lanes[lane], span);
        assert_int_equal(timeline->lanes[lane].order[position], span);
    }
}

static void test_long_durations_are_not_cut(void **state)
{
    const int64_t second = INT64_C(1000000000);
    const struct made_op ops[] = {
        {0, 0, 3600 * second, 0, GP_UNKNOWN, -1},
        {0, 7200 * second, 7201 * second, 1, 3601 * second, -1},
    };
    struct gp_view_timeline *timeline = make_timeline(ops, 2, 1);
    struct gp_view_pieces pieces = {0};
    struct gp_view_sums sums;

    (void)state;
    gp_view_lane_sum(timeline, &timeline->lanes[0], 0, 7201 * second, &sums);
    assert_int_equal(sums.busy_ns, 3601 * second);
    assert_int_equal(sums.waiting_ns, 3599 * second);
    gp_view_lane_query(timeline, &timeline->lanes[0], 0, 7201 * second, 1e9, &pieces);
    assert_int_equal(pieces.count, 3);
    assert_int_equal(pieces.items[0].end_ns, 3600 * second);
    assert_int_equal(pieces.items[1].begin_ns, 3601 * second);
    assert_int_equal(pieces.items[1].busy, 0);
    assert_int_equal(pieces.items[2].span, 1);
    gp_free(pieces.items);
    gp_view_timeline_destroy(timeline);
}

/* No bin lies on both sides of time 0. */
static void test_few_spans_on_both_sides_of_0(void **state)
{
    const struct made_op ops[] = {{0, -100, -50, 0, GP_UNKNOWN, -1}, {0, 70, 90, 1, -1, -1}};
    struct gp_view_timeline *timeline = make_timeline(ops, 2, 1);
    struct gp_view_pieces pieces = {0};

    (void)state;
    assert_int_equal(timeline->lanes[0].pyramid.levels[0].count, 2);
    gp_view_lane_query(timeline, &timeline->lanes[0], -1000, 1000, 1000, &pieces);
    assert_int_equal(pieces.count, 2);
    assert_int_equal(pieces.items[0].name, 0);
    assert_int_equal(pieces.items[1].name, 1);
    gp_free(pieces.items);
    gp_view_timeline_destroy(timeline);
}

static void test_overlap_gets_lanes_of_its_own(void **state)
{
    const struct made_op ops[] = {
        {0, 0, 100, 0, GP_UNKNOWN, -1},   {0, 10, 60, 1, GP_UNKNOWN, -1},
        {0, 20, 30, 2, GP_UNKNOWN, -1},   {0, 60, 70, 3, GP_UNKNOWN, -1},
        {0, 100, 100, 0, GP_UNKNOWN, -1}, {0, 100, 120, 0, GP_UNKNOWN, -1},
        {0, 100, 100, 1, GP_UNKNOWN, -1}, {0, GP_UNKNOWN, GP_UNKNOWN, 1, 0, -1},
    };
    const uint32_t depths[] = {0, 1, 2, 1, 0, 0, 0};
    struct gp_view_timeline *timeline = make_timeline(ops, 8, 1);

    (void)state;
    assert_int_equal(timeline->lane_count, 3);
    for (uint32_t i = 0; i < 7; i++) {
        uint32_t lane = gp_view_lane_of(timeline, GP_VIEW_OPS, i);

        assert_int_equal(timeline->lanes[lane].depth, depths[i]);
    }
    assert_int_equal(gp_view_lane_of(timeline, GP_VIEW_OPS, 7), GP_VIEW_NONE);
    assert_int_equal(timeline->undrawn, 1);
    gp_view_timeline_destroy(timeline);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_nothing_is_lost_at_any_zoom, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_few_pieces_whatever_the_zoom, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_pyramid_is_brute_force, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_sums_are_exact, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_every_span_is_found, set_up, tear_down),
        cmocka_unit_test(test_long_durations_are_not_cut),
        cmocka_unit_test(test_few_spans_on_both_sides_of_0),
        cmocka_unit_test(test_overlap_gets_lanes_of_its_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
