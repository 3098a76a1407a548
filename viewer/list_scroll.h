/*
 * Brings a line of a list into view. GTK 4.8 has no function for it, and a list that scrolls before
 * it has a size shows one line from then on: it is done some frames after the list is seen.
 */
#ifndef GP_VIEWER_LIST_SCROLL_H
#define GP_VIEWER_LIST_SCROLL_H

#include <gtk/gtk.h>

struct gp_list_scroll {
    GtkWidget *view; /* NULL: the struct is zeroed or finished */
    guint line;      /* to be seen; G_MAXUINT: none */
    guint tick;      /* 0: nothing is to be done */
    guint frames;    /* since it was asked for, with a size */
};

/* view is a GtkListView or a GtkColumnView, and outlives the struct's use. */
void gp_list_scroll_init(struct gp_list_scroll *scroll, GtkWidget *view);

/* Soon, or when the view is seen. G_MAXUINT: no line, whatever was asked for before. */
void gp_list_scroll_to(struct gp_list_scroll *scroll, guint line);

/* Takes a zeroed struct; while the view is still there. */
void gp_list_scroll_finish(struct gp_list_scroll *scroll);

#endif
