/*
 * The window's header: file, device, pages and menu. In a narrow window it says less.
 */
#ifndef GP_VIEWER_HEADER_H
#define GP_VIEWER_HEADER_H

#include <gtk/gtk.h>

#include "probe/record.h"

/* Its widgets, which belong to the bar. */
struct gp_header {
    GtkWidget *bar, *open, *name, *origin, *switcher, *menu_button;
    char *origin_text, *origin_short; /* "measured · NVIDIA H200", "measured"; NULL: nothing yet */
    gboolean is_narrow;
};

/* Fills the struct. Returns the bar, floating. */
GtkWidget *gp_header_init(struct gp_header *header);

/* Releases the texts; the widgets go with the window. Takes a zeroed struct. */
void gp_header_finish(struct gp_header *header);

/* The pages between which it switches. */
void gp_header_set_pages(struct gp_header *header, GtkStack *pages);

/* Whether there are pages and a device, or nothing (yet). */
void gp_header_show_content(struct gp_header *header, gboolean has_content);

/* The file's name, and whether its device was measured or modelled. */
void gp_header_say_file(struct gp_header *header, const char *name);
void gp_header_say_device(struct gp_header *header, const struct gp_device_row *device);

/* Without the file's name, and with short words. */
void gp_header_be_narrow(struct gp_header *header, gboolean is_narrow);

#endif
