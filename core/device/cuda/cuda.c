/* The CUDA device: finding GPUs, opening one, threads, and the ops table. */
#include "core/device/cuda/cuda.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/device/cuda/internal.h"
#include "core/memory.h"

/* 0 for what this driver does not know. */
static int32_t attribute(const struct gp_cuda_driver *driver, int handle, unsigned int which)
{
    int value = 0;

    return driver->cuDeviceGetAttribute(&value, which, handle) == 0 ? value : 0;
}

/* The driver reads the variable once, in cuInit; so do we, right after. */
static int32_t read_connections(void)
{
    const char *text = getenv("CUDA_DEVICE_MAX_CONNECTIONS");
    char *end = NULL;
    long value;

    if (text == NULL) {
        return GP_CONNECTIONS_DEFAULT;
    }
    value = strtol(text, &end, 10);
    if (end == text) {
        return GP_CONNECTIONS_DEFAULT;
    }
    if (value < 1) {
        return 1;
    }
    return value > GP_CONNECTIONS_MAX ? GP_CONNECTIONS_MAX : (int32_t)value;
}

/* "GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", as nvidia-smi writes it. */
static void read_uuid(const struct gp_cuda_driver *driver, int handle, struct gp_device_info *out)
{
    unsigned char bytes[16] = {0};
    struct CUuuid_st *uuid = (void *)bytes;
    size_t length = 0;

    if ((driver->cuDeviceGetUuid_v2 == NULL || driver->cuDeviceGetUuid_v2(uuid, handle) != 0) &&
        driver->cuDeviceGetUuid(uuid, handle) != 0) {
        return;
    }
    length = (size_t)snprintf(out->uuid, sizeof out->uuid, "GPU-");
    for (size_t i = 0; i < sizeof bytes; i++) {
        const char *dash = i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "";

        length += (size_t)snprintf(out->uuid + length, sizeof out->uuid - length, "%s%02x", dash,
                                   bytes[i]);
    }
}

/* All that can be known without a context. */
static int read_info(const struct gp_cuda_driver *driver, int32_t ordinal, int *handle,
                     struct gp_device_info *out, struct gp_error *err)
{
    size_t memory_bytes = 0;
    const char *call = "cuDeviceGet";
    gp_cu_result result = driver->cuDeviceGet(handle, ordinal);

