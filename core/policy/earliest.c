/* Plans by estimated times: see earliest.h. */
#include "core/policy/earliest.h"

#include <assert.h>

#include "core/issue.h"
#include "core/memory.h"

int gp_earliest_create(const struct gp_dag *dag, struct gp_earliest **out, struct gp_error *err)
{
    struct gp_earliest *earliest = gp_alloc(1, sizeof *earliest);
    int code = GP_ENOMEM;

    if (earliest != NULL) {
        earliest->dag = dag;
        earliest->order = gp_alloc(dag->op_count, sizeof *earliest->order);
        earliest->places = gp_alloc(dag->op_count, sizeof *earliest->places);
    }
    if (earliest == NULL || earliest->order == NULL || earliest->places == NULL) {
        (void)gp_fail(err, GP_ENOMEM, "out of host memory for a plan");
    } else {
        code = gp_estimate_create(dag, &earliest->estimate, err);
        if (code == 0) {
            code = gp_issue_order_fill(dag, GP_ORDER_CRITICAL, earliest->order, err);
        }
    }
    if (code != 0) {
        gp_earliest_destroy(earliest);
        earliest = NULL;
    }
    *out = earliest;
    return code;
}

void gp_earliest_destroy(struct gp_earliest *earliest)
{
    if (earliest == NULL) {
        return;
    }
    gp_estimate_destroy(earliest->estimate);
    gp_free(earliest->order);
    gp_free(earliest->places);
    gp_free(earliest);
}

/* When op could begin on that stream. */
static int64_t begin_ns(const struct gp_earliest *earliest, uint32_t op, uint32_t stream)
{
    const struct gp_dag *dag = earliest->dag;
    uint32_t first = dag->ops[op].first_in;
    int64_t begin = earliest->free_ns[stream];

    for (uint32_t e = first; e < first + dag->ops[op].in_count; e++) {
        const struct gp_earliest_place *from = &earliest->places[dag->edges[e].from];
        int64_t ready = from->end_ns + (from->stream != stream ? GP_ESTIMATE_HOP_NS : 0);

        begin = begin > ready ? begin : ready;
    }
    return begin;
}

void gp_earliest_place(struct gp_earliest *earliest, uint32_t op, uint32_t first, uint32_t count)
{
    struct gp_earliest_place best = {0, INT64_MAX};

    assert(count > 0 && first + count <= GP_STREAMS_MAX);
    for (uint32_t stream = first; stream < first + count; stream++) {
        int64_t end_ns = begin_ns(earliest, op, stream) + earliest->estimate->ns[op];

        if (end_ns < best.end_ns) {
            best = (struct gp_earliest_place){stream, end_ns};
        }
    }
    earliest->places[op] = best;
    earliest->free_ns[best.stream] = best.end_ns;
}
