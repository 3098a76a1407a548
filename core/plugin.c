/* Policies from shared objects: see plugin.h. */
#include "core/plugin.h"

#include <assert.h>
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The characters of the built-in names; others would need quoting somewhere. */
static bool is_name(const char *name)
{
    return name != NULL && name[0] != '\0' && strlen(name) < GP_NAME_BYTES_MAX &&
           name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_")] == '\0';
}

/* What the policy lacks; NULL: nothing. */
static const char *find_fault(const struct gp_policy_ops *policy)
{
    if (policy == NULL) {
        return "exports no policy";
    }
    if (!is_name(policy->name)) {
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

static int check(const char *path, const struct gp_policy_plugin *plugin, struct gp_error *err)
{
    const char *fault;

    if (plugin == NULL) {
        return gp_fail(err, GP_EINVAL,
                       "'%s' exports no symbol gp_policy_plugin; define it with GP_POLICY_PLUGIN",
                       path);
    }
    if (plugin->abi != GP_POLICY_ABI || plugin->ops_bytes != sizeof(struct gp_policy_ops)) {
        return gp_fail(err, GP_EINVAL,
                       "'%s' is for version %" PRIu32 " of the policy interface (%" PRIu32
                       " bytes), this is version %u (%zu bytes); compile it again",
                       path, plugin->abi, plugin->ops_bytes, GP_POLICY_ABI,
                       sizeof(struct gp_policy_ops));
    }
    fault = find_fault(plugin->policy);
    return fault == NULL ? 0 : gp_fail(err, GP_EINVAL, "'%s' %s", path, fault);
}

int gp_plugin_load(const char *path, struct gp_plugin *out, struct gp_error *err)
{
    char local[GP_NAME_BYTES_MAX];
    const struct gp_policy_plugin *plugin;
    const char *name = path;
    int code;

    assert(path != NULL && out != NULL);
    *out = (struct gp_plugin){NULL, NULL};
    if (strchr(path, '/') == NULL) {
        /* The loader would look in the system's folders. */
        if (snprintf(local, sizeof local, "./%s", path) >= (int)sizeof local) {
            return gp_fail(err, GP_EINVAL, "the name '%.32s...' is too long", path);
        }
        name = local;
    }
    out->library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (out->library == NULL) {
        return gp_fail(err, GP_EINVAL, "'%s' cannot be loaded as a policy: %s", path, dlerror());
    }
    plugin = dlsym(out->library, "gp_policy_plugin");
    code = check(path, plugin, err);
    if (code != 0) {
        gp_plugin_unload(out);
        return code;
    }
    out->policy = plugin->policy;
    return 0;
}

void gp_plugin_unload(struct gp_plugin *plugin)
{
    if (plugin->library != NULL) {
        (void)dlclose(plugin->library);
    }
    *plugin = (struct gp_plugin){NULL, NULL};
}