    if (result == 0) {
        call = "cuDeviceGetName";
        result = driver->cuDeviceGetName(out->name, (int)sizeof out->name, *handle);
    }
    if (result == 0) {
        call = "cuDeviceTotalMem_v2";
        result = driver->cuDeviceTotalMem_v2(&memory_bytes, *handle);
    }
    if (result != 0) {
        return gp_cuda_driver_fail(driver, result, call, err);
    }
    out->kind = GP_DEVICE_CUDA;
    out->ordinal = ordinal;
    (void)snprintf(out->spec, sizeof out->spec, "cuda:%d", (int)ordinal);
    out->driver_version = driver->version;
    out->connections = read_connections();
    out->memory_bytes = (int64_t)memory_bytes;
    read_uuid(driver, *handle, out);
    out->compute_major =
        attribute(driver, *handle, GP_CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
    out->compute_minor =
        attribute(driver, *handle, GP_CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    out->sm_count = attribute(driver, *handle, GP_CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    out->async_engines = attribute(driver, *handle, GP_CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT);
    out->threads_per_sm =
        attribute(driver, *handle, GP_CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
    out->blocks_per_sm =
        attribute(driver, *handle, GP_CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
    out->registers_per_sm =
        attribute(driver, *handle, GP_CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
    out->shared_bytes_per_sm =
        attribute(driver, *handle, GP_CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
    out->l2_bytes = attribute(driver, *handle, GP_CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
    return 0;
}

static int describe(int32_t index, const struct gp_device_options *options,
                    struct gp_device_info *out, struct gp_error *err)
{
    struct gp_cuda_driver driver;
    int handle = 0;
    int code = gp_cuda_driver_load(&driver, err);

    (void)options;
    if (code != 0) {
        return code;
    }
    if (index >= driver.device_count) {
        code = gp_fail(err, GP_ENOTFOUND, "there is no cuda:%d: the driver sees %d", index,
                       driver.device_count);
    } else {
        code = read_info(&driver, index, &handle, out, err);
    }
    gp_cuda_driver_unload(&driver);
    return code;
}

/* "", ":N", ",ptx", ":N,ptx". */
static int parse_arguments(const char *text, int32_t *ordinal, bool *ptx_only, struct gp_error *err)
{
    const char *rest = text;

    *ordinal = 0;
    *ptx_only = false;
    if (*rest == ':') {
        rest++;
        if (!isdigit((unsigned char)*rest)) {
            return gp_fail(err, GP_EINVAL,
                           "'cuda%s': after ':' comes the GPU's number, as in "
                           "cuda:0",
                           text);
        }
        while (isdigit((unsigned char)*rest) && *ordinal < GP_DEVICES_MAX) {
            *ordinal = *ordinal * 10 + (*rest++ - '0');
        }
    }
    if (*ordinal >= GP_DEVICES_MAX) {
        return gp_fail(err, GP_EINVAL, "'cuda%s': a GPU's number is 0 to %d", text,
                       GP_DEVICES_MAX - 1);
    }
    if (strcmp(rest, ",ptx") == 0) {
        *ptx_only = true;
        return 0;
    }
    if (*rest != '\0') {
        return gp_fail(err, GP_EINVAL,
                       "'cuda%s': '%s' is no option; there are ',ptx', and last ',spin', ',yield', "
                       "',blocking' or ',auto'",
                       text, rest);
    }
    return 0;
}

static int find_gpu(struct gp_cuda *cuda, int32_t ordinal, struct gp_error *err)
{
    const struct gp_cuda_driver *driver = &cuda->driver;
    int code;

    if (ordinal >= driver->device_count) {
        return gp_fail(err, GP_ENODEVICE,
                       "there is no cuda:%d: the driver sees %d GPU%s, from "
                       "cuda:0 on",
                       ordinal, driver->device_count, driver->device_count == 1 ? "" : "s");
    }
    code = read_info(driver, ordinal, &cuda->handle, &cuda->base.info, err);
    if (code != 0) {
        return code;
    }
    cuda->has_memory_pools =
        attribute(driver, cuda->handle, GP_CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED) != 0;
    if (attribute(driver, cuda->handle, GP_CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING) == 0) {
        return gp_fail(err, GP_EUNSUPPORTED,
                       "cuda:%d (%s) has no unified addressing, which pinned "
                       "memory here relies on",
                       ordinal, cuda->base.info.name);
    }
    return 0;
}

static const unsigned int scheduling_flags[] = {
    [GP_SCHEDULING_AUTO] = GP_CU_CTX_SCHED_AUTO,
    [GP_SCHEDULING_SPIN] = GP_CU_CTX_SCHED_SPIN,
    [GP_SCHEDULING_YIELD] = GP_CU_CTX_SCHED_YIELD,
    [GP_SCHEDULING_BLOCKING] = GP_CU_CTX_SCHED_BLOCKING_SYNC,
};

/* What the context came to have; auto leaves it to whoever made the context. */
static int check_scheduling(struct gp_cuda *cuda, enum gp_scheduling wanted, unsigned int flags,
                            struct gp_error *err)
{
    struct gp_device_info *info = &cuda->base.info;

    for (int i = 0; i < GP_SCHEDULING_COUNT; i++) {
        if ((flags & GP_CU_CTX_SCHED_MASK) == scheduling_flags[i]) {
            info->scheduling = (enum gp_scheduling)i;
        }
    }
    if (wanted == GP_SCHEDULING_AUTO || wanted == info->scheduling) {
        return 0;
    }
    return gp_fail(err, GP_EUNSUPPORTED,
                   "cuda:%d (%s): scheduling '%s' is refused, because this process has a context "
                   "with '%s' already; leave ',%s' out",
                   info->ordinal, info->name, gp_scheduling_name(wanted),
                   gp_scheduling_name(info->scheduling), gp_scheduling_name(wanted));
}

/* The primary context: shared with the CUDA runtime and other libraries in this process, so that
 * nothing switches contexts on the GPU. */
static int make_context(struct gp_cuda *cuda, enum gp_scheduling scheduling, struct gp_error *err)
{
    const struct gp_cuda_driver *driver = &cuda->driver;
    const char *call = "cuDevicePrimaryCtxSetFlags";
    unsigned int flags = GP_CU_CTX_LMEM_RESIZE_TO_MAX | scheduling_flags[scheduling];
    gp_cu_result result;
    int code;

    /* A kernel that needs more local memory than the one before makes the driver reallocate, which
     * serialises the device; with RESIZE_TO_MAX it never shrinks again. An older driver refuses
     * when the process has its context already; then it stays as it is. */
    result = driver->cuDevicePrimaryCtxSetFlags(cuda->handle, flags);
    if (result == 0 || result == GP_CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE) {
        call = "cuDevicePrimaryCtxRetain";
        result = driver->cuDevicePrimaryCtxRetain(&cuda->context, cuda->handle);
    }
    if (result == 0) {
        call = "cuCtxSetCurrent";
        result = driver->cuCtxSetCurrent(cuda->context);
    }
    if (result == 0) {
        call = "cuCtxGetFlags";
        result = driver->cuCtxGetFlags(&flags);
    }
    if (result == 0) {
        call = "cuCtxGetStreamPriorityRange";
        result = driver->cuCtxGetStreamPriorityRange(&cuda->base.info.priority_least,
                                                     &cuda->base.info.priority_greatest);
    }
    if (result == 0) {
        return check_scheduling(cuda, scheduling, flags, err);
    }
    code = gp_cuda_driver_fail(driver, result, call, err);
    return err != NULL ? gp_fail_context(err, "cuda:%d (%s) cannot be used",
                                         cuda->base.info.ordinal, cuda->base.info.name)
                       : code;
}

/* Otherwise the pool gives all its free memory back at every synchronisation, and the next
 * allocation costs 52 µs instead of 1.3 (measured on an H200). What cannot be set stays. */
static void keep_pool(struct gp_cuda *cuda)
{
    const struct gp_cuda_driver *driver = &cuda->driver;
    struct CUmemPoolHandle_st *pool = NULL;
    uint64_t all = UINT64_MAX;

    if (cuda->has_memory_pools && driver->cuDeviceGetDefaultMemPool != NULL &&
        driver->cuMemPoolSetAttribute != NULL &&
        driver->cuDeviceGetDefaultMemPool(&pool, cuda->handle) == 0) {
        (void)driver->cuMemPoolSetAttribute(pool, GP_CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &all);
    }
}

/* Gives back what open took, in any state after the driver was loaded. */
static void release(struct gp_cuda *cuda)
{
    if (cuda->context != NULL) {
        (void)cuda->driver.cuCtxSetCurrent(NULL);
        (void)cuda->driver.cuDevicePrimaryCtxRelease(cuda->handle);
    }
    gp_cuda_driver_unload(&cuda->driver);
    (void)pthread_mutex_destroy(&cuda->lock);
    (void)pthread_mutex_destroy(&cuda->control_lock);
    (void)pthread_mutex_destroy(&cuda->load_lock);
    (void)pthread_mutex_destroy(&cuda->split_lock);
    (void)pthread_mutex_destroy(&cuda->clock_lock);
    gp_free(cuda);
}

static int check_unattached(const struct gp_device_info *wanted, struct gp_error *err)
{
    const struct gp_device *attached = gp_cuda_thread.attached;

    if (gp_cuda_thread.in_host_function) {
        return gp_fail(err, GP_ESTATE, "a host function must not use a device");
    }
    if (attached != NULL) {
        return gp_fail(err, GP_ESTATE,
                       "this thread is attached to cuda:%d already, so not to cuda:%d: detach or "
                       "close that first",
                       attached->info.ordinal, wanted->ordinal);
    }
    return 0;
}

static int open_gpu(const char *arguments, const struct gp_device_options *options,
                    struct gp_device **out, struct gp_error *err)
{
    struct gp_device_info wanted = {0};
    struct gp_cuda *cuda;
    bool ptx_only = false;
    int code = parse_arguments(arguments, &wanted.ordinal, &ptx_only, err);

    if (code == 0) {
        code = check_unattached(&wanted, err);
    }
    if (code != 0) {
        return code;
    }
    cuda = gp_alloc(1, sizeof *cuda);
    if (cuda == NULL) {
        return gp_fail(err, GP_ENOMEM, "no memory for a device");
    }
    code = gp_cuda_driver_load(&cuda->driver, err);
    if (code != 0) {
        gp_free(cuda);
        return code;
    }
    (void)pthread_mutex_init(&cuda->lock, NULL);
    (void)pthread_mutex_init(&cuda->control_lock, NULL);
    (void)pthread_mutex_init(&cuda->load_lock, NULL);
    (void)pthread_mutex_init(&cuda->split_lock, NULL);
    (void)pthread_mutex_init(&cuda->clock_lock, NULL);
    cuda->base.ops = &gp_device_cuda;
    cuda->ptx_only = ptx_only;
    cuda->clock_kernel = options->clock_kernel;
    code = find_gpu(cuda, wanted.ordinal, err);
    if (code == 0) {
        code = make_context(cuda, options->scheduling, err);
    }
    if (code == 0) {
        keep_pool(cuda);
    }
    if (code != 0) {
        release(cuda);
        return code;
    }
    gp_cuda_thread.attached = &cuda->base;
    *out = &cuda->base;
    return 0;
}

static void close_gpu(struct gp_device *device)
{
    struct gp_cuda *cuda = gp_cuda_of(device);

    assert(!gp_cuda_thread.in_host_function);
    assert(gp_cuda_thread.attached == NULL || gp_cuda_thread.attached == device);
    (void)cuda->driver.cuCtxSetCurrent(cuda->context);
    gp_cuda_thread.attached = device;
    gp_cuda_capture_abandon(cuda);
    (void)cuda->driver.cuCtxSynchronize();
    if (cuda->control != NULL) {
        (void)gp_cuda_stream_destroy(cuda->control, NULL);
    }
    gp_cuda_clock_release(cuda);
    gp_cuda_splits_release(cuda);
    gp_cuda_images_release(cuda);
    gp_cuda_calls_release(cuda);
    gp_cuda_thread.attached = NULL;
    release(cuda);
}

static int attach(struct gp_device *device, struct gp_error *err)
{
    struct gp_cuda *cuda = gp_cuda_of(device);
    int code = check_unattached(&device->info, err);

    if (code == 0) {
        code =
            gp_cuda_done(cuda, cuda->driver.cuCtxSetCurrent(cuda->context), "cuCtxSetCurrent", err);
    }
    if (code == 0) {
        gp_cuda_thread.attached = device;
    }
    return code;
}

static void detach(struct gp_device *device)
{
    struct gp_cuda *cuda = gp_cuda_of(device);

    assert(gp_cuda_thread.attached == device);
    gp_cuda_capture_abandon(cuda);
    (void)cuda->driver.cuCtxSetCurrent(NULL);
    gp_cuda_thread.attached = NULL;
}

/* A faulty context answers every question with its fault; an idle stream's state is the cheapest
 * question. During a capture of this thread nothing is asked: a creation might break it. */
static int check(struct gp_device *device, struct gp_error *err)
{
    struct gp_cuda *cuda = gp_cuda_of(device);
    struct gp_stream *stream = NULL;
    int code = gp_cuda_enter(cuda, err);

    if (code != 0 || gp_cuda_thread.capturing != NULL) {
        return code;
    }
    code = gp_cuda_control_stream(cuda, &stream, err);
    if (code == 0) {
        code = gp_cuda_stream_query(stream, err);
    }
    return code == GP_ENOTREADY ? 0 : code;
}

void gp_cuda_report(struct gp_cuda_report *out)
{
    struct gp_cuda_driver driver;

    assert(out != NULL);
    memset(out, 0, sizeof *out);
    out->driver_needed = GP_CUDA_DRIVER_MIN;
    (void)gp_cuda_driver_load(&driver, &out->why);
    out->driver_version = driver.version;
    (void)snprintf(out->library, sizeof out->library, "%s", driver.path);
    out->device_count = driver.device_count;
    if (out->why.code != 0) {
        return;
    }
    while (out->missing_count < GP_CUDA_MISSING_MAX) {
        struct gp_cuda_missing *missing = &out->missing[out->missing_count];
        int since = 0;

        missing->symbol =
            gp_cuda_driver_missing(&driver, out->missing_count, &missing->purpose, &since);
        if (missing->symbol == NULL) {
            break;
        }
        missing->since = since;
        out->missing_count++;
    }
    gp_cuda_driver_unload(&driver);
}

const struct gp_device_ops gp_device_cuda = {
    .name = "cuda",
    .summary = "an NVIDIA GPU, through the driver's own interface",
    .options = "[:N][,ptx][,spin|yield|blocking]",
    .kind = GP_DEVICE_CUDA,
    .describe = describe,
    .open = open_gpu,
    .close = close_gpu,
    .attach = attach,
    .detach = detach,
    .clock_ns = gp_cuda_clock_ns,
    .pause = gp_cuda_pause,
    .clock_sample = gp_cuda_clock_sample,
    .check = check,
    .mem_alloc = gp_cuda_mem_alloc,
    .mem_free = gp_cuda_mem_free,
    .mem_alloc_async = gp_cuda_mem_alloc_async,
    .mem_free_async = gp_cuda_mem_free_async,
    .host_alloc = gp_cuda_host_alloc,
    .host_free = gp_cuda_host_free,
    .stream_create = gp_cuda_stream_create,
    .stream_create_on = gp_cuda_stream_create_on,
    .stream_destroy = gp_cuda_stream_destroy,
    .stream_query = gp_cuda_stream_query,
    .stream_sync = gp_cuda_stream_sync,
    .stream_wait = gp_cuda_stream_wait,
    .event_create = gp_cuda_event_create,
    .event_destroy = gp_cuda_event_destroy,
    .event_record = gp_cuda_event_record,
    .event_query = gp_cuda_event_query,
    .event_sync = gp_cuda_event_sync,
    .event_elapsed = gp_cuda_event_elapsed,
    .kernel_prepare = gp_cuda_kernel_prepare,
    .launch = gp_cuda_launch,
    .copy = gp_cuda_copy,
    .set = gp_cuda_set,
    .host_function = gp_cuda_host_function,
    .flag_write = gp_cuda_flag_write,
    .flag_read = gp_cuda_flag_read,
    .capture_begin = gp_cuda_capture_begin,
    .capture_end = gp_cuda_capture_end,
    .graph_instantiate = gp_cuda_graph_instantiate,
    .graph_launch = gp_cuda_graph_launch,
    .graph_destroy = gp_cuda_graph_destroy,
};
