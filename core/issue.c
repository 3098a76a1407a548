/* Issue orders: see issue.h. */
#include "core/issue.h"

#include <assert.h>

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

int gp_issue_order_fill(const struct gp_dag *dag, enum gp_issue_order order, uint32_t *ops,
                        struct gp_error *err)
{
    assert(dag != NULL && ops != NULL && (unsigned)order < GP_ISSUE_ORDER_COUNT);
    return order == GP_ORDER_DEPTH ? fill_depth(dag, ops, err) : fill_breadth(dag, ops, err);
}
