/* The timeline: see timeline.h. Drawing; pointer and keys are in timeline_input.c. */
#include "viewer/timeline_internal.h"

#include <math.h>
#include <string.h>

#include "probe/memory.h"
#include "viewer/card.h"
#include "viewer/layout/color.h"
#include "viewer/layout/ticks.h"
#include "viewer/paint_snapshot.h"

G_DEFINE_TYPE(GpTimeline, gp_timeline, GTK_TYPE_WIDGET)

static const double area_heights[GP_AREA_COUNT] = {
    [GP_AREA_MINIMAP] = 40, [GP_AREA_RULER] = 28, [GP_AREA_RUNNING] = 48, [GP_AREA_ROWS] = 0};

/* ---- places -------------------------------------------------------------------------------- */

double gp_timeline_top(GpTimeline *self, enum gp_timeline_area area)
{
    double top = 0;

    (void)self;
    for (int i = 0; i < (int)area; i++) {
        top += area_heights[i];
    }
    return top;
}

double gp_timeline_height(GpTimeline *self, enum gp_timeline_area area)
{
    if (area == GP_AREA_ROWS) {
        return fmax(gtk_widget_get_height(GTK_WIDGET(self)) - gp_timeline_top(self, area), 0);
    }
    return area_heights[area];
}

enum gp_timeline_area gp_timeline_area_at(GpTimeline *self, double y)
{
    for (int i = 0; i < GP_AREA_COUNT; i++) {
        double top = gp_timeline_top(self, (enum gp_timeline_area)i);

        if (y >= top && y < top + gp_timeline_height(self, (enum gp_timeline_area)i)) {
            return (enum gp_timeline_area)i;
        }
    }
    return GP_AREA_COUNT;
}

double gp_timeline_strip_width(GpTimeline *self)
{
    return fmax(gtk_widget_get_width(GTK_WIDGET(self)) - GP_HEADER_WIDTH, 1);
}

struct gp_view_scene gp_timeline_scene(GpTimeline *self, enum gp_timeline_area area)
{
    return (struct gp_view_scene){
        .timeline = self->navigator->timeline,
        .rows = self->navigator->rows,
        .window = self->navigator->window,
        .width = gtk_widget_get_width(GTK_WIDGET(self)),
        .height = gp_timeline_height(self, area),
        .scale = gtk_widget_get_scale_factor(GTK_WIDGET(self)),
        .scroll = gtk_adjustment_get_value(self->adjustment),
        .theme = self->theme,
        .colors = self->colors,
        .metrics = {.header_width = GP_HEADER_WIDTH, .ruler_height = area_heights[GP_AREA_RULER]},
        .matches = self->navigator->matches,
        .asked = &self->asked[area == GP_AREA_MINIMAP ? GP_AREA_MINIMAP : GP_AREA_RUNNING],
    };
}

/* ---- drawing ------------------------------------------------------------------------------- */

static void forget_nodes(GpTimeline *self)
{
    for (int i = 0; i < GP_AREA_COUNT; i++) {
        g_clear_pointer(&self->nodes[i], gsk_render_node_unref);
    }
}

/* Before another timeline is shown. */
static void forget_asked(GpTimeline *self)
{
    for (int i = 0; i < GP_AREA_COUNT; i++) {
        gp_view_asked_forget(&self->asked[i]);
    }
}

static void lay_out(GpTimeline *self, enum gp_timeline_area area)
{
    struct gp_view_scene scene = gp_timeline_scene(self, area);
    struct gp_view_frame *frame = &self->frames[area];

    self->layout_count++;
    switch (area) {
    case GP_AREA_MINIMAP:
        gp_view_layout_minimap(&scene, self->navigator->hits, GP_HITS_MAX, frame);
        break;
    case GP_AREA_RULER:
        gp_view_layout_ruler(&scene, frame);
        break;
    case GP_AREA_RUNNING:
        gp_view_layout_running(&scene, self->navigator->idle, self->navigator->idle_count, frame);
        break;
    default:
        gp_view_layout_rows(&scene, frame);
        break;
    }
}

