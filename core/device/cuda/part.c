/*
 * Parts of the SMs of the CUDA device: green contexts, of which only streams are taken; kernels,
 * events and memory stay those of the primary context (tried on an H200, also in graphs).
 */
#include <assert.h>

#include "core/device/cuda/internal.h"
#include "core/memory.h"

/* GP_EUNSUPPORTED with the first symbol that this driver has not. */
static int check_symbols(const struct gp_cuda_driver *driver, struct gp_error *err)
{
    const char *missing = NULL;

    if (driver->cuDeviceGetDevResource == NULL) {
        missing = "cuDeviceGetDevResource";
    } else if (driver->cuDevSmResourceSplitByCount == NULL) {
        missing = "cuDevSmResourceSplitByCount";
    } else if (driver->cuDevResourceGenerateDesc == NULL) {
        missing = "cuDevResourceGenerateDesc";
    } else if (driver->cuGreenCtxCreate == NULL) {
        missing = "cuGreenCtxCreate";
    } else if (driver->cuGreenCtxDestroy == NULL) {
        missing = "cuGreenCtxDestroy";
    } else if (driver->cuGreenCtxStreamCreate == NULL) {
        missing = "cuGreenCtxStreamCreate";
    }
    return missing == NULL ? 0 : gp_cuda_driver_lacks(driver, missing, err);
}

/* What the driver refuses here is a split that cannot be had. */
static int fail_split(struct gp_cuda *cuda, gp_cu_result result, const char *call,
                      const struct gp_cuda_split *split, struct gp_error *err)
{
    int code = gp_cuda_fail(cuda, result, call, err);

    (void)gp_cuda_fail_append(err, code, "splitting the %d SMs of cuda:%d at %u permille",
                              (int)cuda->base.info.sm_count, (int)cuda->base.info.ordinal,
                              split->permille);
    if (code == GP_EFAULT || code == GP_EDEVICEMEM) {
        return code;
    }
    if (err != NULL) {
        err->code = GP_EUNSUPPORTED;
    }
    return GP_EUNSUPPORTED;
}

/* The driver's name for it. */
static struct CUdevResource_st *driver_resource(struct gp_cu_resource *resource)
{
    return (struct CUdevResource_st *)(void *)resource;
}

static int make_contexts(struct gp_cuda *cuda, struct gp_cuda_split *split, struct gp_error *err)
{
    const struct gp_cuda_driver *driver = &cuda->driver;
    struct gp_cu_resource whole;
    struct gp_cu_resource parts[2];
    struct CUdevResourceDesc_st *description = NULL;
    unsigned int count = 1;
    const char *call = "cuDeviceGetDevResource";
    gp_cu_result result = driver->cuDeviceGetDevResource(cuda->handle, driver_resource(&whole),
                                                         GP_CU_DEV_RESOURCE_TYPE_SM);

    if (result == 0) {
        call = "cuDevSmResourceSplitByCount";
        result = driver->cuDevSmResourceSplitByCount(
            driver_resource(&parts[0]), &count, driver_resource(&whole), driver_resource(&parts[1]),
            0, (whole.sm_count * split->permille + 999) / 1000);
    }
    for (int i = 0; i < 2 && result == 0; i++) {
        call = "cuDevResourceGenerateDesc";
        result = driver->cuDevResourceGenerateDesc(&description, driver_resource(&parts[i]), 1);
        if (result == 0) {
            call = "cuGreenCtxCreate";
            result = driver->cuGreenCtxCreate(&split->contexts[i], description, cuda->handle,
                                              GP_CU_GREEN_CTX_DEFAULT_STREAM);
            split->sm_counts[i] = parts[i].sm_count;
        }
    }
    return result == 0 ? 0 : fail_split(cuda, result, call, split, err);
}

static void destroy_contexts(struct gp_cuda *cuda, struct gp_cuda_split *split)
{
    for (int i = 0; i < 2; i++) {
        if (split->contexts[i] != NULL) {
            (void)cuda->driver.cuGreenCtxDestroy(split->contexts[i]);
        }
    }
}

/* The split of that size, made when there is none yet. Called with the lock. */
static int find_split(struct gp_cuda *cuda, uint16_t permille, struct gp_cuda_split **out,
                      struct gp_error *err)
{
    struct gp_cuda_split split = {.permille = permille};
    int code;

    for (uint32_t i = 0; i < cuda->split_count; i++) {
        if (cuda->splits[i].permille == permille) {
            *out = &cuda->splits[i];
            return 0;
        }
    }
    if (cuda->split_count == GP_CUDA_SPLITS_MAX) {
        return gp_fail(err, GP_EUNSUPPORTED, "more than %d different splits of the SMs",
                       GP_CUDA_SPLITS_MAX);
    }
    code = make_contexts(cuda, &split, err);
    if (code != 0) {
        destroy_contexts(cuda, &split);
        return code;
    }
    *out = &cuda->splits[cuda->split_count];
    cuda->splits[cuda->split_count++] = split;
    return 0;
}

int gp_cuda_stream_create_on(struct gp_device *device, struct gp_sm_part part, int32_t priority,
                             struct gp_stream **out, struct gp_error *err)
{
    struct gp_cuda *cuda = gp_cuda_of(device);
    struct gp_cuda_split *split = NULL;
    struct gp_cuda_stream *stream;
    gp_cu_result result;
    int code = gp_cuda_enter(cuda, err);

    if (code == 0) {
        code = check_symbols(&cuda->driver, err);
    }
    if (code == 0) {
        (void)pthread_mutex_lock(&cuda->split_lock);
        code = find_split(cuda, part.permille, &split, err);
        (void)pthread_mutex_unlock(&cuda->split_lock);
    }
    if (code != 0) {
        return code;
    }
    stream = gp_alloc(1, sizeof *stream);
    if (stream == NULL) {
        return gp_fail(err, GP_ENOMEM, "no memory for a stream");
    }
    stream->base.device = device;
    stream->base.flag = GP_STREAM_NON_BLOCKING;
    stream->base.priority = gp_cuda_clamp_priority(&device->info, priority);
    stream->base.sm_count = split->sm_counts[part.index];
    result = cuda->driver.cuGreenCtxStreamCreate(&stream->handle, split->contexts[part.index],
                                                 GP_CU_STREAM_NON_BLOCKING, stream->base.priority);
    if (result != 0) {
        gp_free(stream);
        return fail_split(cuda, result, "cuGreenCtxStreamCreate", split, err);
    }
    *out = &stream->base;
    return 0;
}

void gp_cuda_splits_release(struct gp_cuda *cuda)
{
    for (uint32_t i = 0; i < cuda->split_count; i++) {
        destroy_contexts(cuda, &cuda->splits[i]);
    }
    cuda->split_count = 0;
}
