/*
 * A list of numbered lines in any order, as long as it may be: an array of numbers, whose objects
 * are made when somebody looks at them.
 */
#ifndef GP_VIEWER_TABLE_MODEL_H
#define GP_VIEWER_TABLE_MODEL_H

#include <gio/gio.h>

#define GP_TYPE_TABLE_LINE (gp_table_line_get_type())
G_DECLARE_FINAL_TYPE(GpTableLine, gp_table_line, GP, TABLE_LINE, GObject)

/* The caller's. */
GpTableLine *gp_table_line_new(guint32 number);

/* As it was made. */
guint32 gp_table_line_number(GpTableLine *line);

#define GP_TYPE_TABLE_MODEL (gp_table_model_get_type())
G_DECLARE_FINAL_TYPE(GpTableModel, gp_table_model, GP, TABLE_MODEL, GObject)

/* The caller's; empty. */
GpTableModel *gp_table_model_new(void);

/* Lines 0 … count − 1 in their order. */
void gp_table_model_fill(GpTableModel *self, guint32 count);

/* The same lines in another order, an array that it takes over (gp_free). */
void gp_table_model_arrange(GpTableModel *self, guint32 *order);

/* Where a number stands; G_MAXUINT: nowhere. Linear. */
guint gp_table_model_find(GpTableModel *self, guint32 number);

#endif