/* An area keeps its node until something in it changes; most frames only add what lies over it. */
static void draw_area(GpTimeline *self, GtkSnapshot *snapshot, enum gp_timeline_area area)
{
    float width = (float)gtk_widget_get_width(GTK_WIDGET(self));
    float height = (float)gp_timeline_height(self, area);

    if (self->nodes[area] == NULL) {
        GtkSnapshot *own = gtk_snapshot_new();

        lay_out(self, area);
        gtk_snapshot_push_clip(own, &GRAPHENE_RECT_INIT(0, 0, width, height));
        gp_paint_snapshot(own, &self->frames[area], GTK_WIDGET(self));
        gtk_snapshot_pop(own);
        self->nodes[area] = gtk_snapshot_free_to_node(own);
    }
    if (self->nodes[area] != NULL) {
        gtk_snapshot_save(snapshot);
        gtk_snapshot_translate(snapshot,
                               &GRAPHENE_POINT_INIT(0, (float)gp_timeline_top(self, area)));
        gtk_snapshot_append_node(snapshot, self->nodes[area]);
        gtk_snapshot_restore(snapshot);
    }
}

/* What the pointer is on. */
static void draw_card(GpTimeline *self, GtkSnapshot *snapshot)
{
    const struct gp_view_rect at = {self->pointer_x, self->pointer_y,
                                    gtk_widget_get_width(GTK_WIDGET(self)),
                                    gtk_widget_get_height(GTK_WIDGET(self))};

    if (self->navigator->hovered.span != GP_VIEW_NONE) {
        gp_card_layout(&self->card, self->navigator, self->theme, at);
    } else if (gp_timeline_area_at(self, self->pointer_y) == GP_AREA_RUNNING &&
               self->navigator->cursor_ns != GP_UNKNOWN &&
               !gp_view_is_sample(self->navigator->timeline)) {
        gp_card_layout_running(&self->card, self->navigator, self->theme, at);
    } else {
        return;
    }
    gp_paint_snapshot(snapshot, &self->card, GTK_WIDGET(self));
}

static void draw_overlay(GpTimeline *self, GtkSnapshot *snapshot)
{
    struct gp_view_scene scene = gp_timeline_scene(self, GP_AREA_ROWS);
    struct gp_view_overlay overlay = gp_navigator_overlay(self->navigator);
    float top = (float)gp_timeline_top(self, GP_AREA_ROWS);

    overlay.has_focus = gtk_widget_has_focus(GTK_WIDGET(self));
    gp_view_layout_overlay(&scene, &overlay, &self->overlay);
    gtk_snapshot_save(snapshot);
    gtk_snapshot_translate(snapshot, &GRAPHENE_POINT_INIT(0, top));
    gtk_snapshot_push_clip(snapshot,
                           &GRAPHENE_RECT_INIT(0, 0, (float)scene.width, (float)scene.height));
    gp_paint_snapshot(snapshot, &self->overlay, GTK_WIDGET(self));
    gtk_snapshot_pop(snapshot);
    gtk_snapshot_restore(snapshot);
    if (self->pointer_x >= 0 && self->drag <= GP_DRAG_PRESSED) {
        draw_card(self, snapshot);
    }
}

static double content_height(GpTimeline *self)
{
    return fmax(self->frames[GP_AREA_ROWS].content_height, 1);
}

/* How high the rows are is known when they are laid out, that is while drawing, when the scroll bar
 * may not change any more. */
static gboolean fit_scroll_bar(gpointer data)
{
    GpTimeline *self = data;
    double height = gp_timeline_height(self, GP_AREA_ROWS);

    self->fit_source = 0;
    gtk_adjustment_configure(self->adjustment, gtk_adjustment_get_value(self->adjustment), 0,
                             content_height(self), 24, height * 0.9, height);
    return G_SOURCE_REMOVE;
}

static void snapshot(GtkWidget *widget, GtkSnapshot *shot)
{
    GpTimeline *self = GP_TIMELINE(widget);
    int width = gtk_widget_get_width(widget), height = gtk_widget_get_height(widget);
    guint64 before = self->layout_count;
    uint32_t background = gp_view_palette(self->theme)->background;
    const GdkRGBA color = {(float)(background >> 16 & 255) / 255,
                           (float)(background >> 8 & 255) / 255, (float)(background & 255) / 255,
                           1};

    gtk_snapshot_append_color(shot, &color, &GRAPHENE_RECT_INIT(0, 0, (float)width, (float)height));
    if (self->navigator == NULL || width <= GP_HEADER_WIDTH || height <= 0) {
        return;
    }
    for (int i = 0; i < GP_AREA_COUNT; i++) {
        draw_area(self, shot, (enum gp_timeline_area)i);
    }
    /* A still pointer is on something else when the window moved under it. */
    if (self->layout_count != before && self->pointer_x >= 0) {
        gp_timeline_find_pointed(self);
    }
    draw_overlay(self, shot);
    if (self->fit_source == 0 &&
        (gtk_adjustment_get_upper(self->adjustment) != content_height(self) ||
         gtk_adjustment_get_page_size(self->adjustment) !=
             gp_timeline_height(self, GP_AREA_ROWS))) {
        self->fit_source = g_idle_add(fit_scroll_bar, self);
    }
}

