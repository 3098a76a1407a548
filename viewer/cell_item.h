/*
 * A line of the list of cells as an object of a GListModel.
 */
#ifndef GP_VIEWER_CELL_ITEM_H
#define GP_VIEWER_CELL_ITEM_H

#include <gtk/gtk.h>

#include "viewer/document.h"

#define GP_TYPE_CELL_ITEM (gp_cell_item_get_type())
G_DECLARE_FINAL_TYPE(GpCellItem, gp_cell_item, GP, CELL_ITEM, GObject)

/* document and entry must live as long. */
GpCellItem *gp_cell_item_new(const struct gp_document *document, const struct gp_entry *entry);

/* Borrowed. */
const struct gp_entry *gp_cell_item_entry(GpCellItem *item);

/* "round-robin", "batch · 8 streams · traced" and "3.282 ms" ("" unknown). Borrowed. */
const char *gp_cell_item_title(GpCellItem *item);
const char *gp_cell_item_subtitle(GpCellItem *item);
const char *gp_cell_item_makespan(GpCellItem *item);

/* In what it differs from others of its scenario ("" in nothing), and all parameters. Borrowed. */
const char *gp_cell_item_difference(GpCellItem *item);
const char *gp_cell_item_hint(GpCellItem *item);

/* Whether each of the text's words stands somewhere in it, regardless of case. */
gboolean gp_cell_item_matches(GpCellItem *item, const char *text);

#endif
