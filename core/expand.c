/* Expansion: see expand.h. */
#include "core/expand.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "core/memory.h"

static const uint32_t no_chain = UINT32_MAX;

static int fail_memory(struct gp_expansion *x)
{
    return gp_fail(x->err, GP_ENOMEM, "out of host memory for expanding the operations");
}

/* ---- growing ---- */

/* Makes room for `more` elements behind the `count` of *block. */
static int reserve(struct gp_expansion *x, void **block, uint32_t *capacity, uint32_t count,
                   uint32_t more, size_t bytes)
{
    uint64_t needed = (uint64_t)count + more;
    uint32_t grown = *capacity > 0 ? *capacity : 64;

    if (needed > GP_EDGES_MAX) {
        return gp_fail(x->err, GP_EINVAL, "the operations have more than %d dependencies",
                       GP_EDGES_MAX);
    }
    while (grown < needed) {
        grown *= 2;
    }
    if (grown > *capacity) {
        if (gp_realloc(block, count, grown, bytes) != 0) {
            return fail_memory(x);
        }
        *capacity = grown;
    }
    return 0;
}

static int reserve_ends(struct gp_expansion *x, uint32_t more)
{
    void *block = x->ends;
    int code = reserve(x, &block, &x->end_capacity, x->end_count, more, sizeof *x->ends);

    x->ends = block;
    return code;
}

static int reserve_handles(struct gp_expansion *x, uint32_t more)
{
    void *block = x->handles;
    int code = reserve(x, &block, &x->handle_capacity, x->handle_count, more, sizeof *x->handles);

    x->handles = block;
    return code;
}

/* Room for one more operation that has `preds` predecessors. */
static int reserve_op(struct gp_expansion *x, uint32_t preds)
{
    void *ops = x->ops;
    void *edges = x->edges;
    int code;

    if (x->op_count == GP_OPS_MAX) {
        return gp_fail(x->err, GP_EINVAL, "more than %d operations", GP_OPS_MAX);
    }
    code = reserve(x, &ops, &x->op_capacity, x->op_count, 1, sizeof *x->ops);
    x->ops = ops;
    if (code != 0) {
        return code;
    }
    code = reserve(x, &edges, &x->edge_capacity, x->edge_count, preds, sizeof *x->edges);
    x->edges = edges;
    return code;
}

/* ---- leaves ---- */

static enum gp_edge_kind edge_kind(const struct gp_expansion *x, uint32_t from, uint32_t chain,
                                   bool begins)
{
    if (x->ops[from].chain == chain) {
        return GP_EDGE_CHAIN;
    }
    if (x->ops[from].is_shared) {
        return GP_EDGE_DATA;
    }
    return begins ? GP_EDGE_FORK : GP_EDGE_JOIN;
}

/* What comes after a leaf may know the buffers that it writes, or its value. */
static int push_handles(struct gp_expansion *x, const struct gp_op *op, struct gp_place *at)
{
    int code = reserve_handles(x, op->leaf.access_count + 1);

    if (code != 0) {
        return code;
    }
    at->first_handle = x->handle_count;
    if (op->leaf.kind == GP_OP_VALUE) {
        x->handles[x->handle_count++] = (struct gp_handle){.value = op->user};
    }
    for (uint32_t i = 0; i < op->leaf.access_count; i++) {
        const struct gp_access *access = &op->leaf.accesses[i];

        if ((access->mode & GP_ACCESS_WRITE) != 0) {
            x->handles[x->handle_count++] = (struct gp_handle){.buffer = access->buffer};
        }
    }
    at->handle_count = x->handle_count - at->first_handle;
    return 0;
}

static int expand_leaf(struct gp_expansion *x, const struct gp_op *op, struct gp_place *at)
{
    uint32_t id = x->op_count;
    bool begins = at->chain == no_chain;
    int code = reserve_op(x, at->end_count);

    if (code == 0) {
        code = reserve_ends(x, 1);
    }
    if (code == 0) {
        code = push_handles(x, op, at);
    }
    if (code != 0) {
        return code;
    }
    if (begins) {
        at->chain = x->chain_count++;
    }
    x->ops[x->op_count++] = (struct gp_expanded_op){.leaf = &op->leaf, .chain = at->chain};
    for (uint32_t i = 0; i < at->end_count; i++) {
        uint32_t from = x->ends[at->first_end + i];

        x->edges[x->edge_count++] =
            (struct gp_edge){from, id, edge_kind(x, from, at->chain, begins)};
    }
    at->first_end = x->end_count;
    at->end_count = 1;
    x->ends[x->end_count++] = id;
    return 0;
}

