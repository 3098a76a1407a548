/* Frames: what lies where, that no operation is without a pixel, and that a place leads back to
 * what is drawn there. */
#include "test.h"

#include <math.h>
#include <string.h>

#include "probe/memory.h"
#include "viewer/layout/fill.h"
#include "viewer/layout/lane.h"
#include "viewer/layout/lanes.h"
#include "viewer/layout/layout.h"
#include "viewer/layout/running.h"
#include "viewer/made.h"

enum { MANY = 4000, MANY_STREAMS = 4 };

/* Two streams; the second's first operation waits from 40 to 200. */
static const struct made_op few[] = {
    {0, 0, 400, 0, GP_UNKNOWN, -1},
    {0, 400, 900, 0, GP_UNKNOWN, -1},
    {1, 200, 600, 2, 40, -1},
    {1, 650, 650, 3, GP_UNKNOWN, -1},
};

struct world {
    struct gp_view_timeline *timeline;
    struct gp_view_rows *rows;
    uint32_t colors[MADE_NAMES];
    struct gp_view_frame frame;
    struct gp_view_scene scene;
};

static void *make_world(const struct made_op *ops, uint32_t count, uint32_t stream_count)
{
    struct world *world = gp_xalloc(1, sizeof *world);

    world->timeline = make_timeline(ops, count, stream_count);
    world->rows = gp_view_rows_create(world->timeline);
    gp_view_color_names(GP_VIEW_LIGHT, made_names, MADE_NAMES, world->colors);
    world->scene = (struct gp_view_scene){
        .timeline = world->timeline,
        .rows = world->rows,
        .window = {0, 1000},
        .width = 1180,
        .height = 400,
        .scale = 1,
        .colors = world->colors,
    };
    return world;
}

static int set_up_few(void **state)
{
    *state = make_world(few, 4, 2);
    return 0;
}

static int set_up_many(void **state)
{
    struct made_op *ops = make_random_ops(MANY, MANY_STREAMS, 300, 4);
    struct world *world = make_world(ops, MANY, MANY_STREAMS);

    world->scene.window = gp_view_window_all(world->timeline->begin_ns, world->timeline->end_ns);
    gp_free(ops);
    *state = world;
    return 0;
}

static int tear_down(void **state)
{
    struct world *world = *state;

    gp_view_frame_finish(&world->frame);
    gp_view_rows_destroy(world->rows);
    gp_view_timeline_destroy(world->timeline);
    gp_free(world);
    return 0;
}

static const struct gp_view_strip *strip_of(const struct world *world, uint32_t row, uint32_t index)
{
    for (size_t i = 0; i < world->frame.strip_count; i++) {
        if (world->frame.strips[i].row == row && index-- == 0) {
            return &world->frame.strips[i];
        }
    }
    fail_msg("row %u has no such strip", (unsigned)row);
    return NULL;
}

static uint32_t pixel(const struct world *world, const struct gp_view_strip *strip, uint32_t column)
{
    return world->frame.pixels[strip->first + column];
}

static const struct gp_view_item *text_of(const struct world *world, const char *text, size_t skip)
{
    for (size_t i = 0; i < world->frame.item_count; i++) {
        const struct gp_view_item *item = &world->frame.items[i];

        if (item->kind == GP_VIEW_TEXT &&
            strcmp(&world->frame.texts[item->u.text.first], text) == 0 && skip-- == 0) {
            return item;
        }
    }
    return NULL;
}

