/* Streams and events of the test driver. */
#include "fake.h"

static gp_cu_result run_create(struct fake_call *call)
{
    const enum gp_stream_flag flag =
        call->flags == GP_CU_STREAM_NON_BLOCKING ? GP_STREAM_NON_BLOCKING : GP_STREAM_BLOCKING;
    struct gp_stream *stream = NULL;
    int code = gp_stream_create(fake_model, flag, call->value, &stream, NULL);

    if (code == 0) {
        struct CUstream_st *handle = fake_handle_add(FAKE_STREAM, sizeof *handle);

        handle->stream = stream;
        *call->out = handle;
    }
    return fake_result(code);
}

gp_cu_result cuStreamCreateWithPriority(struct CUstream_st **stream, unsigned int flags,
                                        int priority)
{
    void *handle = NULL;
    struct fake_call call = {.name = "cuStreamCreateWithPriority",
                             .run = run_create,
                             .out = &handle,
                             .flags = flags,
                             .value = priority};
    gp_cu_result result = fake_ask(&call);

    *stream = handle;
    return result;
}

static gp_cu_result run_destroy(struct fake_call *call)
{
    struct CUstream_st *stream = fake_handle_get(call->handle, FAKE_STREAM);
    int code;

    if (stream == NULL) {
        return GP_CUDA_ERROR_INVALID_HANDLE;
    }
    code = gp_stream_destroy(stream->stream, NULL);
    fake_handle_remove(stream);
    return fake_result(code);
}

gp_cu_result cuStreamDestroy_v2(struct CUstream_st *stream)
{
    struct fake_call call = {.name = "cuStreamDestroy_v2", .run = run_destroy, .handle = stream};

    return fake_ask(&call);
}

static gp_cu_result run_query(struct fake_call *call)
{
    struct gp_stream *stream = fake_stream(call->handle);

    return stream != NULL ? fake_result(gp_stream_query(stream, NULL))
                          : (gp_cu_result)GP_CUDA_ERROR_INVALID_HANDLE;
}

gp_cu_result cuStreamQuery(struct CUstream_st *stream)
{
    struct fake_call call = {.name = "cuStreamQuery", .run = run_query, .handle = stream};

    return fake_ask(&call);
}

gp_cu_result cuStreamSynchronize(struct CUstream_st *stream)
{
    struct fake_call call = {.name = "cuStreamSynchronize", .run = run_query, .handle = stream};

    return fake_ask_until(&call);
}

static gp_cu_result run_query_all(struct fake_call *call)
{
    (void)call;
    return fake_streams_query();
}

gp_cu_result cuCtxSynchronize(void)
{
    struct fake_call call = {.name = "cuCtxSynchronize", .run = run_query_all};

    return fake_ask_until(&call);
}

static gp_cu_result run_event_create(struct fake_call *call)
{
    struct gp_event *event = NULL;
    uint32_t flags = (call->flags & GP_CU_EVENT_DISABLE_TIMING) == 0 ? GP_EVENT_TIMED : 0;
    int code = gp_event_create(fake_model, flags, &event, NULL);

    if (code == 0) {
        struct CUevent_st *handle = fake_handle_add(FAKE_EVENT, sizeof *handle);

        handle->event = event;
        handle->flags = call->flags;
        *call->out = handle;
    }
    return fake_result(code);
}

gp_cu_result cuEventCreate(struct CUevent_st **event, unsigned int flags)
{
    void *handle = NULL;
    struct fake_call call = {
        .name = "cuEventCreate", .run = run_event_create, .out = &handle, .flags = flags};
    gp_cu_result result = fake_ask(&call);

    *event = handle;
    return result;
}

static gp_cu_result run_event_destroy(struct fake_call *call)
{
    struct CUevent_st *event = fake_handle_get(call->handle, FAKE_EVENT);
    int code;

    if (event == NULL) {
        return GP_CUDA_ERROR_INVALID_HANDLE;
    }
    code = gp_event_destroy(event->event, NULL);
    fake_handle_remove(event);
    return fake_result(code);
}

gp_cu_result cuEventDestroy_v2(struct CUevent_st *event)
{
    struct fake_call call = {
        .name = "cuEventDestroy_v2", .run = run_event_destroy, .handle = event};

    return fake_ask(&call);
}

static gp_cu_result run_record(struct fake_call *call)
{
    struct CUevent_st *event = fake_handle_get(call->handle, FAKE_EVENT);
    struct gp_stream *stream = fake_stream(call->other);
    int code;

    if (event == NULL || stream == NULL) {
        return GP_CUDA_ERROR_INVALID_HANDLE;
    }
    code = gp_event_record(event->event, stream, NULL);
    event->recorded = event->recorded || code == 0;
    return fake_result(code);
}

gp_cu_result cuEventRecord(struct CUevent_st *event, struct CUstream_st *stream)
{
    struct fake_call call = {
        .name = "cuEventRecord", .run = run_record, .handle = event, .other = stream};

    return fake_ask(&call);
}

static gp_cu_result run_wait(struct fake_call *call)
{
    struct CUevent_st *event = fake_handle_get(call->other, FAKE_EVENT);
    struct gp_stream *stream = fake_stream(call->handle);

    if (event == NULL || stream == NULL) {
        return GP_CUDA_ERROR_INVALID_HANDLE;
    }
    return fake_result(gp_stream_wait(stream, event->event, NULL));
}

gp_cu_result cuStreamWaitEvent(struct CUstream_st *stream, struct CUevent_st *event,
                               unsigned int flags)
{
    struct fake_call call = {
        .name = "cuStreamWaitEvent", .run = run_wait, .handle = stream, .other = event};

    (void)flags;
    return fake_ask(&call);
}

static gp_cu_result run_event_query(struct fake_call *call)
{
    struct CUevent_st *event = fake_handle_get(call->handle, FAKE_EVENT);

    return event == NULL ? (gp_cu_result)GP_CUDA_ERROR_INVALID_HANDLE
                         : fake_result(gp_event_query(event->event, NULL));
}

gp_cu_result cuEventQuery(struct CUevent_st *event)
{
    struct fake_call call = {.name = "cuEventQuery", .run = run_event_query, .handle = event};

    return fake_ask(&call);
}

gp_cu_result cuEventSynchronize(struct CUevent_st *event)
{
    struct fake_call call = {.name = "cuEventSynchronize", .run = run_event_query, .handle = event};

    return fake_ask_until(&call);
}

/* The driver has one answer for untimed and for never recorded, and so has this. */
static gp_cu_result run_elapsed(struct fake_call *call)
{
    struct CUevent_st *begin = fake_handle_get(call->handle, FAKE_EVENT);
    struct CUevent_st *end = fake_handle_get(call->other, FAKE_EVENT);
    int64_t ns = 0;
    int code;

    if (begin == NULL || end == NULL || !begin->recorded || !end->recorded ||
        ((begin->flags | end->flags) & GP_CU_EVENT_DISABLE_TIMING) != 0) {
        return GP_CUDA_ERROR_INVALID_HANDLE;
    }
    code = gp_event_elapsed(begin->event, end->event, &ns, NULL);
    *(float *)(void *)call->out = (float)((double)ns / 1e6);
    return fake_result(code);
}

gp_cu_result cuEventElapsedTime(float *milliseconds, struct CUevent_st *begin,
                                struct CUevent_st *end)
{
    struct fake_call call = {.name = "cuEventElapsedTime",
                             .run = run_elapsed,
                             .handle = begin,
                             .other = end,
                             .out = (void **)(void *)milliseconds};

    return fake_ask(&call);
}
