/*
 * Policies from a shared object. It exports one symbol, gp_policy_plugin, which GP_POLICY_PLUGIN
 * defines; what it calls of this library it links itself. It knows no devices and no programs.
 */
#ifndef GP_CORE_PLUGIN_H
#define GP_CORE_PLUGIN_H

#include "core/policy/policy.h"

/* Raised whenever a struct that a policy sees changes. */
#define GP_POLICY_ABI 2u

struct gp_policy_plugin {
    uint32_t abi;       /* GP_POLICY_ABI when it was compiled */
    uint32_t ops_bytes; /* sizeof(struct gp_policy_ops), likewise */
    const struct gp_policy_ops *policy;
};

/* In a file of the shared object, once: GP_POLICY_PLUGIN(my_policy). */
#define GP_POLICY_PLUGIN(ops)                                                                      \
    extern const struct gp_policy_plugin gp_policy_plugin;                                         \
    const struct gp_policy_plugin gp_policy_plugin = {GP_POLICY_ABI, sizeof(struct gp_policy_ops), \
                                                      &(ops)}

struct gp_plugin {
    void *library;
    const struct gp_policy_ops *policy; /* valid until unload */
};

/* Loads it and checks what it exports; a path without a slash is of the working directory.
 * GP_EINVAL with the path and what is wrong: no such file, no symbol, another ABI version, or a
 * policy that lacks something or has a built-in's name. Any thread. */
int gp_plugin_load(const char *path, struct gp_plugin *out, struct gp_error *err);

/* No policy, schedule or context made of it may exist any more. A zeroed one is left alone. */
void gp_plugin_unload(struct gp_plugin *plugin);

#endif
