/* Freezing: makes the immutable DAG of dag.h of what a tree expands to. Knows no streams. */
#include "core/dag.h"

#include <assert.h>
#include <string.h>

#include "core/expand.h"
#include "core/memory.h"

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

static int fail_memory(struct gp_error *err)
{
    return gp_fail(err, GP_ENOMEM, "out of host memory for the DAG of the operations");
}

/* Copies names, arguments and accesses of all operations into one block. */
static int copy_leaves(const struct gp_expansion *x, struct frozen *frozen)
{
    size_t bytes = 0;
    char *at;

    for (uint32_t id = 0; id < x->op_count; id++) {
        bytes += gp_leaf_bytes(x->ops[id].leaf);
    }
    frozen->block = gp_alloc(1, bytes);
    frozen->base.ops = gp_alloc(x->op_count, sizeof *frozen->base.ops);
    if (frozen->block == NULL || frozen->base.ops == NULL) {
        return fail_memory(x->err);
    }
    at = frozen->block;
    for (uint32_t id = 0; id < x->op_count; id++) {
        gp_leaf_pack(x->ops[id].leaf, at, &frozen->base.ops[id]);
        frozen->base.ops[id].chain = x->ops[id].chain;
        at += gp_leaf_bytes(x->ops[id].leaf);
    }
    frozen->base.op_count = x->op_count;
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
            if (op->attributes.release_ns < from->attributes.release_ns) {
                op->attributes.release_ns = from->attributes.release_ns;
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
static int freeze(struct gp_expansion *x, struct gp_dag **out)
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
    struct gp_expansion x = {.builder = builder, .err = err};
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
    code = gp_expansion_run(&x, root);
    if (code == 0) {
        code = freeze(&x, out);
    }
    gp_expansion_finish(&x);
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

/* ---- splitting ----------------------------------------------------------------------------- */

/* Per operation, while parts are found: one of the same part with a smaller id, or itself. */
static uint32_t find_root(uint32_t *up, uint32_t op)
{
    while (up[op] != op) {
        up[op] = up[up[op]];
        op = up[op];
    }
    return op;
}

/* Fills in the part of each operation, in the order of the parts' first ones; returns how many
 * there are. up: room for one an operation. */
static uint32_t find_parts(const struct gp_dag *dag, uint32_t *up, uint32_t *part)
{
    uint32_t count = 0;

    for (uint32_t op = 0; op < dag->op_count; op++) {
        up[op] = op;
    }
    for (uint32_t e = 0; e < dag->edge_count; e++) {
        uint32_t a = find_root(up, dag->edges[e].from);
        uint32_t b = find_root(up, dag->edges[e].to);

        up[a > b ? a : b] = a > b ? b : a;
    }
    /* A root has the smallest id of its part, so it has its number when the others look. */
    for (uint32_t op = 0; op < dag->op_count; op++) {
        uint32_t root = find_root(up, op);

        part[op] = root == op ? count++ : part[root];
    }
    return count;
}

/* Empty parts with room for what they get. */
static int make_parts(const struct gp_dag *dag, const uint32_t *part, struct gp_dag **parts,
                      uint32_t count, struct gp_error *err)
{
    for (uint32_t i = 0; i < count; i++) {
        struct frozen *made = gp_alloc(1, sizeof *made);

        if (made == NULL) {
            return fail_memory(err);
        }
        parts[i] = &made->base;
    }
    for (uint32_t op = 0; op < dag->op_count; op++) {
        parts[part[op]]->op_count++;
        parts[part[op]]->edge_count += dag->ops[op].in_count;
    }
    for (uint32_t i = 0; i < count; i++) {
        parts[i]->ops = gp_alloc(parts[i]->op_count, sizeof *parts[i]->ops);
        parts[i]->edges = gp_alloc(parts[i]->edge_count, sizeof *parts[i]->edges);
        if (parts[i]->ops == NULL || parts[i]->edges == NULL) {
            return fail_memory(err);
        }
        parts[i]->op_count = 0;
        parts[i]->edge_count = 0;
    }
    return 0;
}

/* Operations and edges with their numbers in the parts. place and chain: room for one an operation
 * and one a chain; a chain lies in one part. */
static void fill_parts(const struct gp_dag *dag, const uint32_t *part, struct gp_dag **parts,
                       uint32_t *place, uint32_t *chain)
{
    memset(chain, 0xff, dag->chain_count * sizeof *chain);
    for (uint32_t id = 0; id < dag->op_count; id++) {
        struct gp_dag *to = parts[part[id]];
        struct gp_dag_op *op = &to->ops[to->op_count];

        *op = dag->ops[id];
        if (chain[op->chain] == UINT32_MAX) {
            chain[op->chain] = to->chain_count++;
        }
        op->chain = chain[op->chain];
        op->level = 0;
        op->out_count = 0;
        place[id] = to->op_count++;
    }
    for (uint32_t e = 0; e < dag->edge_count; e++) {
        const struct gp_edge *edge = &dag->edges[e];
        struct gp_dag *to = parts[part[edge->to]];

        to->edges[to->edge_count++] =
            (struct gp_edge){place[edge->from], place[edge->to], edge->kind};
    }
}

int gp_dag_split(const struct gp_dag *dag, struct gp_dag ***out, uint32_t *count,
                 struct gp_error *err)
{
    uint32_t *numbers = gp_alloc(2 * (size_t)dag->op_count + dag->chain_count, sizeof *numbers);
    uint32_t *part = numbers;
    uint32_t *place;
    struct gp_dag **parts;
    int code;

    assert(out != NULL && count != NULL);
    if (numbers == NULL) {
        return fail_memory(err);
    }
    place = numbers + dag->op_count;
    *count = find_parts(dag, place, part);
    parts = gp_alloc(*count, sizeof(struct gp_dag *));
    if (parts == NULL) {
        gp_free(numbers);
        *count = 0;
        return fail_memory(err);
    }
    code = make_parts(dag, part, parts, *count, err);
    if (code == 0) {
        fill_parts(dag, part, parts, place, place + dag->op_count);
    }
    for (uint32_t i = 0; i < *count && code == 0; i++) {
        index_edges(parts[i]);
        code = index_chains(parts[i], err);
    }
    gp_free(numbers);
    if (code != 0) {
        gp_dag_unsplit(parts, *count);
        *count = 0;
        return code;
    }
    *out = parts;
    return 0;
}

void gp_dag_unsplit(struct gp_dag **parts, uint32_t count)
{
    for (uint32_t i = 0; parts != NULL && i < count; i++) {
        gp_dag_destroy(parts[i]);
    }
    gp_free((void *)parts);
}