static void test_spans_lie_on_their_pixels(void **state)
{
    struct world *world = *state;
    const struct gp_view_strip *strip;

    gp_view_layout_rows(&world->scene, &world->frame);
    /* The device and two streams; 1 ns is 1 pixel. */
    assert_int_equal(world->frame.strip_count, 3);
    strip = strip_of(world, 1, 0);
    assert_int_equal(strip->columns, 1000);
    assert_int_equal(strip->lines, 1);
    assert_true(strip->rect.x == 180 && strip->rect.width == 1000);
    assert_int_equal(pixel(world, strip, 0), world->colors[0]);
    assert_int_equal(pixel(world, strip, 398), world->colors[0]);
    /* Spans that touch are told apart. */
    assert_int_not_equal(pixel(world, strip, 399), world->colors[0]);
    assert_int_equal(pixel(world, strip, 400), world->colors[0]);
    assert_int_equal(pixel(world, strip, 900), 0);
    strip = strip_of(world, 2, 0);
    assert_int_equal(pixel(world, strip, 39), 0);
    assert_int_equal(pixel(world, strip, 200), world->colors[2]);
    assert_int_equal(pixel(world, strip, 640), 0);
    /* Without duration, and yet there. */
    assert_int_not_equal(pixel(world, strip, 650), 0);
    assert_int_equal(pixel(world, strip, 651), 0);
}

static void test_waiting_is_hatched(void **state)
{
    struct world *world = *state;
    const struct gp_view_strip *strip;
    int strong = 0, weak = 0, changes = 0;

    gp_view_layout_rows(&world->scene, &world->frame);
    strip = strip_of(world, 2, 0);
    for (uint32_t i = 40; i < 200; i++) {
        uint32_t alpha = pixel(world, strip, i) >> 24;

        assert_in_range(alpha, 1, 254);
        strong += alpha > 128;
        weak += alpha <= 128;
        changes += (alpha > 128) != (pixel(world, strip, i - 1) >> 24 > 128);
    }
    assert_int_equal(strong, 80);
    assert_int_equal(weak, 80);
    assert_in_range(changes, 78, 82);
}

static void test_uncertain_edges_are_soft(void **state)
{
    const struct gp_op_outline outline = {.begin = 300,
                                          .end = 700,
                                          .begin_lo = 200,
                                          .begin_hi = 400,
                                          .end_lo = 700,
                                          .end_hi = 700,
                                          .ready = GP_UNKNOWN,
                                          .engine = -1};
    struct gp_view_fill fill;
    struct world *world = *state;
    const struct gp_view_strip *strip;
    uint32_t before = 0;

    gp_view_rows_destroy(world->rows);
    gp_view_timeline_destroy(world->timeline);
    world->timeline = gp_view_fill_begin(
        &fill,
        &(struct gp_view_head){.run = &(struct gp_run_row){.id = 7},
                               .device = &(struct gp_device_row){.name = "made"},
                               .streams = &(struct gp_stream_row){.role = "", .name = ""},
                               .stream_count = 1,
                               .strings = made_names,
                               .string_count = MADE_NAMES},
        1);
    gp_view_fill_ops(&fill, 0, &outline, 1);
    gp_view_fill_end(&fill);
    gp_view_lanes_build(world->timeline, 2);
    world->rows = gp_view_rows_create(world->timeline);
    world->scene.timeline = world->timeline;
    world->scene.rows = world->rows;
    gp_view_layout_rows(&world->scene, &world->frame);
    strip = strip_of(world, 1, 0);
    assert_int_equal(pixel(world, strip, 199), 0);
    for (uint32_t i = 200; i < 400; i++) {
        uint32_t alpha = pixel(world, strip, i) >> 24;

        assert_true(alpha >= before && alpha > 0);
        before = alpha;
    }
    assert_true((pixel(world, strip, 200) >> 24) < 110);
    assert_int_equal(pixel(world, strip, 410), world->colors[0]);
    assert_int_equal(pixel(world, strip, 690), world->colors[0]);
    assert_int_equal(pixel(world, strip, 700), 0);
    /* On what is soft nothing could be read. */
    assert_non_null(text_of(world, made_names[0], 0));
    assert_true(text_of(world, made_names[0], 0)->rect.x >= 180 + 400);
    assert_non_null(text_of(world, "stream 0", 0));
}

static void test_labels_where_there_is_room(void **state)
{
    struct world *world = *state;
    const struct gp_view_item *label;

    gp_view_layout_rows(&world->scene, &world->frame);
    label = text_of(world, "gemm", 1);
    assert_non_null(label);
    assert_true(label->rect.x > 580 && label->rect.x + label->rect.width < 1080);
    assert_int_equal(label->color, gp_view_color_on(world->colors[0]));
    assert_null(text_of(world, "gemm", 2));
    assert_null(text_of(world, "copy out", 0));
    assert_non_null(text_of(world, "made (modelled)", 0));
    world->scene.window.end_ns = 100000;
    gp_view_layout_rows(&world->scene, &world->frame);
    assert_null(text_of(world, "gemm", 0));
}

