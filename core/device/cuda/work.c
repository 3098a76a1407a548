/* What is submitted to a stream of the CUDA device: launches, copies, memsets, host functions,
 * flags. A launch takes no lock and allocates nothing. */
#include <assert.h>
#include <string.h>

#include "core/device/cuda/internal.h"
#include "core/device/cuda/lookup.h"
#include "core/memory.h"

enum { CALLS_PER_CHUNK = 64 };

/* A host function under way. */
struct gp_cuda_call {
    struct gp_cuda *cuda;
    gp_host_fn *fn;
    void *user;
    bool captured; /* part of a graph: may run any number of times, so it is kept until close */
    struct gp_cuda_call *next;
};

struct gp_cuda_call_chunk {
    struct gp_cuda_call_chunk *next;
    struct gp_cuda_call calls[CALLS_PER_CHUNK];
};

static int fail_launch(struct gp_cuda *cuda, gp_cu_result result, const struct gp_launch *launch,
                       struct gp_error *err)
{
    int code = gp_cuda_fail(cuda, result, "cuLaunchKernel", err);

    return gp_cuda_fail_append(err, code,
                               "kernel '%s', grid %u×%u×%u, block %u×%u×%u, %u bytes of shared "
                               "memory",
                               launch->kernel->name, launch->grid[0], launch->grid[1],
                               launch->grid[2], launch->block[0], launch->block[1],
                               launch->block[2], launch->shared_bytes);
}

/* Kept apart so that the usual way through a launch stays short. */
static int fail_unprepared(struct gp_cuda *cuda, const struct gp_launch *launch,
                           struct gp_error *err)
{
    return gp_fail(err, GP_ESTATE,
                   "kernel '%s' was not prepared on cuda:%d: call gp_device_kernel_prepare before "
                   "the first launch",
                   launch->kernel->name, cuda->base.info.ordinal);
}

int gp_cuda_launch(struct gp_stream *stream, const struct gp_launch *launch, struct gp_error *err)
{
    struct gp_cuda *cuda = gp_cuda_of(stream->device);
    const struct gp_kernel *kernel = launch->kernel;
    struct CUfunc_st *function;
    void *args[GP_KERNEL_ARGS_MAX + 1];
    gp_addr stamp = launch->stamp;
    gp_cu_result result;
    int code = gp_cuda_enter(cuda, err);

    if (code != 0) {
        return code;
    }
    function = gp_cuda_lookup(cuda->functions, kernel);
    if (function == NULL) {
        return fail_unprepared(cuda, launch, err);
    }
    assert(stamp == 0 || kernel->stamped);
    if (kernel->arg_count > 0) {
        memcpy(args, launch->args, kernel->arg_count * sizeof args[0]);
    }
    args[kernel->arg_count] = kernel->stamped ? &stamp : NULL;
    result = cuda->driver.cuLaunchKernel(function, launch->grid[0], launch->grid[1],
                                         launch->grid[2], launch->block[0], launch->block[1],
                                         launch->block[2], launch->shared_bytes,
                                         gp_cuda_stream_handle(stream), args, NULL);
    return result == 0 ? 0 : fail_launch(cuda, result, launch, err);
}

int gp_cuda_copy(struct gp_stream *stream, enum gp_copy_kind kind, uint64_t to, uint64_t from,
                 uint64_t bytes, struct gp_error *err)
{
    struct gp_cuda *cuda = gp_cuda_of(stream->device);
    struct CUstream_st *handle = gp_cuda_stream_handle(stream);
    int code = gp_cuda_enter(cuda, err);

    assert(bytes > 0);
    if (code != 0) {
        return code;
    }
    switch (kind) {
    case GP_COPY_H2D:
        return gp_cuda_done(
            cuda,
            cuda->driver.cuMemcpyHtoDAsync_v2(to, (const void *)(uintptr_t)from, bytes, handle),
            "cuMemcpyHtoDAsync_v2", err);
    case GP_COPY_D2H:
        return gp_cuda_done(
            cuda, cuda->driver.cuMemcpyDtoHAsync_v2((void *)(uintptr_t)to, from, bytes, handle),
            "cuMemcpyDtoHAsync_v2", err);
    case GP_COPY_D2D:
        break;
    }
    assert(kind == GP_COPY_D2D);
    return gp_cuda_done(cuda, cuda->driver.cuMemcpyDtoDAsync_v2(to, from, bytes, handle),
                        "cuMemcpyDtoDAsync_v2", err);
}

