/* Contexts: see context.h. */
#include "core/context.h"

#include <assert.h>
#include <inttypes.h>

#include "core/context_state.h"
#include "core/memory.h"
#include "core/submit.h"
#include "core/transient.h"

/* The registry, the library's only variables that are not a caller's. */
static _Thread_local struct gp_context_state *of_thread;
static _Atomic(struct gp_context_state *) of_process;

struct gp_context_state *gp_context_state(struct gp_context *context, struct gp_error *err)
{
    struct gp_context_state *state;

    if (context != NULL) {
        state = context->state;
    } else {
        state = of_thread != NULL ? of_thread : atomic_load(&of_process);
    }
    if (state == NULL) {
        (void)gp_fail(err, GP_ESTATE, "%s; call gp_context_init first",
                      context != NULL ? "the context was not initialised"
                                      : "no context is registered for this thread or process");
    }
    return state;
}

/* ---- init and finish ----------------------------------------------------------------------- */

static int enter_registry(struct gp_context_state *state, struct gp_error *err)
{
    struct gp_context_state *none = NULL;

    if (state->options.scope == GP_SCOPE_THREAD) {
        if (of_thread != NULL) {
            return gp_fail(err, GP_ESTATE, "this thread has a context already");
        }
        of_thread = state;
    } else if (state->options.scope == GP_SCOPE_PROCESS &&
               !atomic_compare_exchange_strong(&of_process, &none, state)) {
        return gp_fail(err, GP_ESTATE, "this process has a context already");
    }
    return 0;
}

static void leave_registry(struct gp_context_state *state)
{
    struct gp_context_state *own = state;

    if (of_thread == state) {
        of_thread = NULL;
    }
    (void)atomic_compare_exchange_strong(&of_process, &own, NULL);
}

static void destroy(struct gp_context_state *state)
{
    while (state->free != NULL) {
        struct gp_future *future = state->free;

        state->free = future->next;
        gp_future_destroy(future);
    }
    while (state->flags != NULL) {
        struct gp_flags *flags = state->flags;

        state->flags = flags->next;
        (void)gp_device_host_free(state->device, flags->words, NULL);
        gp_free(flags);
    }
    gp_pool_destroy(state->pool);
    gp_policy_destroy(state->policy);
    gp_policy_destroy(state->alone);
    gp_signal_finish(&state->signal);
    gp_free(state);
}

int gp_context_init(struct gp_context *context, struct gp_device *device,
                    const struct gp_context_options *options, struct gp_error *err)
{
    static const struct gp_context_options none;
    struct gp_context_state *state;
    int code;

    assert(context != NULL && device != NULL);
    if (context->state != NULL) {
        return gp_fail(err, GP_ESTATE, "the context is initialised already");
    }
    state = gp_alloc(1, sizeof *state);
    if (state == NULL) {
        return gp_fail(err, GP_ENOMEM, "out of host memory for a context");
    }
    state->device = device;
    state->options = options != NULL ? *options : none;
    gp_signal_init(&state->signal, device);
    if (state->options.policy == NULL) {
        state->options.policy = gp_policy_find("round-robin");
    }
    code =
        gp_policy_create(state->options.policy, state->options.stream_count, &state->policy, err);
    if (code == 0) {
        code = gp_policy_create(gp_policy_find("single"), 1, &state->alone, err);
    }
    if (code == 0) {
        code = enter_registry(state, err);
    }
    if (code != 0) {
        destroy(state);
        return code;
    }
    context->state = state;
    return 0;
}

int gp_context_finish(struct gp_context *context, struct gp_error *err)
{
    struct gp_context_state *state = context->state;
    uint32_t undropped;

    if (state == NULL) {
        return 0;
    }
    gp_signal_lock(&state->signal);
    undropped = state->live_count - state->parked_count;
    gp_signal_unlock(&state->signal);
    if (undropped > 0) {
        return gp_fail(err, GP_ESTATE,
                       "%" PRIu32 " futures of the context were not dropped; drop them first",
                       undropped);
    }
    gp_future_drain(state);
    gp_reactor_stop(state);
    leave_registry(state);
    destroy(state);
    context->state = NULL;
    return 0;
}

/* ---- what is made when it is needed -------------------------------------------------------- */

void gp_context_make_begin(struct gp_context_state *state)
{
    gp_signal_lock(&state->signal);
    while (state->is_making) {
        (void)gp_signal_wait(&state->signal, &state->signal.sleepers, INT64_MAX);
    }
    state->is_making = true;
    gp_signal_unlock(&state->signal);
}

void gp_context_make_end(struct gp_context_state *state)
{
    gp_signal_lock(&state->signal);
    state->is_making = false;
    gp_signal_wake_all(&state->signal, &state->signal.sleepers);
    gp_signal_unlock(&state->signal);
}

