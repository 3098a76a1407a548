/* Green contexts of the test driver: a split of the SMs is a number that the model is told. */
#include "fake.h"

#include <string.h>

enum { SMS = 132, STEP = 8 };

struct CUdevResourceDesc_st {
    unsigned int first; /* SMs of the first part */
    unsigned int index;
};

struct CUgreenCtx_st {
    struct fake_handle handle;
    struct gp_sm_part part;
};

static struct gp_cu_resource *resource_of(struct CUdevResource_st *resource)
{
    return (struct gp_cu_resource *)(void *)resource;
}

gp_cu_result cuDeviceGetDevResource(int device, struct CUdevResource_st *out, unsigned int type)
{
    struct gp_cu_resource *resource = resource_of(out);

    (void)device;
    memset(resource, 0, sizeof *resource);
    resource->type = type;
    resource->sm_count = SMS;
    resource->sm_count_min = resource->sm_alignment = STEP;
    return type == GP_CU_DEV_RESOURCE_TYPE_SM ? fake_plan_result("cuDeviceGetDevResource")
                                              : GP_CUDA_ERROR_INVALID_VALUE;
}

gp_cu_result cuDevSmResourceSplitByCount(struct CUdevResource_st *parts, unsigned int *count,
                                         const struct CUdevResource_st *whole,
                                         struct CUdevResource_st *rest, unsigned int flags,
                                         unsigned int sm_count_min)
{
    const struct gp_cu_resource *all = (const struct gp_cu_resource *)(const void *)whole;
    unsigned int first = (sm_count_min + STEP - 1) / STEP * STEP;

    if (*count != 1 || flags != 0 || first >= all->sm_count) {
        return GP_CUDA_ERROR_INVALID_VALUE;
    }
    *resource_of(parts) = *all;
    resource_of(parts)->sm_count = first;
    *resource_of(rest) = *all;
    resource_of(rest)->sm_count = all->sm_count - first;
    resource_of(rest)->internal[0] = 1;
    return fake_plan_result("cuDevSmResourceSplitByCount");
}

/* The driver keeps descriptions for the process's life; so do these, one of each. */
gp_cu_result cuDevResourceGenerateDesc(struct CUdevResourceDesc_st **description,
                                       struct CUdevResource_st *resources, unsigned int count)
{
    const struct gp_cu_resource *part = resource_of(resources);
    static struct CUdevResourceDesc_st known[2][SMS + 1];
    unsigned int index = part->internal[0];
    unsigned int first = index == 0 ? part->sm_count : SMS - part->sm_count;

    known[index][first] = (struct CUdevResourceDesc_st){first, index};
    *description = &known[index][first];
    return count == 1 ? fake_plan_result("cuDevResourceGenerateDesc") : GP_CUDA_ERROR_INVALID_VALUE;
}

static gp_cu_result run_create(struct fake_call *call)
{
    const struct CUdevResourceDesc_st *description = call->other;
    struct CUgreenCtx_st *context = fake_handle_add(FAKE_GREEN, sizeof *context);

    context->part = (struct gp_sm_part){(uint16_t)(description->first * 1000 / SMS),
                                        (uint16_t)description->index};
    *call->out = context;
    return 0;
}

gp_cu_result cuGreenCtxCreate(struct CUgreenCtx_st **context,
                              struct CUdevResourceDesc_st *description, int device,
                              unsigned int flags)
{
    void *handle = NULL;
    struct fake_call call = {
        .name = "cuGreenCtxCreate", .run = run_create, .other = description, .out = &handle};
    gp_cu_result result;

    (void)device;
    result =
        flags == GP_CU_GREEN_CTX_DEFAULT_STREAM ? fake_ask(&call) : GP_CUDA_ERROR_INVALID_VALUE;
    *context = handle;
    return result;
}

static gp_cu_result run_destroy(struct fake_call *call)
{
    if (fake_handle_get(call->handle, FAKE_GREEN) == NULL) {
        return GP_CUDA_ERROR_INVALID_HANDLE;
    }
    fake_handle_remove(call->handle);
    return 0;
}

gp_cu_result cuGreenCtxDestroy(struct CUgreenCtx_st *context)
{
    struct fake_call call = {.name = "cuGreenCtxDestroy", .run = run_destroy, .handle = context};

    return fake_ask(&call);
}

static gp_cu_result run_stream(struct fake_call *call)
{
    const struct CUgreenCtx_st *context = fake_handle_get(call->handle, FAKE_GREEN);
    struct gp_stream *stream = NULL;
    int code;

    if (context == NULL) {
        return GP_CUDA_ERROR_INVALID_HANDLE;
    }
    code = gp_stream_create_on(fake_model, context->part, call->value, &stream, NULL);
    if (code == 0) {
        struct CUstream_st *handle = fake_handle_add(FAKE_STREAM, sizeof *handle);

        handle->stream = stream;
        *call->out = handle;
    }
    return fake_result(code);
}

gp_cu_result cuGreenCtxStreamCreate(struct CUstream_st **stream, struct CUgreenCtx_st *context,
                                    unsigned int flags, int priority)
{
    void *handle = NULL;
    struct fake_call call = {.name = "cuGreenCtxStreamCreate",
                             .run = run_stream,
                             .handle = context,
                             .out = &handle,
                             .value = priority};
    gp_cu_result result =
        flags == GP_CU_STREAM_NON_BLOCKING ? fake_ask(&call) : GP_CUDA_ERROR_INVALID_VALUE;

    *stream = handle;
    return result;
}
