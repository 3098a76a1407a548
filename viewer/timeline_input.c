/* Pointer and keys of the timeline: see timeline_internal.h. */
#include <math.h>

#include "viewer/commands.h"
#include "viewer/timeline_internal.h"

static const double click_pixels = 4, snap_pixels = 6, wheel_zoom = 1.25, wheel_pan = 0.1,
                    wheel_rows = 48, grip_pixels = 6;

#define ACTION_PREFIX "timeline."

/* ---- places -------------------------------------------------------------------------------- */

static int64_t time_at(GpTimeline *self, double x)
{
    return gp_view_window_time(self->navigator->window, gp_timeline_strip_width(self),
                               x - GP_HEADER_WIDTH);
}

/* Of the whole run, as the minimap shows it. */
static int64_t minimap_time_at(GpTimeline *self, double x)
{
    return gp_view_window_time(self->navigator->bounds, gp_timeline_strip_width(self),
                               x - GP_HEADER_WIDTH);
}

/* What of the minimap's box is held there. */
static enum gp_view_grip grip_at(GpTimeline *self, double x)
{
    return gp_view_window_grip(self->navigator->window, self->navigator->bounds,
                               gp_timeline_strip_width(self), x - GP_HEADER_WIDTH, grip_pixels);
}

static struct gp_view_pick pick_at(GpTimeline *self, double x, double y)
{
    struct gp_view_scene scene = gp_timeline_scene(self, GP_AREA_ROWS);

    return gp_view_layout_pick(&scene, &self->frames[GP_AREA_ROWS], x,
                               y - gp_timeline_top(self, GP_AREA_ROWS));
}

static const struct gp_view_region *region_at(GpTimeline *self, double x, double y)
{
    if (gp_timeline_area_at(self, y) != GP_AREA_ROWS) {
        return NULL;
    }
    return gp_view_frame_at(&self->frames[GP_AREA_ROWS], x,
                            y - gp_timeline_top(self, GP_AREA_ROWS));
}

/* The row that a key means: the one under the pointer, else the selection's. */
static uint32_t row_meant(GpTimeline *self)
{
    const struct gp_view_region *region = NULL;

    if (self->pointer_x >= 0) {
        region = region_at(self, self->pointer_x, self->pointer_y);
    }
    if (region != NULL && region->row != GP_VIEW_NONE) {
        return region->row;
    }
    if (self->navigator->selected.lane != GP_VIEW_NONE) {
        return gp_view_rows_find(self->navigator->rows, self->navigator->selected.lane);
    }
    return GP_VIEW_NONE;
}

/* ---- keys ---------------------------------------------------------------------------------- */

static void run_command(GtkWidget *widget, const char *action, GVariant *parameter)
{
    GpTimeline *self = GP_TIMELINE(widget);

    (void)parameter;
    for (size_t i = 0; self->navigator != NULL && i < gp_command_count; i++) {
        const struct gp_command *command = &gp_command_table[i];

        if (g_str_equal(action + sizeof ACTION_PREFIX - 1, command->name)) {
            command->run(self->navigator, command->amount, row_meant(self));
            gp_timeline_moved(self);
            gp_timeline_refresh(self);
            if (g_str_equal(command->name, "measure")) {
                g_signal_emit_by_name(self, "measured");
            }
        }
    }
}

void gp_timeline_bind(GtkWidgetClass *widget_class)
{
    for (size_t i = 0; i < gp_command_count; i++) {
        const struct gp_command *command = &gp_command_table[i];
        g_autofree char *action = g_strconcat(ACTION_PREFIX, command->name, NULL);
        g_auto(GStrv) keys = g_strsplit(command->keys, " ", -1);

        gtk_widget_class_install_action(widget_class, action, NULL, run_command);
        for (size_t k = 0; keys[k] != NULL; k++) {
            g_autoptr(GtkShortcut) shortcut = gtk_shortcut_new(
                gtk_shortcut_trigger_parse_string(keys[k]), gtk_named_action_new(action));

            gtk_widget_class_add_shortcut(widget_class, shortcut);
        }
    }
}

/* ---- pointer ------------------------------------------------------------------------------- */

