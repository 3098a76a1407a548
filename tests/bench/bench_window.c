/*
 * How long the real window takes for a frame: from the frame clock's before-paint until the display
 * has drawn it, and the processor time of ours in that, while panning at each zoom and while only
 * the pointer moves. Figures, not a test:
 *   sh tests/viewer/display.sh build/release/bench/bench_window FILE
 * FILE has one cell, as what bench_viewer leaves; GSK_RENDERER and SCREEN (1920x1080) are heeded.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "viewer/application.h"
#include "viewer/timeline_internal.h"

enum { PANNING, HOVERING, KIND_COUNT };
enum { FRAMES = 61, STEPS = 13, TICK_MS = 20, SETTLE_TICKS = 25 };

struct bench {
    GtkApplication *application;
    GpTimeline *timeline;
    GtkEventController *motion;
    double begin_ms, begin_worked_ms;
    double walls_ms[KIND_COUNT][FRAMES], works_ms[KIND_COUNT][FRAMES];
    int frame_count; /* at this zoom, of the first kind and then of the second */
    int step;        /* of the zoom, by √10 */
    int settled;
    gboolean is_wanted; /* the next frame counts */
};

static int compare(const void *left, const void *right)
{
    const double *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

static GtkWidget *find(GtkWidget *widget, GType type)
{
    GtkWidget *found = G_TYPE_CHECK_INSTANCE_TYPE(widget, type) ? widget : NULL;

    for (GtkWidget *at = gtk_widget_get_first_child(widget); at != NULL && found == NULL;
         at = gtk_widget_get_next_sibling(at)) {
        found = find(at, type);
    }
    return found;
}

static GtkEventController *find_motion(GtkWidget *widget)
{
    g_autoptr(GListModel) all = gtk_widget_observe_controllers(widget);

    for (guint i = 0; i < g_list_model_get_n_items(all); i++) {
        g_autoptr(GtkEventController) at = g_list_model_get_item(all, i);

        if (GTK_IS_EVENT_CONTROLLER_MOTION(at)) {
            return at;
        }
    }
    return NULL;
}

static double read_ms(clockid_t clock)
{
    struct timespec now;

    (void)clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void before_paint(GdkFrameClock *clock, struct bench *bench)
{
    (void)clock;
    bench->begin_ms = read_ms(CLOCK_MONOTONIC);
    bench->begin_worked_ms = read_ms(CLOCK_THREAD_CPUTIME_ID);
}

static void after_paint(GdkFrameClock *clock, struct bench *bench)
{
    int kind = bench->frame_count / FRAMES, at = bench->frame_count % FRAMES;

    (void)clock;
    if (!bench->is_wanted) {
        return;
    }
    gdk_display_sync(gtk_widget_get_display(GTK_WIDGET(bench->timeline)));
    bench->walls_ms[kind][at] = read_ms(CLOCK_MONOTONIC) - bench->begin_ms;
    bench->works_ms[kind][at] = read_ms(CLOCK_THREAD_CPUTIME_ID) - bench->begin_worked_ms;
    bench->frame_count++;
    bench->is_wanted = FALSE;
}

static void say(const char *what, double *ms)
{
    qsort(ms, FRAMES, sizeof *ms, compare);
    (void)printf(" %s %5.1f (%5.1f, %5.1f)", what, ms[FRAMES / 2], ms[FRAMES * 95 / 100],
                 ms[FRAMES - 1]);
}

static void begin_zoom(struct bench *bench)
{
    struct gp_navigator *navigator = bench->timeline->navigator;
    const struct gp_view_window all = navigator->bounds;

    navigator->window =
        gp_view_window_zoom(all, all, (all.begin_ns + all.end_ns) / 3, pow(10, -bench->step / 2.0));
    bench->frame_count = 0;
}

/* What a person's hand does between two frames. */
static void act(struct bench *bench)
{
    struct gp_navigator *navigator = bench->timeline->navigator;
    int at = bench->frame_count;

    if (at < FRAMES) {
        navigator->window = gp_view_window_pan(navigator->window, navigator->bounds, 0.007);
        gp_timeline_moved(bench->timeline);
    } else {
        g_signal_emit_by_name(bench->motion, "motion", 300.0 + 5 * (at % FRAMES),
                              150.0 + 3 * (at % FRAMES));
        gtk_widget_queue_draw(GTK_WIDGET(bench->timeline));
    }
    bench->is_wanted = TRUE;
}

static void look_for_timeline(struct bench *bench)
{
    GtkWindow *window = gtk_application_get_active_window(bench->application);
    GtkWidget *found = window != NULL ? find(GTK_WIDGET(window), GP_TYPE_TIMELINE) : NULL;
    GdkFrameClock *clock;

    if (found == NULL || GP_TIMELINE(found)->navigator == NULL ||
        gp_view_is_sample(GP_TIMELINE(found)->navigator->timeline) ||
        bench->settled++ < SETTLE_TICKS) {
        return;
    }
    bench->timeline = GP_TIMELINE(found);
    bench->motion = find_motion(found);
    clock = gtk_widget_get_frame_clock(found);
    g_signal_connect(clock, "before-paint", G_CALLBACK(before_paint), bench);
    g_signal_connect(clock, "after-paint", G_CALLBACK(after_paint), bench);
    (void)printf("%u operations, timeline %d × %d, %s; ms a frame: median (95 %%, worst)\n",
                 bench->timeline->navigator->timeline->tables[GP_VIEW_OPS].count,
                 gtk_widget_get_width(found), gtk_widget_get_height(found),
                 G_OBJECT_TYPE_NAME(gtk_native_get_renderer(gtk_widget_get_native(found))));
    begin_zoom(bench);
}

static gboolean tick(gpointer data)
{
    struct bench *bench = data;

    if (bench->timeline == NULL) {
        look_for_timeline(bench);
    } else if (bench->frame_count == 2 * FRAMES) {
        (void)printf("zoom 1/%-8.0f", pow(10, bench->step / 2.0));
        say("panning", bench->walls_ms[PANNING]);
        say("work", bench->works_ms[PANNING]);
        say("hovering", bench->walls_ms[HOVERING]);
        say("work", bench->works_ms[HOVERING]);
        (void)printf("\n");
        (void)fflush(stdout);
        if (++bench->step == STEPS) {
            g_action_group_activate_action(G_ACTION_GROUP(bench->application), "quit", NULL);
            return G_SOURCE_REMOVE;
        }
        begin_zoom(bench);
    } else if (!bench->is_wanted) {
        act(bench);
    }
    return G_SOURCE_CONTINUE;
}

int main(int argc, char **argv)
{
    g_autoptr(GpApplication) application = gp_application_new();
    struct bench bench = {.application = GTK_APPLICATION(application)};

    (void)g_timeout_add(TICK_MS, tick, &bench);
    return g_application_run(G_APPLICATION(application), argc, argv);
}
