/* Extensions from shared objects: see plugin.h. */
#include "core/plugin.h"

#include <assert.h>
#include <dlfcn.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "core/limits.h"

bool gp_plugin_is_name(const char *name)
{
    return name != NULL && name[0] != '\0' && strlen(name) < GP_NAME_BYTES_MAX &&
           name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_")] == '\0';
}

static int check(const struct gp_plugin_kind *kind, const char *path,
                 const struct gp_plugin_head *exported, struct gp_error *err)
{
    const char *fault;

    if (exported == NULL) {
        return gp_fail(err, GP_EINVAL, "'%s' exports no symbol %s; define it with %s", path,
                       kind->symbol, kind->macro);
    }
    if (exported->abi != kind->head.abi || exported->bytes != kind->head.bytes) {
        return gp_fail(err, GP_EINVAL,
                       "'%s' is for version %" PRIu32 " of the %s interface (%" PRIu32
                       " bytes), this is version %" PRIu32 " (%" PRIu32 " bytes); compile it again",
                       path, exported->abi, kind->word, exported->bytes, kind->head.abi,
                       kind->head.bytes);
    }
    fault = kind->find_fault(exported);
    return fault == NULL ? 0 : gp_fail(err, GP_EINVAL, "'%s' %s", path, fault);
}

int gp_plugin_load(const struct gp_plugin_kind *kind, const char *path, struct gp_plugin *out,
                   struct gp_error *err)
{
    char local[GP_NAME_BYTES_MAX];
    const char *name = path;
    int code;

    assert(kind != NULL && path != NULL && out != NULL);
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
        return gp_fail(err, GP_EINVAL, "'%s' cannot be loaded as a %s: %s", path, kind->word,
                       dlerror());
    }
    out->exported = dlsym(out->library, kind->symbol);
    code = check(kind, path, out->exported, err);
    if (code != 0) {
        gp_plugin_unload(out);
    }
    return code;
}

void gp_plugin_unload(struct gp_plugin *plugin)
{
    if (plugin->library != NULL) {
        (void)dlclose(plugin->library);
    }
    *plugin = (struct gp_plugin){NULL, NULL};
}
