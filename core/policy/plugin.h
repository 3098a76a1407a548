/*
 * Policies from a shared object, which exports one symbol, gp_policy_plugin; GP_POLICY_PLUGIN
 * defines it. See core/plugin.h.
 */
#ifndef GP_CORE_POLICY_PLUGIN_H
#define GP_CORE_POLICY_PLUGIN_H

#include "core/plugin.h"
#include "core/policy/policy.h"

/* Raised whenever a struct that a policy sees changes. */
#define GP_POLICY_ABI 2u

struct gp_policy_plugin {
    struct gp_plugin_head head; /* bytes: of struct gp_policy_ops */
    const struct gp_policy_ops *policy;
};

/* In a file of the shared object, once: GP_POLICY_PLUGIN(my_policy). */
#define GP_POLICY_PLUGIN(ops)                                                                      \
    extern const struct gp_policy_plugin gp_policy_plugin;                                         \
    const struct gp_policy_plugin gp_policy_plugin = {                                             \
        {GP_POLICY_ABI, sizeof(struct gp_policy_ops)}, &(ops)}

/* Loads it and gives its policy, which is valid until gp_plugin_unload: by then no policy, schedule
 * or context made of it may exist any more. Errors are gp_plugin_load's; a policy that lacks
 * something or has a built-in's name is one. */
int gp_policy_load(const char *path, struct gp_plugin *plugin, const struct gp_policy_ops **out,
                   struct gp_error *err);

#endif
