/*
 * Paints a frame of the layout on the screen. Strips become textures, one node each; the rest are
 * plain nodes, so that nothing is drawn by the processor over the whole widget.
 */
#ifndef GP_VIEWER_PAINT_SNAPSHOT_H
#define GP_VIEWER_PAINT_SNAPSHOT_H

#include <gtk/gtk.h>

#include "viewer/layout/frame.h"

/* Adds the frame to the snapshot; the widget gives font and scale. */
void gp_paint_snapshot(GtkSnapshot *snapshot, const struct gp_view_frame *frame, GtkWidget *widget);

#endif
