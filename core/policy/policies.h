/*
 * The built-in policies, for their table only: programs find them by name.
 */
#ifndef GP_CORE_POLICY_POLICIES_H
#define GP_CORE_POLICY_POLICIES_H

#include "core/policy/policy.h"

extern const struct gp_policy_ops gp_policy_single;
extern const struct gp_policy_ops gp_policy_round_robin;
extern const struct gp_policy_ops gp_policy_round_robin_op;
extern const struct gp_policy_ops gp_policy_least_loaded;
extern const struct gp_policy_ops gp_policy_inherit;
extern const struct gp_policy_ops gp_policy_roles;
extern const struct gp_policy_ops gp_policy_level;
extern const struct gp_policy_ops gp_policy_heft;
extern const struct gp_policy_ops gp_policy_min_path_cover;
extern const struct gp_policy_ops gp_policy_critical_priority;
extern const struct gp_policy_ops gp_policy_partition;
extern const struct gp_policy_ops gp_policy_per_unit;
extern const struct gp_policy_ops gp_policy_null_stream;
extern const struct gp_policy_ops gp_policy_priority_tiers;
extern const struct gp_policy_ops gp_policy_equal_tiers;
extern const struct gp_policy_ops gp_policy_blocking;
extern const struct gp_policy_ops gp_policy_non_blocking;

#endif
