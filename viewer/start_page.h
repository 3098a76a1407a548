/*
 * What a window shows before a recording is there.
 */
#ifndef GP_VIEWER_START_PAGE_H
#define GP_VIEWER_START_PAGE_H

#include <gtk/gtk.h>

/* Offers what one is most likely to want: a dialog, what was opened last, a sample. Floating. */
GtkWidget *gp_start_page_new(void);

/* Says that a recording is being read. Floating. */
GtkWidget *gp_start_page_waiting_new(void);

#endif
