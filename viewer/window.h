/*
 * A window: one recording, its cells on the left, its pages on the right; or the start, or what is
 * wrong with the file.
 */
#ifndef GP_VIEWER_WINDOW_H
#define GP_VIEWER_WINDOW_H

#include <gtk/gtk.h>

#include "viewer/application.h"

#define GP_TYPE_WINDOW (gp_window_get_type())
G_DECLARE_FINAL_TYPE(GpWindow, gp_window, GP, WINDOW, GtkApplicationWindow)

/* A window of the application without a recording. */
GpWindow *gp_window_new(GpApplication *application);

/* Reads the file in the background and shows it, or what is wrong with it. cell: the one to begin
 * with, as gp_document_find takes it; NULL: the figures of all. */
void gp_window_open(GpWindow *self, GFile *file, const char *cell);

/* Whether it shows no recording, so that one may be opened in it. */
gboolean gp_window_is_empty(GpWindow *self);

#endif
