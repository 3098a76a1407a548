/* Taking turns: see turn.h. */
#include "core/policy/turn.h"

#include <stdatomic.h>

#include "core/memory.h"

struct counter {
    _Atomic uint64_t next;
};

int gp_turn_init(struct gp_policy *policy, struct gp_error *err)
{
    struct counter *counter = gp_alloc(1, sizeof *counter);

    if (counter == NULL) {
        return gp_fail(err, GP_ENOMEM, "out of host memory for the counter");
    }
    atomic_init(&counter->next, 0);
    policy->state = counter;
    return 0;
}

void gp_turn_finish(struct gp_policy *policy)
{
    gp_free(policy->state);
}

/* Relaxed: only the value matters, nothing is published with it. */
int gp_turn_choose(struct gp_policy *policy, void *plan, const struct gp_dag *dag, uint32_t op,
                   struct gp_choice *out, struct gp_error *err)
{
    struct counter *counter = policy->state;
    uint64_t turn = atomic_fetch_add_explicit(&counter->next, 1, memory_order_relaxed);

    (void)plan;
    (void)dag;
    (void)op;
    (void)err;
    out->stream = (uint32_t)(turn % policy->stream_count);
    out->rule = 0;
    out->rule_detail = (int64_t)turn;
    return 0;
}
