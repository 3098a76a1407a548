/* How long operations ran together: see overlap.h. One sweep over sorted begins and ends. */
#include "probe/analysis/overlap.h"

#include <assert.h>

#include "probe/analysis/by_time.h"
#include "probe/memory.h"

enum group { GROUP_H2D, GROUP_D2H, GROUP_D2D, GROUP_KERNEL, GROUP_OTHER, GROUP_COUNT };

/* GROUP_COUNT: it does not run on the device. */
static enum group group_of(enum gp_op_kind kind)
{
    switch (kind) {
    case GP_OP_H2D:
        return GROUP_H2D;
    case GP_OP_D2H:
        return GROUP_D2H;
    case GP_OP_D2D:
        return GROUP_D2D;
    case GP_OP_KERNEL:
        return GROUP_KERNEL;
    case GP_OP_HOST:
    case GP_OP_VALUE:
    case GP_OP_ALLOC:
    case GP_OP_FREE:
        return GROUP_COUNT;
    default:
        return GROUP_OTHER;
    }
}

/* Two moments an operation, `what` its group, and from GROUP_COUNT on its end; returns how many. */
static uint32_t make_moments(const struct gp_op_row *ops, uint32_t count, struct gp_moment *moments,
                             double *total_ns)
{
    uint32_t used = 0;

    for (uint32_t i = 0; i < count; i++) {
        enum group group = group_of(ops[i].kind);

        if (group == GROUP_COUNT || ops[i].begin == GP_UNKNOWN || ops[i].end == GP_UNKNOWN ||
            ops[i].begin == ops[i].end) {
            continue;
        }
        assert(ops[i].begin < ops[i].end);
        moments[used++] = (struct gp_moment){ops[i].begin, i, group};
        moments[used++] = (struct gp_moment){ops[i].end, i, (uint32_t)group + GROUP_COUNT};
        *total_ns += (double)(ops[i].end - ops[i].begin);
    }
    return used;
}

/* A span in which so many of each group ran. */
static void add_span(struct gp_overlap *out, const uint32_t running[GROUP_COUNT], int64_t span_ns)
{
    bool up = running[GROUP_H2D] > 0, down = running[GROUP_D2H] > 0;
    bool copies = up || down || running[GROUP_D2D] > 0, kernels = running[GROUP_KERNEL] > 0;
    uint32_t all = 0;

    for (int group = 0; group < GROUP_COUNT; group++) {
        all += running[group];
    }
    out->running_ns += all > 0 ? span_ns : 0;
    out->copy_ns += copies ? span_ns : 0;
    out->kernel_ns += kernels ? span_ns : 0;
    out->both_ns += copies && kernels ? span_ns : 0;
    out->h2d_ns += up ? span_ns : 0;
    out->d2h_ns += down ? span_ns : 0;
    out->duplex_ns += up && down ? span_ns : 0;
    out->at_once_ns[all < GP_AT_ONCE_MAX ? all : GP_AT_ONCE_MAX] += span_ns;
    out->most_at_once = all > out->most_at_once ? all : out->most_at_once;
}

void gp_overlap_measure(const struct gp_op_row *ops, uint32_t count, struct gp_overlap *out)
{
    struct gp_moment *moments = gp_xalloc(count, 2 * sizeof *moments);
    uint32_t running[GROUP_COUNT] = {0};
    uint32_t used;

    assert(out != NULL && count <= UINT32_MAX / 2);
    *out = (struct gp_overlap){0};
    used = make_moments(ops, count, moments, &out->total_ns);
    gp_moments_sort(moments, used);
    for (uint32_t i = 0; i + 1 < used; i++) {
        int64_t span_ns = moments[i + 1].at - moments[i].at;

        if (moments[i].what < GROUP_COUNT) {
            running[moments[i].what]++;
        } else {
            running[moments[i].what - GROUP_COUNT]--;
        }
        if (span_ns > 0) {
            add_span(out, running, span_ns);
        }
    }
    gp_free(moments);
}
