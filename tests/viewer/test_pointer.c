/* A pointer that moves over the timeline redraws what lies over the rows and nothing else; one that
 * rests is on what is drawn under it. */
#include "test.h"

#include <gtk/gtk.h>

#include "core/memory.h"
#include "viewer/made.h"
#include "viewer/timeline_internal.h"

enum { OPS = 4000, STREAMS = 6, WIDTH = 1000, HEIGHT = 500, PATIENCE_US = 20000000 };

/* A window with a timeline in it, and what it shows. */
struct shown {
    struct gp_view_timeline *columns;
    struct gp_navigator navigator;
    GtkWidget *window;
    GpTimeline *timeline;
    guint64 frame_count;
};

static void count_frame(GdkFrameClock *clock, struct shown *shown)
{
    (void)clock;
    shown->frame_count++;
}

/* Until nothing is left to be drawn. */
static void settle(void)
{
    gint64 end_us = g_get_monotonic_time() + 150000;

    while (g_get_monotonic_time() < end_us) {
        if (!g_main_context_iteration(NULL, FALSE)) {
            g_usleep(1000);
        }
    }
}

static void wait_for_frame(struct shown *shown)
{
    gint64 end_us = g_get_monotonic_time() + PATIENCE_US;
    guint64 before = shown->frame_count;

    while (shown->frame_count == before) {
        assert_true(g_get_monotonic_time() < end_us);
        if (!g_main_context_iteration(NULL, FALSE)) {
            g_usleep(1000);
        }
    }
}

static void move_pointer(int x, int y)
{
    g_autofree char *command = g_strdup_printf("xdotool mousemove %d %d", x, y);
    int status = -1;

    assert_true(g_spawn_command_line_sync(command, NULL, NULL, &status, NULL));
    assert_int_equal(status, 0);
}

static int set_up(void **state)
{
    struct shown *shown = g_new0(struct shown, 1);
    struct made_op *ops = make_random_ops(OPS, STREAMS, 3000, 5);

    shown->columns = make_timeline(ops, OPS, STREAMS);
    gp_free(ops);
    gp_navigator_init(&shown->navigator, shown->columns);
    shown->timeline = GP_TIMELINE(gp_timeline_new());
    gp_timeline_show(shown->timeline, &shown->navigator, "made");
    shown->window = gtk_window_new();
    gtk_window_set_decorated(GTK_WINDOW(shown->window), FALSE);
    gtk_window_set_default_size(GTK_WINDOW(shown->window), WIDTH, HEIGHT);
    gtk_window_set_child(GTK_WINDOW(shown->window), GTK_WIDGET(shown->timeline));
    move_pointer(WIDTH + 100, HEIGHT + 100);
    gtk_window_present(GTK_WINDOW(shown->window));
    g_signal_connect(gtk_widget_get_frame_clock(shown->window), "after-paint",
                     G_CALLBACK(count_frame), shown);
    wait_for_frame(shown);
    settle();
    *state = shown;
    return 0;
}

static int tear_down(void **state)
{
    struct shown *shown = *state;

    gtk_window_destroy(GTK_WINDOW(shown->window));
    settle();
    gp_navigator_finish(&shown->navigator);
    gp_view_timeline_destroy(shown->columns);
    g_free(shown);
    return 0;
}

/* Enters the window, crosses minimap, axis, concurrency, row heads and rows, and leaves it. */
static void test_hovering_lays_out_nothing(void **state)
{
    struct shown *shown = *state;
    guint64 laid_out = shown->timeline->layout_count;
    guint32 hovered = GP_VIEW_NONE, change_count = 0;

    assert_true(laid_out >= GP_AREA_COUNT);
    for (int i = 0; i < 60; i++) {
        guint64 frames = shown->frame_count;

        move_pointer(100 + 14 * i, 5 + 6 * i);
        wait_for_frame(shown);
        assert_true(shown->frame_count > frames);
        assert_true(shown->timeline->pointer_x >= 0);
        change_count += shown->navigator.hovered.span != hovered;
        hovered = shown->navigator.hovered.span;
    }
    assert_true(change_count > 10);
    move_pointer(WIDTH + 100, HEIGHT + 100);
    wait_for_frame(shown);
    assert_true(shown->timeline->pointer_x < 0);
    assert_int_equal(shown->timeline->layout_count, laid_out);
}

/* So that the count can be believed. */
static void test_other_changes_are_laid_out(void **state)
{
    struct shown *shown = *state;
    static const char *const actions[] = {"timeline.zoom-in", "timeline.pan-right", "timeline.all"};

    for (size_t i = 0; i < G_N_ELEMENTS(actions); i++) {
        guint64 laid_out = shown->timeline->layout_count;

        assert_true(gtk_widget_activate_action(GTK_WIDGET(shown->timeline), actions[i], NULL));
        wait_for_frame(shown);
        assert_true(shown->timeline->layout_count >= laid_out + 1);
    }
}

/* By keys the window moves under a pointer that rests. */
static void test_a_still_pointer_is_on_what_is_there(void **state)
{
    struct shown *shown = *state;
    GpTimeline *timeline = shown->timeline;
    static const char *const actions[] = {"timeline.zoom-in",   "timeline.zoom-in",
                                          "timeline.pan-right", "timeline.pan-right",
                                          "timeline.pan-left",  "timeline.all"};
    guint32 hovered = GP_VIEW_NONE, change_count = 0;

    move_pointer(500, (int)gp_timeline_top(timeline, GP_AREA_ROWS) + 60);
    wait_for_frame(shown);
    settle();
    for (size_t i = 0; i < G_N_ELEMENTS(actions); i++) {
        struct gp_view_scene scene;
        struct gp_view_pick pick;

        assert_true(gtk_widget_activate_action(GTK_WIDGET(timeline), actions[i], NULL));
        wait_for_frame(shown);
        scene = gp_timeline_scene(timeline, GP_AREA_ROWS);
        pick = gp_view_layout_pick(&scene, &timeline->frames[GP_AREA_ROWS], timeline->pointer_x,
                                   timeline->pointer_y - gp_timeline_top(timeline, GP_AREA_ROWS));
        assert_int_equal(shown->navigator.hovered.span, pick.span);
        change_count += pick.span != hovered;
        hovered = pick.span;
    }
    assert_true(change_count > 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_hovering_lays_out_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_other_changes_are_laid_out, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_still_pointer_is_on_what_is_there, set_up,
                                        tear_down),
    };

    if (!gtk_init_check()) {
        print_message("skipped: no display\n");
        return GP_TEST_SKIPPED;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
