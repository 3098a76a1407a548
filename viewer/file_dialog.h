/*
 * The dialogs in which a file to open, or to export to, is chosen.
 */
#ifndef GP_VIEWER_FILE_DIALOG_H
#define GP_VIEWER_FILE_DIALOG_H

#include <gtk/gtk.h>

/* Called in the main thread with the window that asked; file is borrowed. Not called when nothing
 * was chosen. */
typedef void gp_file_chosen_fn(GtkWindow *window, GFile *file);

/* Both show a dialog above the window and return at once. */
void gp_file_dialog_open(GtkWindow *window, gp_file_chosen_fn *chosen);
/* Main thread. Another file than one of .png, .svg or .pdf may be chosen. */
void gp_file_dialog_export(GtkWindow *window, gp_file_chosen_fn *chosen);

#endif
