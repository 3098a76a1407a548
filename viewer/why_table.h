/*
 * What the tab of causes holds: a line for each cause, what it cost and what would remove it. Texts
 * and order only; the widget is table.h.
 */
#ifndef GP_VIEWER_WHY_TABLE_H
#define GP_VIEWER_WHY_TABLE_H

#include "viewer/table.h"
#include "viewer/why.h"

/* user is a const struct gp_why *, lines are indices of its totals. */
extern const struct gp_table_source gp_why_table;

#endif