/* Everything sharp lies on device pixels, at every scale. */
static void test_edges_lie_on_pixels(void **state)
{
    struct world *world = *state;

    for (int halves = 2; halves <= 6; halves++) {
        double scale = halves / 2.0;

        world->scene.scale = scale;
        world->scene.scroll = 3.3;
        gp_view_layout_rows(&world->scene, &world->frame);
        for (size_t i = 0; i < world->frame.strip_count; i++) {
            const struct gp_view_strip *strip = &world->frame.strips[i];
            const double values[] = {strip->rect.x, strip->rect.y, strip->rect.width,
                                     strip->rect.height};

            for (int k = 0; k < 4; k++) {
                assert_true(fabs(values[k] * scale - round(values[k] * scale)) < 1e-6);
            }
            assert_int_equal(strip->columns, (uint32_t)round(strip->rect.width * scale));
        }
    }
}

static void test_no_operation_is_without_a_pixel(void **state)
{
    struct world *world = *state;
    const struct gp_view_spans *spans = &world->timeline->tables[GP_VIEW_OPS];
    const struct gp_view_window all = world->scene.window;

    for (int zoom = 0; zoom < 11; zoom++) {
        struct gp_view_window window =
            gp_view_window_zoom(all, all, (all.begin_ns + all.end_ns) / 2, pow(3, -zoom));

        world->scene.window = window;
        gp_view_layout_rows(&world->scene, &world->frame);
        for (uint32_t i = 0; i < MANY; i++) {
            const struct gp_view_strip *strip = strip_of(world, 1 + i % MANY_STREAMS, 0);
            double x = gp_view_window_x(window, strip->columns, spans->begin_ns[i]);

            if (x >= 0 && x < strip->columns) {
                /* Rounded when it is wide, else the pixel that it is in. */
                uint32_t column = (uint32_t)fmin(round(x), strip->columns - 1);

                assert_true(pixel(world, strip, (uint32_t)x) >> 24 > 0 ||
                            pixel(world, strip, column) >> 24 > 0);
            }
        }
    }
}

static void test_a_place_leads_back_to_its_span(void **state)
{
    struct world *world = *state;
    const struct gp_view_spans *spans = &world->timeline->tables[GP_VIEW_OPS];
    int found = 0;

    world->scene.window.begin_ns = world->timeline->begin_ns;
    world->scene.window.end_ns = world->scene.window.begin_ns + 3000;
    gp_view_layout_rows(&world->scene, &world->frame);
    for (uint32_t i = 0; i < MANY; i++) {
        struct gp_view_pick pick = {GP_VIEW_OPS, i,
                                    gp_view_lane_of(world->timeline, GP_VIEW_OPS, i)};
        struct gp_view_rect rect;
        struct gp_view_pick back;

        assert_true(gp_view_layout_find(&world->scene, pick, &rect));
        if (rect.width < 1 || rect.x < 180 || rect.x + rect.width > 1180) {
            continue;
        }
        back = gp_view_layout_pick(&world->scene, &world->frame, rect.x + rect.width / 2,
                                   rect.y + rect.height / 2);
        assert_int_equal(back.span, i);
        assert_int_equal(back.lane, pick.lane);
        assert_true(gp_view_end_ns(spans, i) > spans->begin_ns[i]);
        found++;
    }
    assert_true(found > 20);
    assert_int_equal(gp_view_layout_pick(&world->scene, &world->frame, 5, 5).span, GP_VIEW_NONE);
    assert_int_equal(gp_view_layout_pick(&world->scene, &world->frame, 500, 399).span,
                     GP_VIEW_NONE);
}

