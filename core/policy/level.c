/* Policy level: the operations of a level side by side, the i-th on stream i modulo pool size. */
#include "core/memory.h"
#include "core/policy/policies.h"

static int make_plan(struct gp_policy *policy, const struct gp_dag *dag, void **plan,
                     struct gp_error *err)
{
    uint32_t *places = gp_alloc(dag->op_count, sizeof *places);
    uint32_t *next = gp_alloc(dag->level_count, sizeof *next);

    (void)policy;
    if (places == NULL || next == NULL) {
        gp_free(places);
        gp_free(next);
        return gp_fail(err, GP_ENOMEM, "out of host memory for the levels");
    }
    for (uint32_t id = 0; id < dag->op_count; id++) {
        places[id] = next[dag->ops[id].level]++;
    }
    gp_free(next);
    *plan = places;
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
    const uint32_t *places = plan;

    (void)dag;
    (void)err;
    *out = (struct gp_choice){places[op] % policy->stream_count, 0, places[op]};
    return 0;
}

static const char *const rules[] = {"its place in its level modulo pool size", NULL};

const struct gp_policy_ops gp_policy_level = {
    .name = "level",
    .summary = "the i-th operation of each level on stream i modulo pool size",
    .source = "cudaFlowRoundRobinOptimizer of Taskflow",
    .unit = GP_UNIT_OP,
    .rules = rules,
    .plan = make_plan,
    .unplan = free_plan,
    .choose = choose,
};
