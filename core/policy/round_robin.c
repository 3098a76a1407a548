/* Policy round-robin: chain after chain, each on the next stream. */
#include "core/policy/policies.h"
#include "core/policy/turn.h"

static const char *const rules[] = {"the next stream in turn: counter modulo pool size", NULL};

const struct gp_policy_ops gp_policy_round_robin = {
    .name = "round-robin",
    .summary = "each chain on the next stream of the pool in turn",
    .source = "StreamPoolRoundRobin of cuda-oxide; stream pools of PyTorch and rmm",
    .unit = GP_UNIT_CHAIN,
    .rules = rules,
    .init = gp_turn_init,
    .finish = gp_turn_finish,
    .choose = gp_turn_choose,
};
