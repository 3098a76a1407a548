/*
 * What a builder keeps: the tree of operations as op.c and combine.c make it and expand.c walks it.
 * Private to these.
 */
#ifndef GP_CORE_OP_NODE_H
#define GP_CORE_OP_NODE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/dag.h"

enum gp_node_kind {
    GP_NODE_LEAF,     /* one operation of the DAG */
    GP_NODE_SEQUENCE, /* children one after another; handles of the last */
    GP_NODE_ZIP,      /* children at once; handles of all */
    GP_NODE_IN_TURN,  /* children one after another; handles of all */
    GP_NODE_THEN,     /* what a function makes of the handles before it */
    GP_NODE_CONTEXT,  /* what a function makes of the device */
    GP_NODE_SHARED,   /* its only child, which runs once, wherever it is referred to */
    GP_NODE_USE,      /* refers to a shared node, or to one handle of it */
};

/* A place in the expanded tree: what comes next follows ends[first_end .. first_end + end_count) of
 * the expansion, ascending ids, gets handles[first_handle .. first_handle + handle_count), and
 * continues the chain, or begins one when there is none (UINT32_MAX). */
struct gp_place {
    uint32_t first_end, end_count;
    uint32_t first_handle, handle_count;
    uint32_t chain;
};

struct gp_op {
    struct gp_op *older; /* of the builder's list */
    enum gp_node_kind kind;
    bool used;         /* part of another already, or emptied into one */
    const char *label; /* the name of its first leaf, for messages */
    struct gp_op *first_child, *last_child;
    struct gp_op *next_sibling;
    uint32_t child_count;
    void *user; /* of a value: itself; of a function: its last argument */
    union {
        struct gp_dag_op leaf; /* all but chain, level and edges */
        gp_then_fn *then;
        gp_context_fn *context;
        struct {
            struct gp_op *target; /* a shared node */
            uint32_t index;       /* of the handle; UINT32_MAX: all of them */
            uint32_t count;       /* handles that it must have; 0: any number */
        } use;
        struct {
            uint32_t freeze; /* the builder's count when `place` was found; 0: never */
            bool is_open;    /* being expanded: meeting it again is a cycle */
            struct gp_place place;
        } shared;
    };
};

/* Where the block behind a node begins. */
#define GP_NODE_BYTES                                                                              \
    ((sizeof(struct gp_op) + _Alignof(max_align_t) - 1) / _Alignof(max_align_t) *                  \
     _Alignof(max_align_t))

struct gp_builder {
    struct gp_op *newest;
    struct gp_device *device; /* for with_context; may be NULL */
    uint32_t freezes;
    struct gp_error error; /* the first failure; code 0 while there is none */
};

/* A new node with `extra` bytes behind it; NULL when out of memory. */
struct gp_op *gp_node_make(struct gp_builder *builder, enum gp_node_kind kind, size_t extra);

/* Keeps the first failure of the builder; NULL, so that a combinator fails in one line. */
struct gp_op *gp_builder_fail(struct gp_builder *builder, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* True after the first. */
bool gp_builder_has_failed(const struct gp_builder *builder);

/*
 * An operation's name, arguments and accesses lie in one block behind it. gp_leaf_bytes says how
 * long that is; gp_leaf_pack copies them from `from` into the block and points `to` (else a copy of
 * `from`) at it. The block is aligned for any type, and so is its length.
 */
size_t gp_leaf_bytes(const struct gp_dag_op *leaf);
void gp_leaf_pack(const struct gp_dag_op *from, void *block, struct gp_dag_op *to);

#endif
