/* Loading libnvidia-ml.so.1: see nvml.h. */
#include "probe/machine/nvml.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static const char library_name[] = "libnvidia-ml.so.1";

static const struct symbol {
    const char *name;
    size_t offset; /* of its pointer in struct gp_nvml */
    bool required;
} symbols[] = {{"nvmlErrorString", offsetof(struct gp_nvml, nvmlErrorString), true},
#define X(symbol, parameters) {#symbol, offsetof(struct gp_nvml, symbol), true},
               GP_NVML_REQUIRED(X)
#undef X
#define X(symbol, parameters) {#symbol, offsetof(struct gp_nvml, symbol), false},
                   GP_NVML_OPTIONAL(X)
#undef X
};

/* Object and function pointers have one size here (POSIX dlsym); memcpy, because ISO C has no
 * conversion between them. The first required one that is missing, or NULL. */
static const char *resolve(struct gp_nvml *nvml)
{
    const char *missing = NULL;

    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        void *address = dlsym(nvml->library, symbols[i].name);

        if (address == NULL && symbols[i].required && missing == NULL) {
            missing = symbols[i].name;
        }
        memcpy((char *)nvml + symbols[i].offset, &address, sizeof address);
    }
    return missing;
}

static void close_library(struct gp_nvml *nvml)
{
    (void)dlclose(nvml->library);
    memset(nvml, 0, sizeof *nvml);
}

int gp_nvml_load(struct gp_nvml *out, struct gp_error *err)
{
    const char *missing;
    gp_nvml_result result;
    int code;

    memset(out, 0, sizeof *out);
    out->library = dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
    if (out->library == NULL) {
        return gp_fail(err, GP_EUNSUPPORTED, "no NVML: %s could not be loaded (%s)", library_name,
                       dlerror());
    }
    missing = resolve(out);
    if (missing != NULL) {
        close_library(out);
        return gp_fail(err, GP_EUNSUPPORTED, "no NVML: %s has no symbol %s", library_name, missing);
    }
    result = out->nvmlInit_v2();
    if (result != 0) {
        code =
            gp_fail(err, GP_EUNSUPPORTED, "no NVML: nvmlInit_v2: %s", out->nvmlErrorString(result));
        close_library(out);
        return code;
    }
    return 0;
}

void gp_nvml_unload(struct gp_nvml *nvml)
{
    if (nvml->library != NULL) {
        (void)nvml->nvmlShutdown();
        close_library(nvml);
    }
}
