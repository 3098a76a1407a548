/* The reactor: see reactor.h. */
#include "core/reactor.h"

#include <assert.h>

#include "core/context_state.h"

static bool sleeps_in_driver(enum gp_completion mode)
{
    return mode == GP_COMPLETION_BLOCKING_EVENT || mode == GP_COMPLETION_SPIN_THEN_BLOCK;
}

/* The watcher of a stream, which is its index too, or the only one. */
static struct gp_watcher *watcher_of(struct gp_context_state *context, uint32_t stream)
{
    return &context->reactor.watchers[sleeps_in_driver(context->options.completion) ? stream : 0];
}

/* The queue of the stream of its next mark. */
static struct gp_watch_queue *queue_of(struct gp_future *future)
{
    return &future->context->reactor.queues[future->streams[future->reached]];
}

static void append(struct gp_watch_queue *queue, struct gp_future *future)
{
    future->watch_next = NULL;
    future->watch_previous = queue->last;
    if (queue->last != NULL) {
        queue->last->watch_next = future;
    } else {
        queue->first = future;
    }
    queue->last = future;
}

static void unlink_watch(struct gp_watch_queue *queue, struct gp_future *future)
{
    if (future->watch_previous != NULL) {
        future->watch_previous->watch_next = future->watch_next;
    } else {
        queue->first = future->watch_next;
    }
    if (future->watch_next != NULL) {
        future->watch_next->watch_previous = future->watch_previous;
    } else {
        queue->last = future->watch_previous;
    }
    future->watch_next = NULL;
    future->watch_previous = NULL;
}

static void enqueue(struct gp_future *future)
{
    struct gp_context_state *context = future->context;
    struct gp_watcher *watcher = watcher_of(context, future->streams[future->reached]);

    append(queue_of(future), future);
    gp_signal_wake_all(&context->signal, &watcher->sleepers);
}

/* It leaves the reactor, done. */
static void leave(struct gp_future *future)
{
    future->context->reactor.watched--;
    future->is_watched = false;
    gp_future_finish(future);
}

void gp_reactor_watch(struct gp_future *future)
{
    assert(!future->is_watched && !future->is_done && future->reached < future->set);
    future->is_watched = true;
    future->context->reactor.watched++;
    enqueue(future);
}

/* The queue is that of the first mark not yet counted, so it leaves before it is counted. */
void gp_reactor_arrive(struct gp_future *future)
{
    if (future->is_done) {
        return;
    }
    if (future->is_watched) {
        unlink_watch(queue_of(future), future);
    }
    future->reached++;
    if (future->reached == future->set && future->unsubmitted == 0) {
        if (future->is_watched) {
            leave(future);
        } else {
            gp_future_finish(future);
        }
    } else if (future->is_watched) {
        append(queue_of(future), future);
    }
}

/* The head of a queue was looked at: it goes to its next mark's, or leaves. */
static void advance(struct gp_watch_queue *queue, struct gp_future *future, int code,
                    const struct gp_error *err)
{
    unlink_watch(queue, future);
    if (code != 0 && future->failure.code == 0) {
        future->failure = *err;
    }
    if (code == 0 && ++future->reached < future->set) {
        enqueue(future);
    } else {
        leave(future);
    }
}

/* The device is lost: everybody is told. */
static void fail_all(struct gp_watcher *watcher, const struct gp_error *err)
{
    struct gp_reactor *reactor = &watcher->context->reactor;

    for (uint32_t i = 0; i < watcher->queue_count; i++) {
        struct gp_watch_queue *queue = &reactor->queues[watcher->first_queue + i];

        while (queue->first != NULL) {
            advance(queue, queue->first, err->code, err);
        }
    }
}

/* Looks at the oldest of a queue until one is not ready; true when one was. Only this thread takes
 * futures out of its queues, so they are still there after the look. */
static bool look_at(struct gp_watcher *watcher, struct gp_watch_queue *queue)
{
    struct gp_signal *signal = &watcher->context->signal;
    bool sleeps = sleeps_in_driver(watcher->context->options.completion);
    bool any = false;

    while (queue->first != NULL) {
        struct gp_future *future = queue->first;
        struct gp_mark *mark = future->marks[future->reached];
        struct gp_error err = {0};
        uint32_t at;
        int code;

        gp_signal_unlock(signal);
        code = sleeps ? gp_marks_wait(&mark, 1, &at, &err) : gp_mark_query(mark, &err);
        gp_signal_lock(signal);
        if (code == GP_ENOTREADY) {
            break;
        }
        any = true;
        advance(queue, future, code, &err);
    }
    return any;
}

static bool has_work(const struct gp_watcher *watcher)
{
    const struct gp_reactor *reactor = &watcher->context->reactor;

    for (uint32_t i = 0; i < watcher->queue_count; i++) {
        if (reactor->queues[watcher->first_queue + i].first != NULL) {
            return true;
        }
    }
    return false;
}