int gp_cuda_set(struct gp_stream *stream, gp_addr to, uint8_t value, uint64_t bytes,
                struct gp_error *err)
{
    struct gp_cuda *cuda = gp_cuda_of(stream->device);
    int code = gp_cuda_enter(cuda, err);

    assert(bytes > 0);
    if (code != 0) {
        return code;
    }
    return gp_cuda_done(
        cuda, cuda->driver.cuMemsetD8Async(to, value, bytes, gp_cuda_stream_handle(stream)),
        "cuMemsetD8Async", err);
}

/* A free record, or NULL when out of memory. Caller holds the lock. */
static struct gp_cuda_call *take_call(struct gp_cuda *cuda)
{
    struct gp_cuda_call *call;

    if (cuda->calls_free == NULL) {
        struct gp_cuda_call_chunk *chunk = gp_alloc(1, sizeof *chunk);

        if (chunk == NULL) {
            return NULL;
        }
        chunk->next = cuda->call_chunks;
        cuda->call_chunks = chunk;
        for (int i = 0; i < CALLS_PER_CHUNK; i++) {
            chunk->calls[i].next = cuda->calls_free;
            cuda->calls_free = &chunk->calls[i];
        }
    }
    call = cuda->calls_free;
    cuda->calls_free = call->next;
    return call;
}

static void give_call(struct gp_cuda_call *call)
{
    struct gp_cuda *cuda = call->cuda;

    (void)pthread_mutex_lock(&cuda->lock);
    call->next = cuda->calls_free;
    cuda->calls_free = call;
    (void)pthread_mutex_unlock(&cuda->lock);
}

/* Runs on the driver's thread. What the function is told not to do (call the device: the driver may
 * deadlock) is made impossible meanwhile, whatever thread this is. */
static void run_call(void *user)
{
    struct gp_cuda_call *call = user;
    gp_host_fn *fn = call->fn;
    void *fn_user = call->user;
    const struct gp_cuda_thread before = gp_cuda_thread;

    if (!call->captured) {
        give_call(call);
    }
    gp_cuda_thread.attached = NULL;
    gp_cuda_thread.in_host_function = true;
    fn(fn_user);
    gp_cuda_thread = before;
}

int gp_cuda_host_function(struct gp_stream *stream, gp_host_fn *fn, void *user,
                          struct gp_error *err)
{
    struct gp_cuda *cuda = gp_cuda_of(stream->device);
    int code = gp_cuda_enter(cuda, err);
    struct gp_cuda_call *call;
    gp_cu_result result;

    assert(fn != NULL);
    if (code != 0) {
        return code;
    }
    (void)pthread_mutex_lock(&cuda->lock);
    call = take_call(cuda);
    (void)pthread_mutex_unlock(&cuda->lock);
    if (call == NULL) {
        return gp_fail(err, GP_ENOMEM, "no memory for a host function");
    }
    call->cuda = cuda;
    call->fn = fn;
    call->user = user;
    call->captured = gp_cuda_thread.capturing != NULL;
    result = cuda->driver.cuLaunchHostFunc(gp_cuda_stream_handle(stream), run_call, call);
    if (result != 0) {
        give_call(call);
        return gp_cuda_fail(cuda, result, "cuLaunchHostFunc", err);
    }
    return 0;
}

void gp_cuda_calls_release(struct gp_cuda *cuda)
{
    while (cuda->call_chunks != NULL) {
        struct gp_cuda_call_chunk *chunk = cuda->call_chunks;

        cuda->call_chunks = chunk->next;
        gp_free(chunk);
    }
    cuda->calls_free = NULL;
}

int gp_cuda_flag_write(struct gp_stream *stream, uint32_t *flag, uint32_t value,
                       struct gp_error *err)
{
    struct gp_cuda *cuda = gp_cuda_of(stream->device);
    int code = gp_cuda_enter(cuda, err);

    if (code != 0) {
        return code;
    }
    if (cuda->driver.cuStreamWriteValue32_v2 == NULL) {
        return gp_cuda_driver_lacks(&cuda->driver, "cuStreamWriteValue32_v2", err);
    }
    return gp_cuda_done(cuda,
                        cuda->driver.cuStreamWriteValue32_v2(gp_cuda_stream_handle(stream),
                                                             (uintptr_t)flag, value,
                                                             GP_CU_STREAM_WRITE_VALUE_DEFAULT),
                        "cuStreamWriteValue32_v2", err);
}

uint32_t gp_cuda_flag_read(struct gp_device *device, const uint32_t *flag)
{
    (void)device;
    return atomic_load_explicit((const _Atomic uint32_t *)flag, memory_order_acquire);
}
