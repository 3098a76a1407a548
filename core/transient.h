/*
 * Transient buffers while a DAG is submitted: stand-in addresses become those of the memory that
 * the buffers have by then. Private to core.
 */
#ifndef GP_CORE_TRANSIENT_H
#define GP_CORE_TRANSIENT_H

#include "core/dag.h"

/* An operation with the addresses of its buffers' memory; not to be copied. */
struct gp_placed_op {
    struct gp_dag_op op;
    const void *args[GP_KERNEL_ARGS_MAX];
    gp_addr addresses[GP_KERNEL_ARGS_MAX];
};

/* The access whose transient buffer a stand-in lies in; NULL when there is none. */
const struct gp_access *gp_access_find(const struct gp_access *accesses, uint32_t count,
                                       gp_addr stand_in);

/* GP_ESTATE when a buffer has no memory. *out borrows from `op`. */
int gp_transient_place(const struct gp_dag_op *op, struct gp_placed_op *out, struct gp_error *err);

/* Whether buffers have memory that operations of the DAG allocate or free. */
bool gp_transient_is_held(const struct gp_dag *dag);

/* After a failure, when nothing runs any more: frees what the DAG's operations allocated and did
 * not free. */
void gp_transient_release(const struct gp_dag *dag);

/* The same of a capture that came to nothing: the memory was its own. */
void gp_transient_forget(const struct gp_dag *dag);

#endif
