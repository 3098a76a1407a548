/* Memory of the CUDA device: device memory, at once and in stream order, and pinned host memory. */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "core/device/cuda/internal.h"

/* Says what was wanted and what is free, so that the reader can tell a leak from a full GPU. */
static int fail_alloc(struct gp_cuda *cuda, gp_cu_result result, const char *call, uint64_t bytes,
                      struct gp_error *err)
{
    size_t free_bytes = 0;
    size_t total_bytes = 0;
    int code = gp_cuda_fail(cuda, result, call, err);

    if (code != GP_EDEVICEMEM) {
        return code;
    }
    (void)gp_cuda_fail_append(err, code, "%" PRIu64 " bytes wanted on cuda:%d", bytes,
                              cuda->base.info.ordinal);
    if (cuda->driver.cuMemGetInfo_v2(&free_bytes, &total_bytes) == 0) {
        (void)gp_cuda_fail_append(err, code, "%zu of %zu are free", free_bytes, total_bytes);
    }
    return code;
}

int gp_cuda_mem_alloc(struct gp_device *device, uint64_t bytes, gp_addr *out, struct gp_error *err)
{
    struct gp_cuda *cuda = gp_cuda_of(device);
    int code = gp_cuda_enter(cuda, err);
    gp_cu_address address = 0;
    gp_cu_result result;

    assert(bytes > 0 && out != NULL);
    if (code != 0) {
        return code;
    }
    result = cuda->driver.cuMemAlloc_v2(&address, bytes);
    if (result != 0) {
        return fail_alloc(cuda, result, "cuMemAlloc_v2", bytes, err);
    }
    *out = address;
    return 0;
}

int gp_cuda_mem_free(struct gp_device *device, gp_addr address, struct gp_error *err)
{
    struct gp_cuda *cuda = gp_cuda_of(device);
    int code = gp_cuda_enter_release(cuda, err);

    if (code != 0 || address == 0) {
        return code;
    }
    return gp_cuda_released(cuda, cuda->driver.cuMemFree_v2(address), "cuMemFree_v2", err);
}

/* GP_EUNSUPPORTED when the driver or the GPU has no memory pools. */
static int check_pools(struct gp_cuda *cuda, struct gp_error *err)
{
    if (cuda->driver.cuMemAllocAsync == NULL) {
        return gp_cuda_driver_lacks(&cuda->driver, "cuMemAllocAsync", err);
    }
    if (cuda->driver.cuMemFreeAsync == NULL) {
        return gp_cuda_driver_lacks(&cuda->driver, "cuMemFreeAsync", err);
    }
    if (!cuda->has_memory_pools) {
        return gp_fail(err, GP_EUNSUPPORTED,
                       "cuda:%d (%s) has no memory pools, which "
                       "stream-ordered allocation needs",
                       cuda->base.info.ordinal, cuda->base.info.name);
    }
    return 0;
}

int gp_cuda_mem_alloc_async(struct gp_stream *stream, uint64_t bytes, gp_addr *out,
                            struct gp_error *err)
{
    struct gp_cuda *cuda = gp_cuda_of(stream->device);
    int code = gp_cuda_enter(cuda, err);
    gp_cu_address address = 0;
    gp_cu_result result;

    assert(bytes > 0 && out != NULL);
    if (code == 0) {
        code = check_pools(cuda, err);
    }
    if (code != 0) {
        return code;
    }
    result = cuda->driver.cuMemAllocAsync(&address, bytes, gp_cuda_stream_handle(stream));
    if (result != 0) {
        return fail_alloc(cuda, result, "cuMemAllocAsync", bytes, err);
    }
    *out = address;
    return 0;
}

int gp_cuda_mem_free_async(struct gp_stream *stream, gp_addr address, struct gp_error *err)
{
    struct gp_cuda *cuda = gp_cuda_of(stream->device);
    int code = gp_cuda_enter_release(cuda, err);

    if (code == 0) {
        code = check_pools(cuda, err);
    }
    if (code != 0 || address == 0) {
        return code;
    }
    return gp_cuda_released(cuda,
                            cuda->driver.cuMemFreeAsync(address, gp_cuda_stream_handle(stream)),
                            "cuMemFreeAsync", err);
}

int gp_cuda_host_alloc(struct gp_device *device, uint64_t bytes, void **out, struct gp_error *err)
{
    struct gp_cuda *cuda = gp_cuda_of(device);
    int code = gp_cuda_enter(cuda, err);
    void *block = NULL;
    gp_cu_result result;

    assert(bytes > 0 && out != NULL);
    if (code != 0) {
        return code;
    }
    result = cuda->driver.cuMemHostAlloc(
        &block, bytes, GP_CU_MEMHOSTALLOC_PORTABLE | GP_CU_MEMHOSTALLOC_DEVICEMAP);
    if (result == GP_CUDA_ERROR_OUT_OF_MEMORY) {
        (void)gp_cuda_fail(cuda, result, "cuMemHostAlloc", err);
        (void)gp_cuda_fail_append(err, GP_ENOMEM, "%" PRIu64 " bytes of pinned host memory wanted",
                                  bytes);
        if (err != NULL) {
            err->code = GP_ENOMEM;
        }
        return GP_ENOMEM;
    }
    if (result != 0) {
        return gp_cuda_fail(cuda, result, "cuMemHostAlloc", err);
    }
    memset(block, 0, bytes);
    *out = block;
    return 0;
}

int gp_cuda_host_free(struct gp_device *device, void *block, struct gp_error *err)
{
    struct gp_cuda *cuda = gp_cuda_of(device);
    int code = gp_cuda_enter_release(cuda, err);

    if (code != 0 || block == NULL) {
        return code;
    }
    return gp_cuda_released(cuda, cuda->driver.cuMemFreeHost(block), "cuMemFreeHost", err);
}
