/* Completion modes: see completion.h. */
#include "core/completion.h"

#include <assert.h>
#include <string.h>

/* As long as cuTile's first poll looks before it gives up its thread. */
static const int64_t spin_ns = 20000;

static const char *const completion_names[] = {
#define X(name, word) word,
    GP_COMPLETIONS(X)
#undef X
};

const char *gp_completion_name(enum gp_completion completion)
{
    assert((unsigned)completion < GP_COMPLETION_COUNT);
    return completion_names[completion];
}

static bool has_event(enum gp_completion mode)
{
    return mode != GP_COMPLETION_HOST_FUNC && mode != GP_COMPLETION_FLAG;
}

/* Those that sleep in the driver. */
static bool blocks(enum gp_completion mode)
{
    return mode == GP_COMPLETION_BLOCKING_EVENT || mode == GP_COMPLETION_SPIN_THEN_BLOCK;
}

int gp_mark_init(struct gp_mark *mark, struct gp_device *device, enum gp_completion mode,
                 uint32_t *flag, struct gp_signal *signal, struct gp_error *err)
{
    assert(mark != NULL && device != NULL && (unsigned)mode < GP_COMPLETION_COUNT);
    assert(mode != GP_COMPLETION_FLAG || flag != NULL);
    assert(mode != GP_COMPLETION_HOST_FUNC || signal != NULL);
    memset(mark, 0, sizeof *mark);
    mark->device = device;
    mark->mode = mode;
    mark->flag = flag;
    mark->signal = signal;
    if (flag != NULL) {
        mark->turn = gp_device_flag_read(device, flag);
    }
    return has_event(mode) ? gp_event_create(device, blocks(mode) ? GP_EVENT_BLOCKING_SYNC : 0,
                                             &mark->event, err)
                           : 0;
}

void gp_mark_finish(struct gp_mark *mark)
{
    (void)gp_event_destroy(mark->event, NULL);
    mark->event = NULL;
}

/* On the device's own thread. */
static void reach(void *user)
{
    struct gp_mark *mark = user;
    struct gp_signal *signal = mark->signal;

    gp_signal_lock(signal);
    atomic_store_explicit(&mark->word, mark->turn, memory_order_release);
    if (mark->reached != NULL) {
        mark->reached(mark);
    } else {
        gp_signal_wake_all(signal, &signal->sleepers);
    }
    gp_signal_unlock(signal);
}

int gp_mark_set(struct gp_mark *mark, struct gp_stream *stream, struct gp_error *err)
{
    int code;

    if (has_event(mark->mode)) {
        return gp_event_record(mark->event, stream, err);
    }
    mark->turn++;
    code = mark->mode == GP_COMPLETION_FLAG
               ? gp_stream_flag_write(stream, mark->flag, mark->turn, err)
               : gp_stream_host_function(stream, reach, mark, err);
    if (code != 0) {
        mark->turn--;
    }
    return code;
}

int gp_mark_query(struct gp_mark *mark, struct gp_error *err)
{
    const uint32_t *word = mark->flag;

    if (has_event(mark->mode)) {
        return gp_event_query(mark->event, err);
    }
    if (mark->mode == GP_COMPLETION_HOST_FUNC) {
        /* Through the device, so that on the model time orders the look and the function. */
        word = (const uint32_t *)&mark->word;
    }
    return gp_device_flag_read(mark->device, word) == mark->turn ? 0 : GP_ENOTREADY;
}

/* The marks that a waiter has not yet seen reached. */
struct pending {
    struct gp_mark *const *marks;
    uint32_t indices[GP_STREAMS_MAX];
    uint32_t count;
    uint32_t at; /* the mark that failed */
};

/* Looks at each once and keeps those that are not reached. */
static int look(struct pending *pending, struct gp_error *err)
{
    uint32_t left = 0;

    for (uint32_t i = 0; i < pending->count; i++) {
        uint32_t index = pending->indices[i];
        int code = gp_mark_query(pending->marks[index], err);

        if (code == GP_ENOTREADY) {
            pending->indices[left++] = index;
        } else if (code != 0) {
            pending->at = index;
            return code;
        }
    }
    pending->count = left;
    return 0;
}

/* Until none is left or `limit_ns` of the host clock has passed. */
static int poll_until(struct pending *pending, int64_t limit_ns, struct gp_error *err)
{
    struct gp_device *device = pending->marks[0]->device;
    uint32_t before = 0;
    int64_t check_ns = 0;

    for (;;) {
        int code = look(pending, err);
        int64_t now_ns;

        if (code != 0 || pending->count == 0) {
            return code;
        }
        now_ns = gp_device_clock_ns(device);
        if (now_ns >= limit_ns) {
            return 0;
        }
        if (pending->count != before) {
            check_ns = now_ns + GP_PATIENCE_NS;
        } else if (now_ns >= check_ns) {
            code = gp_device_check(device, err);
            if (code != 0) {
                pending->at = pending->indices[0];
                return code;
            }
            check_ns = now_ns + GP_PATIENCE_NS;
        }
        before = pending->count;
        gp_device_pause(device, check_ns < limit_ns ? check_ns : limit_ns);
    }
}

static int block(struct pending *pending, struct gp_error *err)
{
    for (uint32_t i = 0; i < pending->count; i++) {
        int code = gp_event_sync(pending->marks[pending->indices[i]]->event, err);

        if (code != 0) {
            pending->at = pending->indices[i];
            return code;
        }
    }
    return 0;
}

/* The functions wake us; the device does not call them once it is lost. */
static int sleep_until(struct pending *pending, struct gp_error *err)
{
    struct gp_signal *signal = pending->marks[0]->signal;
    uint32_t next = 0;
    int code = 0;

    gp_signal_lock(signal);
    while (next < pending->count && code == 0) {
        const struct gp_mark *mark = pending->marks[pending->indices[next]];

        if (atomic_load_explicit(&mark->word, memory_order_acquire) == mark->turn) {
            next++;
        } else if (!gp_signal_wait(signal, &signal->sleepers, GP_PATIENCE_NS)) {
            gp_signal_unlock(signal);
            code = gp_device_check(signal->device, err);
            pending->at = pending->indices[next];
            gp_signal_lock(signal);
        }
    }
    gp_signal_unlock(signal);
    return code;
}

static int wait_as_mode_says(struct pending *pending, struct gp_error *err)
{
    const enum gp_completion mode = pending->marks[0]->mode;
    int code = 0;

    switch (mode) {
    case GP_COMPLETION_EVENT_POLL:
    case GP_COMPLETION_FLAG:
        return poll_until(pending, INT64_MAX, err);
    case GP_COMPLETION_HOST_FUNC:
        return sleep_until(pending, err);
    case GP_COMPLETION_SPIN_THEN_BLOCK:
        code = poll_until(pending, gp_device_clock_ns(pending->marks[0]->device) + spin_ns, err);
        break;
    case GP_COMPLETION_BLOCKING_EVENT:
    case GP_COMPLETION_COUNT:
        break;
    }
    return code == 0 ? block(pending, err) : code;
}

int gp_marks_wait(struct gp_mark *const *marks, uint32_t count, uint32_t *at, struct gp_error *err)
{
    struct pending pending = {.marks = marks, .count = count};
    int code;

    assert(count <= GP_STREAMS_MAX);
    for (uint32_t i = 0; i < count; i++) {
        pending.indices[i] = i;
    }
    code = count > 0 ? wait_as_mode_says(&pending, err) : 0;
    *at = pending.at;
    return code;
}
