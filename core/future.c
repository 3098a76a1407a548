/* Futures: see future.h. */
#include "core/future.h"

#include <assert.h>

#include "core/context_state.h"
#include "core/memory.h"

static int fail_memory(struct gp_error *err)
{
    return gp_fail(err, GP_ENOMEM, "out of host memory for a future");
}

/* ---- making and releasing ------------------------------------------------------------------ */

void gp_future_destroy(struct gp_future *future)
{
    for (uint32_t i = 0; i < future->event_count; i++) {
        (void)gp_event_destroy(future->events[i], NULL);
    }
    for (uint32_t i = 0; i < future->mark_count; i++) {
        gp_mark_finish(future->marks[i]);
        gp_free(future->marks[i]);
    }
    gp_free(future->events);
    gp_free(future->marks);
    gp_free(future->streams);
    gp_free(future);
}

int gp_future_create(struct gp_context_state *state, struct gp_schedule *schedule,
                     struct gp_future **out, struct gp_error *err)
{
    struct gp_future *future;

    gp_signal_lock(&state->signal);
    future = state->free;
    if (future != NULL) {
        state->free = future->next;
        state->live_count++;
    }
    gp_signal_unlock(&state->signal);
    if (future == NULL) {
        future = gp_alloc(1, sizeof *future);
        if (future == NULL) {
            gp_schedule_destroy(schedule);
            return fail_memory(err);
        }
        future->context = state;
        gp_signal_lock(&state->signal);
        state->live_count++;
        gp_signal_unlock(&state->signal);
    }
    future->next = NULL;
    future->schedule = schedule;
    future->state = GP_FUTURE_IDLE;
    future->waker = (struct gp_waker){NULL, NULL};
    future->failure.code = 0;
    future->set = 0;
    future->reached = 0;
    future->check_ns = 0;
    future->is_done = false;
    *out = future;
    return 0;
}

int gp_future_keep(struct gp_future *future, gp_release_fn *release, void *user,
                   struct gp_error *err)
{
    struct gp_kept *kept = gp_alloc(1, sizeof *kept);

    assert(future != NULL && release != NULL);
    if (kept == NULL) {
        return fail_memory(err);
    }
    *kept = (struct gp_kept){future->kept, release, user};
    future->kept = kept;
    return 0;
}

enum gp_future_state gp_future_state(const struct gp_future *future)
{
    return future->state;
}

void gp_future_finish(struct gp_future *future)
{
    struct gp_waker waker = future->waker;

    assert(!future->is_done);
    future->is_done = true;
    future->waker = (struct gp_waker){NULL, NULL};
    gp_signal_wake_all(&future->context->signal, &future->context->signal.sleepers);
    if (waker.wake != NULL) {
        waker.wake(waker.user);
    }
}

/* ---- polling ------------------------------------------------------------------------------- */

/* The poll's answer once all is known; with the lock held. */
static int conclude(struct gp_future *future, struct gp_error *err)
{
    int code = future->failure.code;

    future->state = code == 0 ? GP_FUTURE_COMPLETE : GP_FUTURE_FAILED;
    if (code != 0 && err != NULL) {
        *err = future->failure;
    }
    return code;
}

/* Nothing was submitted, and nothing will be. */
static int conclude_unsubmitted(struct gp_future *future, int code)
{
    struct gp_context_state *state = future->context;

    gp_signal_lock(&state->signal);
    future->state = GP_FUTURE_FAILED;
    future->is_done = true;
    gp_signal_unlock(&state->signal);
    return code;
}

static int prepare_reactor(struct gp_future *future, struct gp_error *err)
{
    const struct gp_schedule *schedule = future->schedule;
    int code = 0;

    for (uint32_t i = 0; i < schedule->used_count && code == 0; i++) {
        code = gp_reactor_prepare(future->context, schedule->used[i], err);
    }
    return code;
}

int gp_future_look(struct gp_future *future, struct gp_error *err)
{
    struct gp_device *device = future->context->device;
    int64_t now_ns;
    int code = 0;

    if (future->context->options.completion == GP_COMPLETION_HOST_FUNC) {
        /* The functions count themselves; this only lets the model's time order the look. */
        code = gp_mark_query(future->marks[future->set - 1], err);
        code = code == 0 ? GP_ENOTREADY : code;
    } else {
        while (code == 0 && future->reached < future->set) {
            code = gp_mark_query(future->marks[future->reached], err);
            future->reached += code == 0 ? 1 : 0;
        }
    }
    if (code != GP_ENOTREADY) {
        return code;
    }
    now_ns = gp_device_clock_ns(device);
    if (future->check_ns == 0) {
        future->check_ns = now_ns + GP_PATIENCE_NS;
    } else if (now_ns >= future->check_ns) {
        future->check_ns = now_ns + GP_PATIENCE_NS;
        code = gp_device_check(device, err);
    }
    return code == 0 ? GP_ENOTREADY : code;
}

