/* Policy null-stream: everything on the legacy default stream, where programs end up that never
 * made a stream. */
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

static void describe_stream(const struct gp_policy *policy, uint32_t stream,
                            struct gp_stream_spec *out)
{
    (void)policy;
    (void)stream;
    out->flag = GP_STREAM_NULL;
    out->role = "null";
}

static const char *const rules[] = {"everything on the default stream", NULL};

const struct gp_policy_ops gp_policy_null_stream = {
    .name = "null-stream",
    .summary = "everything on the legacy default stream: the pitfall",
    .source = "stream synchronisation behavior, CUDA Driver API",
    .unit = GP_UNIT_CHAIN,
    .rules = rules,
    .fixed_streams = 1,
    .stream = describe_stream,
    .choose = choose,
};