void gp_timeline_find_pointed(GpTimeline *self)
{
    double x = self->pointer_x, y = self->pointer_y;
    enum gp_timeline_area area = gp_timeline_area_at(self, y);

    self->navigator->hovered = area == GP_AREA_ROWS && x >= GP_HEADER_WIDTH
                                   ? pick_at(self, x, y)
                                   : (struct gp_view_pick){GP_VIEW_OPS, GP_VIEW_NONE, GP_VIEW_NONE};
    self->navigator->cursor_ns =
        x >= GP_HEADER_WIDTH && area != GP_AREA_MINIMAP ? time_at(self, x) : GP_UNKNOWN;
}

/* The minimap's box can be held; the pointer says where. */
static void shape_pointer(GpTimeline *self)
{
    static const char *const names[] = {[GP_VIEW_GRIP_NONE] = NULL,
                                        [GP_VIEW_GRIP_BEGIN] = "ew-resize",
                                        [GP_VIEW_GRIP_END] = "ew-resize",
                                        [GP_VIEW_GRIP_BODY] = "grab"};
    const char *name = NULL;

    if (self->drag > GP_DRAG_PRESSED) {
        return;
    }
    if (self->pointer_x >= GP_HEADER_WIDTH &&
        gp_timeline_area_at(self, self->pointer_y) == GP_AREA_MINIMAP) {
        name = names[grip_at(self, self->pointer_x)];
    }
    if (name != self->cursor) {
        self->cursor = name;
        gtk_widget_set_cursor_from_name(GTK_WIDGET(self), name);
    }
}

static void point(GpTimeline *self, double x, double y)
{
    self->pointer_x = x;
    self->pointer_y = y;
    if (self->navigator != NULL) {
        shape_pointer(self);
        gp_timeline_find_pointed(self);
        gp_timeline_pointed(self);
    }
}

static void pointer_moved(GtkEventControllerMotion *controller, double x, double y,
                          GpTimeline *self)
{
    (void)controller;
    /* A window that appears under a still pointer sends this again and again. */
    if (x != self->pointer_x || y != self->pointer_y) {
        point(self, x, y);
    }
}

static void pointer_left(GtkEventControllerMotion *controller, GpTimeline *self)
{
    (void)controller;
    self->pointer_x = -1;
    if (self->navigator != NULL) {
        self->navigator->hovered.span = GP_VIEW_NONE;
        self->navigator->cursor_ns = GP_UNKNOWN;
        gp_timeline_pointed(self);
    }
}

static gboolean wheel_turned(GtkEventControllerScroll *controller, double dx, double dy,
                             GpTimeline *self)
{
    GdkModifierType state =
        gtk_event_controller_get_current_event_state(GTK_EVENT_CONTROLLER(controller));

    if (self->navigator == NULL) {
        return FALSE;
    }
    if ((state & GDK_CONTROL_MASK) != 0) {
        gp_navigator_zoom(self->navigator, pow(wheel_zoom, dy));
        gp_timeline_moved(self);
    } else if ((state & GDK_SHIFT_MASK) != 0 || dx != 0) {
        gp_navigator_pan(self->navigator, (dx != 0 ? dx : dy) * wheel_pan);
        gp_timeline_moved(self);
    } else {
        gtk_adjustment_set_value(self->adjustment,
                                 gtk_adjustment_get_value(self->adjustment) + dy * wheel_rows);
    }
    return TRUE;
}

/* ---- dragging ------------------------------------------------------------------------------ */

static void drag_begun(GtkGestureDrag *gesture, double x, double y, GpTimeline *self)
{
    (void)gesture;
    (void)gtk_widget_grab_focus(GTK_WIDGET(self));
    if (self->navigator == NULL) {
        return;
    }
    self->drag = GP_DRAG_PRESSED;
    self->drag_x = x;
    self->drag_y = y;
    self->drag_window = self->navigator->window;
    self->grip = grip_at(self, x);
}

