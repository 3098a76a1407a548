/* Estimates: see estimate.h. */
#include "core/estimate.h"

#include <assert.h>

#include "core/memory.h"

enum {
    KERNEL_NS = 2000,
    UNKNOWN_KERNEL_NS = 10000,
    COPY_NS = 1500,
    HOST_NS = 10000,
    BLOCKS_AT_ONCE = 800
};

static const double issue_per_ns = 100.0 * 4.0 * 1.5;
static const double cycles_per_ns = 1.5;
static const double memory_bytes_per_ns = 1000.0;
static const double link_bytes_per_ns = 25.0;

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static int64_t kernel_ns(const struct gp_launch *launch)
{
    struct gp_work work = {0};
    uint64_t count = gp_launch_blocks(launch);
    double blocks = (double)count;
    uint64_t full_waves = (count + BLOCKS_AT_ONCE - 1) / BLOCKS_AT_ONCE;
    double waves = (double)full_waves;
    double ns;

    if (launch->kernel->work == NULL) {
        return UNKNOWN_KERNEL_NS;
    }
    launch->kernel->work(launch, &work);
    ns = blocks * (double)work.issue / issue_per_ns;
    ns = larger(ns, waves * (double)work.latency_cycles / cycles_per_ns);
    ns = larger(ns, blocks * (double)(work.read_bytes + work.write_bytes) / memory_bytes_per_ns);
    ns = larger(ns, waves * ((double)work.spin_ns + (double)work.spread_ns / 2));
    return KERNEL_NS + (int64_t)ns;
}

int64_t gp_estimate_op_ns(const struct gp_dag_op *op)
{
    double bytes = (double)op->bytes;

    switch (op->kind) {
    case GP_OP_KERNEL:
        return kernel_ns(&op->launch);
    case GP_OP_H2D:
    case GP_OP_D2H:
        return COPY_NS + (int64_t)(bytes / link_bytes_per_ns);
    case GP_OP_D2D:
        return COPY_NS + (int64_t)(2 * bytes / memory_bytes_per_ns);
    case GP_OP_MEMSET:
        return COPY_NS + (int64_t)(bytes / memory_bytes_per_ns);
    case GP_OP_HOST:
        return HOST_NS;
    case GP_OP_VALUE:
    case GP_OP_ALLOC:
    case GP_OP_FREE:
        return 1;
    case GP_OP_GRAPH: /* only in rows */
    case GP_OP_KIND_COUNT:
        break;
    }
    assert(false && "an operation of no kind");
    return 1;
}

/* Longest paths: ids are a topological order, so one sweep each way does. */
static void fill(struct gp_estimate *estimate, const struct gp_dag *dag)
{
    for (uint32_t id = 0; id < dag->op_count; id++) {
        estimate->ns[id] = gp_estimate_op_ns(&dag->ops[id]);
        assert(estimate->ns[id] > 0);
    }
    for (uint32_t e = 0; e < dag->edge_count; e++) {
        const struct gp_edge *edge = &dag->edges[e];
        int64_t down = estimate->down[edge->from] + estimate->ns[edge->from];

        if (estimate->down[edge->to] < down) {
            estimate->down[edge->to] = down;
        }
    }
    for (uint32_t id = dag->op_count; id-- > 0;) {
        const struct gp_dag_op *op = &dag->ops[id];

        estimate->up[id] += estimate->ns[id];
        if (estimate->critical_ns < estimate->up[id]) {
            estimate->critical_ns = estimate->up[id];
        }
        for (uint32_t e = op->first_in; e < op->first_in + op->in_count; e++) {
            uint32_t from = dag->edges[e].from;

            if (estimate->up[from] < estimate->up[id]) {
                estimate->up[from] = estimate->up[id];
            }
        }
    }
}

int gp_estimate_create(const struct gp_dag *dag, struct gp_estimate **out, struct gp_error *err)
{
    struct gp_estimate *estimate = gp_alloc(1, sizeof *estimate);

    assert(dag != NULL && out != NULL);
    *out = estimate;
    if (estimate != NULL) {
        estimate->ns = gp_alloc(dag->op_count, sizeof *estimate->ns);
        estimate->up = gp_alloc(dag->op_count, sizeof *estimate->up);
        estimate->down = gp_alloc(dag->op_count, sizeof *estimate->down);
        if (estimate->ns != NULL && estimate->up != NULL && estimate->down != NULL) {
            fill(estimate, dag);
            return 0;
        }
    }
    gp_estimate_destroy(estimate);
    *out = NULL;
    return gp_fail(err, GP_ENOMEM, "out of host memory for the estimates of operations");
}

void gp_estimate_destroy(struct gp_estimate *estimate)
{
    if (estimate == NULL) {
        return;
    }
    gp_free(estimate->ns);
    gp_free(estimate->up);
    gp_free(estimate->down);
    gp_free(estimate);
}
