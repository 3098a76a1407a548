/*
 * The line over a timeline that is not read yet: what is seen is a sample, and how far it is.
 */
#ifndef GP_VIEWER_SAMPLE_BAR_H
#define GP_VIEWER_SAMPLE_BAR_H

#include <gtk/gtk.h>

#define GP_TYPE_SAMPLE_BAR (gp_sample_bar_get_type())
G_DECLARE_FINAL_TYPE(GpSampleBar, gp_sample_bar, GP, SAMPLE_BAR, GtkWidget)

/* Floating and hidden. */
GtkWidget *gp_sample_bar_new(void);

/* Appears: so many operations stand for `total`, of which `done` have been read. */
void gp_sample_bar_say(GpSampleBar *self, guint64 shown, guint64 done, guint64 total);

#endif
