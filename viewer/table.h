/*
 * A table of any length: lines are made when they are seen, columns sort when their title is
 * clicked, millions of lines in a thread that says how far it is and can be stopped. Emits "chosen"
 * with the line's number when one is selected by the user.
 */
#ifndef GP_VIEWER_TABLE_H
#define GP_VIEWER_TABLE_H

#include <gtk/gtk.h>

#include "viewer/table_model.h"

struct gp_table_column {
    const char *title;
    int width; /* pixels; 0: takes what is left */
    gboolean is_number;
};

/* Where a table's lines come from. */
struct gp_table_source {
    const char *name; /* for a screen reader */
    const struct gp_table_column *columns;
    guint column_count;
    void (*text)(gpointer user, guint32 line, guint column, char *text, gsize size);
    /* What a column sorts by: a number of each of lines 0 … count − 1. Called in a thread. */
    void (*keys)(gpointer user, guint column, gint64 *keys, guint32 count);
};

#define GP_TYPE_TABLE (gp_table_get_type())
G_DECLARE_FINAL_TYPE(GpTable, gp_table, GP, TABLE, GtkWidget)

/* Floating and empty; source is static. */
GtkWidget *gp_table_new(const struct gp_table_source *source);

/* Shows lines 0 … count − 1 of user, which must live and stay as it is until the next call. */
void gp_table_fill(GpTable *self, gpointer user, guint32 count);

/* Selects a line and scrolls to it, without emitting "chosen"; G_MAXUINT32: none. */
void gp_table_select(GpTable *self, guint32 line);

#endif