/* ---- changes ------------------------------------------------------------------------------- */

/* What a screen reader says of it. */
static void describe(GpTimeline *self)
{
    const struct gp_navigator *navigator = self->navigator;
    char from[40], to[40];
    g_autofree char *selected = NULL;
    g_autofree char *text = NULL;

    if (navigator == NULL) {
        return;
    }
    gp_view_format_time(navigator->window.begin_ns,
                        (navigator->window.end_ns - navigator->window.begin_ns) / 100 + 1, from,
                        sizeof from);
    gp_view_format_time(navigator->window.end_ns,
                        (navigator->window.end_ns - navigator->window.begin_ns) / 100 + 1, to,
                        sizeof to);
    selected = gp_card_describe(navigator, navigator->selected);
    text = g_strdup_printf("%s to %s; %s", from, to, selected);
    gtk_accessible_update_property(GTK_ACCESSIBLE(self), GTK_ACCESSIBLE_PROPERTY_LABEL, self->title,
                                   GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text, -1);
}

void gp_timeline_moved(GpTimeline *self)
{
    forget_nodes(self);
    describe(self);
    gtk_widget_queue_draw(GTK_WIDGET(self));
    g_signal_emit_by_name(self, "changed");
}

void gp_timeline_pointed(GpTimeline *self)
{
    gtk_widget_queue_draw(GTK_WIDGET(self));
}

static void scrolled(GtkAdjustment *adjustment, GpTimeline *self)
{
    (void)adjustment;
    g_clear_pointer(&self->nodes[GP_AREA_ROWS], gsk_render_node_unref);
    gtk_widget_queue_draw(GTK_WIDGET(self));
}

/* Scrolls the rows so that the selection is seen. */
static void reveal_row(GpTimeline *self)
{
    struct gp_view_scene scene = gp_timeline_scene(self, GP_AREA_ROWS);
    struct gp_view_rect rect;
    double value = scene.scroll;

    if (scene.height > 0 && self->navigator->selected.span != GP_VIEW_NONE &&
        gp_view_layout_find(&scene, self->navigator->selected, &rect)) {
        value += fmax(rect.y + rect.height + 8 - scene.height, 0) + fmin(rect.y - 8, 0);
        gtk_adjustment_set_value(self->adjustment, value);
    }
}

void gp_timeline_refresh(GpTimeline *self)
{
    if (self->navigator != NULL) {
        forget_nodes(self);
        describe(self);
        reveal_row(self);
    }
    gtk_widget_queue_draw(GTK_WIDGET(self));
}

/* Light or dark by the text's colour, high contrast by the theme's name: nothing else says it. */
static enum gp_view_theme find_theme(GtkWidget *widget)
{
    GdkRGBA text;
    g_autofree char *name = NULL;
    const char *forced = g_getenv("GTK_THEME");
    gboolean is_dark, is_contrast;

    gtk_style_context_get_color(gtk_widget_get_style_context(widget), &text);
    g_object_get(gtk_widget_get_settings(widget), "gtk-theme-name", &name, NULL);
    is_dark = text.red * 0.3f + text.green * 0.6f + text.blue * 0.1f > 0.5f;
    if (forced != NULL && forced[0] != '\0') {
        g_free(name);
        name = g_strdup(forced);
    }
    is_contrast =
        name != NULL && (strstr(name, "HighContrast") != NULL || strstr(name, "-hc") != NULL);
    if (is_contrast) {
        return is_dark ? GP_VIEW_CONTRAST_DARK : GP_VIEW_CONTRAST;
    }
    return is_dark ? GP_VIEW_DARK : GP_VIEW_LIGHT;
}

