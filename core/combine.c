/* The combinators: see op.h. They only join nodes; what they mean is in expand.c. */
#include <assert.h>
#include <inttypes.h>

#include "core/op_node.h"

/* What of `op` becomes part of `combinator`: itself, once, or a reference when it is shared. */
static struct gp_op *take(struct gp_builder *builder, const char *combinator, struct gp_op *op)
{
    struct gp_op *use;

    if (op == NULL) {
        return gp_builder_fail(builder, GP_EINVAL, "%s: one of its operations is missing (NULL)",
                               combinator);
    }
    if (op->kind == GP_NODE_SHARED) {
        use = gp_node_make(builder, GP_NODE_USE, 0);
        if (use != NULL) {
            use->label = op->label;
            use->use.target = op;
            use->use.index = UINT32_MAX;
        }
        return use;
    }
    if (op->used) {
        return gp_builder_fail(builder, GP_EINVAL,
                               "%s: the operation that begins with '%s' is used already; make "
                               "another one, or share it",
                               combinator, op->label);
    }
    op->used = true;
    return op;
}

static void append(struct gp_op *parent, struct gp_op *child)
{
    if (parent->last_child != NULL) {
        parent->last_child->next_sibling = child;
    } else {
        parent->first_child = child;
        parent->label = child->label;
    }
    parent->last_child = child;
    parent->child_count++;
}

/* Appends an operation to a sequence; of a sequence, its children, so that long chains are flat. */
static void append_flat(struct gp_op *sequence, struct gp_op *op)
{
    if (op->kind != GP_NODE_SEQUENCE) {
        append(sequence, op);
        return;
    }
    if (sequence->last_child != NULL) {
        sequence->last_child->next_sibling = op->first_child;
    } else {
        sequence->first_child = op->first_child;
        sequence->label = op->label;
    }
    sequence->last_child = op->last_child;
    sequence->child_count += op->child_count;
}

/* A sequence of two; takes NULL for what could not be taken. */
static struct gp_op *make_sequence(struct gp_builder *builder, struct gp_op *first,
                                   struct gp_op *next)
{
    struct gp_op *sequence;

    if (first == NULL || next == NULL) {
        return NULL;
    }
    sequence = gp_node_make(builder, GP_NODE_SEQUENCE, 0);
    if (sequence != NULL) {
        append_flat(sequence, first);
        append_flat(sequence, next);
    }
    return sequence;
}

struct gp_op *gp_op_and_then(struct gp_builder *builder, struct gp_op *first, struct gp_op *next)
{
    assert(builder != NULL);
    if (gp_builder_has_failed(builder)) {
        return NULL;
    }
    first = take(builder, "and_then", first);
    next = first != NULL ? take(builder, "and_then", next) : NULL;
    return make_sequence(builder, first, next);
}

struct gp_op *gp_op_and_then_with(struct gp_builder *builder, struct gp_op *first, gp_then_fn *fn,
                                  void *user)
{
    struct gp_op *next;

    assert(builder != NULL && fn != NULL);
    if (gp_builder_has_failed(builder)) {
        return NULL;
    }
    first = take(builder, "and_then_with", first);
    next = first != NULL ? gp_node_make(builder, GP_NODE_THEN, 0) : NULL;
    if (next != NULL) {
        next->label = "a function's";
        next->then = fn;
        next->user = user;
    }
    return make_sequence(builder, first, next);
}

struct gp_op *gp_op_with_context(struct gp_builder *builder, gp_context_fn *fn, void *user)
{
    struct gp_op *op;

    assert(builder != NULL && fn != NULL);
    if (gp_builder_has_failed(builder)) {
        return NULL;
    }
    op = gp_node_make(builder, GP_NODE_CONTEXT, 0);
    if (op != NULL) {
        op->label = "a function's";
        op->context = fn;
        op->user = user;
    }
    return op;
}

static struct gp_op *make_zip(struct gp_builder *builder, enum gp_node_kind kind,
                              struct gp_op *const *arms, uint32_t count)
{
    struct gp_op *zip;

    assert(builder != NULL && (arms != NULL || count == 0));
    if (gp_builder_has_failed(builder)) {
        return NULL;
    }
    if (count == 0) {
        return gp_builder_fail(builder, GP_EINVAL, "zip needs at least one operation");
    }
    zip = gp_node_make(builder, kind, 0);
    for (uint32_t i = 0; zip != NULL && i < count; i++) {
        struct gp_op *arm = take(builder, "zip", arms[i]);

        if (arm == NULL) {
            return NULL;
        }
        append(zip, arm);
    }
    return zip;
}

struct gp_op *gp_op_zip(struct gp_builder *builder, struct gp_op *const *arms, uint32_t count)
{
    return make_zip(builder, GP_NODE_ZIP, arms, count);
}

struct gp_op *gp_op_zip_in_turn(struct gp_builder *builder, struct gp_op *const *arms,
                                uint32_t count)
{
    return make_zip(builder, GP_NODE_IN_TURN, arms, count);
}

struct gp_op *gp_op_share(struct gp_builder *builder, struct gp_op *source)
{
    struct gp_op *shared;

    assert(builder != NULL);
    if (gp_builder_has_failed(builder)) {
        return NULL;
    }
    if (source != NULL && source->kind == GP_NODE_SHARED) {
        return source;
    }
    source = take(builder, "share", source);
    shared = source != NULL ? gp_node_make(builder, GP_NODE_SHARED, 0) : NULL;
    if (shared != NULL) {
        append(shared, source);
    }
    return shared;
}

void gp_op_unzip(struct gp_builder *builder, struct gp_op *source, uint32_t count,
                 struct gp_op **out)
{
    struct gp_op *shared = gp_op_share(builder, source);

    assert(out != NULL || count == 0);
    for (uint32_t i = 0; i < count; i++) {
        out[i] = shared != NULL ? gp_node_make(builder, GP_NODE_USE, 0) : NULL;
        if (out[i] != NULL) {
            out[i]->label = shared->label;
            out[i]->use.target = shared;
            out[i]->use.index = i;
            out[i]->use.count = count;
        }
    }
}
