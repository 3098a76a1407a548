/*
 * The statistics of the measured range, or of everything: sums, and a table of names. They are made
 * in a thread when somebody looks, and given up when the range changes meanwhile.
 */
#ifndef GP_VIEWER_RANGE_TAB_H
#define GP_VIEWER_RANGE_TAB_H

#include <gtk/gtk.h>

#include "viewer/navigator.h"

#define GP_TYPE_RANGE_TAB (gp_range_tab_get_type())
G_DECLARE_FINAL_TYPE(GpRangeTab, gp_range_tab, GP, RANGE_TAB, GtkWidget)

/* Floating and empty. */
GtkWidget *gp_range_tab_new(void);

/* Shows the range of the navigator, which must live until the next call; NULL: nothing. */
void gp_range_tab_show(GpRangeTab *self, const struct gp_navigator *navigator);

/* The navigator has changed. */
void gp_range_tab_refresh(GpRangeTab *self);

#endif
