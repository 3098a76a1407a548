/* Streams and events of the CUDA device. */
#include <assert.h>

#include "core/device/cuda/internal.h"
#include "core/memory.h"

int32_t gp_cuda_clamp_priority(const struct gp_device_info *info, int32_t priority)
{
    assert(info->priority_greatest <= info->priority_least);
    if (priority < info->priority_greatest) {
        return info->priority_greatest;
    }
    return priority > info->priority_least ? info->priority_least : priority;
}

int gp_cuda_stream_create(struct gp_device *device, enum gp_stream_flag flag, int32_t priority,
                          struct gp_stream **out, struct gp_error *err)
{
    struct gp_cuda *cuda = gp_cuda_of(device);
    int code = gp_cuda_enter(cuda, err);
    struct gp_cuda_stream *stream;
    gp_cu_result result = 0;

    if (code != 0) {
        return code;
    }
    stream = gp_alloc(1, sizeof *stream);
    if (stream == NULL) {
        return gp_fail(err, GP_ENOMEM, "no memory for a stream");
    }
    stream->base.device = device;
    stream->base.flag = flag;
    if (flag == GP_STREAM_NULL) {
        stream->handle = GP_CU_STREAM_LEGACY;
    } else if (flag == GP_STREAM_PER_THREAD) {
        stream->handle = GP_CU_STREAM_PER_THREAD;
    } else {
        stream->base.priority = gp_cuda_clamp_priority(&device->info, priority);
        result = cuda->driver.cuStreamCreateWithPriority(
            &stream->handle,
            flag == GP_STREAM_BLOCKING ? GP_CU_STREAM_DEFAULT : GP_CU_STREAM_NON_BLOCKING,
            stream->base.priority);
    }
    if (result != 0) {
        gp_free(stream);
        return gp_cuda_fail(cuda, result, "cuStreamCreateWithPriority", err);
    }
    *out = &stream->base;
    return 0;
}

int gp_cuda_stream_destroy(struct gp_stream *stream, struct gp_error *err)
{
    struct gp_cuda *cuda = gp_cuda_of(stream->device);
    int code = gp_cuda_enter_release(cuda, err);

    if (code != 0) {
        return code;
    }
    if (gp_cuda_thread.capturing == stream) {
        gp_cuda_capture_abandon(cuda);
    }
    if (stream->flag == GP_STREAM_NON_BLOCKING || stream->flag == GP_STREAM_BLOCKING) {
        code =
            gp_cuda_released(cuda, cuda->driver.cuStreamDestroy_v2(gp_cuda_stream_handle(stream)),
                             "cuStreamDestroy_v2", err);
    }
    gp_free(stream);
    return code;
}

int gp_cuda_stream_query(struct gp_stream *stream, struct gp_error *err)
{
    struct gp_cuda *cuda = gp_cuda_of(stream->device);
    int code = gp_cuda_enter(cuda, err);
    gp_cu_result result;

    if (code != 0) {
        return code;
    }
    result = cuda->driver.cuStreamQuery(gp_cuda_stream_handle(stream));
    if (result == GP_CUDA_ERROR_NOT_READY) {
        return GP_ENOTREADY;
    }
    return gp_cuda_done(cuda, result, "cuStreamQuery", err);
}

int gp_cuda_stream_sync(struct gp_stream *stream, struct gp_error *err)
{
    struct gp_cuda *cuda = gp_cuda_of(stream->device);
    int code = gp_cuda_enter(cuda, err);

    if (code != 0) {
        return code;
    }
    return gp_cuda_done(cuda, cuda->driver.cuStreamSynchronize(gp_cuda_stream_handle(stream)),
                        "cuStreamSynchronize", err);
}

static struct CUevent_st *event_handle(struct gp_event *event)
{
    return ((struct gp_cuda_event *)event)->handle;
}

int gp_cuda_stream_wait(struct gp_stream *stream, struct gp_event *event, struct gp_error *err)
{
    struct gp_cuda *cuda = gp_cuda_of(stream->device);
    int code = gp_cuda_enter(cuda, err);

    if (code != 0) {
        return code;
    }
    return gp_cuda_done(
        cuda, cuda->driver.cuStreamWaitEvent(gp_cuda_stream_handle(stream), event_handle(event), 0),
        "cuStreamWaitEvent", err);
}

int gp_cuda_event_create(struct gp_device *device, uint32_t flags, struct gp_event **out,
                         struct gp_error *err)
{
    struct gp_cuda *cuda = gp_cuda_of(device);
    int code = gp_cuda_enter(cuda, err);
    unsigned int driver_flags = GP_CU_EVENT_DEFAULT;
    struct gp_cuda_event *event;
    gp_cu_result result;

