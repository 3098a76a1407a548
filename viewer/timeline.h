/*
 * The timeline: minimap, time axis, how many operations run, and the rows. It shows a navigator and
 * moves it by keys and pointer. Emits "changed" whenever it did; "measured" when somebody has
 * measured a range, and "picked" when a span was clicked.
 */
#ifndef GP_VIEWER_TIMELINE_H
#define GP_VIEWER_TIMELINE_H

#include <gtk/gtk.h>

#include "viewer/navigator.h"

#define GP_TYPE_TIMELINE (gp_timeline_get_type())
G_DECLARE_FINAL_TYPE(GpTimeline, gp_timeline, GP, TIMELINE, GtkWidget)

/* A floating widget that shows nothing. */
GtkWidget *gp_timeline_new(void);

/* Shows the navigator, which must live until the next call; NULL: nothing. Given the same one, it
 * has another timeline. title is what a screen reader calls it; copied. */
void gp_timeline_show(GpTimeline *self, struct gp_navigator *navigator, const char *title);

/* The navigator was changed by somebody else: draws it anew, scrolled to its selection. */
void gp_timeline_refresh(GpTimeline *self);

/* How far the rows are scrolled; for a scroll bar. Borrowed. */
GtkAdjustment *gp_timeline_adjustment(GpTimeline *self);

#endif
