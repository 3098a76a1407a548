/*
 * A line above the pages that says something about the file, until it is closed.
 */
#ifndef GP_VIEWER_NOTICE_H
#define GP_VIEWER_NOTICE_H

#include <gtk/gtk.h>

/* Floating and hidden. */
GtkWidget *gp_notice_new(void);

/* Shows the text instead of what was said before. */
void gp_notice_say(GtkWidget *notice, const char *text);

/* As its button does. */
void gp_notice_hide(GtkWidget *notice);

#endif
