/* Loading libcuda.so.1 and wording its errors: see driver.h. */
#define _GNU_SOURCE /* dladdr, to say which file it was */

#include "core/device/cuda/driver.h"

#include <assert.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char library_name[] = "libcuda.so.1";

struct symbol {
    const char *name;
    size_t offset; /* of its pointer in struct gp_cuda_driver */
    int since;
    const char *purpose; /* NULL: required */
};

static const struct symbol symbols[] = {
#define X(symbol, since, base, parameters)                                                         \
    {#symbol, offsetof(struct gp_cuda_driver, symbol), since, NULL},
    GP_CUDA_REQUIRED(X)
#undef X
#define X(symbol, since, base, purpose, parameters)                                                \
    {#symbol, offsetof(struct gp_cuda_driver, symbol), since, purpose},
        GP_CUDA_OPTIONAL(X)
#undef X
};
static const size_t symbol_count = sizeof symbols / sizeof symbols[0];

/* Object and function pointers have one size here (POSIX dlsym); memcpy, because ISO C has no
 * conversion between them. */
static void *get_pointer(const struct gp_cuda_driver *driver, const struct symbol *symbol)
{
    void *address;

    memcpy(&address, (const char *)driver + symbol->offset, sizeof address);
    return address;
}

/* All of them; the name of the first required one that is missing, or NULL. */
static const char *resolve(struct gp_cuda_driver *driver)
{
    const char *missing = NULL;

    for (size_t i = 0; i < symbol_count; i++) {
        void *address = dlsym(driver->library, symbols[i].name);

        if (address == NULL && symbols[i].purpose == NULL && missing == NULL) {
            missing = symbols[i].name;
        }
        memcpy((char *)driver + symbols[i].offset, &address, sizeof address);
    }
    return missing;
}

static void find_path(struct gp_cuda_driver *driver)
{
    void *address = dlsym(driver->library, "cuDriverGetVersion");
    Dl_info info;

    if (address != NULL && dladdr(address, &info) != 0 && info.dli_fname != NULL) {
        (void)snprintf(driver->path, sizeof driver->path, "%s", info.dli_fname);
    }
}

/* Whatever the driver said, here it means that there is no GPU to use. */
static int as_no_device(struct gp_error *err)
{
    if (err != NULL) {
        err->code = GP_ENODEVICE;
    }
    return GP_ENODEVICE;
}

static int check_version(struct gp_cuda_driver *driver, const char *missing, struct gp_error *err)
{
    gp_cu_result result;

    if (driver->cuDriverGetVersion == NULL || driver->cuGetErrorName == NULL ||
        driver->cuGetErrorString == NULL) {
        return gp_fail(err, GP_ENODEVICE, "%s is not a CUDA driver (it has no %s)", driver->path,
                       missing);
    }
    result = driver->cuDriverGetVersion(&driver->version);
    if (result != 0) {
        (void)gp_cuda_driver_fail(driver, result, "cuDriverGetVersion", err);
        return as_no_device(err);
    }
    if (driver->version < GP_CUDA_DRIVER_MIN) {
        return gp_fail(err, GP_ENODEVICE,
                       "the NVIDIA driver is too old: %s is for CUDA %d.%d, %d.%d (driver 418) or "
                       "newer is needed",
                       driver->path, driver->version / 1000, driver->version % 1000 / 10,
                       GP_CUDA_DRIVER_MIN / 1000, GP_CUDA_DRIVER_MIN % 1000 / 10);
    }
    if (missing != NULL) {
        return gp_fail(err, GP_ENODEVICE, "%s (CUDA %d.%d) has no symbol %s, which is needed",
                       driver->path, driver->version / 1000, driver->version % 1000 / 10, missing);
    }
    return 0;
}

static int count_devices(struct gp_cuda_driver *driver, struct gp_error *err)
{
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    const char *call = "cuInit";
    gp_cu_result result = driver->cuInit(0);

    if (result == 0) {
        call = "cuDeviceGetCount";
        result = driver->cuDeviceGetCount(&driver->device_count);
    }
    if (result == 0 && driver->device_count <= 0) {
        result = GP_CUDA_ERROR_NO_DEVICE;
    }
    if (result == 0) {
        return 0;
    }
    (void)gp_cuda_driver_fail(driver, result, call, err);
    if (visible != NULL) {
        (void)gp_cuda_fail_append(err, GP_ENODEVICE, "CUDA_VISIBLE_DEVICES is '%s'", visible);
    }
    return as_no_device(err);
}

int gp_cuda_driver_load(struct gp_cuda_driver *out, struct gp_error *err)
{
    int code;

    assert(out != NULL);
    memset(out, 0, sizeof *out);
    out->library = dlopen(library_name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (out->library == NULL) {
        return gp_fail(err, GP_ENODEVICE, "no NVIDIA driver: %s could not be loaded (%s)",
                       library_name, dlerror());
    }
    (void)snprintf(out->path, sizeof out->path, "%s", library_name);
    find_path(out);
    code = check_version(out, resolve(out), err);
    if (code == 0) {
        code = count_devices(out, err);
    }
    if (code != 0) {
        gp_cuda_driver_unload(out);
    }
    return code;
}

void gp_cuda_driver_unload(struct gp_cuda_driver *driver)
{
    if (driver->library != NULL) {
        (void)dlclose(driver->library);
        driver->library = NULL;
    }
}

static int classify(gp_cu_result result)
{
    switch (result) {
    case GP_CUDA_ERROR_OUT_OF_MEMORY:
        return GP_EDEVICEMEM;
    case GP_CUDA_ERROR_NOT_READY:
        return GP_ENOTREADY;
    case GP_CUDA_ERROR_ILLEGAL_STATE:
    case GP_CUDA_ERROR_CAPTURED_EVENT:
    case GP_CUDA_ERROR_STREAM_CAPTURE_UNMATCHED:
    case GP_CUDA_ERROR_STREAM_CAPTURE_UNJOINED:
    case GP_CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD:
        return GP_ESTATE;
    case GP_CUDA_ERROR_NOT_SUPPORTED:
    case GP_CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED:
    case GP_CUDA_ERROR_STREAM_CAPTURE_INVALIDATED:
    case GP_CUDA_ERROR_STREAM_CAPTURE_MERGE:
    case GP_CUDA_ERROR_STREAM_CAPTURE_ISOLATION:
    case GP_CUDA_ERROR_STREAM_CAPTURE_IMPLICIT:
        return GP_EUNSUPPORTED;
    /* After these the context is dead: cuda.h, "this leaves the process in an inconsistent state
     * and any further CUDA work will return the same error". */
    case GP_CUDA_ERROR_ECC_UNCORRECTABLE:
    case GP_CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case GP_CUDA_ERROR_CONTAINED:
    case GP_CUDA_ERROR_ILLEGAL_ADDRESS:
    case GP_CUDA_ERROR_LAUNCH_TIMEOUT:
    case GP_CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case GP_CUDA_ERROR_ASSERT:
    case GP_CUDA_ERROR_HARDWARE_STACK_ERROR:
    case GP_CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case GP_CUDA_ERROR_MISALIGNED_ADDRESS:
    case GP_CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case GP_CUDA_ERROR_INVALID_PC:
    case GP_CUDA_ERROR_LAUNCH_FAILED:
    case GP_CUDA_ERROR_TENSOR_MEMORY_LEAK:
    case GP_CUDA_ERROR_MPS_CLIENT_TERMINATED:
        return GP_EFAULT;
    default:
        return GP_EDRIVER;
    }
}

int gp_cuda_driver_fail(const struct gp_cuda_driver *driver, gp_cu_result result, const char *call,
                        struct gp_error *err)
{
    const char *name = NULL;
    const char *text = NULL;
    int code = classify(result);

    assert(result != 0);
    if (driver->cuGetErrorName(result, &name) != 0 || name == NULL) {
        name = "CUDA error";
    }
    if (driver->cuGetErrorString(result, &text) != 0 || text == NULL) {
        text = "unknown to this driver";
    }
    (void)gp_fail(err, code, "%s: %s (%u): %s", call, name, result, text);
    if (err != NULL) {
        err->driver_code = (int)result;
        (void)snprintf(err->call, sizeof err->call, "%s", call);
    }
    return code;
}

int gp_cuda_fail_append(struct gp_error *err, int code, const char *format, ...)
{
    va_list arguments;
    size_t length;

    if (err == NULL) {
        return code;
    }
    length = strlen(err->text);
    (void)snprintf(err->text + length, sizeof err->text - length, "; ");
    length = strlen(err->text);
    va_start(arguments, format);
    (void)vsnprintf(err->text + length, sizeof err->text - length, format, arguments);
    va_end(arguments);
    return err->code;
}

int gp_cuda_driver_lacks(const struct gp_cuda_driver *driver, const char *symbol,
                         struct gp_error *err)
{
    size_t i = 0;

    while (i < symbol_count && strcmp(symbols[i].name, symbol) != 0) {
        i++;
    }
    assert(i < symbol_count && symbols[i].purpose != NULL);
    return gp_fail(err, GP_EUNSUPPORTED,
                   "%s needs %s, which drivers have since CUDA %d.%d; this one is for %d.%d",
                   symbols[i].purpose, symbol, symbols[i].since / 1000,
                   symbols[i].since % 1000 / 10, driver->version / 1000,
                   driver->version % 1000 / 10);
}

const char *gp_cuda_driver_missing(const struct gp_cuda_driver *driver, unsigned int index,
                                   const char **purpose, int *since)
{
    unsigned int seen = 0;

    for (size_t i = 0; i < symbol_count; i++) {
        if (symbols[i].purpose == NULL || get_pointer(driver, &symbols[i]) != NULL) {
            continue;
        }
        if (seen == index) {
            *purpose = symbols[i].purpose;
            *since = symbols[i].since;
            return symbols[i].name;
        }
        seen++;
    }
    return NULL;
}
