/*
 * A page that says one thing: a picture, what it is, more about it, what to do, and buttons to do
 * it. For errors, for what is still empty, and for the start.
 */
#ifndef GP_VIEWER_STATUS_PAGE_H
#define GP_VIEWER_STATUS_PAGE_H

#include <gtk/gtk.h>

#define GP_TYPE_STATUS_PAGE (gp_status_page_get_type())
G_DECLARE_FINAL_TYPE(GpStatusPage, gp_status_page, GP, STATUS_PAGE, GtkWidget)

/* A floating widget that says nothing yet. */
GtkWidget *gp_status_page_new(void);

/* Texts are copied; text (what, which) and advice (what to do) may be "". */
void gp_status_page_say(GpStatusPage *self, const char *icon, const char *title, const char *text,
                        const char *advice);

/* A button below; action is a detailed name. Removed by the next say. */
void gp_status_page_offer(GpStatusPage *self, const char *label, const char *action);

#endif
