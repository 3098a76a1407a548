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

struct arrival {
    int64_t release_ns;
    uint32_t place, id;
};

static int compare_arrivals(const void *a, const void *b)
{
    const struct arrival *x = a;
    const struct arrival *y = b;

    if (x->release_ns != y->release_ns) {
        return x->release_ns < y->release_ns ? -1 : 1;
    }
    return x->place < y->place ? -1 : x->place > y->place;
}

/* First come, first issued; what comes at the same time keeps its order. Nothing is released before
 * what it follows, so this respects the edges too. */
static int sort_by_arrival(const struct gp_dag *dag, uint32_t *ops, struct gp_error *err)
{
    struct arrival *arrivals;
    bool at_once = true;

    for (uint32_t id = 0; id < dag->op_count && at_once; id++) {
        at_once = dag->ops[id].attributes.release_ns == 0;
    }
    if (at_once) {
        return 0;
    }
    arrivals = gp_alloc(dag->op_count, sizeof *arrivals);
    if (arrivals == NULL) {
        return gp_fail(err, GP_ENOMEM, "out of host memory for the issue order");
    }
    for (uint32_t i = 0; i < dag->op_count; i++) {
        arrivals[i] = (struct arrival){dag->ops[ops[i]].attributes.release_ns, i, ops[i]};
    }
    qsort(arrivals, dag->op_count, sizeof *arrivals, compare_arrivals);
    for (uint32_t i = 0; i < dag->op_count; i++) {
        ops[i] = arrivals[i].id;
    }
    gp_free(arrivals);
    return 0;
}

static int fill(const struct gp_dag *dag, enum gp_issue_order order, uint32_t *ops,
                struct gp_error *err)
{
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

int gp_issue_order_fill(const struct gp_dag *dag, enum gp_issue_order order, uint32_t *ops,
                        struct gp_error *err)
{
    int code;

    assert(dag != NULL && ops != NULL && (unsigned)order < GP_ISSUE_ORDER_COUNT);
    code = fill(dag, order, ops, err);
    return code == 0 ? sort_by_arrival(dag, ops, err) : code;
}