    if (code != 0) {
        return code;
    }
    event = gp_alloc(1, sizeof *event);
    if (event == NULL) {
        return gp_fail(err, GP_ENOMEM, "no memory for an event");
    }
    if ((flags & GP_EVENT_TIMED) == 0) {
        driver_flags |= GP_CU_EVENT_DISABLE_TIMING;
    }
    if ((flags & GP_EVENT_BLOCKING_SYNC) != 0) {
        driver_flags |= GP_CU_EVENT_BLOCKING_SYNC;
    }
    result = cuda->driver.cuEventCreate(&event->handle, driver_flags);
    if (result != 0) {
        gp_free(event);
        return gp_cuda_fail(cuda, result, "cuEventCreate", err);
    }
    event->base.device = device;
    event->base.flags = flags;
    *out = &event->base;
    return 0;
}

int gp_cuda_event_destroy(struct gp_event *event, struct gp_error *err)
{
    struct gp_cuda *cuda = gp_cuda_of(event->device);
    int code = gp_cuda_enter_release(cuda, err);

    if (code != 0) {
        return code;
    }
    code = gp_cuda_released(cuda, cuda->driver.cuEventDestroy_v2(event_handle(event)),
                            "cuEventDestroy_v2", err);
    gp_free(event);
    return code;
}

int gp_cuda_event_record(struct gp_event *event, struct gp_stream *stream, struct gp_error *err)
{
    struct gp_cuda *cuda = gp_cuda_of(event->device);
    struct gp_cuda_event *own = (struct gp_cuda_event *)event;
    int code = gp_cuda_enter(cuda, err);
    gp_cu_result result;

    if (code != 0) {
        return code;
    }
    result = cuda->driver.cuEventRecord(own->handle, gp_cuda_stream_handle(stream));
    if (result != 0) {
        return gp_cuda_fail(cuda, result, "cuEventRecord", err);
    }
    atomic_store_explicit(&own->recorded, true, memory_order_relaxed);
    return 0;
}

int gp_cuda_event_query(struct gp_event *event, struct gp_error *err)
{
    struct gp_cuda *cuda = gp_cuda_of(event->device);
    int code = gp_cuda_enter(cuda, err);
    gp_cu_result result;

    if (code != 0) {
        return code;
    }
    result = cuda->driver.cuEventQuery(event_handle(event));
    if (result == GP_CUDA_ERROR_NOT_READY) {
        return GP_ENOTREADY;
    }
    return gp_cuda_done(cuda, result, "cuEventQuery", err);
}

int gp_cuda_event_sync(struct gp_event *event, struct gp_error *err)
{
    struct gp_cuda *cuda = gp_cuda_of(event->device);
    int code = gp_cuda_enter(cuda, err);

    if (code != 0) {
        return code;
    }
    return gp_cuda_done(cuda, cuda->driver.cuEventSynchronize(event_handle(event)),
                        "cuEventSynchronize", err);
}

/* The driver answers CUDA_ERROR_INVALID_HANDLE both to an event without timing and to one that was
 * never recorded, so we tell them apart before it is asked. */
static int check_elapsed(const struct gp_event *event, const char *which, struct gp_error *err)
{
    const struct gp_cuda_event *own = (const struct gp_cuda_event *)event;

    if ((event->flags & GP_EVENT_TIMED) == 0) {
        return gp_fail(err, GP_EUNSUPPORTED, "elapsed time: the %s event was created untimed",
                       which);
    }
    if (!atomic_load_explicit(&own->recorded, memory_order_relaxed)) {
        return gp_fail(err, GP_ESTATE, "elapsed time: the %s event was never recorded", which);
    }
    return 0;
}

int gp_cuda_event_elapsed(struct gp_event *begin, struct gp_event *end, int64_t *out_ns,
                          struct gp_error *err)
{
    struct gp_cuda *cuda = gp_cuda_of(begin->device);
    int code = gp_cuda_enter(cuda, err);
    float milliseconds = 0;
    double ns;

    if (code == 0) {
        code = check_elapsed(begin, "begin", err);
    }
    if (code == 0) {
        code = check_elapsed(end, "end", err);
    }
    if (code == 0) {
        code = gp_cuda_done(
            cuda,
            cuda->driver.cuEventElapsedTime(&milliseconds, event_handle(begin), event_handle(end)),
            "cuEventElapsedTime", err);
    }
    if (code != 0) {
        return code;
    }
    ns = (double)milliseconds * 1e6;
    *out_ns = (int64_t)(ns + (ns < 0 ? -0.5 : 0.5));
    return 0;
}