static void set_range(GpTimeline *self, double from_x, double to_x)
{
    struct gp_navigator *navigator = self->navigator;
    double width = gp_timeline_strip_width(self);

    navigator->range_begin_ns = gp_navigator_snap(
        navigator, time_at(self, fmax(from_x, GP_HEADER_WIDTH)), snap_pixels, width);
    navigator->range_end_ns = gp_navigator_snap(
        navigator, time_at(self, fmax(to_x, GP_HEADER_WIDTH)), snap_pixels, width);
}

static void set_brush(GpTimeline *self, double from_x, double to_x)
{
    self->navigator->window =
        gp_view_window_drag(self->drag_window, self->navigator->bounds, self->grip,
                            minimap_time_at(self, from_x), minimap_time_at(self, to_x));
}

static void drag_moved(GtkGestureDrag *gesture, double dx, double dy, GpTimeline *self)
{
    (void)gesture;
    if (self->drag == GP_DRAG_PRESSED && fabs(dx) + fabs(dy) >= click_pixels) {
        enum gp_timeline_area area = gp_timeline_area_at(self, self->drag_y);

        if (self->drag_x < GP_HEADER_WIDTH) {
            return;
        }
        self->drag = area == GP_AREA_MINIMAP ? GP_DRAG_BRUSH : GP_DRAG_RANGE;
        if (self->drag == GP_DRAG_BRUSH) {
            gp_view_undo_push(&self->navigator->undo, self->navigator->window);
        }
    }
    if (self->drag == GP_DRAG_RANGE) {
        set_range(self, self->drag_x, self->drag_x + dx);
        gp_timeline_pointed(self);
        g_signal_emit_by_name(self, "changed");
    } else if (self->drag == GP_DRAG_BRUSH) {
        set_brush(self, self->drag_x, self->drag_x + dx);
        gp_timeline_moved(self);
    }
}

/* Moves the window so that its middle is where the minimap was clicked. */
static void centre_on(GpTimeline *self, double x)
{
    struct gp_view_window *window = &self->navigator->window;
    int64_t half = (window->end_ns - window->begin_ns) / 2;
    int64_t at = minimap_time_at(self, x);
    struct gp_view_window target = {at - half, at + half};

    gp_navigator_go(self->navigator, gp_view_window_pan(target, self->navigator->bounds, 0));
    gp_timeline_moved(self);
}

static void fold_row(GpTimeline *self, uint32_t row, gboolean is_all)
{
    uint32_t count;
    const struct gp_view_row *rows = gp_view_rows_all(self->navigator->rows, &count);

    if (row >= count) {
        return;
    }
    if (is_all) {
        gp_view_rows_fold_all(self->navigator->rows, !rows[row].is_folded);
    } else {
        gp_view_rows_fold(self->navigator->rows, row, !rows[row].is_folded);
    }
    gp_timeline_moved(self);
}

static void clicked(GpTimeline *self, double x, double y, GdkModifierType state)
{
    const struct gp_view_region *region = region_at(self, x, y);

    if (gp_timeline_area_at(self, y) == GP_AREA_MINIMAP && x >= GP_HEADER_WIDTH) {
        centre_on(self, x);
    } else if (region != NULL &&
               (region->kind == GP_VIEW_REGION_FOLD || region->kind == GP_VIEW_REGION_HEADER)) {
        fold_row(self, region->row, (state & GDK_ALT_MASK) != 0);
    } else if (x >= GP_HEADER_WIDTH) {
        self->navigator->range_begin_ns = GP_UNKNOWN;
        self->navigator->range_end_ns = GP_UNKNOWN;
        gp_navigator_select(self->navigator, pick_at(self, x, y), false);
        gp_timeline_moved(self);
        if (self->navigator->selected.span != GP_VIEW_NONE) {
            g_signal_emit_by_name(self, "picked");
        }
    }
}

static void drag_ended(GtkGestureDrag *gesture, double dx, double dy, GpTimeline *self)
{
    GdkModifierType state =
        gtk_event_controller_get_current_event_state(GTK_EVENT_CONTROLLER(gesture));
    enum gp_timeline_drag drag = self->drag;

    self->drag = GP_DRAG_NONE;
    if (self->navigator != NULL && drag == GP_DRAG_PRESSED && fabs(dx) + fabs(dy) < click_pixels) {
        clicked(self, self->drag_x, self->drag_y, state);
    } else if (drag == GP_DRAG_RANGE) {
        g_signal_emit_by_name(self, "measured");
    }
}