static void find_colors(GpTimeline *self)
{
    self->theme = find_theme(GTK_WIDGET(self));
    gp_free(self->colors);
    self->colors = NULL;
    if (self->navigator != NULL) {
        const struct gp_view_timeline *timeline = self->navigator->timeline;

        self->colors = gp_xalloc(timeline->name_count, sizeof *self->colors);
        gp_view_color_names(self->theme, (const char *const *)timeline->names, timeline->name_count,
                            self->colors);
    }
    forget_nodes(self);
}

static void css_changed(GtkWidget *widget, GtkCssStyleChange *change)
{
    GTK_WIDGET_CLASS(gp_timeline_parent_class)->css_changed(widget, change);
    find_colors(GP_TIMELINE(widget));
    gtk_widget_queue_draw(widget);
}

static void size_allocate(GtkWidget *widget, int width, int height, int baseline)
{
    (void)width;
    (void)height;
    (void)baseline;
    forget_nodes(GP_TIMELINE(widget));
}

static void scale_changed(GpTimeline *self)
{
    forget_nodes(self);
    gtk_widget_queue_draw(GTK_WIDGET(self));
}

void gp_timeline_show(GpTimeline *self, struct gp_navigator *navigator, const char *title)
{
    if (navigator != self->navigator) {
        gtk_adjustment_set_value(self->adjustment, 0);
    }
    self->navigator = navigator;
    g_free(self->title);
    self->title = g_strdup(title);
    /* Nothing is where it was drawn before. */
    for (int i = 0; i < GP_AREA_COUNT; i++) {
        gp_view_frame_clear(&self->frames[i]);
    }
    forget_asked(self);
    find_colors(self);
    describe(self);
    gtk_widget_queue_draw(GTK_WIDGET(self));
}

GtkAdjustment *gp_timeline_adjustment(GpTimeline *self)
{
    return self->adjustment;
}

/* ---- making it ----------------------------------------------------------------------------- */

static void finalize(GObject *object)
{
    GpTimeline *self = GP_TIMELINE(object);

    if (self->fit_source != 0) {
        g_source_remove(self->fit_source);
    }
    forget_nodes(self);
    for (int i = 0; i < GP_AREA_COUNT; i++) {
        gp_view_frame_finish(&self->frames[i]);
    }
    forget_asked(self);
    gp_view_frame_finish(&self->overlay);
    gp_view_frame_finish(&self->card);
    gp_free(self->colors);
    g_free(self->title);
    g_object_unref(self->adjustment);
    G_OBJECT_CLASS(gp_timeline_parent_class)->finalize(object);
}

static void gp_timeline_class_init(GpTimelineClass *klass)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);

    G_OBJECT_CLASS(klass)->finalize = finalize;
    widget_class->snapshot = snapshot;
    widget_class->css_changed = css_changed;
    widget_class->size_allocate = size_allocate;
    gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_IMG);
    (void)g_signal_new("changed", G_TYPE_FROM_CLASS(klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                       G_TYPE_NONE, 0);
    (void)g_signal_new("measured", G_TYPE_FROM_CLASS(klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                       G_TYPE_NONE, 0);
    (void)g_signal_new("picked", G_TYPE_FROM_CLASS(klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                       G_TYPE_NONE, 0);
    gp_timeline_bind(widget_class);
}

static void gp_timeline_init(GpTimeline *self)
{
    GtkWidget *widget = GTK_WIDGET(self);

    gtk_widget_set_focusable(widget, TRUE);
    gtk_widget_set_focus_on_click(widget, TRUE);
    gtk_widget_set_hexpand(widget, TRUE);
    gtk_widget_set_vexpand(widget, TRUE);
    gtk_widget_set_overflow(widget, GTK_OVERFLOW_HIDDEN);
    self->pointer_x = -1;
    self->adjustment = g_object_ref_sink(gtk_adjustment_new(0, 0, 1, 1, 1, 1));
    g_signal_connect(self->adjustment, "value-changed", G_CALLBACK(scrolled), self);
    g_signal_connect(self, "notify::scale-factor", G_CALLBACK(scale_changed), NULL);
    gp_timeline_listen(self);
}

GtkWidget *gp_timeline_new(void)
{
    return g_object_new(GP_TYPE_TIMELINE, NULL);
}
