/*
 * What the tables below the timeline hold: the operations of a run, and its names within a range.
 * Texts and order only; the widget is table.h.
 */
#ifndef GP_VIEWER_OP_TABLE_H
#define GP_VIEWER_OP_TABLE_H

#include "viewer/layout/range.h"
#include "viewer/table.h"

/* user is a const struct gp_view_timeline *, lines are op.id. */
extern const struct gp_table_source gp_op_table;

/* The names of a range, for gp_name_table; names are gp_view_range_names' array. */
struct gp_name_lines {
    const struct gp_view_timeline *timeline;
    struct gp_view_name_range *names;
    guint32 count;
};

/* user is a const struct gp_name_lines *, lines are indices of its names. */
extern const struct gp_table_source gp_name_table;

#endif
