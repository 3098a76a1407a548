/*
 * Taking turns: the counter that round-robin policies share. It belongs to the policy's instance
 * and only grows, as the origin's: a fresh instance begins at stream 0, one that is used again goes
 * on where it was.
 */
#ifndef GP_CORE_POLICY_TURN_H
#define GP_CORE_POLICY_TURN_H

#include "core/policy/policy.h"

/* Slots of gp_policy_ops; the counter is all of policy->state. choose gives rule 0 with the
 * counter's value. */
int gp_turn_init(struct gp_policy *policy, struct gp_error *err);
void gp_turn_finish(struct gp_policy *policy);
int gp_turn_choose(struct gp_policy *policy, void *plan, const struct gp_dag *dag, uint32_t op,
                   struct gp_choice *out, struct gp_error *err);

#endif
