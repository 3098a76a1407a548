/* Freezing: expands a tree of operations into the immutable DAG of dag.h. Knows no streams. */
#include "core/dag.h"

#include <assert.h>
#include <string.h>

#include "core/memory.h"
#include "core/op_node.h"

static const uint32_t no_chain = UINT32_MAX;

static const char *const edge_kind_names[] = {
#define X(name, word) word,
    GP_EDGE_KINDS(X)
#undef X
};

const char *gp_edge_kind_name(enum gp_edge_kind kind)
{
    assert((unsigned)kind < GP_EDGE_KIND_COUNT);
    return edge_kind_names[kind];
}

/* The DAG with the block that names, arguments and accesses lie in. */
struct frozen {
    struct gp_dag base;
    char *block;
};

struct found {
    const struct gp_dag_op *leaf;
    uint32_t chain;
};

/* What the expansion has made so far. */
struct expansion {
    struct found *found; /* by id */
    uint32_t found_count, found_capacity;
    struct gp_edge *edges; /* sorted by (to, from) */
    uint32_t edge_count, edge_capacity;
    uint32_t *ends; /* ids; spans refer to it */
    uint32_t end_count, end_capacity;
    uint32_t chain_count;
    struct gp_error *err;
};

/* A place in the tree: what comes next follows ends[first .. first + count), ascending ids, and
 * continues the chain, or begins one when it is no_chain. */
struct span {
    uint32_t first, count, chain;
};

static int fail_memory(struct gp_error *err)
{
    return gp_fail(err, GP_ENOMEM, "out of host memory for the DAG of the operations");
}

/* Makes room for `more` elements behind the `count` of *block. */
static int reserve(struct expansion *x, void **block, uint32_t *capacity, uint32_t count,
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
            return fail_memory(x->err);
        }
        *capacity = grown;
    }
    return 0;
}

static int reserve_ends(struct expansion *x, uint32_t more)
{
    void *block = x->ends;
    int code = reserve(x, &block, &x->end_capacity, x->end_count, more, sizeof *x->ends);

    x->ends = block;
    return code;
}

/* Room for one more operation that has `preds` predecessors. */
static int reserve_op(struct expansion *x, uint32_t preds)
{
    void *found = x->found;
    void *edges = x->edges;
    int code;

    if (x->found_count == GP_OPS_MAX) {
        return gp_fail(x->err, GP_EINVAL, "more than %d operations", GP_OPS_MAX);
    }
    code = reserve(x, &found, &x->found_capacity, x->found_count, 1, sizeof *x->found);
    x->found = found;
    if (code != 0) {
        return code;
    }
    code = reserve(x, &edges, &x->edge_capacity, x->edge_count, preds, sizeof *x->edges);
    x->edges = edges;
    return code;
}

static int expand_leaf(struct expansion *x, const struct gp_op *op, struct span *at)
{
    uint32_t id = x->found_count;
    bool begins = at->chain == no_chain;
    int code = reserve_op(x, at->count);

    if (code == 0) {
        code = reserve_ends(x, 1);
    }
    if (code != 0) {
        return code;
    }
    if (begins) {
        at->chain = x->chain_count++;
    }
    x->found[x->found_count++] = (struct found){&op->leaf, at->chain};
    for (uint32_t i = 0; i < at->count; i++) {
        uint32_t from = x->ends[at->first + i];
        enum gp_edge_kind kind = x->found[from].chain == at->chain ? GP_EDGE_CHAIN
                                 : begins                          ? GP_EDGE_FORK
                                                                   : GP_EDGE_JOIN;

        x->edges[x->edge_count++] = (struct gp_edge){from, id, kind};
    }
    at->first = x->end_count;
    at->count = 1;
    x->ends[x->end_count++] = id;
    return 0;
}

/* What follows a zip follows the ends of all arms, on the first arm's chain. */
static int join_arms(struct expansion *x, const struct span *arms, uint32_t count, struct span *at)
{
    struct span joined = {x->end_count, 0, arms[0].chain};

    for (uint32_t i = 0; i < count; i++) {
        int code = reserve_ends(x, arms[i].count);

        if (code != 0) {
            return code;
        }
        memcpy(&x->ends[x->end_count], &x->ends[arms[i].first], arms[i].count * sizeof x->ends[0]);
        x->end_count += arms[i].count;
        joined.count += arms[i].count;
    }
    *at = joined;
    return 0;
}

static int expand(struct expansion *x, const struct gp_op *op, struct span *at);

static int expand_zip(struct expansion *x, const struct gp_op *op, struct span *at)
{
    struct span *arms = gp_alloc(op->child_count, sizeof *arms);
    uint32_t count = 0;
    int code = 0;

    if (arms == NULL) {
        return fail_memory(x->err);
    }
    for (const struct gp_op *arm = op->first_child; arm != NULL; arm = arm->next_sibling) {
        arms[count] = (struct span){at->first, at->count, no_chain};
        code = expand(x, arm, &arms[count++]);
        if (code != 0) {
            goto out;
        }
    }
    assert(count == op->child_count);
    code = join_arms(x, arms, count, at);
out:
    gp_free(arms);
    return code;
}

/* Adds what `op` expands to behind *at, and moves *at behind it. Depth first, so that ids are in
 * construction order and every edge goes to a higher one. */
