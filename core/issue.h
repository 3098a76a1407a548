/*
 * Issue orders: in which order the operations of a DAG are submitted. Private to core.
 */
#ifndef GP_CORE_ISSUE_H
#define GP_CORE_ISSUE_H

#include "core/schedule.h"

/* Fills ops[dag->op_count] with all ids in issue order; every operation comes after those it
 * depends on. */
int gp_issue_order_fill(const struct gp_dag *dag, enum gp_issue_order order, uint32_t *ops,
                        struct gp_error *err);

#endif
