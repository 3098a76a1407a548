/* Policy least-loaded: each chain on the stream that has the least estimated work so far. */
#include "core/estimate.h"
#include "core/memory.h"
#include "core/policy/policies.h"

struct loads {
    int64_t stream_ns[GP_STREAMS_MAX];
    int64_t chain_ns[]; /* per chain of the DAG */
};

static int make_plan(struct gp_policy *policy, const struct gp_dag *dag, void **plan,
                     struct gp_error *err)
{
    struct loads *loads = gp_alloc(1, sizeof *loads + dag->chain_count * sizeof loads->chain_ns[0]);

    (void)policy;
    if (loads == NULL) {
        return gp_fail(err, GP_ENOMEM, "out of host memory for the loads");
    }
    for (uint32_t id = 0; id < dag->op_count; id++) {
        loads->chain_ns[dag->ops[id].chain] += gp_estimate_op_ns(&dag->ops[id]);
    }
    *plan = loads;
    return 0;
}

static void free_plan(struct gp_policy *policy, void *plan)
{
    (void)policy;
    gp_free(plan);
}

static int choose(struct gp_policy *policy, void *plan, const struct gp_dag *dag, uint32_t op,
                  struct gp_choice *out, struct gp_error *err)
{
    struct loads *loads = plan;
    uint32_t least = 0;

    (void)err;
    for (uint32_t i = 1; i < policy->stream_count; i++) {
        if (loads->stream_ns[i] < loads->stream_ns[least]) {
            least = i;
        }
    }
    *out = (struct gp_choice){.stream = least, .rule_detail = loads->stream_ns[least]};
    loads->stream_ns[least] += loads->chain_ns[dag->ops[op].chain];
    return 0;
}

static const char *const rules[] = {"the stream with the least estimated work, in ns", NULL};

const struct gp_policy_ops gp_policy_least_loaded = {
    .name = "least-loaded",
    .summary = "each chain on the stream with the least estimated work",
    .source = "list scheduling (Graham 1966); stream-aware devices of GrCUDA",
    .unit = GP_UNIT_CHAIN,
    .rules = rules,
    .plan = make_plan,
    .unplan = free_plan,
    .choose = choose,
};
