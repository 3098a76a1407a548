/* Moving about in a timeline: everything that keys and pointer do, without a window. */
#include "test.h"

#include <string.h>

#include "viewer/commands.h"
#include "viewer/made.h"
#include "viewer/navigator.h"
#include "viewer/op_story.h"

static const struct made_op ops[] = {
    {0, 0, 1000, 0, GP_UNKNOWN, -1},
    {0, 1000, 3000, 1, GP_UNKNOWN, -1},
    {1, 500, 2500, 2, 200, -1},
    {1, 9000, 10000, 1, GP_UNKNOWN, -1},
};

struct world {
    struct gp_view_timeline *timeline;
    struct gp_navigator navigator;
};

static int set_up(void **state)
{
    static struct world world;

    world.timeline = make_timeline(ops, 4, 2);
    gp_navigator_init(&world.navigator, world.timeline);
    *state = &world;
    return 0;
}

static int tear_down(void **state)
{
    struct world *world = *state;

    gp_navigator_finish(&world->navigator);
    gp_view_timeline_destroy(world->timeline);
    return 0;
}

static int64_t length(const struct gp_navigator *navigator)
{
    return navigator->window.end_ns - navigator->window.begin_ns;
}

static void test_zoom_keeps_what_is_under_the_pointer(void **state)
{
    struct gp_navigator *navigator = &((struct world *)*state)->navigator;
    int64_t before = length(navigator);
    double share;

    navigator->cursor_ns = 2000;
    share = (double)(2000 - navigator->window.begin_ns) / (double)before;
    gp_navigator_zoom(navigator, 0.5);
    assert_in_range(length(navigator), before / 2 - 2, before / 2 + 2);
    assert_true((double)(2000 - navigator->window.begin_ns) / (double)length(navigator) - share <
                0.01);
    gp_navigator_undo(navigator);
    assert_int_equal(length(navigator), before);
}

static void test_selection_steps_and_is_revealed(void **state)
{
    struct gp_navigator *navigator = &((struct world *)*state)->navigator;

    gp_navigator_step_lane(navigator, true);
    assert_int_equal(navigator->selected.span, 0);
    gp_navigator_step_lane(navigator, true);
    assert_int_equal(navigator->selected.span, 1);
    gp_navigator_step_row(navigator, true);
    assert_int_equal(navigator->selected.span, 2);
    gp_navigator_fit(navigator);
    assert_in_range(length(navigator), 2000, 2400);
    gp_navigator_step_lane(navigator, true);
    assert_int_equal(navigator->selected.span, 3);
    assert_true(navigator->window.begin_ns <= 9000 && navigator->window.end_ns >= 10000);
    gp_navigator_select_op(navigator, 0);
    assert_true(navigator->window.begin_ns <= 0);
}

static void test_range_and_marks(void **state)
{
    struct gp_navigator *navigator = &((struct world *)*state)->navigator;

    gp_navigator_select_op(navigator, 1);
    gp_navigator_measure(navigator);
    assert_int_equal(navigator->range_begin_ns, 1000);
    assert_int_equal(navigator->range_end_ns, 3000);
    assert_int_equal(gp_navigator_snap(navigator, 2490, 6, 1000), 2500);
    assert_int_equal(gp_navigator_snap(navigator, 6000, 6, 1000), 6000);
    for (int64_t at = 5000; at > 0; at -= 1000) {
        navigator->cursor_ns = at;
        gp_navigator_mark(navigator);
    }
    assert_int_equal(navigator->mark_count, 5);
    assert_int_equal(navigator->marks_ns[0], 1000);
    gp_navigator_mark(navigator); /* where one is: it goes */
    assert_int_equal(navigator->mark_count, 4);
    for (int64_t at = 0; at < INT64_C(2) * GP_MARKS_MAX; at++) {
        navigator->cursor_ns = at;
        gp_navigator_mark(navigator);
    }
    assert_int_equal(navigator->mark_count, GP_MARKS_MAX);
    gp_navigator_clear(navigator);
    assert_int_equal(navigator->mark_count, 0);
    assert_true(navigator->range_begin_ns == GP_UNKNOWN);
}

static void test_search_goes_round(void **state)
{
    struct gp_navigator *navigator = &((struct world *)*state)->navigator;

    gp_navigator_search(navigator, made_names[1]);
    assert_int_equal(navigator->hit_count, 2);
    gp_navigator_step_hit(navigator, true);
    assert_int_equal(navigator->selected.span, 1);
    gp_navigator_step_hit(navigator, true);
    assert_int_equal(navigator->selected.span, 3);
    gp_navigator_step_hit(navigator, true);
    assert_int_equal(navigator->selected.span, 1);
    gp_navigator_search(navigator, "");
    assert_null(navigator->matches);
    gp_navigator_step_hit(navigator, true);
    assert_int_equal(navigator->selected.span, 1);
}

static void test_bookmarks(void **state)
{
    struct gp_navigator *navigator = &((struct world *)*state)->navigator;
    struct gp_view_window all = navigator->window;

    gp_navigator_recall(navigator, 1); /* not set: nothing happens */
    assert_int_equal(length(navigator), all.end_ns - all.begin_ns);
    gp_navigator_zoom(navigator, 0.25);
    gp_navigator_bookmark(navigator, 1);
    gp_navigator_show_all(navigator);
    gp_navigator_recall(navigator, 1);
    assert_in_range(length(navigator), (all.end_ns - all.begin_ns) / 4 - 2,
                    (all.end_ns - all.begin_ns) / 4 + 2);
}

