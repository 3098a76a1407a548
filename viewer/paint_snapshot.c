/* Paints a frame on the screen: see paint_snapshot.h. */
#include "viewer/paint_snapshot.h"

#include <math.h>

#include "viewer/paint_cairo.h"

static GdkRGBA rgba_of(uint32_t color)
{
    return (GdkRGBA){(float)(color >> 16 & 255) / 255, (float)(color >> 8 & 255) / 255,
                     (float)(color & 255) / 255, (float)(color >> 24) / 255};
}

static graphene_rect_t rect_of(const struct gp_view_rect *rect)
{
    return GRAPHENE_RECT_INIT((float)rect->x, (float)rect->y, (float)rect->width,
                              (float)rect->height);
}

static void add_strip(GtkSnapshot *snapshot, const struct gp_view_frame *frame,
                      const struct gp_view_strip *strip)
{
    gsize stride = strip->columns * sizeof(uint32_t);
    graphene_rect_t bounds = rect_of(&strip->rect);
    g_autoptr(GBytes) bytes = NULL;
    g_autoptr(GdkTexture) texture = NULL;

    if (strip->columns == 0 || strip->lines == 0) {
        return;
    }
    bytes = g_bytes_new(&frame->pixels[strip->first], stride * strip->lines);
    texture = gdk_memory_texture_new((int)strip->columns, (int)strip->lines, GDK_MEMORY_DEFAULT,
                                     bytes, stride);
    gtk_snapshot_append_texture(snapshot, texture, &bounds);
}

static void add_outline(GtkSnapshot *snapshot, const struct gp_view_item *item)
{
    GdkRGBA color = rgba_of(item->color);
    GdkRGBA colors[4] = {color, color, color, color};
    float width = (float)item->u.line.width;
    float widths[4] = {width, width, width, width};
    graphene_rect_t bounds = rect_of(&item->rect);
    GskRoundedRect shape;

    gsk_rounded_rect_init_from_rect(&shape, &bounds, 0);
    gtk_snapshot_append_border(snapshot, &shape, widths, colors);
}

/* Upright and level lines are rectangles; the others are drawn within their own bounds only. */
static void add_line(GtkSnapshot *snapshot, const struct gp_view_item *item)
{
    const struct gp_view_rect *rect = &item->rect;
    double width = item->kind == GP_VIEW_LINE ? fmax(item->u.line.width, 1) : 2;
    bool is_straight = rect->width == 0 || rect->height == 0;

    if (item->kind == GP_VIEW_LINE && is_straight && !item->u.line.is_dashed) {
        GdkRGBA color = rgba_of(item->color);

        gtk_snapshot_append_color(snapshot, &color,
                                  &GRAPHENE_RECT_INIT((float)fmin(rect->x, rect->x + rect->width),
                                                      (float)fmin(rect->y, rect->y + rect->height),
                                                      (float)fmax(fabs(rect->width), width),
                                                      (float)fmax(fabs(rect->height), width)));
    } else {
        struct gp_view_rect box = gp_paint_bounds(item);
        graphene_rect_t bounds = rect_of(&box);
        cairo_t *cr = gtk_snapshot_append_cairo(snapshot, &bounds);

        gp_paint_cairo_item(cr, NULL, item, "");
        cairo_destroy(cr);
    }
}

static void add_text(GtkSnapshot *snapshot, PangoLayout *layout, const struct gp_view_item *item,
                     const char *text)
{
    GdkRGBA color = rgba_of(item->color);
    double x, y;

    gp_paint_place_text(layout, item, text, &x, &y);
    gtk_snapshot_save(snapshot);
    gtk_snapshot_translate(snapshot, &GRAPHENE_POINT_INIT((float)x, (float)y));
    gtk_snapshot_append_layout(snapshot, layout, &color);
    gtk_snapshot_restore(snapshot);
}

static void add_item(GtkSnapshot *snapshot, PangoLayout *layout, const struct gp_view_frame *frame,
                     const struct gp_view_item *item)
{
    GdkRGBA color = rgba_of(item->color);
    graphene_rect_t bounds = rect_of(&item->rect);

    switch (item->kind) {
    case GP_VIEW_RECT:
        gtk_snapshot_append_color(snapshot, &color, &bounds);
        break;
    case GP_VIEW_OUTLINE:
        add_outline(snapshot, item);
        break;
    case GP_VIEW_LINE:
    case GP_VIEW_BEZIER:
        add_line(snapshot, item);
        break;
    case GP_VIEW_TEXT:
        add_text(snapshot, layout, item, frame->texts + item->u.text.first);
        break;
    }
}

void gp_paint_snapshot(GtkSnapshot *snapshot, const struct gp_view_frame *frame, GtkWidget *widget)
{
    g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(widget, NULL);

    for (size_t i = 0; i < frame->under_count; i++) {
        add_item(snapshot, layout, frame, &frame->items[i]);
    }
    for (size_t i = 0; i < frame->strip_count; i++) {
        add_strip(snapshot, frame, &frame->strips[i]);
    }
    for (size_t i = frame->under_count; i < frame->item_count; i++) {
        add_item(snapshot, layout, frame, &frame->items[i]);
    }
}
