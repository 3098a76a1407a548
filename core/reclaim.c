/* Dropping futures, and releasing them when their work is done: see future.h and context.h. */
#include "core/context_state.h"
#include "core/memory.h"

/* Its work is done or was never submitted: back to the context, for the next one. */
static void recycle(struct gp_future *future)
{
    struct gp_context_state *state = future->context;

    while (future->kept != NULL) {
        struct gp_kept *kept = future->kept;

        future->kept = kept->next;
        kept->release(kept->user);
        gp_free(kept);
    }
    gp_schedule_destroy(future->schedule);
    future->schedule = NULL;
    gp_signal_lock(&state->signal);
    future->next = state->free;
    state->free = future;
    state->live_count--;
    gp_signal_unlock(&state->signal);
}

/* With the lock held. */
static void park(struct gp_context_state *state, struct gp_future *future)
{
    future->next = NULL;
    if (state->parked_last != NULL) {
        state->parked_last->next = future;
    } else {
        state->parked = future;
    }
    state->parked_last = future;
    state->parked_count++;
}

/* With the lock held; NULL: nothing is parked. */
static struct gp_future *unpark(struct gp_context_state *state)
{
    struct gp_future *future = state->parked;

    if (future != NULL) {
        state->parked = future->next;
        if (state->parked == NULL) {
            state->parked_last = NULL;
        }
        state->parked_count--;
    }
    return future;
}

void gp_future_drop(struct gp_future *future)
{
    struct gp_context_state *state;
    bool is_free;

    if (future == NULL) {
        return;
    }
    state = future->context;
    gp_signal_lock(&state->signal);
    is_free = future->is_done || future->state == GP_FUTURE_IDLE;
    future->waker = (struct gp_waker){NULL, NULL};
    if (!is_free) {
        park(state, future);
    }
    gp_signal_unlock(&state->signal);
    if (is_free) {
        recycle(future);
    }
}

/* Whether a parked future that this thread took out is done. A lost device runs nothing either. */
static bool is_over(struct gp_future *future)
{
    struct gp_signal *signal = &future->context->signal;
    struct gp_error failure = {0};
    bool watched;
    bool done;

    gp_signal_lock(signal);
    done = future->is_done;
    watched = future->is_watched;
    gp_signal_unlock(signal);
    if (!done && !watched) {
        int code = gp_future_look(future, &failure);

        if (code != GP_ENOTREADY) {
            gp_future_settle(future, code, &failure);
            done = true;
        }
    }
    return done;
}

uint32_t gp_future_sweep(struct gp_context_state *state, bool all)
{
    uint32_t released = 0;
    uint32_t count;

    gp_signal_lock(&state->signal);
    count = state->parked_count;
    gp_signal_unlock(&state->signal);
    for (; count > 0; count--) {
        struct gp_future *future;

        gp_signal_lock(&state->signal);
        future = unpark(state);
        gp_signal_unlock(&state->signal);
        if (future == NULL) {
            break;
        }
        if (is_over(future)) {
            recycle(future);
            released++;
            continue;
        }
        gp_signal_lock(&state->signal);
        park(state, future);
        gp_signal_unlock(&state->signal);
        if (!all) {
            break;
        }
    }
    return released;
}

void gp_future_drain(struct gp_context_state *state)
{
    for (;;) {
        struct gp_future *future;

        gp_signal_lock(&state->signal);
        future = unpark(state);
        gp_signal_unlock(&state->signal);
        if (future == NULL) {
            return;
        }
        if (gp_future_is_watched(future)) {
            gp_future_wait_watched(future);
        } else if (!is_over(future)) {
            gp_future_wait_unwatched(future);
        }
        recycle(future);
    }
}
