/* Issue orders: see issue.h. */
#include "core/issue.h"

#include <assert.h>
#include <stdlib.h>

#include "core/estimate.h"
#include "core/memory.h"

static const char *const order_names[] = {
#define X(name, word) word,
    GP_ISSUE_ORDERS(X)
#undef X
};

const char *gp_issue_order_name(enum gp_issue_order order)
{
    assert((unsigned)order < GP_ISSUE_ORDER_COUNT);
    return order_names[order];
}

/* Ids are in chain order already: expansion is depth first. */
static int fill_depth(const struct gp_dag *dag, uint32_t *ops, struct gp_error *err)
{
    (void)err;
    for (uint32_t id = 0; id < dag->op_count; id++) {
        ops[id] = id;
    }
    return 0;
}

static int fill_breadth(const struct gp_dag *dag, uint32_t *ops, struct gp_error *err)
{
    uint32_t *next = gp_alloc((size_t)dag->level_count + 1, sizeof *next);

    if (next == NULL) {
        return gp_fail(err, GP_ENOMEM, "out of host memory for the issue order");
    }
    for (uint32_t id = 0; id < dag->op_count; id++) {
        next[dag->ops[id].level + 1]++;
    }
    for (uint32_t level = 0; level < dag->level_count; level++) {
        next[level + 1] += next[level];
    }
    for (uint32_t id = 0; id < dag->op_count; id++) {
        ops[next[dag->ops[id].level]++] = id;
    }
    gp_free(next);
    return 0;
}

struct urgency {
    int64_t up;
    uint32_t id;
};

static int compare(const void *a, const void *b)
{
    const struct urgency *x = a;
    const struct urgency *y = b;

    if (x->up != y->up) {
        return x->up > y->up ? -1 : 1;
    }
    return x->id < y->id ? -1 : x->id > y->id;
}

/* An operation's path to the end is longer than that of any that comes after it, so the sorted
 * order respects the edges. */
static int fill_critical(const struct gp_dag *dag, uint32_t *ops, struct gp_error *err)
{
    struct urgency *urgencies = gp_alloc(dag->op_count, sizeof *urgencies);
    struct gp_estimate *estimate;
    int code;

    if (urgencies == NULL) {
        return gp_fail(err, GP_ENOMEM, "out of host memory for the issue order");
    }
    code = gp_estimate_create(dag, &estimate, err);
    if (code == 0) {
        for (uint32_t id = 0; id < dag->op_count; id++) {
            urgencies[id] = (struct urgency){estimate->up[id], id};
        }
        qsort(urgencies, dag->op_count, sizeof *urgencies, compare);
        for (uint32_t i = 0; i < dag->op_count; i++) {
            ops[i] = urgencies[i].id;
        }
    }
    gp_estimate_destroy(estimate);
    gp_free(urgencies);
    return code;
}

int gp_issue_order_fill(const struct gp_dag *dag, enum gp_issue_order order, uint32_t *ops,
                        struct gp_error *err)
{
    assert(dag != NULL && ops != NULL && (unsigned)order < GP_ISSUE_ORDER_COUNT);
    switch (order) {
    case GP_ORDER_DEPTH:
        return fill_depth(dag, ops, err);
    case GP_ORDER_BREADTH:
        return fill_breadth(dag, ops, err);
    case GP_ORDER_CRITICAL:
        return fill_critical(dag, ops, err);
    case GP_ISSUE_ORDER_COUNT:
        break;
    }
    return GP_EINVAL;
}