/* ---- joining ---- */

/* Gives *out the ends of both, ascending, each once. */
static int merge_ends(struct gp_expansion *x, struct gp_place a, struct gp_place b,
                      struct gp_place *out)
{
    int code = reserve_ends(x, a.end_count + b.end_count);
    uint32_t i = 0;
    uint32_t j = 0;

    if (code != 0) {
        return code;
    }
    out->first_end = x->end_count;
    while (i < a.end_count || j < b.end_count) {
        uint32_t left = i < a.end_count ? x->ends[a.first_end + i] : UINT32_MAX;
        uint32_t right = j < b.end_count ? x->ends[b.first_end + j] : UINT32_MAX;

        x->ends[x->end_count++] = left < right ? left : right;
        i += left <= right ? 1 : 0;
        j += right <= left ? 1 : 0;
    }
    out->end_count = x->end_count - out->first_end;
    return 0;
}

/* The handles of all arms, in order. */
static int join_handles(struct gp_expansion *x, const struct gp_place *arms, uint32_t count,
                        struct gp_place *out)
{
    uint32_t first = x->handle_count;

    for (uint32_t i = 0; i < count; i++) {
        int code = reserve_handles(x, arms[i].handle_count);

        if (code != 0) {
            return code;
        }
        if (arms[i].handle_count > 0) {
            memcpy(&x->handles[x->handle_count], &x->handles[arms[i].first_handle],
                   arms[i].handle_count * sizeof x->handles[0]);
        }
        x->handle_count += arms[i].handle_count;
    }
    out->first_handle = first;
    out->handle_count = x->handle_count - first;
    return 0;
}

/* The ends of all arms. Merging two halves at a time keeps many arms from costing their square. */
static int join_ends(struct gp_expansion *x, struct gp_place *arms, uint32_t count)
{
    for (uint32_t step = 1; step < count; step *= 2) {
        for (uint32_t i = 0; i + step < count; i += 2 * step) {
            int code = merge_ends(x, arms[i], arms[i + step], &arms[i]);

            if (code != 0) {
                return code;
            }
        }
    }
    return 0;
}

static int expand(struct gp_expansion *x, struct gp_op *op, struct gp_place *at);

/* Arms at once begin where the zip does; arms in turn where the one before ended. */
static int expand_arms(struct gp_expansion *x, const struct gp_op *op, const struct gp_place *at,
                       struct gp_place *arms)
{
    uint32_t count = 0;

    for (struct gp_op *arm = op->first_child; arm != NULL; arm = arm->next_sibling) {
        int code;

        if (op->kind == GP_NODE_IN_TURN && count > 0) {
            arms[count] = arms[count - 1];
        } else {
            arms[count] = *at;
        }
        if (op->kind == GP_NODE_ZIP) {
            arms[count].chain = no_chain;
        }
        code = expand(x, arm, &arms[count++]);
        if (code != 0) {
            return code;
        }
    }
    assert(count == op->child_count);
    return 0;
}

/* What follows a zip follows the ends of all arms, on the first arm's chain. */
static int expand_zip(struct gp_expansion *x, const struct gp_op *op, struct gp_place *at)
{
    struct gp_place *arms = gp_alloc(op->child_count, sizeof *arms);
    struct gp_place joined;
    int code;

    if (arms == NULL) {
        return fail_memory(x);
    }
    code = expand_arms(x, op, at, arms);
    if (code == 0) {
        joined = op->kind == GP_NODE_ZIP ? arms[0] : arms[op->child_count - 1];
        code = join_handles(x, arms, op->child_count, &joined);
    }
    if (code == 0 && op->kind == GP_NODE_ZIP) {
        code = join_ends(x, arms, op->child_count);
        joined.first_end = arms[0].first_end;
        joined.end_count = arms[0].end_count;
    }
    if (code == 0) {
        *at = joined;
    }
    gp_free(arms);
    return code;
}

static int expand_sequence(struct gp_expansion *x, const struct gp_op *op, struct gp_place *at)
{
    for (struct gp_op *child = op->first_child; child != NULL; child = child->next_sibling) {
        int code = expand(x, child, at);

        if (code != 0) {
            return code;
        }
    }
    return 0;
}

/* ---- functions ---- */

