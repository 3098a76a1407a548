/* What the first poll of a future does on the device: see context_state.h. */
#include <assert.h>

#include "core/context_state.h"
#include "core/memory.h"
#include "core/submit.h"
#include "core/transient.h"

static int fail_memory(struct gp_error *err)
{
    return gp_fail(err, GP_ENOMEM, "out of host memory for a future");
}

static void arrive(struct gp_mark *mark)
{
    gp_reactor_arrive(mark->user);
}

static int add_event(struct gp_future *future, struct gp_error *err)
{
    int code =
        gp_event_create(future->context->device, 0, &future->events[future->event_count], err);

    future->event_count += code == 0 ? 1 : 0;
    return code;
}

static int add_mark(struct gp_future *future, struct gp_error *err)
{
    struct gp_context_state *state = future->context;
    struct gp_mark *mark = gp_alloc(1, sizeof *mark);
    uint32_t *flag = NULL;
    int code = 0;

    if (mark == NULL) {
        return fail_memory(err);
    }
    if (state->options.completion == GP_COMPLETION_FLAG) {
        code = gp_context_take_flag(state, &flag, err);
    }
    if (code == 0) {
        code =
            gp_mark_init(mark, state->device, state->options.completion, flag, &state->signal, err);
    }
    if (code != 0) {
        gp_free(mark);
        return code;
    }
    mark->reached = arrive;
    mark->user = future;
    future->marks[future->mark_count++] = mark;
    return 0;
}

/* Room for `count` pointers where there were `had`. */
static int grow(void *block, uint32_t had, uint32_t count, size_t bytes, struct gp_error *err)
{
    void **pointer = block;

    if (count > had && gp_realloc(pointer, had, count, bytes) != 0) {
        return fail_memory(err);
    }
    return 0;
}

int gp_future_make_ready(struct gp_future *future, struct gp_error *err)
{
    const struct gp_schedule *schedule = future->schedule;
    void *events = future->events;
    void *marks = future->marks;
    void *streams = future->streams;
    int code = grow(&events, future->event_count, schedule->event_count, sizeof(void *), err);

    future->events = events;
    if (code == 0) {
        code = grow(&streams, future->mark_count, schedule->used_count, sizeof(uint32_t), err);
        future->streams = streams;
    }
    if (code == 0) {
        code = grow(&marks, future->mark_count, schedule->used_count, sizeof(void *), err);
        future->marks = marks;
    }
    while (code == 0 && future->event_count < schedule->event_count) {
        code = add_event(future, err);
    }
    while (code == 0 && future->mark_count < schedule->used_count) {
        code = add_mark(future, err);
    }
    return code;
}

/* True when all operations on the stream are values: nothing of it runs. */
static bool is_idle(const struct gp_schedule *schedule, uint32_t stream)
{
    for (uint32_t op = 0; op < schedule->dag->op_count; op++) {
        if (schedule->choices[op].stream == stream && schedule->dag->ops[op].kind != GP_OP_VALUE) {
            return false;
        }
    }
    return true;
}

/* Which marks are to be set; before any is, because a function may come at once. */
static void choose_marks(struct gp_future *future)
{
    const struct gp_schedule *schedule = future->schedule;

    future->set = 0;
    future->reached = 0;
    future->unsubmitted = 1;
    for (uint32_t i = 0; i < schedule->used_count; i++) {
        if (!is_idle(schedule, schedule->used[i])) {
            future->streams[future->set++] = schedule->used[i];
        }
    }
}

/* How many could be set. */
static uint32_t set_marks(struct gp_future *future, struct gp_error *err)
{
    uint32_t count = future->set;

    for (uint32_t i = 0; i < count; i++) {
        struct gp_stream *stream = future->context->pool->streams[future->streams[i]];

        if (gp_mark_set(future->marks[i], stream, err) != 0) {
            gp_submit_add_place(future->schedule, future->streams[i], err);
            return i;
        }
    }
    return count;
}

void gp_future_submit(struct gp_future *future)
{
    struct gp_context_state *state = future->context;
    const struct gp_submission submission = {
        .schedule = future->schedule,
        .device = state->device,
        .streams = state->pool->streams,
        .events = future->events,
        .begin_ns = gp_device_clock_ns(state->device),
    };
    struct gp_error failure = {0};
    struct gp_error unmarked = {0};
    uint32_t wanted;
    uint32_t set;

    choose_marks(future);
    wanted = future->set;
    if (gp_submit(&submission, &failure) != 0 && gp_transient_is_held(submission.schedule->dag)) {
        gp_submit_drain(&submission);
    }
    set = set_marks(future, &unmarked);
    if (set < wanted) {
        gp_submit_drain(&submission);
    }
    gp_signal_lock(&state->signal);
    future->failure = failure.code != 0 ? failure : unmarked;
    future->unsubmitted = 0;
    if (set < wanted || future->reached == future->set) {
        gp_future_finish(future);
    }
    gp_signal_unlock(&state->signal);
}
