/* Poisson arrivals: see arrivals.h. */
#include "scenarios/arrivals.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/memory.h"

void gp_arrivals_draw(int64_t *at_ns, uint32_t count, double mean_ns, struct gp_random *random)
{
    const uint64_t steps = UINT64_C(1) << 53;
    double now_ns = 0;

    assert(mean_ns > 0);
    for (uint32_t i = 0; i < count; i++) {
        double uniform = (double)(gp_random_below(random, steps) + 1) / (double)steps;

        now_ns -= mean_ns * log(uniform);
        at_ns[i] = (int64_t)now_ns + 1;
    }
}

static int compare(const void *left, const void *right)
{
    const int64_t *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

/* The smallest value that no more than 100 − percent of 100 exceed; unknown of none. */
static struct gp_measure percentile(const char *name, const int64_t *sorted, uint32_t count,
                                    uint32_t percent)
{
    struct gp_measure measure = {.value = NAN};

    (void)snprintf(measure.name, sizeof measure.name, "%s_p%u_ns", name, percent);
    if (count > 0) {
        uint64_t rank = ((uint64_t)count * percent + 99) / 100;

        measure.value = (double)sorted[rank - 1];
    }
    return measure;
}

uint32_t gp_arrivals_measure(const struct gp_workload *workload, const struct gp_op_times *times,
                             const char *name, int32_t priority, struct gp_measure *out)
{
    const struct gp_dag *dag = workload->dag;
    int64_t *latencies_ns = gp_alloc(dag->chain_count, sizeof *latencies_ns);
    bool known = latencies_ns != NULL;
    uint32_t count = 0;

    for (uint32_t chain = 0; chain < dag->chain_count && known; chain++) {
        uint32_t first = dag->chain_ops[dag->chain_first[chain]];
        uint32_t last = dag->chain_ops[dag->chain_first[chain + 1] - 1];
        const struct gp_attributes *attributes = &dag->ops[first].attributes;

        if (attributes->release_ns > 0 && attributes->priority == priority) {
            known = times[last].end_ns != GP_NO_TIME;
            latencies_ns[count++] = times[last].end_ns - attributes->release_ns;
        }
    }
    count = known ? count : 0;
    if (count > 0) {
        qsort(latencies_ns, count, sizeof *latencies_ns, compare);
    }
    out[0] = percentile(name, latencies_ns, count, 50);
    out[1] = percentile(name, latencies_ns, count, 99);
    gp_free(latencies_ns);
    return 2;
}
