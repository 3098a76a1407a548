/*
 * The left pane: all cells of the recording with a filter above them. Emits "chosen" when another
 * one is selected.
 */
#ifndef GP_VIEWER_CELL_LIST_H
#define GP_VIEWER_CELL_LIST_H

#include <gtk/gtk.h>

#include "viewer/document.h"

#define GP_TYPE_CELL_LIST (gp_cell_list_get_type())
G_DECLARE_FINAL_TYPE(GpCellList, gp_cell_list, GP, CELL_LIST, GtkWidget)

/* A floating widget without cells. */
GtkWidget *gp_cell_list_new(void);

/* Shows the document's cells; it must live until the next call. NULL: none. */
void gp_cell_list_set_document(GpCellList *self, const struct gp_document *document);

/* Selects a cell, clearing a filter that hides it. */
void gp_cell_list_select(GpCellList *self, const struct gp_entry *entry);

/* NULL: none is selected. Borrowed. */
const struct gp_entry *gp_cell_list_selected(GpCellList *self);

#endif
