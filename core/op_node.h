/*
 * What a builder keeps: the tree of operations as op.c makes it and dag.c expands it. Private to
 * these two.
 */
#ifndef GP_CORE_OP_NODE_H
#define GP_CORE_OP_NODE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/dag.h"

enum gp_node_kind {
    GP_NODE_LEAF,     /* one operation of the DAG */
    GP_NODE_SEQUENCE, /* children one after another */
    GP_NODE_ZIP,      /* children at once */
};

struct gp_op {
    struct gp_op *older; /* of the builder's list */
    enum gp_node_kind kind;
    bool used;         /* part of another already, or emptied into one */
    uint32_t depth;    /* of nesting below; expansion recurses that deep */
    const char *label; /* the name of its first leaf, for messages */
    struct gp_op *first_child, *last_child;
    struct gp_op *next_sibling;
    uint32_t child_count;
    struct gp_dag_op leaf; /* of a leaf: all but chain, level and edges */
};

/* Where the block behind a node begins. */
#define GP_NODE_BYTES                                                                              \
    ((sizeof(struct gp_op) + _Alignof(max_align_t) - 1) / _Alignof(max_align_t) *                  \
     _Alignof(max_align_t))

struct gp_builder {
    struct gp_op *newest;
    struct gp_error error; /* the first failure; code 0 while there is none */
};

/*
 * An operation's name, arguments and accesses lie in one block behind it. gp_leaf_bytes says how
 * long that is; gp_leaf_pack copies them from `from` into the block and points `to` (else a copy of
 * `from`) at it. The block is aligned for any type, and so is its length.
 */
size_t gp_leaf_bytes(const struct gp_dag_op *leaf);
void gp_leaf_pack(const struct gp_dag_op *from, void *block, struct gp_dag_op *to);

#endif