static int expand(struct expansion *x, const struct gp_op *op, struct span *at)
{
    if (op->kind == GP_NODE_LEAF) {
        return expand_leaf(x, op, at);
    }
    if (op->kind == GP_NODE_ZIP) {
        return expand_zip(x, op, at);
    }
    for (const struct gp_op *child = op->first_child; child != NULL; child = child->next_sibling) {
        int code = expand(x, child, at);

        if (code != 0) {
            return code;
        }
    }
    return 0;
}

/* Copies names, arguments and accesses of all operations into one block. */
static int copy_leaves(const struct expansion *x, struct frozen *frozen)
{
    size_t bytes = 0;
    char *at;

    for (uint32_t id = 0; id < x->found_count; id++) {
        bytes += gp_leaf_bytes(x->found[id].leaf);
    }
    frozen->block = gp_alloc(1, bytes);
    frozen->base.ops = gp_alloc(x->found_count, sizeof *frozen->base.ops);
    if (frozen->block == NULL || frozen->base.ops == NULL) {
        return fail_memory(x->err);
    }
    at = frozen->block;
    for (uint32_t id = 0; id < x->found_count; id++) {
        gp_leaf_pack(x->found[id].leaf, at, &frozen->base.ops[id]);
        frozen->base.ops[id].chain = x->found[id].chain;
        at += gp_leaf_bytes(x->found[id].leaf);
    }
    frozen->base.op_count = x->found_count;
    return 0;
}

static void index_edges(struct gp_dag *dag)
{
    uint32_t edge = 0;

    for (uint32_t id = 0; id < dag->op_count; id++) {
        struct gp_dag_op *op = &dag->ops[id];

        op->first_in = edge;
        for (; edge < dag->edge_count && dag->edges[edge].to == id; edge++) {
            struct gp_dag_op *from = &dag->ops[dag->edges[edge].from];

            assert(dag->edges[edge].from < id);
            from->out_count++;
            if (op->level <= from->level) {
                op->level = from->level + 1;
            }
        }
        op->in_count = edge - op->first_in;
        if (dag->level_count <= op->level) {
            dag->level_count = op->level + 1;
        }
    }
    assert(edge == dag->edge_count);
}

static int index_chains(struct gp_dag *dag, struct gp_error *err)
{
    uint32_t *next;

    dag->chain_first = gp_alloc((size_t)dag->chain_count + 1, sizeof *dag->chain_first);
    dag->chain_ops = gp_alloc(dag->op_count, sizeof *dag->chain_ops);
    next = gp_alloc(dag->chain_count, sizeof *next);
    if (dag->chain_first == NULL || dag->chain_ops == NULL || next == NULL) {
        gp_free(next);
        return fail_memory(err);
    }
    for (uint32_t id = 0; id < dag->op_count; id++) {
        dag->chain_first[dag->ops[id].chain + 1]++;
    }
    for (uint32_t chain = 0; chain < dag->chain_count; chain++) {
        dag->chain_first[chain + 1] += dag->chain_first[chain];
        next[chain] = dag->chain_first[chain];
    }
    for (uint32_t id = 0; id < dag->op_count; id++) {
        dag->chain_ops[next[dag->ops[id].chain]++] = id;
    }
    gp_free(next);
    return 0;
}

/* Makes the DAG of a finished expansion, whose edges it takes over. */
static int freeze(struct expansion *x, struct gp_dag **out)
{
    struct frozen *frozen = gp_alloc(1, sizeof *frozen);
    int code;

    if (frozen == NULL) {
        return fail_memory(x->err);
    }
    frozen->base.edges = x->edges;
    frozen->base.edge_count = x->edge_count;
    frozen->base.chain_count = x->chain_count;
    x->edges = NULL;
    code = copy_leaves(x, frozen);
    if (code == 0) {
        index_edges(&frozen->base);
        code = index_chains(&frozen->base, x->err);
    }
    if (code != 0) {
        gp_dag_destroy(&frozen->base);
        return code;
    }
    *out = &frozen->base;
    return 0;
}

int gp_dag_freeze(struct gp_builder *builder, struct gp_op *root, struct gp_dag **out,
                  struct gp_error *err)
{
    struct expansion x = {.err = err};
    struct span at = {0, 0, no_chain};
    int code;

    assert(builder != NULL && out != NULL);
    *out = NULL;
    if (builder->error.code != 0) {
        return gp_fail(err, builder->error.code, "%s", builder->error.text);
    }
    if (root == NULL) {
        return gp_fail(err, GP_EINVAL, "there is no operation to run (NULL)");
    }
    if (root->used) {
        return gp_fail(err, GP_EINVAL,
                       "the operation that begins with '%s' is part of another; freeze that one",
                       root->label);
    }
    code = expand(&x, root, &at);
    if (code == 0) {
        code = freeze(&x, out);
    }
    gp_free(x.found);
    gp_free(x.edges);
    gp_free(x.ends);
    return code;
}

void gp_dag_destroy(struct gp_dag *dag)
{
    struct frozen *frozen = (struct frozen *)dag;

    if (dag == NULL) {
        return;
    }
    gp_free(dag->ops);
    gp_free(dag->edges);
    gp_free(dag->chain_first);
    gp_free(dag->chain_ops);
    gp_free(frozen->block);
    gp_free(frozen);
}
