/* Policy round-robin-op: operation after operation, each on the next stream. What chains are good
 * for shows in the difference to round-robin: here every link of a chain costs a wait. */
#include "core/policy/policies.h"
#include "core/policy/turn.h"

static const char *const rules[] = {"the next stream in turn: counter modulo pool size", NULL};

const struct gp_policy_ops gp_policy_round_robin_op = {
    .name = "round-robin-op",
    .summary = "each operation on the next stream of the pool in turn",
    .source = "cuda-oxide without and_then: one policy call a stage; getStreamFromPool of PyTorch",
    .unit = GP_UNIT_OP,
    .rules = rules,
    .init = gp_turn_init,
    .finish = gp_turn_finish,
    .choose = gp_turn_choose,
};
