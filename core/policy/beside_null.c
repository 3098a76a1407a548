/*
 * Policies blocking and non-blocking: the first stream is the legacy default stream and takes the
 * chains that ask for it, as a library's calls do; the others are taken in turn by the rest.
 * Blocking streams wait for the default stream and it for them, without an event; non-blocking ones
 * do not.
 */
#include "core/policy/policies.h"
#include "core/policy/turn.h"

enum { RULE_NULL, RULE_IN_TURN, RULE_ONLY_ONE };

static int choose(struct gp_policy *policy, void *plan, const struct gp_dag *dag, uint32_t op,
                  struct gp_choice *out, struct gp_error *err)
{
    uint32_t others = policy->stream_count - 1;
    int code;

    if (others == 0 || dag->ops[op].attributes.on_null_stream) {
        *out = (struct gp_choice){.rule = others == 0 ? RULE_ONLY_ONE : RULE_NULL};
        return 0;
    }
    code = gp_turn_choose(policy, plan, dag, op, out, err);
    out->stream = 1 + (uint32_t)((uint64_t)out->rule_detail % others);
    out->rule = RULE_IN_TURN;
    return code;
}

static void describe_blocking(const struct gp_policy *policy, uint32_t stream,
                              struct gp_stream_spec *out)
{
    (void)policy;
    out->flag = stream == 0 ? GP_STREAM_NULL : GP_STREAM_BLOCKING;
    out->role = stream == 0 ? "null" : "";
}

static void describe_non_blocking(const struct gp_policy *policy, uint32_t stream,
                                  struct gp_stream_spec *out)
{
    (void)policy;
    out->flag = stream == 0 ? GP_STREAM_NULL : GP_STREAM_NON_BLOCKING;
    out->role = stream == 0 ? "null" : "";
}

static const char *const rules[] = {
    [RULE_NULL] = "asks for the default stream",
    [RULE_IN_TURN] = "the next of the other streams in turn: counter modulo their number",
    [RULE_ONLY_ONE] = "a pool of one: the default stream takes everything",
    NULL,
};

const struct gp_policy_ops gp_policy_blocking = {
    .name = "blocking",
    .summary = "blocking streams in turn beside the default stream, which they wait for",
    .source = "CU_STREAM_DEFAULT: the streams of Rust-CUDA's cust, whatever flag is asked for",
    .unit = GP_UNIT_CHAIN,
    .rules = rules,
    .init = gp_turn_init,
    .finish = gp_turn_finish,
    .stream = describe_blocking,
    .choose = choose,
};

const struct gp_policy_ops gp_policy_non_blocking = {
    .name = "non-blocking",
    .summary = "non-blocking streams in turn beside the default stream, without waiting for it",
    .source = "CU_STREAM_NON_BLOCKING, CUDA Driver API",
    .unit = GP_UNIT_CHAIN,
    .rules = rules,
    .init = gp_turn_init,
    .finish = gp_turn_finish,
    .stream = describe_non_blocking,
    .choose = choose,
};