static int make_pool(struct gp_context_state *state, struct gp_error *err)
{
    struct gp_pool *pool;
    int code = gp_pool_create_for(state->device, state->policy, &pool, err);

    if (code == 0) {
        code = gp_pool_prepare(pool, state->options.completion, err);
    }
    if (code != 0) {
        gp_pool_destroy(pool);
        return code;
    }
    gp_signal_lock(&state->signal);
    state->pool = pool;
    gp_signal_unlock(&state->signal);
    return 0;
}

int gp_context_make_pool(struct gp_context_state *state, struct gp_error *err)
{
    bool is_there;
    int code = 0;

    gp_signal_lock(&state->signal);
    is_there = state->pool != NULL;
    gp_signal_unlock(&state->signal);
    if (is_there) {
        return 0;
    }
    gp_context_make_begin(state);
    if (state->pool == NULL) {
        code = make_pool(state, err);
    }
    gp_context_make_end(state);
    return code;
}

static int add_flags(struct gp_context_state *state, struct gp_error *err)
{
    struct gp_flags *flags = gp_alloc(1, sizeof *flags);
    void *words;
    int code;

    if (flags == NULL) {
        return gp_fail(err, GP_ENOMEM, "out of host memory for flags");
    }
    code = gp_device_host_alloc(state->device, GP_FLAGS_OF_BLOCK * sizeof(uint32_t), &words, err);
    if (code != 0) {
        gp_free(flags);
        return code;
    }
    flags->words = words;
    gp_signal_lock(&state->signal);
    flags->next = state->flags;
    state->flags = flags;
    gp_signal_unlock(&state->signal);
    return 0;
}

int gp_context_take_flag(struct gp_context_state *state, uint32_t **out, struct gp_error *err)
{
    *out = NULL;
    for (;;) {
        int code;

        gp_signal_lock(&state->signal);
        if (state->flags != NULL && state->flags->used < GP_FLAGS_OF_BLOCK) {
            *out = &state->flags->words[state->flags->used++];
        }
        gp_signal_unlock(&state->signal);
        if (*out != NULL) {
            return 0;
        }
        code = add_flags(state, err);
        if (code != 0) {
            return code;
        }
    }
}

/* ---- the verbs ----------------------------------------------------------------------------- */

int gp_context_schedule(struct gp_context *context, const struct gp_dag *dag,
                        struct gp_future **out, struct gp_error *err)
{
    struct gp_context_state *state = gp_context_state(context, err);
    struct gp_schedule *schedule;
    int code;

    assert(dag != NULL && out != NULL);
    *out = NULL;
    if (state == NULL) {
        return GP_ESTATE;
    }
    (void)gp_future_sweep(state, false);
    code = gp_schedule_create(state->policy, dag, state->options.order, &schedule, err);
    return code == 0 ? gp_future_create(state, schedule, out, err) : code;
}

int gp_context_sync(struct gp_context *context, const struct gp_dag *dag, struct gp_error *err)
{
    struct gp_future *future;
    int code = gp_context_schedule(context, dag, &future, err);

    if (code == 0) {
        code = gp_future_wait(future, err);
        gp_future_drop(future);
    }
    return code;
}

int gp_context_submit_on(struct gp_context *context, const struct gp_dag *dag,
                         struct gp_stream *stream, struct gp_error *err)
{
    struct gp_context_state *state = gp_context_state(context, err);
    struct gp_submission submission = {.streams = &stream};
    struct gp_schedule *schedule;
    int code;

    assert(dag != NULL && stream != NULL);
    if (state == NULL) {
        return GP_ESTATE;
    }
    code = gp_schedule_create(state->alone, dag, state->options.order, &schedule, err);
    if (code != 0) {
        return code;
    }
    submission.schedule = schedule;
    submission.device = state->device;
    code = gp_submit(&submission, err);
    if (code != 0 && gp_transient_is_held(dag)) {
        gp_submit_drain(&submission);
    }
    gp_schedule_destroy(schedule);
    return code;
}

int gp_context_sync_on(struct gp_context *context, const struct gp_dag *dag,
                       struct gp_stream *stream, struct gp_error *err)
{
    int code = gp_context_submit_on(context, dag, stream, err);
    int synced = gp_stream_sync(stream, code == 0 ? err : NULL);

    return code != 0 ? code : synced;
}

uint32_t gp_context_sweep(struct gp_context *context)
{
    struct gp_context_state *state = gp_context_state(context, NULL);

    return state != NULL ? gp_future_sweep(state, true) : 0;
}

void gp_context_drain(struct gp_context *context)
{
    struct gp_context_state *state = gp_context_state(context, NULL);

    if (state != NULL) {
        gp_future_drain(state);
    }
}

uint32_t gp_context_pending(struct gp_context *context)
{
    struct gp_context_state *state = gp_context_state(context, NULL);
    uint32_t count = 0;

    if (state != NULL) {
        gp_signal_lock(&state->signal);
        count = state->parked_count;
        gp_signal_unlock(&state->signal);
    }
    return count;
}
