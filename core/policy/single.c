/* Policy single: everything on one stream, so nothing overlaps; the reference of every speed-up. */
#include "core/policy/policies.h"

static int choose(struct gp_policy *policy, void *plan, const struct gp_dag *dag, uint32_t op,
                  struct gp_choice *out, struct gp_error *err)
{
    (void)policy;
    (void)plan;
    (void)dag;
    (void)op;
    (void)err;
    *out = (struct gp_choice){0};
    return 0;
}

static const char *const rules[] = {"there is only one stream", NULL};

const struct gp_policy_ops gp_policy_single = {
    .name = "single",
    .summary = "everything on one stream, in order",
    .source = "SingleStream of cuda-oxide",
    .unit = GP_UNIT_CHAIN,
    .rules = rules,
    .fixed_streams = 1,
    .choose = choose,
};
