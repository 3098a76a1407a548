/* First looks at large runs: what they must show, and what they must not claim. */
#include "test.h"

#include <math.h>
#include <string.h>

#include "probe/memory.h"
#include "viewer/layout/lane.h"
#include "viewer/layout/layout.h"
#include "viewer/layout/sample.h"
#include "viewer/made.h"

enum { COUNT = 300000, STREAMS_USED = 5, RARE = 4, RARE_EVERY = 100, CHUNK = 8192, LENGTH = 700 };

/* Streams 0 … 3 in turn, and every 100th operation on stream 4; the second half of the time the
 * streams run half as much. */
static struct gp_op_outline *make_outlines(void)
{
    struct gp_op_outline *outlines = gp_xalloc(COUNT, sizeof *outlines);

    for (uint32_t i = 0; i < COUNT; i++) {
        int64_t begin = (int64_t)(i / 4) * 1000;

        outlines[i] = (struct gp_op_outline){
            .begin = begin,
            .end = begin + (i < COUNT / 2 ? LENGTH : LENGTH / 2),
            .begin_lo = GP_UNKNOWN,
            .begin_hi = GP_UNKNOWN,
            .end_lo = GP_UNKNOWN,
            .end_hi = GP_UNKNOWN,
            .ready = begin - 100,
            .name = i < COUNT / 2 ? 0 : 2,
            .stream = i % RARE_EVERY == 0 ? RARE : i % 4,
            .engine = -1,
            .kind = GP_OP_KERNEL,
            .source = GP_SOURCE_STAMP,
        };
    }
    return outlines;
}

struct look {
    struct gp_op_outline *outlines;
    struct gp_view_sample *sample;
    struct gp_stream_row streams[STREAMS_USED];
    struct gp_run_row run;
    struct gp_device_row device;
    struct gp_view_head head;
};

static int begin(void **state)
{
    struct look *look = gp_xalloc(1, sizeof *look);

    look->outlines = make_outlines();
    look->sample = gp_view_sample_create(COUNT);
    for (uint32_t i = 0; i < STREAMS_USED; i++) {
        look->streams[i] = (struct gp_stream_row){.id = i, .role = "", .name = "stream"};
    }
    look->run.id = 7;
    look->device.name = "made";
    look->head = (struct gp_view_head){.run = &look->run,
                                       .device = &look->device,
                                       .streams = look->streams,
                                       .stream_count = STREAMS_USED,
                                       .strings = made_names,
                                       .string_count = MADE_NAMES};
    *state = look;
    return 0;
}

static int end(void **state)
{
    struct look *look = *state;

    gp_view_sample_destroy(look->sample);
    gp_free(look->outlines);
    gp_free(look);
    return 0;
}

/* What the loader gives first. */
static void put_first(struct look *look)
{
    for (uint32_t i = 0; i <= GP_VIEW_SAMPLE_BLOCKS; i += GP_VIEW_SAMPLE_STEP) {
        uint32_t block = i < GP_VIEW_SAMPLE_BLOCKS ? i : GP_VIEW_SAMPLE_BLOCKS - 1;
        uint32_t first = gp_view_sample_first(look->sample, block);

        gp_view_sample_put(look->sample, first, look->outlines + first, GP_VIEW_SAMPLE_ROWS);
    }
}

/* The share of a lane that is busy in a part of time, as it would be drawn. */
static double busy_share(const struct gp_view_timeline *timeline, const struct gp_view_lane *lane,
                         int64_t begin_ns, int64_t end_ns, double pixel_ns)
{
    struct gp_view_pieces pieces = {0};
    double busy_ns = 0;

    gp_view_lane_query(timeline, lane, begin_ns, end_ns, pixel_ns, &pieces);
    for (size_t i = 0; i < pieces.count; i++) {
        const struct gp_view_piece *piece = &pieces.items[i];
        double from = fmax((double)piece->begin_ns, (double)begin_ns);
        double to = fmin((double)piece->end_ns, (double)end_ns);

        busy_ns += (to - from) * piece->busy / UINT16_MAX;
    }
    gp_free(pieces.items);
    return busy_ns / (double)(end_ns - begin_ns);
}

static void test_it_shows_the_whole_run(void **state)
{
    struct look *look = *state;
    const struct gp_view_spans *ops;
    struct gp_view_timeline *timeline;
    double stands_for = 0;

    put_first(look);
    timeline = gp_view_sample_make(look->sample, &look->head);
    ops = &timeline->tables[GP_VIEW_OPS];
    assert_true(gp_view_is_sample(timeline));
    assert_in_range(ops->count, 32000, 34000);
    /* From the first ready to the last end. */
    assert_int_equal(timeline->begin_ns, -100);
    assert_int_equal(timeline->end_ns, look->outlines[COUNT - 1].end);
    for (uint32_t i = 0; i < ops->count; i++) {
        stands_for += ops->weight[i];
    }
    assert_in_range((long)stands_for, COUNT - COUNT / 1000, COUNT + COUNT / 1000);
    /* Each stream, the one with 1 % of the operations too. */
    assert_int_equal(timeline->lane_count, STREAMS_USED);
    for (uint32_t i = 0; i < STREAMS_USED; i++) {
        assert_int_equal(timeline->lanes[i].owner_index, i);
    }
    gp_view_timeline_destroy(timeline);
}