/* In any order, with and without a row, each leaves a window that can be drawn. */
static void test_every_command_does_no_harm(void **state)
{
    struct gp_navigator *navigator = &((struct world *)*state)->navigator;
    uint64_t random = 7;

    for (int i = 0; i < 4000; i++) {
        const struct gp_command *command =
            &gp_command_table[next_random(&random) % gp_command_count];
        uint32_t row =
            next_random(&random) % 3 == 0 ? GP_VIEW_NONE : (uint32_t)(next_random(&random) % 5);

        navigator->cursor_ns =
            next_random(&random) % 2 == 0 ? GP_UNKNOWN : (int64_t)(next_random(&random) % 12000);
        command->run(navigator, command->amount, row);
        assert_true(length(navigator) >= GP_VIEW_WINDOW_MIN_NS);
        assert_true(navigator->window.begin_ns >= navigator->bounds.begin_ns);
        assert_true(navigator->window.end_ns <= navigator->bounds.end_ns);
    }
}

static void test_commands_are_told_apart(void **state)
{
    (void)state;
    for (size_t i = 0; i < gp_command_count; i++) {
        assert_true(gp_command_table[i].title == NULL || gp_command_table[i].title[0] != '\0');
        assert_true(gp_command_table[i].keys[0] != '\0');
        assert_true(gp_command_group_title(gp_command_table[i].group)[0] != '\0');
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(gp_command_table[i].name, gp_command_table[j].name);
            assert_string_not_equal(gp_command_table[i].keys, gp_command_table[j].keys);
        }
    }
}

static bool tells(const struct gp_op_story *story, const char *name, const char *text)
{
    for (size_t i = 0; i < story->count; i++) {
        if (strcmp(story->lines[i].name, name) == 0) {
            return strstr(story->lines[i].text, text) != NULL;
        }
    }
    return false;
}

static void test_story_of_an_operation(void **state)
{
    struct world *world = *state;
    const struct gp_op_row op = {.begin = 12000,
                                 .end = 14500,
                                 .begin_lo = 11900,
                                 .begin_hi = 12100,
                                 .end_lo = 14500,
                                 .end_hi = 14500,
                                 .ready = 10000,
                                 .done = GP_UNKNOWN,
                                 .submit_begin = 1000,
                                 .submit_end = 3000,
                                 .stamp_begin = GP_UNKNOWN,
                                 .stamp_end = GP_UNKNOWN,
                                 .ref_begin = GP_UNKNOWN,
                                 .ref_end = GP_UNKNOWN,
                                 .bytes = 5 << 20,
                                 .rule_detail = 3,
                                 .name = "upload",
                                 .rule = "the next stream in turn",
                                 .id = 2,
                                 .stream = 1,
                                 .kind = GP_OP_H2D,
                                 .source = GP_SOURCE_BOUNDED,
                                 .engine = 1,
                                 .connection = -1,
                                 .regs = -1,
                                 .smem = -1};
    struct gp_op_story story;

    gp_op_story_tell(world->timeline, NULL, &op, &story);
    assert_true(tells(&story, "name", "upload"));
    assert_true(tells(&story, "waited", "2"));
    assert_true(tells(&story, "duration", "2.5"));
    assert_true(tells(&story, "begin", "between"));
    assert_false(tells(&story, "end", "between"));
    assert_true(tells(&story, "known by", "bounded"));
    assert_true(tells(&story, "size", "5 MiB"));
    assert_true(tells(&story, "copy engine", "1"));
    assert_true(tells(&story, "chosen because", "the next stream in turn (3)"));
    assert_false(tells(&story, "connection", ""));
    assert_false(tells(&story, "grid", ""));
}

/* As when a sample gives way to the whole. */
static void test_another_timeline_is_seen_from_the_same_place(void **state)
{
    struct gp_navigator *navigator = &((struct world *)*state)->navigator;
    struct gp_view_timeline *longer;
    struct made_op more[5];
    struct gp_view_window before;

    memcpy(more, ops, sizeof ops);
    more[4] = (struct made_op){0, 11000, 20000, 3, GP_UNKNOWN, -1};
    longer = make_timeline(more, 5, 2);
    gp_navigator_renew(navigator, longer);
    /* All was seen, and is. */
    assert_true(navigator->timeline == longer);
    assert_true(navigator->window.end_ns > 20000);
    navigator->cursor_ns = 2000;
    gp_navigator_zoom(navigator, 0.25);
    gp_navigator_mark(navigator);
    gp_navigator_select_op(navigator, 1);
    gp_navigator_search(navigator, "copy");
    before = navigator->window;
    gp_navigator_renew(navigator, ((struct world *)*state)->timeline);
    assert_int_equal(navigator->window.begin_ns, before.begin_ns);
    assert_int_equal(navigator->window.end_ns, before.end_ns);
    assert_int_equal(navigator->mark_count, 1);
    assert_int_equal(navigator->selected.span, GP_VIEW_NONE);
    assert_null(navigator->matches);
    gp_navigator_undo(navigator);
    assert_true(length(navigator) > before.end_ns - before.begin_ns);
    gp_view_timeline_destroy(longer);
}

int main(void)
{
#define WITH_WORLD(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_another_timeline_is_seen_from_the_same_place, set_up,
                                        tear_down),
        WITH_WORLD(test_zoom_keeps_what_is_under_the_pointer),
        WITH_WORLD(test_selection_steps_and_is_revealed),
        WITH_WORLD(test_range_and_marks),
        WITH_WORLD(test_search_goes_round),
        WITH_WORLD(test_bookmarks),
        WITH_WORLD(test_every_command_does_no_harm),
        cmocka_unit_test(test_commands_are_told_apart),
        WITH_WORLD(test_story_of_an_operation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
