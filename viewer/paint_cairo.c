/* Paints a frame with cairo: see paint_cairo.h. */
#include "viewer/paint_cairo.h"

#include <math.h>

enum { FONT_PIXELS = 11, BEZIER_TENTHS = 15 };

static void use_color(cairo_t *cr, uint32_t color)
{
    cairo_set_source_rgba(cr, (color >> 16 & 255) / 255.0, (color >> 8 & 255) / 255.0,
                          (color & 255) / 255.0, (color >> 24) / 255.0);
}

void gp_paint_place_text(PangoLayout *layout, const struct gp_view_item *item, const char *text,
                         double *x, double *y)
{
    const PangoAlignment alignments[] = {[GP_VIEW_LEFT] = PANGO_ALIGN_LEFT,
                                         [GP_VIEW_CENTER] = PANGO_ALIGN_CENTER,
                                         [GP_VIEW_RIGHT] = PANGO_ALIGN_RIGHT};
    PangoFontDescription *font = pango_font_description_copy(
        pango_context_get_font_description(pango_layout_get_context(layout)));
    int height;

    pango_font_description_set_absolute_size(font, FONT_PIXELS * PANGO_SCALE);
    pango_font_description_set_weight(font, item->u.text.is_bold ? PANGO_WEIGHT_BOLD
                                                                 : PANGO_WEIGHT_NORMAL);
    pango_layout_set_font_description(layout, font);
    pango_font_description_free(font);
    pango_layout_set_text(layout, text, -1);
    pango_layout_set_single_paragraph_mode(layout, TRUE);
    pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_END);
    pango_layout_set_width(layout, (int)(fmax(item->rect.width, 1) * PANGO_SCALE));
    pango_layout_set_alignment(layout, alignments[item->u.text.align]);
    pango_layout_get_pixel_size(layout, NULL, &height);
    *x = item->rect.x;
    *y = floor(item->rect.y + (item->rect.height - height) / 2);
}

struct gp_view_rect gp_paint_bounds(const struct gp_view_item *item)
{
    const struct gp_view_rect *rect = &item->rect;
    double x0 = fmin(rect->x, rect->x + rect->width), x1 = fmax(rect->x, rect->x + rect->width);
    double y0 = fmin(rect->y, rect->y + rect->height), y1 = fmax(rect->y, rect->y + rect->height);
    const double margin = 2;

    if (item->kind == GP_VIEW_BEZIER) {
        x0 = fmin(x0, fmin(item->u.control.x1, item->u.control.x2));
        x1 = fmax(x1, fmax(item->u.control.x1, item->u.control.x2));
        y0 = fmin(y0, fmin(item->u.control.y1, item->u.control.y2));
        y1 = fmax(y1, fmax(item->u.control.y1, item->u.control.y2));
    }
    return (struct gp_view_rect){x0 - margin, y0 - margin, x1 - x0 + 2 * margin,
                                 y1 - y0 + 2 * margin};
}

static void draw_line(cairo_t *cr, const struct gp_view_item *item)
{
    const double dashes[] = {4, 3};
    const struct gp_view_rect *rect = &item->rect;

    if (item->kind == GP_VIEW_LINE && item->u.line.is_dashed) {
        cairo_set_dash(cr, dashes, 2, 0);
    }
    cairo_set_line_width(cr, item->kind == GP_VIEW_BEZIER ? BEZIER_TENTHS / 10.0
                                                          : fmax(item->u.line.width, 1));
    cairo_move_to(cr, rect->x, rect->y);
    if (item->kind == GP_VIEW_BEZIER) {
        cairo_curve_to(cr, item->u.control.x1, item->u.control.y1, item->u.control.x2,
                       item->u.control.y2, rect->x + rect->width, rect->y + rect->height);
    } else {
        cairo_line_to(cr, rect->x + rect->width, rect->y + rect->height);
    }
    cairo_stroke(cr);
    cairo_set_dash(cr, NULL, 0, 0);
}

static void draw_outline(cairo_t *cr, const struct gp_view_item *item)
{
    double width = item->u.line.width;

    cairo_set_line_width(cr, width);
    cairo_rectangle(cr, item->rect.x + width / 2, item->rect.y + width / 2,
                    fmax(item->rect.width - width, 0), fmax(item->rect.height - width, 0));
    cairo_stroke(cr);
}

void gp_paint_cairo_item(cairo_t *cr, PangoLayout *layout, const struct gp_view_item *item,
                         const char *text)
{
    double x, y;

    use_color(cr, item->color);
    switch (item->kind) {
    case GP_VIEW_RECT:
        cairo_rectangle(cr, item->rect.x, item->rect.y, item->rect.width, item->rect.height);
        cairo_fill(cr);
        break;
    case GP_VIEW_OUTLINE:
        draw_outline(cr, item);
        break;
    case GP_VIEW_LINE:
    case GP_VIEW_BEZIER:
        draw_line(cr, item);
        break;
    case GP_VIEW_TEXT:
        gp_paint_place_text(layout, item, text, &x, &y);
        cairo_move_to(cr, x, y);
        pango_cairo_show_layout(cr, layout);
        break;
    }
}

/* The pixels are copied, because files are written after the frame is gone. */
static void draw_strip(cairo_t *cr, const struct gp_view_frame *frame,
                       const struct gp_view_strip *strip)
{
    cairo_surface_t *picture =
        cairo_image_surface_create(CAIRO_FORMAT_ARGB32, (int)strip->columns, (int)strip->lines);
    unsigned char *target = cairo_image_surface_get_data(picture);
    int stride = cairo_image_surface_get_stride(picture);

    if (target != NULL) {
        for (uint32_t line = 0; line < strip->lines; line++) {
            uint32_t *row = (uint32_t *)(void *)(target + (size_t)line * (size_t)stride);

            for (uint32_t i = 0; i < strip->columns; i++) {
                row[i] = frame->pixels[strip->first + (size_t)line * strip->columns + i];
            }
        }
        cairo_surface_mark_dirty(picture);
        cairo_save(cr);
        cairo_translate(cr, strip->rect.x, strip->rect.y);
        cairo_scale(cr, strip->rect.width / strip->columns, strip->rect.height / strip->lines);
        cairo_set_source_surface(cr, picture, 0, 0);
        cairo_pattern_set_filter(cairo_get_source(cr), CAIRO_FILTER_NEAREST);
        cairo_pattern_set_extend(cairo_get_source(cr), CAIRO_EXTEND_PAD);
        cairo_rectangle(cr, 0, 0, strip->columns, strip->lines);
        cairo_fill(cr);
        cairo_restore(cr);
    }
    cairo_surface_destroy(picture);
}

static void draw_items(cairo_t *cr, PangoLayout *layout, const struct gp_view_frame *frame,
                       size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        const struct gp_view_item *item = &frame->items[i];
        const char *text = item->kind == GP_VIEW_TEXT ? frame->texts + item->u.text.first : "";

        gp_paint_cairo_item(cr, layout, item, text);
    }
}

void gp_paint_cairo(cairo_t *cr, PangoLayout *layout, const struct gp_view_frame *frame)
{
    draw_items(cr, layout, frame, 0, frame->under_count);
    for (size_t i = 0; i < frame->strip_count; i++) {
        draw_strip(cr, frame, &frame->strips[i]);
    }
    draw_items(cr, layout, frame, frame->under_count, frame->item_count);
}
