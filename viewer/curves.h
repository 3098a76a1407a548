/*
 * A curve per policy over the pool size, with the intervals of the figures. Shows a table of
 * matrix.h; the same painter serves the screen and a file.
 */
#ifndef GP_VIEWER_CURVES_H
#define GP_VIEWER_CURVES_H

#include <gtk/gtk.h>

#include "viewer/matrix.h"

#define GP_TYPE_CURVES (gp_curves_get_type())
G_DECLARE_FINAL_TYPE(GpCurves, gp_curves, GP, CURVES, GtkWidget)

/* A floating widget without curves. */
GtkWidget *gp_curves_new(void);

/* The table must live until the next call; NULL none. */
void gp_curves_show(GpCurves *self, const struct gp_matrix *matrix, enum gp_matrix_metric metric);

#endif
