/*
 * Policy round-robin: chain after chain, each on the next stream. The counter belongs to the
 * instance and only grows, as the origin's: a fresh instance begins at stream 0, one that is used
 * again goes on where it was.
 */
#include <stdatomic.h>

#include "core/memory.h"
#include "core/policy/policies.h"

struct counter {
    _Atomic uint64_t next;
};

static int init(struct gp_policy *policy, struct gp_error *err)
{
    struct counter *counter = gp_alloc(1, sizeof *counter);

    if (counter == NULL) {
        return gp_fail(err, GP_ENOMEM, "out of host memory for the counter");
    }
    atomic_init(&counter->next, 0);
    policy->state = counter;
    return 0;
}

static void finish(struct gp_policy *policy)
{
    gp_free(policy->state);
}

/* Relaxed: only the value matters, nothing is published with it. */
static int choose(struct gp_policy *policy, void *plan, const struct gp_dag *dag, uint32_t op,
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

static const char *const rules[] = {"the next stream in turn: counter modulo pool size", NULL};

const struct gp_policy_ops gp_policy_round_robin = {
    .name = "round-robin",
    .summary = "each chain on the next stream of the pool in turn",
    .source = "StreamPoolRoundRobin of cuda-oxide; stream pools of PyTorch and rmm",
    .unit = GP_UNIT_CHAIN,
    .rules = rules,
    .init = init,
    .finish = finish,
    .choose = choose,
};
