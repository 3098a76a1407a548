/* Driver, device, context and memory of the test driver. */
#include "fake.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* The model without opening it. */
static const struct gp_device_info *model_info(void)
{
    static struct gp_device_info info;
    static bool known;
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

    (void)pthread_mutex_lock(&lock);
    for (size_t i = 0; i < gp_device_table_count && !known; i++) {
        if (gp_device_table[i]->kind == GP_DEVICE_MODEL) {
            known = gp_device_describe(gp_device_table[i], 0, NULL, &info, NULL) == 0;
        }
    }
    (void)pthread_mutex_unlock(&lock);
    return &info;
}

gp_cu_result cuInit(unsigned int flags)
{
    gp_cu_result result;

    (void)flags;
    fake_plan_read();
    result = fake_plan_result("cuInit");
    return result == 0 && fake_plan.device_count == 0 ? GP_CUDA_ERROR_NO_DEVICE : result;
}

gp_cu_result cuDriverGetVersion(int *version)
{
    fake_plan_read();
    *version = fake_plan.driver_version;
    return fake_plan_result("cuDriverGetVersion");
}

gp_cu_result cuGetErrorName(gp_cu_result result, const char **text)
{
    static const struct {
        unsigned int result;
        const char *name;
    } names[] = {
#define X(name, value) {value, #name},
        GP_CUDA_RESULTS(X)
#undef X
    };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (names[i].result == result) {
            *text = names[i].name;
            return 0;
        }
    }
    *text = NULL;
    return GP_CUDA_ERROR_INVALID_VALUE;
}

gp_cu_result cuGetErrorString(gp_cu_result result, const char **text)
{
    gp_cu_result code = cuGetErrorName(result, text);

    if (code == 0) {
        *text = "as the test driver was told";
    }
    return code;
}

gp_cu_result cuDeviceGetCount(int *count)
{
    *count = fake_plan.device_count;
    return fake_plan_result("cuDeviceGetCount");
}

gp_cu_result cuDeviceGet(int *device, int ordinal)
{
    *device = ordinal;
    return ordinal < fake_plan.device_count ? fake_plan_result("cuDeviceGet")
                                            : GP_CUDA_ERROR_INVALID_DEVICE;
}

gp_cu_result cuDeviceGetName(char *name, int bytes, int device)
{
    (void)device;
    (void)snprintf(name, (size_t)bytes, "Fake GPU");
    return fake_plan_result("cuDeviceGetName");
}

gp_cu_result cuDeviceGetUuid(struct CUuuid_st *uuid, int device)
{
    (void)device;
    memset((void *)uuid, 0xab, 16);
    return fake_plan_result("cuDeviceGetUuid");
}

gp_cu_result cuDeviceGetUuid_v2(struct CUuuid_st *uuid, int device)
{
    (void)device;
    memset((void *)uuid, 0xcd, 16);
    return fake_plan_result("cuDeviceGetUuid_v2");
}

gp_cu_result cuDeviceTotalMem_v2(size_t *bytes, int device)
{
    (void)device;
    *bytes = (size_t)model_info()->memory_bytes;
    return fake_plan_result("cuDeviceTotalMem_v2");
}

gp_cu_result cuDeviceGetAttribute(int *value, unsigned int attribute, int device)
{
    const struct gp_device_info *info = model_info();

    (void)device;
    switch (attribute) {
    case GP_CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
        *value = info->sm_count;
        break;
    case GP_CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
        *value = (int)info->l2_bytes;
        break;
    case GP_CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
        *value = info->threads_per_sm;
        break;
    case GP_CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT:
        *value = info->async_engines;
        break;
    case GP_CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING:
        *value = 1;
        break;
    case GP_CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
        *value = info->compute_major;
        break;
    case GP_CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
        *value = info->compute_minor;
        break;
    case GP_CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR:
        *value = (int)info->shared_bytes_per_sm;
        break;
    case GP_CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR:
        *value = info->registers_per_sm;
        break;
    case GP_CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR:
        *value = info->blocks_per_sm;
        break;
    case GP_CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED:
        *value = !fake_plan.no_pools;
        break;
    default:
        return GP_CUDA_ERROR_INVALID_VALUE;
    }
    return fake_plan_result("cuDeviceGetAttribute");
}

/* Of the primary context; whoever opens sets them anew. */
static atomic_uint context_flags;

gp_cu_result cuDevicePrimaryCtxSetFlags(int device, unsigned int flags)
{
    gp_cu_result result = fake_plan_result("cuDevicePrimaryCtxSetFlags");

    (void)device;
    atomic_store(&context_flags, result == 0 ? flags : 0);
    return result;
}

gp_cu_result cuCtxGetFlags(unsigned int *flags)
{
    *flags = atomic_load(&context_flags);
    return fake_enter("cuCtxGetFlags");
}