/* Expands what a function made, which is then used like any other. */
static int expand_made(struct gp_expansion *x, struct gp_op *made, struct gp_place *at)
{
    const struct gp_error *failure = &x->builder->error;

    if (failure->code != 0) {
        return gp_fail(x->err, failure->code, "%s", failure->text);
    }
    if (made == NULL) {
        return gp_fail(x->err, GP_EINVAL, "a function gave no operation (NULL)");
    }
    if (made->used) {
        return gp_fail(x->err, GP_EINVAL,
                       "a function gave the operation that begins with '%s', which is used "
                       "already; make another one, or share it",
                       made->label);
    }
    made->used = made->kind != GP_NODE_SHARED;
    return expand(x, made, at);
}

static int expand_then(struct gp_expansion *x, const struct gp_op *op, struct gp_place *at)
{
    struct gp_op *made =
        op->then(x->builder, &x->handles[at->first_handle], at->handle_count, op->user);

    return expand_made(x, made, at);
}

static int expand_context(struct gp_expansion *x, const struct gp_op *op, struct gp_place *at)
{
    if (x->builder->device == NULL) {
        return gp_fail(x->err, GP_ESTATE,
                       "with_context without a device; call gp_builder_set_device first");
    }
    return expand_made(x, op->context(x->builder, x->builder->device, op->user), at);
}

/* ---- sharing ---- */

/* A shared operation follows nothing but what it is made of, so that it does not matter which use
 * is met first. */
static int expand_shared(struct gp_expansion *x, struct gp_op *op)
{
    struct gp_place place = {.chain = no_chain};
    int code;

    if (op->shared.is_open) {
        return gp_fail(x->err, GP_EINVAL,
                       "a cycle: the shared operation that begins with '%s' needs itself",
                       op->label);
    }
    if (op->shared.freeze == x->builder->freezes) {
        return 0;
    }
    op->shared.is_open = true;
    code = expand(x, op->first_child, &place);
    op->shared.is_open = false;
    if (code != 0) {
        return code;
    }
    for (uint32_t i = 0; i < place.end_count; i++) {
        x->ops[x->ends[place.first_end + i]].is_shared = true;
    }
    op->shared.place = place;
    op->shared.freeze = x->builder->freezes;
    return 0;
}

/* What follows a use of something shared follows both, and begins a chain. */
static int expand_use(struct gp_expansion *x, struct gp_op *shared, const struct gp_op *use,
                      struct gp_place *at)
{
    struct gp_place place;
    int code = expand_shared(x, shared);

    if (code != 0) {
        return code;
    }
    place = shared->shared.place;
    if (use != NULL && use->use.count != 0) {
        if (use->use.count != place.handle_count) {
            return gp_fail(x->err, GP_EINVAL,
                           "unzip of '%s' into %" PRIu32 ", but it gives %" PRIu32, use->label,
                           use->use.count, place.handle_count);
        }
        place.first_handle += use->use.index;
        place.handle_count = 1;
    }
    place.chain = no_chain;
    code = merge_ends(x, *at, place, &place);
    if (code == 0) {
        *at = place;
    }
    return code;
}

static int expand_node(struct gp_expansion *x, struct gp_op *op, struct gp_place *at)
{
    switch (op->kind) {
    case GP_NODE_LEAF:
        return expand_leaf(x, op, at);
    case GP_NODE_SEQUENCE:
        return expand_sequence(x, op, at);
    case GP_NODE_ZIP:
    case GP_NODE_IN_TURN:
        return expand_zip(x, op, at);
    case GP_NODE_THEN:
        return expand_then(x, op, at);
    case GP_NODE_CONTEXT:
        return expand_context(x, op, at);
    case GP_NODE_SHARED:
        return expand_use(x, op, NULL, at);
    case GP_NODE_USE:
        return expand_use(x, op->use.target, op, at);
    }
    assert(false && "a node of no kind");
    return GP_EINVAL;
}

/* Adds what `op` expands to behind *at, and moves *at behind it. */
static int expand(struct gp_expansion *x, struct gp_op *op, struct gp_place *at)
{
    int code;

    if (x->depth == GP_NESTING_MAX) {
        return gp_fail(x->err, GP_EINVAL, "combinators are nested more than %d deep at '%s'",
                       GP_NESTING_MAX, op->label);
    }
    x->depth++;
    code = expand_node(x, op, at);
    x->depth--;
    return code;
}

int gp_expansion_run(struct gp_expansion *expansion, struct gp_op *root)
{
    struct gp_place at = {.chain = no_chain};

    assert(expansion->builder != NULL && root != NULL);
    expansion->builder->freezes++;
    return expand(expansion, root, &at);
}

void gp_expansion_finish(struct gp_expansion *expansion)
{
    gp_free(expansion->ops);
    gp_free(expansion->edges);
    gp_free(expansion->ends);
    gp_free(expansion->handles);
}
