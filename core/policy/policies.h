/*
 * The built-in policies, for their table only: programs find them by name.
 */
#ifndef GP_CORE_POLICY_POLICIES_H
#define GP_CORE_POLICY_POLICIES_H

#include "core/policy/policy.h"

extern const struct gp_policy_ops gp_policy_single;
extern const struct gp_policy_ops gp_policy_round_robin;

#endif