gp_cu_result cuDevicePrimaryCtxRetain(struct CUctx_st **context, int device)
{
    gp_cu_result result = fake_plan_result("cuDevicePrimaryCtxRetain");

    (void)device;
    if (result == 0) {
        result = fake_retain();
    }
    *context = result == 0 ? (struct CUctx_st *)&fake_plan : NULL;
    return result;
}

gp_cu_result cuDevicePrimaryCtxRelease(int device)
{
    (void)device;
    fake_release();
    return fake_plan_result("cuDevicePrimaryCtxRelease");
}

/* The one pool; it keeps its memory whatever it is told. */
gp_cu_result cuDeviceGetDefaultMemPool(struct CUmemPoolHandle_st **pool, int device)
{
    (void)device;
    *pool = (struct CUmemPoolHandle_st *)&fake_plan;
    return fake_plan_result("cuDeviceGetDefaultMemPool");
}

gp_cu_result cuMemPoolSetAttribute(struct CUmemPoolHandle_st *pool, unsigned int attribute,
                                   void *value)
{
    const bool is_right = pool == (struct CUmemPoolHandle_st *)&fake_plan &&
                          attribute == GP_CU_MEMPOOL_ATTR_RELEASE_THRESHOLD && value != NULL;

    return is_right ? fake_enter("cuMemPoolSetAttribute") : GP_CUDA_ERROR_INVALID_VALUE;
}

gp_cu_result cuCtxSetCurrent(struct CUctx_st *context)
{
    gp_cu_result result = fake_plan_result("cuCtxSetCurrent");

    if (result == 0) {
        fake_thread.has_context = context != NULL;
    }
    return result;
}

gp_cu_result cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    *least = model_info()->priority_least;
    *greatest = model_info()->priority_greatest;
    return fake_enter("cuCtxGetStreamPriorityRange");
}

gp_cu_result cuMemGetInfo_v2(size_t *free_bytes, size_t *total_bytes)
{
    *total_bytes = (size_t)model_info()->memory_bytes;
    *free_bytes = *total_bytes / 2;
    return fake_enter("cuMemGetInfo_v2");
}

static gp_cu_result run_alloc(struct fake_call *call)
{
    gp_addr address = 0;
    int code = gp_device_mem_alloc(fake_model, call->bytes, &address, NULL);

    *call->out_address = address;
    return fake_result(code);
}

gp_cu_result cuMemAlloc_v2(gp_cu_address *address, size_t bytes)
{
    struct fake_call call = {
        .name = "cuMemAlloc_v2", .run = run_alloc, .out_address = address, .bytes = bytes};

    return fake_ask(&call);
}

static gp_cu_result run_free(struct fake_call *call)
{
    return fake_result(gp_device_mem_free(fake_model, call->to, NULL));
}

gp_cu_result cuMemFree_v2(gp_cu_address address)
{
    struct fake_call call = {.name = "cuMemFree_v2", .run = run_free, .to = address};

    return fake_ask(&call);
}

static gp_cu_result run_alloc_async(struct fake_call *call)
{
    struct gp_stream *stream = fake_stream(call->handle);
    gp_addr address = 0;
    int code;

    if (stream == NULL) {
        return GP_CUDA_ERROR_INVALID_HANDLE;
    }
    code = gp_stream_mem_alloc(stream, call->bytes, &address, NULL);
    *call->out_address = address;
    return fake_result(code);
}

gp_cu_result cuMemAllocAsync(gp_cu_address *address, size_t bytes, struct CUstream_st *stream)
{
    struct fake_call call = {.name = "cuMemAllocAsync",
                             .run = run_alloc_async,
                             .out_address = address,
                             .bytes = bytes,
                             .handle = stream};

    return fake_ask(&call);
}

static gp_cu_result run_free_async(struct fake_call *call)
{
    struct gp_stream *stream = fake_stream(call->handle);

    return stream == NULL ? (gp_cu_result)GP_CUDA_ERROR_INVALID_HANDLE
                          : fake_result(gp_stream_mem_free(stream, call->to, NULL));
}

gp_cu_result cuMemFreeAsync(gp_cu_address address, struct CUstream_st *stream)
{
    struct fake_call call = {
        .name = "cuMemFreeAsync", .run = run_free_async, .to = address, .handle = stream};

    return fake_ask(&call);
}

static gp_cu_result run_host_alloc(struct fake_call *call)
{
    return fake_result(gp_device_host_alloc(fake_model, call->bytes, call->out, NULL));
}

gp_cu_result cuMemHostAlloc(void **block, size_t bytes, unsigned int flags)
{
    struct fake_call call = {
        .name = "cuMemHostAlloc", .run = run_host_alloc, .out = block, .bytes = bytes};

    (void)flags;
    return fake_ask(&call);
}

static gp_cu_result run_host_free(struct fake_call *call)
{
    return fake_result(gp_device_host_free(fake_model, call->handle, NULL));
}

gp_cu_result cuMemFreeHost(void *block)
{
    struct fake_call call = {.name = "cuMemFreeHost", .run = run_host_free, .handle = block};

    return fake_ask(&call);
}
