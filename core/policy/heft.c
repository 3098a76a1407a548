/* Policy heft: in the order of the longest path to the end, each operation on the stream where it
 * is estimated to finish first. Best with the issue order critical, which is the order of its plan.
 */
#include "core/policy/earliest.h"
#include "core/policy/policies.h"

static int make_plan(struct gp_policy *policy, const struct gp_dag *dag, void **plan,
                     struct gp_error *err)
{
    struct gp_earliest *earliest;
    int code = gp_earliest_create(dag, &earliest, err);

    if (code != 0) {
        return code;
    }
    for (uint32_t i = 0; i < dag->op_count; i++) {
        gp_earliest_place(earliest, earliest->order[i], 0, policy->stream_count);
    }
    *plan = earliest;
    return 0;
}

static void free_plan(struct gp_policy *policy, void *plan)
{
    (void)policy;
    gp_earliest_destroy(plan);
}

static int choose(struct gp_policy *policy, void *plan, const struct gp_dag *dag, uint32_t op,
                  struct gp_choice *out, struct gp_error *err)
{
    const struct gp_earliest *earliest = plan;

    (void)policy;
    (void)dag;
    (void)err;
    *out = (struct gp_choice){earliest->places[op].stream, 0, earliest->places[op].end_ns};
    return 0;
}

static const char *const rules[] = {
    "the stream where it is estimated to finish first, a wait counted; its end in ns", NULL};

const struct gp_policy_ops gp_policy_heft = {
    .name = "heft",
    .summary = "each operation where it is estimated to finish first, longest path first",
    .source = "HEFT (Topcuoglu, Hariri, Wu 2002); StarPU",
    .unit = GP_UNIT_OP,
    .rules = rules,
    .plan = make_plan,
    .unplan = free_plan,
    .choose = choose,
};
