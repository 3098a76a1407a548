/* Policies from shared objects: see plugin.h. */
#include "core/policy/plugin.h"

#include <string.h>

#include "core/limits.h"

static const struct gp_policy_ops *policy_of(const struct gp_plugin_head *exported)
{
    return ((const struct gp_policy_plugin *)exported)->policy;
}

/* What the policy lacks; NULL: nothing. */
static const char *find_fault(const struct gp_plugin_head *exported)
{
    const struct gp_policy_ops *policy = policy_of(exported);

    if (policy == NULL) {
        return "exports no policy";
    }
    if (!gp_plugin_is_name(policy->name)) {
        return "has a policy whose name is not of the characters a-z, 0-9, - and _";
    }
    if (strcmp(policy->name, "all") == 0 || gp_policy_find(policy->name) != NULL) {
        return "has a policy with the name of a built-in one";
    }
    if (policy->summary == NULL || policy->source == NULL) {
        return "has a policy without summary or source";
    }
    if (policy->choose == NULL) {
        return "has a policy without the function 'choose'";
    }
    if (policy->rules == NULL || policy->rules[0] == NULL) {
        return "has a policy without a rule";
    }
    if (policy->unit != GP_UNIT_CHAIN && policy->unit != GP_UNIT_OP) {
        return "has a policy whose unit is neither chain nor operation";
    }
    if (policy->fixed_streams > GP_STREAMS_MAX) {
        return "has a policy that wants more streams than a pool can have";
    }
    return NULL;
}

int gp_policy_load(const char *path, struct gp_plugin *plugin, const struct gp_policy_ops **out,
                   struct gp_error *err)
{
    static const struct gp_plugin_kind kind = {
        .word = "policy",
        .symbol = "gp_policy_plugin",
        .macro = "GP_POLICY_PLUGIN",
        .head = {GP_POLICY_ABI, sizeof(struct gp_policy_ops)},
        .find_fault = find_fault,
    };
    int code = gp_plugin_load(&kind, path, plugin, err);

    *out = code == 0 ? policy_of(plugin->exported) : NULL;
    return code;
}
