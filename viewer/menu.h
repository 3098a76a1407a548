/*
 * The window's menu, with the recordings that were opened lately and the samples that came along.
 */
#ifndef GP_VIEWER_MENU_H
#define GP_VIEWER_MENU_H

#include <gtk/gtk.h>

#define GP_MIME_TYPE "application/x-gpuprobe"

/* The caller's. Items name actions of "win." and "app."; files are opened by win.open-uri(s). */
GMenuModel *gp_menu_new(void);

/* Remembers a recording for the menu. */
void gp_menu_remember(GFile *file);

/* The folder of the sample recordings, where it is installed or in the tree that the program was
 * built in; NULL: there is none. The caller's. */
char *gp_menu_samples_folder(void);

/* The first count_max recordings opened lately that are still there, as URIs; the caller's. */
GPtrArray *gp_menu_recent(guint count_max);

#endif
