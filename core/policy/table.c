/* The policies in display order. A new one is its own file, a line of policies.h and one here. */
#include <assert.h>
#include <string.h>

#include "core/policy/policies.h"

const struct gp_policy_ops *const gp_policy_table[] = {
    &gp_policy_single,         &gp_policy_round_robin,
    &gp_policy_round_robin_op, &gp_policy_least_loaded,
    &gp_policy_inherit,        &gp_policy_roles,
    &gp_policy_level,          &gp_policy_heft,
    &gp_policy_min_path_cover, &gp_policy_critical_priority,
    &gp_policy_partition,      &gp_policy_per_unit,
    &gp_policy_null_stream,    &gp_policy_priority_tiers,
    &gp_policy_equal_tiers,    &gp_policy_blocking,
    &gp_policy_non_blocking,
};
const size_t gp_policy_table_count = sizeof gp_policy_table / sizeof gp_policy_table[0];

const struct gp_policy_ops *gp_policy_find(const char *name)
{
    assert(name != NULL);
    for (size_t i = 0; i < gp_policy_table_count; i++) {
        if (strcmp(gp_policy_table[i]->name, name) == 0) {
            return gp_policy_table[i];
        }
    }
    return NULL;
}
