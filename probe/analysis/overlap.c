/* How long operations ran together: see overlap.h. One sweep over sorted begins and ends. */
#include "probe/analysis/overlap.h"

#include <assert.h>
#include <stdlib.h>

#include "probe/memory.h"

enum group { GROUP_COPY, GROUP_KERNEL, GROUP_OTHER, GROUP_COUNT, GROUP_NONE = GROUP_COUNT };

struct edge {
    int64_t at_ns;
    int8_t step; /* +1 begins, −1 ends */
    uint8_t group;
};

static enum group group_of(enum gp_op_kind kind)
{
    switch (kind) {
    case GP_OP_H2D:
    case GP_OP_D2H:
    case GP_OP_D2D:
        return GROUP_COPY;
    case GP_OP_KERNEL:
        return GROUP_KERNEL;
    case GP_OP_HOST:
    case GP_OP_VALUE:
    case GP_OP_ALLOC:
    case GP_OP_FREE:
        return GROUP_NONE;
    default:
        return GROUP_OTHER;
    }
}

static int compare_edges(const void *left, const void *right)
{
    const struct edge *a = left, *b = right;

    return (a->at_ns > b->at_ns) - (a->at_ns < b->at_ns);
}

/* Two edges an operation; returns how many. */
static size_t make_edges(const struct gp_op_row *ops, uint32_t count, struct edge *edges,
                         double *total_ns)
{
    size_t used = 0;

    for (uint32_t i = 0; i < count; i++) {
        uint8_t group = (uint8_t)group_of(ops[i].kind);

        if (group == GROUP_NONE || ops[i].begin == GP_UNKNOWN || ops[i].end == GP_UNKNOWN) {
            continue;
        }
        assert(ops[i].begin <= ops[i].end);
        edges[used++] = (struct edge){ops[i].begin, 1, group};
        edges[used++] = (struct edge){ops[i].end, -1, group};
        *total_ns += (double)(ops[i].end - ops[i].begin);
    }
    return used;
}

void gp_overlap_measure(const struct gp_op_row *ops, uint32_t count, struct gp_overlap *out)
{
    struct edge *edges = gp_xalloc(2 * (size_t)count, sizeof *edges);
    int64_t running[GROUP_COUNT] = {0};
    size_t used;

    assert(out != NULL);
    *out = (struct gp_overlap){0};
    used = make_edges(ops, count, edges, &out->total_ns);
    qsort(edges, used, sizeof *edges, compare_edges);
    for (size_t i = 0; i + 1 < used; i++) {
        int64_t span_ns = edges[i + 1].at_ns - edges[i].at_ns;
        bool copies, kernels;

        running[edges[i].group] += edges[i].step;
        copies = running[GROUP_COPY] > 0;
        kernels = running[GROUP_KERNEL] > 0;
        out->running_ns += copies || kernels || running[GROUP_OTHER] > 0 ? span_ns : 0;
        out->copy_ns += copies ? span_ns : 0;
        out->kernel_ns += kernels ? span_ns : 0;
        out->both_ns += copies && kernels ? span_ns : 0;
    }
    gp_free(edges);
}