static void assert_estimates(const struct gp_view_timeline *timeline)
{
    int64_t middle_ns = timeline->end_ns / 2, tenth_ns = timeline->end_ns / 10;

    for (uint32_t i = 0; i < RARE; i++) {
        /* Every 25th operation of stream 0 is on the rare one. */
        double share = i == 0 ? 24.0 / 25 : 1;
        const struct gp_view_lane *lane = &timeline->lanes[i];

        for (int64_t at_ns = tenth_ns; at_ns < middle_ns - tenth_ns; at_ns += tenth_ns) {
            double early = busy_share(timeline, lane, at_ns, at_ns + tenth_ns, 1e5);
            double late =
                busy_share(timeline, lane, middle_ns + at_ns, middle_ns + at_ns + tenth_ns, 1e5);

            assert_float_equal(early, share * LENGTH / 1000, 0.07);
            assert_float_equal(late, share * LENGTH / 2000, 0.04);
        }
        /* However close one looks, it is the same estimate. */
        assert_true(busy_share(timeline, lane, middle_ns / 2, middle_ns / 2 + 5000, 1) > 0.5);
    }
}

/* While all is read the estimate gets closer, and never forgets the parts that are not. */
static void test_it_gets_better(void **state)
{
    struct look *look = *state;
    struct gp_view_timeline *first, *second, *third;
    uint32_t chunks = COUNT / CHUNK + 1;

    put_first(look);
    first = gp_view_sample_make(look->sample, &look->head);
    for (uint32_t i = 0; i < chunks; i += 2) {
        uint32_t from = i * CHUNK, count = COUNT - from < CHUNK ? COUNT - from : CHUNK;

        gp_view_sample_put(look->sample, from, look->outlines + from, count);
    }
    second = gp_view_sample_make(look->sample, &look->head);
    for (uint32_t i = 1; i < chunks; i += 2) {
        uint32_t from = i * CHUNK, count = COUNT - from < CHUNK ? COUNT - from : CHUNK;

        gp_view_sample_put(look->sample, from, look->outlines + from, count);
    }
    third = gp_view_sample_make(look->sample, &look->head);
    assert_true(second->tables[GP_VIEW_OPS].count > first->tables[GP_VIEW_OPS].count);
    assert_true(third->tables[GP_VIEW_OPS].count > second->tables[GP_VIEW_OPS].count);
    /* Nothing twice: no operation hides another of its stream. */
    assert_int_equal(third->lane_count, STREAMS_USED);
    assert_estimates(first);
    assert_estimates(second);
    assert_estimates(third);
    gp_view_timeline_destroy(first);
    gp_view_timeline_destroy(second);
    gp_view_timeline_destroy(third);
}

/* It says what it is, and nothing in it is pointed at. */
static void test_it_is_called_a_sample(void **state)
{
    struct look *look = *state;
    struct gp_view_timeline *timeline;
    struct gp_view_scene scene = {.width = 980, .height = 300, .scale = 1};
    struct gp_view_frame frame = {0};
    uint32_t colors[MADE_NAMES];
    bool is_said = false;

    put_first(look);
    timeline = gp_view_sample_make(look->sample, &look->head);
    gp_view_color_names(GP_VIEW_LIGHT, made_names, MADE_NAMES, colors);
    scene.timeline = timeline;
    scene.rows = gp_view_rows_create(timeline);
    scene.window = gp_view_window_all(timeline->begin_ns, timeline->end_ns);
    scene.colors = colors;
    gp_view_layout_minimap(&scene, NULL, 0, &frame);
    for (size_t i = 0; i < frame.item_count; i++) {
        is_said = is_said || (frame.items[i].kind == GP_VIEW_TEXT &&
                              strstr(frame.texts + frame.items[i].u.text.first, "sample") != NULL);
    }
    assert_true(is_said);
    gp_view_layout_rows(&scene, &frame);
    assert_true(frame.strip_count >= STREAMS_USED);
    for (int x = 180; x < 980; x++) {
        for (int y = 0; y < 300; y += 5) {
            assert_int_equal(gp_view_layout_pick(&scene, &frame, x, y).span, GP_VIEW_NONE);
        }
    }
    gp_view_frame_finish(&frame);
    gp_view_rows_destroy((struct gp_view_rows *)scene.rows);
    gp_view_timeline_destroy(timeline);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_it_shows_the_whole_run, begin, end),
        cmocka_unit_test_setup_teardown(test_it_gets_better, begin, end),
        cmocka_unit_test_setup_teardown(test_it_is_called_a_sample, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