static void test_tiny_spans_can_be_picked(void **state)
{
    struct world *world = *state;
    const struct gp_view_strip *strip;
    struct gp_view_pick pick;

    gp_view_layout_rows(&world->scene, &world->frame);
    strip = strip_of(world, 2, 0);
    pick = gp_view_layout_pick(&world->scene, &world->frame, 180 + 653, strip->rect.y + 3);
    assert_int_equal(pick.span, 3);
    pick = gp_view_layout_pick(&world->scene, &world->frame, 180 + 660, strip->rect.y + 3);
    assert_int_equal(pick.span, GP_VIEW_NONE);
    /* Where it waits it is the one that waits. */
    pick = gp_view_layout_pick(&world->scene, &world->frame, 180 + 100, strip->rect.y + 3);
    assert_int_equal(pick.span, 2);
}

static void test_scrolled_rows_stay_below_pinned_ones(void **state)
{
    struct world *world = *state;
    double content, pinned_end;

    gp_view_layout_rows(&world->scene, &world->frame);
    content = world->frame.content_height;
    gp_view_rows_pin(world->rows, 2, true);
    world->scene.scroll = 30;
    gp_view_layout_rows(&world->scene, &world->frame);
    assert_true(world->frame.content_height == content);
    pinned_end = strip_of(world, 2, 0)->rect.y + strip_of(world, 2, 0)->rect.height;
    assert_true(strip_of(world, 2, 0)->rect.y < 5);
    for (size_t i = 0; i < world->frame.strip_count; i++) {
        const struct gp_view_strip *strip = &world->frame.strips[i];

        assert_true(strip->row == 2 || strip->rect.y >= pinned_end);
        assert_true(strip->rect.height > 0);
    }
}

static void test_only_what_is_seen_is_laid_out(void **state)
{
    struct world *world = *state;

    world->scene.height = 10;
    gp_view_layout_rows(&world->scene, &world->frame);
    assert_int_equal(world->frame.strip_count, 1);
    world->scene.width = 100;
    gp_view_layout_rows(&world->scene, &world->frame);
    assert_int_equal(world->frame.strip_count, 0);
}

static void test_matches_stand_out(void **state)
{
    struct world *world = *state;
    const uint8_t matches[MADE_NAMES] = {0, 0, 1, 0};

    world->scene.matches = matches;
    gp_view_layout_rows(&world->scene, &world->frame);
    assert_int_equal(pixel(world, strip_of(world, 2, 0), 300), world->colors[2]);
    assert_in_range(pixel(world, strip_of(world, 1, 0), 300) >> 24, 20, 80);
}

static void test_overlay(void **state)
{
    struct world *world = *state;
    const struct gp_view_link link = {.from = 0, .to = 2, .distance = 1, .is_missing = true};
    const int64_t marks[] = {100, 5000};
    const struct gp_view_overlay overlay = {
        .selected = {GP_VIEW_OPS, 3, 1},
        .hovered = {GP_VIEW_OPS, GP_VIEW_NONE, 0},
        .cursor_ns = 500,
        .range_begin_ns = 300,
        .range_end_ns = 100,
        .marks_ns = marks,
        .mark_count = 2,
        .links = &link,
        .link_count = 1,
        .has_focus = true,
    };
    int kinds[GP_VIEW_BEZIER + 1] = {0};

    gp_view_layout_overlay(&world->scene, &overlay, &world->frame);
    for (size_t i = 0; i < world->frame.item_count; i++) {
        const struct gp_view_item *item = &world->frame.items[i];

        kinds[item->kind]++;
        if (item->kind == GP_VIEW_BEZIER) {
            assert_true(item->rect.x == 180 + 400);
            assert_true(item->rect.width == -200 && item->rect.height > 0);
            assert_int_equal(item->color, gp_view_palette(GP_VIEW_LIGHT)->cursor);
        }
    }
    /* Both ends of the range, a mark that is seen and the cursor; the selection and the focus. */
    assert_int_equal(kinds[GP_VIEW_LINE], 4);
    assert_int_equal(kinds[GP_VIEW_OUTLINE], 2);
    assert_int_equal(kinds[GP_VIEW_BEZIER], 1);
    assert_non_null(text_of(world, "200 ns", 0));
    assert_int_equal(world->frame.strip_count, 0);
}

