/*
 * The keys of the window, and the window that lists them all, made of the tables that bind them.
 */
#ifndef GP_VIEWER_SHORTCUTS_H
#define GP_VIEWER_SHORTCUTS_H

#include <gtk/gtk.h>

/* Binds the keys that are no commands of the timeline; once an application. */
void gp_shortcuts_add(GtkApplication *application);

/* Shows the list over the parent. */
void gp_shortcuts_present(GtkWindow *parent);

#endif
