/* Policy per-unit: a stream for every chain, as a program does that makes one for each request.
 * Past the largest pool they share. */
#include "core/policy/policies.h"

static int choose(struct gp_policy *policy, void *plan, const struct gp_dag *dag, uint32_t op,
                  struct gp_choice *out, struct gp_error *err)
{
    uint32_t chain = dag->ops[op].chain;

    (void)plan;
    (void)err;
    *out = (struct gp_choice){chain % policy->stream_count, 0, chain};
    return 0;
}

static const char *const rules[] = {"its chain's own stream (chain modulo the largest pool)", NULL};

const struct gp_policy_ops gp_policy_per_unit = {
    .name = "per-unit",
    .summary = "a stream of its own for each chain, up to the largest pool",
    .source = "one stream a request, cuda-oxide book; GrCUDA `always-new`",
    .unit = GP_UNIT_CHAIN,
    .rules = rules,
    .fixed_streams = GP_STREAMS_MAX,
    .choose = choose,
};