void gp_future_settle(struct gp_future *future, int code, const struct gp_error *err)
{
    struct gp_signal *signal = &future->context->signal;

    gp_signal_lock(signal);
    if (!future->is_done) {
        if (code != 0 && future->failure.code == 0) {
            future->failure = *err;
        }
        gp_future_finish(future);
    }
    gp_signal_unlock(signal);
}

/* Whether it is done as far as is known; if not, the waker is put down for whoever will know. */
static int ask(struct gp_future *future, const struct gp_waker *waker, struct gp_error *err)
{
    struct gp_signal *signal = &future->context->signal;
    int code = GP_ENOTREADY;

    gp_signal_lock(signal);
    if (future->is_done) {
        code = conclude(future, err);
    } else {
        future->waker = waker != NULL ? *waker : (struct gp_waker){NULL, NULL};
        if (waker != NULL && !future->is_watched) {
            gp_reactor_watch(future);
        }
    }
    gp_signal_unlock(signal);
    return code;
}

static int poll_first(struct gp_future *future, const struct gp_waker *waker, struct gp_error *err)
{
    int code = gp_context_make_pool(future->context, err);

    if (code == 0) {
        code = gp_future_make_ready(future, err);
    }
    if (code == 0 && waker != NULL) {
        code = prepare_reactor(future, err);
    }
    if (code != 0) {
        return conclude_unsubmitted(future, code);
    }
    future->state = GP_FUTURE_EXECUTING;
    gp_future_submit(future);
    return ask(future, waker, err);
}

bool gp_future_is_watched(struct gp_future *future)
{
    bool watched;

    gp_signal_lock(&future->context->signal);
    watched = future->is_watched;
    gp_signal_unlock(&future->context->signal);
    return watched;
}

/* Looks for itself when nobody else does. */
static int poll_again(struct gp_future *future, const struct gp_waker *waker, struct gp_error *err)
{
    int code;

    if (!gp_future_is_watched(future)) {
        struct gp_error failure = {0};

        if (waker != NULL) {
            code = prepare_reactor(future, err);
            if (code != 0) {
                future->state = GP_FUTURE_FAILED;
                return code;
            }
        } else {
            code = ask(future, NULL, err);
            if (code != GP_ENOTREADY) {
                return code;
            }
            code = gp_future_look(future, &failure);
            if (code != GP_ENOTREADY) {
                gp_future_settle(future, code, &failure);
            }
        }
    }
    return ask(future, waker, err);
}

int gp_future_poll(struct gp_future *future, const struct gp_waker *waker, struct gp_error *err)
{
    assert(future != NULL && (waker == NULL || waker->wake != NULL));
    switch (future->state) {
    case GP_FUTURE_IDLE:
        return poll_first(future, waker, err);
    case GP_FUTURE_EXECUTING:
        return poll_again(future, waker, err);
    case GP_FUTURE_COMPLETE:
    case GP_FUTURE_FAILED:
        break;
    }
    return gp_fail(err, GP_ESTATE, "the future was polled after it was %s",
                   future->state == GP_FUTURE_COMPLETE ? "complete" : "failed");
}

void gp_future_wait_unwatched(struct gp_future *future)
{
    struct gp_error failure = {0};
    uint32_t first =
        future->context->options.completion == GP_COMPLETION_HOST_FUNC ? 0 : future->reached;
    uint32_t at;
    int code = gp_marks_wait(future->marks + first, future->set - first, &at, &failure);

    gp_future_settle(future, code, &failure);
}

void gp_future_wait_watched(struct gp_future *future)
{
    struct gp_signal *signal = &future->context->signal;

    gp_signal_lock(signal);
    while (!future->is_done) {
        (void)gp_signal_wait(signal, &signal->sleepers, INT64_MAX);
    }
    gp_signal_unlock(signal);
}

int gp_future_wait(struct gp_future *future, struct gp_error *err)
{
    int code;

    if (future->state == GP_FUTURE_EXECUTING && gp_future_is_watched(future)) {
        gp_future_wait_watched(future);
    }
    code = gp_future_poll(future, NULL, err);
    if (code != GP_ENOTREADY) {
        return code;
    }
    gp_future_wait_unwatched(future);
    return ask(future, NULL, err);
}