/* What is measured elsewhere leaves nothing at the edge, and a label keeps off the headers. */
static void test_measure_at_the_edges(void **state)
{
    struct world *world = *state;
    struct gp_view_overlay overlay = {
        .selected = {GP_VIEW_OPS, GP_VIEW_NONE, 0},
        .hovered = {GP_VIEW_OPS, GP_VIEW_NONE, 0},
        .cursor_ns = GP_UNKNOWN,
        .range_begin_ns = world->scene.window.end_ns + 100,
        .range_end_ns = world->scene.window.end_ns + 300,
    };

    gp_view_layout_overlay(&world->scene, &overlay, &world->frame);
    assert_int_equal(world->frame.item_count, 0);
    overlay.range_begin_ns = world->scene.window.begin_ns - 190;
    overlay.range_end_ns = world->scene.window.begin_ns + 10;
    gp_view_layout_overlay(&world->scene, &overlay, &world->frame);
    assert_non_null(text_of(world, "200 ns", 0));
    assert_true(text_of(world, "200 ns", 0)->rect.x >= 180);
}

static void test_minimap_shows_all_and_the_window(void **state)
{
    struct world *world = *state;
    const uint8_t hits[4] = {0, 1, 1, 0};
    const struct gp_view_strip *strip;
    int matches = 0;

    world->scene.window = (struct gp_view_window){100, 200};
    world->scene.height = 40;
    gp_view_layout_minimap(&world->scene, hits, 4, &world->frame);
    assert_int_equal(world->frame.strip_count, 1);
    strip = &world->frame.strips[0];
    assert_int_equal(strip->lines, 2);
    assert_int_not_equal(pixel(world, strip, 300), 0);
    assert_int_not_equal(pixel(world, strip, strip->columns + 300), 0);
    for (size_t i = 0; i < world->frame.item_count; i++) {
        if (world->frame.items[i].color == gp_view_palette(GP_VIEW_LIGHT)->match) {
            assert_true(world->frame.items[i].rect.x == 180 + 250);
            assert_true(world->frame.items[i].rect.width == 500);
            matches++;
        }
    }
    assert_int_equal(matches, 1);
    assert_int_equal(gp_view_frame_at(&world->frame, 500, 20)->kind, GP_VIEW_REGION_MINIMAP);
}

static void test_running_is_how_many(void **state)
{
    struct world *world = *state;
    const struct gp_view_idle idle = {905, 995, 1};
    const struct gp_view_strip *strip;
    uint32_t color = gp_view_palette(GP_VIEW_LIGHT)->running;
    bool is_idle = false;

    world->scene.height = 40;
    gp_view_layout_running(&world->scene, &idle, 1, &world->frame);
    strip = &world->frame.strips[0];
    assert_int_equal(strip->lines, 40);
    assert_non_null(text_of(world, "running, up to 2; idle for:", 0));
    /* One until 200, two until 600, nothing from 900. Line 0 is the upper one. */
    assert_int_equal(pixel(world, strip, 100), 0);
    assert_int_equal(pixel(world, strip, 20 * strip->columns + 100), color);
    assert_int_equal(pixel(world, strip, 300), color);
    assert_int_equal(pixel(world, strip, 399), color);
    assert_int_equal(pixel(world, strip, 19 * strip->columns + 700), 0);
    assert_int_equal(pixel(world, strip, 39 * strip->columns + 950), 0);
    for (size_t i = 0; i < world->frame.item_count; i++) {
        is_idle = is_idle || (world->frame.items[i].rect.x == 180 + 905 &&
                              world->frame.items[i].rect.width == 90);
    }
    assert_true(is_idle);
    /* The header says what its colour means. */
    assert_non_null(text_of(world, "order", 0));
    assert_null(text_of(world, "host", 0));
    assert_int_equal(gp_view_running_at(world->scene.timeline, 100), 1);
    assert_int_equal(gp_view_running_at(world->scene.timeline, 300), 2);
    assert_int_equal(gp_view_running_at(world->scene.timeline, 950), 0);
    /* Where nothing runs at all. */
    world->scene.window = (struct gp_view_window){910, 990};
    gp_view_layout_running(&world->scene, NULL, 0, &world->frame);
    assert_non_null(text_of(world, "running, up to 0", 0));
}

