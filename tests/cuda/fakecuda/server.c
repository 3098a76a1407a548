/* The thread that owns the model, the queue of calls to it, and the handles it knows. */
#include "fake.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

enum { TICK_NS = 50000 };

struct server {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t work; /* a call was queued, or stop */
    pthread_cond_t done; /* a call was answered, or the model is open */
    struct fake_call *first;
    int retained;
    bool started, stop;
    int open_code;
    int64_t wall_ns, model_ns; /* the same moment on both clocks */
};

static struct server server = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .work = PTHREAD_COND_INITIALIZER,
    .done = PTHREAD_COND_INITIALIZER,
};
/* Serialises retain and release; never held with server.lock by who waits for the thread. */
static pthread_mutex_t context_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_uint fault;
static struct fake_handle *handles;
static struct CUstream_st *legacy, *per_thread;

struct gp_device *fake_model;
_Thread_local struct fake_thread fake_thread;

static int64_t wall_now_ns(void)
{
    struct timespec time;

    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Lets the model's time come up to the wall's. */
static void pace(void)
{
    const int64_t target_ns = server.model_ns + (wall_now_ns() - server.wall_ns);
    int64_t before_ns = -1;
    int64_t now_ns = gp_device_clock_ns(fake_model);

    while (now_ns < target_ns && now_ns != before_ns) {
        gp_device_pause(fake_model, target_ns);
        before_ns = now_ns;
        now_ns = gp_device_clock_ns(fake_model);
    }
}

/* Caller holds the lock. */
static void wait_for_work(void)
{
    struct timespec until;

    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += TICK_NS;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    (void)pthread_cond_timedwait(&server.work, &server.lock, &until);
}

static void answer_calls(void)
{
    while (server.first != NULL) {
        struct fake_call *call = server.first;

        server.first = call->next;
        (void)pthread_mutex_unlock(&server.lock);
        pace();
        call->result = call->run(call);
        (void)pthread_mutex_lock(&server.lock);
        call->done = true;
        (void)pthread_cond_broadcast(&server.done);
    }
}

static void drop(struct fake_handle *handle)
{
    switch (handle->kind) {
    case FAKE_STREAM:
        (void)gp_stream_destroy(((struct CUstream_st *)handle)->stream, NULL);
        break;
    case FAKE_EVENT:
        (void)gp_event_destroy(((struct CUevent_st *)handle)->event, NULL);
        break;
    case FAKE_GRAPH:
        (void)gp_graph_destroy(((struct CUgraph_st *)handle)->graph, NULL);
        break;
    case FAKE_MODULE:
    case FAKE_EXEC:
    case FAKE_NOTE:
    case FAKE_GREEN:
        break;
    }
}

static void *serve(void *unused)
{
    struct gp_error err = {0};
    int code = gp_device_open("model:h200,free", NULL, &fake_model, &err);

    (void)unused;
    (void)pthread_mutex_lock(&server.lock);
    server.open_code = code;
    server.started = true;
    (void)pthread_cond_broadcast(&server.done);
    if (code != 0) {
        (void)pthread_mutex_unlock(&server.lock);
        return NULL;
    }
    server.wall_ns = wall_now_ns();
    server.model_ns = gp_device_clock_ns(fake_model);
    while (!server.stop) {
        answer_calls();
        (void)pthread_mutex_unlock(&server.lock);
        pace();
        (void)pthread_mutex_lock(&server.lock);
        if (server.first == NULL && !server.stop) {
            wait_for_work();
        }
    }
    (void)pthread_mutex_unlock(&server.lock);
    legacy = NULL;
    per_thread = NULL;
    fake_handles_release(drop);
    gp_device_close(fake_model);
    fake_model = NULL;
    return NULL;
}

gp_cu_result fake_retain(void)
{
    gp_cu_result result = 0;

    (void)pthread_mutex_lock(&context_lock);
    if (server.retained == 0) {
        server.started = false;
        server.stop = false;
        if (pthread_create(&server.thread, NULL, serve, NULL) != 0) {
            abort();
        }
        (void)pthread_mutex_lock(&server.lock);
        while (!server.started) {
            (void)pthread_cond_wait(&server.done, &server.lock);
        }
        result = server.open_code == 0 ? 0 : GP_CUDA_ERROR_UNKNOWN;
        (void)pthread_mutex_unlock(&server.lock);
        if (result != 0) {
            (void)pthread_join(server.thread, NULL);
        }
    }
    if (result == 0) {
        server.retained++;
    }
    (void)pthread_mutex_unlock(&context_lock);
    return result;
}

void fake_release(void)
{
    (void)pthread_mutex_lock(&context_lock);
    assert(server.retained > 0);
    server.retained--;
    if (server.retained == 0) {
        (void)pthread_mutex_lock(&server.lock);
        server.stop = true;
        (void)pthread_cond_broadcast(&server.work);
        (void)pthread_mutex_unlock(&server.lock);
        (void)pthread_join(server.thread, NULL);
        fake_set_fault(0);
    }
    (void)pthread_mutex_unlock(&context_lock);
}

void fake_set_fault(gp_cu_result result)
{
    atomic_store(&fault, result);
}

gp_cu_result fake_enter(const char *name)
{
    gp_cu_result result = fake_plan_result(name);

    if (fake_thread.in_host_function) {
        return GP_CUDA_ERROR_NOT_PERMITTED;
    }
    if (!fake_thread.has_context) {
        return GP_CUDA_ERROR_INVALID_CONTEXT;
    }
    return result != 0 ? result : atomic_load(&fault);
}

static gp_cu_result queue_and_wait(struct fake_call *call)
{
    struct fake_call **end;

    call->next = NULL;
    call->done = false;
    (void)pthread_mutex_lock(&server.lock);
    for (end = &server.first; *end != NULL; end = &(*end)->next) {
    }
    *end = call;
    (void)pthread_cond_signal(&server.work);
    while (!call->done) {
        (void)pthread_cond_wait(&server.done, &server.lock);
    }
    (void)pthread_mutex_unlock(&server.lock);
    return call->result;
}

gp_cu_result fake_ask(struct fake_call *call)
{
    gp_cu_result result = fake_enter(call->name);

    return result != 0 ? result : queue_and_wait(call);
}

gp_cu_result fake_ask_until(struct fake_call *call)
{
    const struct timespec tick = {.tv_nsec = TICK_NS};
    gp_cu_result result = fake_enter(call->name);

    while (result == 0) {
        result = queue_and_wait(call);
        if (result != GP_CUDA_ERROR_NOT_READY) {
            break;
        }
        (void)nanosleep(&tick, NULL);
        result = atomic_load(&fault);
    }
    return result;
}

gp_cu_result fake_result(int code)
{
    switch (code) {
    case 0:
        return GP_CUDA_SUCCESS;
    case GP_ENOTREADY:
        return GP_CUDA_ERROR_NOT_READY;
    case GP_EDEVICEMEM:
    case GP_ENOMEM:
        return GP_CUDA_ERROR_OUT_OF_MEMORY;
    case GP_EFAULT:
        return GP_CUDA_ERROR_ILLEGAL_ADDRESS;
    case GP_EUNSUPPORTED:
        return GP_CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    case GP_ESTATE:
        return GP_CUDA_ERROR_ILLEGAL_STATE;
    default:
        return GP_CUDA_ERROR_INVALID_VALUE;
    }
}

void *fake_handle_add(enum fake_kind kind, size_t bytes)
{
    struct fake_handle *handle = calloc(1, bytes);

    if (handle == NULL) {
        abort();
    }
    handle->kind = kind;
    handle->next = handles;
    handles = handle;
    return handle;
}

void *fake_handle_get(const void *handle, enum fake_kind kind)
{
    for (struct fake_handle *at = handles; at != NULL; at = at->next) {
        if (at == handle && at->kind == kind) {
            return at;
        }
    }
    return NULL;
}

void fake_handle_remove(void *handle)
{
    struct fake_handle **at = &handles;

    while (*at != handle) {
        at = &(*at)->next;
    }
    *at = (*at)->next;
    free(handle);
}

void fake_handles_release(void (*visit)(struct fake_handle *handle))
{
    for (struct fake_handle *at = handles; at != NULL; at = at->next) {
        visit(at);
    }
    while (handles != NULL) {
        struct fake_handle *next = handles->next;

        free(handles);
        handles = next;
    }
}

static struct gp_stream *implicit(struct CUstream_st **cached, enum gp_stream_flag flag)
{
    if (*cached == NULL) {
        struct gp_stream *stream = NULL;

        if (gp_stream_create(fake_model, flag, 0, &stream, NULL) != 0) {
            return NULL;
        }
        *cached = fake_handle_add(FAKE_STREAM, sizeof **cached);
        (*cached)->stream = stream;
    }
    return (*cached)->stream;
}

struct gp_stream *fake_stream(void *handle)
{
    struct CUstream_st *stream;

    if (handle == NULL || handle == GP_CU_STREAM_LEGACY) {
        return implicit(&legacy, GP_STREAM_NULL);
    }
    if (handle == GP_CU_STREAM_PER_THREAD) {
        return implicit(&per_thread, GP_STREAM_PER_THREAD);
    }
    stream = fake_handle_get(handle, FAKE_STREAM);
    return stream != NULL ? stream->stream : NULL;
}

gp_cu_result fake_streams_query(void)
{
    gp_cu_result result = 0;

    for (struct fake_handle *at = handles; at != NULL && result == 0; at = at->next) {
        if (at->kind == FAKE_STREAM) {
            result = fake_result(gp_stream_query(((struct CUstream_st *)at)->stream, NULL));
        }
    }
    return result;
}
