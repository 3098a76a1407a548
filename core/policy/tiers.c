/*
 * Policies priority-tiers and equal-tiers: the first half of the pool is kept for chains that ask
 * for priority, so that they never stand behind others in a stream. With priority-tiers these
 * streams have the device's highest priority too; equal-tiers shows what that alone is worth. Where
 * all chains ask for it, or none does, the whole pool serves all in turn.
 */
#include <stdatomic.h>

#include "core/memory.h"
#include "core/policy/policies.h"

enum { RULE_URGENT, RULE_OTHER, RULE_ALL_ALIKE };

/* Counters that only grow, one a tier. */
struct turns {
    _Atomic uint64_t urgent, other;
};

static int init(struct gp_policy *policy, struct gp_error *err)
{
    struct turns *turns = gp_alloc(1, sizeof *turns);

    if (turns == NULL) {
        return gp_fail(err, GP_ENOMEM, "out of host memory for the counters");
    }
    atomic_init(&turns->urgent, 0);
    atomic_init(&turns->other, 0);
    policy->state = turns;
    return 0;
}

static void finish(struct gp_policy *policy)
{
    gp_free(policy->state);
}

static bool is_urgent(const struct gp_dag *dag, uint32_t op)
{
    return dag->ops[op].attributes.priority < 0;
}

static uint32_t urgent_streams(const struct gp_policy *policy)
{
    return policy->stream_count / 2;
}

/* Whether there are chains of both tiers. */
struct plan {
    bool has_tiers;
};

static int make_plan(struct gp_policy *policy, const struct gp_dag *dag, void **out,
                     struct gp_error *err)
{
    struct plan *plan = gp_alloc(1, sizeof *plan);
    uint32_t urgent = 0;

    if (plan == NULL) {
        return gp_fail(err, GP_ENOMEM, "out of host memory for a plan");
    }
    for (uint32_t chain = 0; chain < dag->chain_count; chain++) {
        urgent += is_urgent(dag, dag->chain_ops[dag->chain_first[chain]]) ? 1 : 0;
    }
    plan->has_tiers = urgent > 0 && urgent < dag->chain_count && urgent_streams(policy) > 0;
    *out = plan;
    return 0;
}

static void free_plan(struct gp_policy *policy, void *plan)
{
    (void)policy;
    gp_free(plan);
}

static int choose(struct gp_policy *policy, void *opaque, const struct gp_dag *dag, uint32_t op,
                  struct gp_choice *out, struct gp_error *err)
{
    const struct plan *plan = opaque;
    struct turns *turns = policy->state;
    bool urgent = plan->has_tiers && is_urgent(dag, op);
    uint64_t turn =
        atomic_fetch_add_explicit(urgent ? &turns->urgent : &turns->other, 1, memory_order_relaxed);
    uint32_t first = plan->has_tiers && !urgent ? urgent_streams(policy) : 0;
    uint32_t count = urgent ? urgent_streams(policy) : policy->stream_count - first;

    (void)err;
    out->stream = first + (uint32_t)(turn % count);
    out->rule = urgent ? RULE_URGENT : plan->has_tiers ? RULE_OTHER : RULE_ALL_ALIKE;
    out->rule_detail = (int64_t)turn;
    return 0;
}

static void describe_tier(const struct gp_policy *policy, uint32_t stream,
                          struct gp_stream_spec *out)
{
    if (stream < urgent_streams(policy)) {
        out->priority = INT32_MIN;
        out->role = "urgent";
    }
}

static const char *const rules[] = {
    [RULE_URGENT] = "asks for priority: the next stream in turn of the first half of the pool",
    [RULE_OTHER] = "asks for no priority: the next stream in turn of the rest of the pool",
    [RULE_ALL_ALIKE] = "one stream, or all chains ask for the same: the next stream in turn",
    NULL,
};

const struct gp_policy_ops gp_policy_priority_tiers = {
    .name = "priority-tiers",
    .summary = "urgent chains on streams of the highest priority in turn, the rest on others",
    .source = "cuStreamCreateWithPriority; PyTorch's pools of high and low priority",
    .unit = GP_UNIT_CHAIN,
    .rules = rules,
    .init = init,
    .finish = finish,
    .plan = make_plan,
    .unplan = free_plan,
    .stream = describe_tier,
    .choose = choose,
};

const struct gp_policy_ops gp_policy_equal_tiers = {
    .name = "equal-tiers",
    .summary = "urgent chains on streams of their own in turn, at no higher priority than the rest",
    .source = "priority-tiers without the priority",
    .unit = GP_UNIT_CHAIN,
    .rules = rules,
    .init = init,
    .finish = finish,
    .plan = make_plan,
    .unplan = free_plan,
    .choose = choose,
};