static void assert_same_pixels(const struct gp_view_frame *left, const struct gp_view_frame *right)
{
    assert_int_equal(left->pixel_count, right->pixel_count);
    assert_memory_equal(left->pixels, right->pixels, left->pixel_count * sizeof *left->pixels);
}

/* Every lane once a window, by whichever of the two comes first. */
static void test_kept_answers_are_those_of_the_window(void **state)
{
    struct world *world = *state;
    struct gp_view_asked asked = {.columns = 0};
    struct gp_view_window all = world->scene.window;
    struct gp_view_frame kept = {0};
    struct gp_view_scene scene = world->scene;

    scene.asked = &asked;
    for (int step = 0; step < 24; step++) {
        struct gp_view_window window =
            gp_view_window_zoom(all, all, all.end_ns / 3, pow(0.8, step));

        scene.width = world->scene.width = 700 + step % 5;
        scene.window = world->scene.window = gp_view_window_pan(window, all, 0.01 * (step % 3));
        gp_view_layout_rows(&world->scene, &world->frame);
        gp_view_layout_rows(&scene, &kept);
        assert_same_pixels(&kept, &world->frame);
        assert_true(asked.lane_count > 0 && asked.lanes[0].is_known);
        gp_view_layout_running(&world->scene, NULL, 0, &world->frame);
        gp_view_layout_running(&scene, NULL, 0, &kept);
        assert_same_pixels(&kept, &world->frame);
    }
    gp_view_asked_forget(&asked);
    assert_null(asked.lanes);
    gp_view_frame_finish(&kept);
}

static void test_ruler_has_ticks_and_units(void **state)
{
    struct world *world = *state;

    gp_view_layout_ruler(&world->scene, &world->frame);
    assert_non_null(text_of(world, "0", 0));
    assert_non_null(text_of(world, "200 ns", 0));
    assert_true(text_of(world, "200 ns", 0)->rect.x == 180 + 200 + 3);
    /* At the end there is no room for it, and half of it would be another time. */
    assert_null(text_of(world, "1.0 µs", 0));
    world->scene.window.end_ns = 1100;
    gp_view_layout_ruler(&world->scene, &world->frame);
    assert_non_null(text_of(world, "1.0 µs", 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_spans_lie_on_their_pixels, set_up_few, tear_down),
        cmocka_unit_test_setup_teardown(test_waiting_is_hatched, set_up_few, tear_down),
        cmocka_unit_test_setup_teardown(test_uncertain_edges_are_soft, set_up_few, tear_down),
        cmocka_unit_test_setup_teardown(test_labels_where_there_is_room, set_up_few, tear_down),
        cmocka_unit_test_setup_teardown(test_edges_lie_on_pixels, set_up_few, tear_down),
        cmocka_unit_test_setup_teardown(test_no_operation_is_without_a_pixel, set_up_many,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_a_place_leads_back_to_its_span, set_up_many,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_tiny_spans_can_be_picked, set_up_few, tear_down),
        cmocka_unit_test_setup_teardown(test_scrolled_rows_stay_below_pinned_ones, set_up_few,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_only_what_is_seen_is_laid_out, set_up_few, tear_down),
        cmocka_unit_test_setup_teardown(test_matches_stand_out, set_up_few, tear_down),
        cmocka_unit_test_setup_teardown(test_overlay, set_up_few, tear_down),
        cmocka_unit_test_setup_teardown(test_measure_at_the_edges, set_up_few, tear_down),
        cmocka_unit_test_setup_teardown(test_minimap_shows_all_and_the_window, set_up_few,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_running_is_how_many, set_up_few, tear_down),
        cmocka_unit_test_setup_teardown(test_kept_answers_are_those_of_the_window, set_up_many,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_ruler_has_ticks_and_units, set_up_few, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
