/*
 * Paints a frame of the layout with cairo: into files, on paper, without a display. Texts stay
 * texts.
 */
#ifndef GP_VIEWER_PAINT_CAIRO_H
#define GP_VIEWER_PAINT_CAIRO_H

#include <pango/pangocairo.h>

#include "viewer/layout/frame.h"

/* Paints all of it; the layout carries the font and is changed. */
void gp_paint_cairo(cairo_t *cr, PangoLayout *layout, const struct gp_view_frame *frame);

/* One item; layout NULL for those that are no texts. */
void gp_paint_cairo_item(cairo_t *cr, PangoLayout *layout, const struct gp_view_item *item,
                         const char *text);

/* What an item covers. */
struct gp_view_rect gp_paint_bounds(const struct gp_view_item *item);

/* Prepares the layout for a text item and says where its upper left corner goes. */
void gp_paint_place_text(PangoLayout *layout, const struct gp_view_item *item, const char *text,
                         double *x, double *y);

#endif
