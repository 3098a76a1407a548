/*
 * Expansion: from a tree of operations to the operations, chains and edges of its DAG. Private to
 * core.
 */
#ifndef GP_CORE_EXPAND_H
#define GP_CORE_EXPAND_H

#include "core/op_node.h"

struct gp_expanded_op {
    const struct gp_dag_op *leaf;
    uint32_t chain;
    bool is_shared; /* its result is used by reference */
};

/* Zero it first, with err set. */
struct gp_expansion {
    struct gp_builder *builder;
    struct gp_expanded_op *ops; /* by id */
    uint32_t op_count, op_capacity;
    struct gp_edge *edges; /* sorted by (to, from); no two alike */
    uint32_t edge_count, edge_capacity;
    uint32_t chain_count;
    uint32_t *ends; /* ids; places refer to it */
    uint32_t end_count, end_capacity;
    struct gp_handle *handles; /* likewise */
    uint32_t handle_count, handle_capacity;
    uint32_t depth;
    struct gp_error *err;
};

/* Depth first, so that ids are in construction order and every edge goes to a higher one. Calls the
 * functions of the tree, which may add operations to the builder. */
int gp_expansion_run(struct gp_expansion *expansion, struct gp_op *root);
/* Releases what it found; what the caller took over it must have set to NULL. */
void gp_expansion_finish(struct gp_expansion *expansion);

#endif
