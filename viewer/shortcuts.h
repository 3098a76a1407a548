/*
 * The window that lists all keys, made of the tables that bind them.
 */
#ifndef GP_VIEWER_SHORTCUTS_H
#define GP_VIEWER_SHORTCUTS_H

#include <gtk/gtk.h>

/* Shows it over the parent. */
void gp_shortcuts_present(GtkWindow *parent);

#endif
