/* Loading libcupti and wording its errors: see library.h. */
#include "probe/cupti/library.h"

#include <assert.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The newest first: a library serves drivers that are newer than it, within limits. */
static const char *const names[] = {
    "libcupti.so.13",   "libcupti.so.12",   "libcupti.so.11.8",
    "libcupti.so.11.7", "libcupti.so.11.6", "libcupti.so",
};

/* Below the toolkit's own folder. */
static const char *const folders[] = {"extras/CUPTI/lib64", "lib64", "lib"};

struct symbol {
    const char *name;
    size_t offset; /* of its pointer in struct gp_cupti_library */
};

static const struct symbol symbols[] = {
#define X(symbol, parameters) {#symbol, offsetof(struct gp_cupti_library, symbol)},
    GP_CUPTI_SYMBOLS(X)
#undef X
};

static bool open_from(struct gp_cupti_library *library, const char *toolkit, const char *folder)
{
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        int length = folder == NULL ? snprintf(library->path, sizeof library->path, "%s", names[i])
                                    : snprintf(library->path, sizeof library->path, "%s/%s/%s",
                                               toolkit, folder, names[i]);

        if (length < 0 || (size_t)length >= sizeof library->path) {
            continue;
        }
        library->handle = dlopen(library->path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
        if (library->handle != NULL) {
            return true;
        }
    }
    return false;
}

static bool open_anywhere(struct gp_cupti_library *library)
{
    const char *const toolkits[] = {getenv("CUDA_HOME"), "/usr/local/cuda"};

    if (open_from(library, NULL, NULL)) {
        return true;
    }
    for (size_t t = 0; t < sizeof toolkits / sizeof toolkits[0]; t++) {
        for (size_t f = 0; toolkits[t] != NULL && f < sizeof folders / sizeof folders[0]; f++) {
            if (open_from(library, toolkits[t], folders[f])) {
                return true;
            }
        }
    }
    return false;
}

/* Object and function pointers have one size here (POSIX dlsym); memcpy, because ISO C has no
 * conversion between them. */
static const char *resolve(struct gp_cupti_library *library)
{
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        void *address = dlsym(library->handle, symbols[i].name);

        if (address == NULL) {
            return symbols[i].name;
        }
        memcpy((char *)library + symbols[i].offset, &address, sizeof address);
    }
    return NULL;
}

int gp_cupti_library_load(struct gp_cupti_library *out, struct gp_error *err)
{
    const char *missing;

    assert(out != NULL);
    memset(out, 0, sizeof *out);
    if (!open_anywhere(out)) {
        return gp_fail(err, GP_EUNSUPPORTED,
                       "no CUPTI: libcupti.so was found neither by the loader nor in "
                       "/usr/local/cuda; install the CUDA toolkit, or set CUDA_HOME to where it "
                       "is");
    }
    missing = resolve(out);
    if (missing != NULL) {
        char path[sizeof out->path];

        memcpy(path, out->path, sizeof path);
        gp_cupti_library_unload(out);
        return gp_fail(err, GP_EUNSUPPORTED,
                       "%s has no %s; the CUPTI of CUDA 11.6 or newer is needed", path, missing);
    }
    (void)out->cuptiGetVersion(&out->version);
    return 0;
}

void gp_cupti_library_unload(struct gp_cupti_library *library)
{
    if (library->handle != NULL) {
        (void)dlclose(library->handle);
        library->handle = NULL;
    }
}

/* What can be done about a refusal. */
static const char *advice(gp_cupti_result result)
{
    switch (result) {
    case GP_CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
        return ": another tool (Nsight, a debugger, compute-sanitizer) has CUPTI in this process; "
               "run without it, or without a reference";
    case GP_CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
        return ": the driver keeps tracing to administrators "
               "(NVreg_RestrictProfilingToAdminUsers)";
    case GP_CUPTI_ERROR_NOT_INITIALIZED:
        return ": CUPTI and the driver do not fit together";
    default:
        return "";
    }
}

int gp_cupti_library_fail(const struct gp_cupti_library *library, gp_cupti_result result,
                          const char *call, struct gp_error *err)
{
    const char *text = NULL;

    assert(result != GP_CUPTI_SUCCESS);
    if (library->cuptiGetResultString(result, &text) != GP_CUPTI_SUCCESS || text == NULL) {
        text = "CUPTI error";
    }
    return gp_fail(err, GP_EUNSUPPORTED, "%s: %s (%u)%s", call, text, result, advice(result));
}