/* Lets time pass, and asks the device when there was no progress for long. */
static void be_patient(struct gp_watcher *watcher, int64_t *check_ns)
{
    struct gp_device *device = watcher->context->device;
    struct gp_signal *signal = &watcher->context->signal;
    struct gp_error err = {0};
    int64_t now_ns;
    int code = 0;

    gp_signal_unlock(signal);
    now_ns = gp_device_clock_ns(device);
    if (*check_ns != 0 && now_ns >= *check_ns) {
        code = gp_device_check(device, &err);
        *check_ns = 0;
    }
    if (code == 0) {
        *check_ns = *check_ns != 0 ? *check_ns : now_ns + GP_PATIENCE_NS;
        gp_device_pause(device, *check_ns);
    }
    gp_signal_lock(signal);
    if (code != 0) {
        fail_all(watcher, &err);
    }
}

static void look_at_all(struct gp_watcher *watcher, int64_t *check_ns)
{
    struct gp_reactor *reactor = &watcher->context->reactor;
    bool any = false;

    for (uint32_t i = 0; i < watcher->queue_count; i++) {
        any = look_at(watcher, &reactor->queues[watcher->first_queue + i]) || any;
    }
    if (any) {
        *check_ns = 0;
    } else {
        be_patient(watcher, check_ns);
    }
}

/* Functions arrive by themselves; this only asks whether they still can. */
static void guard(struct gp_watcher *watcher)
{
    struct gp_signal *signal = &watcher->context->signal;
    struct gp_error err = {0};
    int code;

    if (gp_signal_wait(signal, &watcher->sleepers, GP_PATIENCE_NS)) {
        return;
    }
    gp_signal_unlock(signal);
    code = gp_device_check(signal->device, &err);
    gp_signal_lock(signal);
    if (code != 0) {
        fail_all(watcher, &err);
    }
}

static void watch(struct gp_watcher *watcher)
{
    struct gp_context_state *context = watcher->context;
    int64_t check_ns = 0;

    while (!context->reactor.must_quit) {
        if (!has_work(watcher)) {
            check_ns = 0;
            (void)gp_signal_wait(&context->signal, &watcher->sleepers, INT64_MAX);
        } else if (context->options.completion == GP_COMPLETION_HOST_FUNC) {
            guard(watcher);
        } else {
            look_at_all(watcher, &check_ns);
        }
    }
}

static void *run(void *user)
{
    struct gp_watcher *watcher = user;
    struct gp_context_state *context = watcher->context;
    struct gp_error err = {0};
    int code = gp_device_attach(context->device, &err);

    watcher->begun = err;
    (void)sem_post(&watcher->has_begun);
    if (code == 0) {
        gp_signal_lock(&context->signal);
        watch(watcher);
        gp_signal_unlock(&context->signal);
        gp_device_detach(context->device);
    }
    return NULL;
}

/* Parked meanwhile: the thread has calls to make before it ends. */
static void join(struct gp_watcher *watcher)
{
    struct gp_device *device = watcher->context->device;
    struct gp_lane *lane = gp_device_park(device);

    (void)pthread_join(watcher->thread, NULL);
    gp_device_resume(device, lane);
}

/* Waits without parking: the model's time must not run on while a thread is being made. */
static int start(struct gp_watcher *watcher, struct gp_error *err)
{
    struct gp_signal *signal = &watcher->context->signal;

    (void)sem_init(&watcher->has_begun, 0, 0);
    if (pthread_create(&watcher->thread, NULL, run, watcher) != 0) {
        return gp_fail(err, GP_ENOMEM, "no thread that looks after futures can be made");
    }
    while (sem_wait(&watcher->has_begun) != 0) {
    }
    (void)sem_destroy(&watcher->has_begun);
    gp_signal_lock(signal);
    watcher->has_thread = watcher->begun.code == 0;
    gp_signal_unlock(signal);
    if (watcher->begun.code != 0) {
        join(watcher);
        if (err != NULL) {
            *err = watcher->begun;
        }
        (void)gp_fail_context(err, "a thread that looks after futures");
    }
    return watcher->begun.code;
}

int gp_reactor_prepare(struct gp_context_state *context, uint32_t stream, struct gp_error *err)
{
    struct gp_watcher *watcher = watcher_of(context, stream);
    bool is_there;
    int code = 0;

    gp_signal_lock(&context->signal);
    is_there = watcher->has_thread;
    gp_signal_unlock(&context->signal);
    if (is_there) {
        return 0;
    }
    gp_context_make_begin(context);
    if (!watcher->has_thread) {
        watcher->context = context;
        watcher->first_queue = (uint32_t)(watcher - context->reactor.watchers);
        watcher->queue_count =
            sleeps_in_driver(context->options.completion) ? 1 : context->policy->stream_count;
        code = start(watcher, err);
    }
    gp_context_make_end(context);
    return code;
}

void gp_reactor_stop(struct gp_context_state *context)
{
    struct gp_reactor *reactor = &context->reactor;

    gp_signal_lock(&context->signal);
    assert(reactor->watched == 0);
    reactor->must_quit = true;
    for (uint32_t i = 0; i < GP_STREAMS_MAX; i++) {
        gp_signal_wake_all(&context->signal, &reactor->watchers[i].sleepers);
    }
    gp_signal_unlock(&context->signal);
    for (uint32_t i = 0; i < GP_STREAMS_MAX; i++) {
        if (reactor->watchers[i].has_thread) {
            join(&reactor->watchers[i]);
        }
    }
}
