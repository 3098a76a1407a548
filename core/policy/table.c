/* The policies in display order. A new one is its own file, a line of policies.h and one here. */
#include <assert.h>
#include <string.h>

#include "core/policy/policies.h"

const struct gp_policy_ops *const gp_policy_table[] = {
    &gp_policy_single,
    &gp_policy_round_robin,
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