static void pressed(GtkGestureClick *gesture, int count, double x, double y, GpTimeline *self)
{
    (void)gesture;
    if (self->navigator != NULL && count == 2 && x >= GP_HEADER_WIDTH &&
        gp_timeline_area_at(self, y) == GP_AREA_ROWS) {
        gp_navigator_select(self->navigator, pick_at(self, x, y), false);
        gp_navigator_fit(self->navigator);
        gp_timeline_moved(self);
    }
}

static void pan_moved(GtkGestureDrag *gesture, double dx, double dy, GpTimeline *self)
{
    (void)gesture;
    (void)dy;
    if (self->navigator != NULL && self->drag == GP_DRAG_PRESSED) {
        self->navigator->window = gp_view_window_pan(self->drag_window, self->navigator->bounds,
                                                     -dx / gp_timeline_strip_width(self));
        gp_timeline_moved(self);
    }
}

static void pan_ended(GtkGestureDrag *gesture, double dx, double dy, GpTimeline *self)
{
    (void)gesture;
    (void)dx;
    (void)dy;
    self->drag = GP_DRAG_NONE;
}

static void pinch_begun(GtkGesture *gesture, GdkEventSequence *sequence, GpTimeline *self)
{
    (void)gesture;
    (void)sequence;
    self->pinch_scale = 1;
}

static void pinched(GtkGestureZoom *gesture, double scale, GpTimeline *self)
{
    (void)gesture;
    if (self->navigator != NULL && scale > 0) {
        gp_navigator_zoom(self->navigator, self->pinch_scale / scale);
        self->pinch_scale = scale;
        gp_timeline_moved(self);
    }
}

static void focus_changed(GpTimeline *self)
{
    gtk_widget_queue_draw(GTK_WIDGET(self));
}

static void add_drag(GpTimeline *self, guint button, GCallback moved, GCallback ended)
{
    GtkGesture *drag = gtk_gesture_drag_new();

    gtk_gesture_single_set_button(GTK_GESTURE_SINGLE(drag), button);
    g_signal_connect(drag, "drag-begin", G_CALLBACK(drag_begun), self);
    g_signal_connect(drag, "drag-update", moved, self);
    g_signal_connect(drag, "drag-end", ended, self);
    gtk_widget_add_controller(GTK_WIDGET(self), GTK_EVENT_CONTROLLER(drag));
}

void gp_timeline_listen(GpTimeline *self)
{
    GtkWidget *widget = GTK_WIDGET(self);
    GtkEventController *motion = gtk_event_controller_motion_new();
    GtkEventController *wheel =
        gtk_event_controller_scroll_new(GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES);
    GtkGesture *click = gtk_gesture_click_new(), *pinch = gtk_gesture_zoom_new();

    g_signal_connect(motion, "motion", G_CALLBACK(pointer_moved), self);
    g_signal_connect(motion, "enter", G_CALLBACK(pointer_moved), self);
    g_signal_connect(motion, "leave", G_CALLBACK(pointer_left), self);
    gtk_widget_add_controller(widget, motion);
    g_signal_connect(wheel, "scroll", G_CALLBACK(wheel_turned), self);
    gtk_widget_add_controller(widget, wheel);
    add_drag(self, GDK_BUTTON_PRIMARY, G_CALLBACK(drag_moved), G_CALLBACK(drag_ended));
    add_drag(self, GDK_BUTTON_MIDDLE, G_CALLBACK(pan_moved), G_CALLBACK(pan_ended));
    g_signal_connect(click, "pressed", G_CALLBACK(pressed), self);
    gtk_widget_add_controller(widget, GTK_EVENT_CONTROLLER(click));
    g_signal_connect(pinch, "begin", G_CALLBACK(pinch_begun), self);
    g_signal_connect(pinch, "scale-changed", G_CALLBACK(pinched), self);
    gtk_widget_add_controller(widget, GTK_EVENT_CONTROLLER(pinch));
    g_signal_connect(self, "notify::has-focus", G_CALLBACK(focus_changed), NULL);
}
