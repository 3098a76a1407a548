/*
 * One place of the heat map: a button in the figure's colour with the figure as text, outlined when
 * it is the recommended one.
 */
#ifndef GP_VIEWER_HEAT_CELL_H
#define GP_VIEWER_HEAT_CELL_H

#include <gtk/gtk.h>

#define GP_TYPE_HEAT_CELL (gp_heat_cell_get_type())
G_DECLARE_FINAL_TYPE(GpHeatCell, gp_heat_cell, GP, HEAT_CELL, GtkButton)

enum gp_heat_mark { GP_HEAT_PLAIN, GP_HEAT_TIED, GP_HEAT_BEST };

/* color is 0xAARRGGBB; text and name (what a screen reader says) are copied. Floating. */
GtkWidget *gp_heat_cell_new(guint32 color, const char *text, enum gp_heat_mark mark,
                            const char *name);

#endif
