/*
 * Dispatch: see dispatch.h. The walk takes no decision, allocates nothing, and reads no clock
 * unless a sink wants to know.
 */
#include "core/dispatch.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* A waiter that saw no progress for that long asks the device whether it still works. */
static const int64_t patience_ns = 1000000;

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

/* The clock, for a sink only. */
static int64_t told_ns(const struct gp_dispatch *dispatch)
{
    return dispatch->sink != NULL ? gp_device_clock_ns(dispatch->pool->device) : 0;
}

static int record(const struct gp_dispatch *dispatch, const char *name, const struct gp_step *step,
                  struct gp_event *event, struct gp_error *err)
{
    int64_t begin_ns = told_ns(dispatch);
    int code = gp_event_record(event, dispatch->pool->streams[step->stream], err);

    if (code == 0 && dispatch->sink != NULL) {
        gp_sink_call(dispatch->sink, name, step->op, begin_ns, told_ns(dispatch));
    }
    return code;
}

static int wait(const struct gp_dispatch *dispatch, const struct gp_step *step,
                struct gp_error *err)
{
    int64_t begin_ns = told_ns(dispatch);
    int code = gp_stream_wait(dispatch->pool->streams[step->stream],
                              dispatch->pool->events[step->event], err);

    if (code == 0 && dispatch->sink != NULL) {
        gp_sink_call(dispatch->sink, "wait", step->op, begin_ns, told_ns(dispatch));
    }
    return code;
}

static int launch(struct gp_stream *stream, const struct gp_launch *planned, gp_addr stamp,
                  struct gp_error *err)
{
    struct gp_launch stamped;

    if (stamp == 0) {
        return gp_stream_launch(stream, planned, err);
    }
    stamped = *planned;
    stamped.stamp = stamp;
    return gp_stream_launch(stream, &stamped, err);
}

static int submit(struct gp_stream *stream, const struct gp_dag_op *op, gp_addr stamp,
                  struct gp_error *err)
{
    switch (op->kind) {
    case GP_OP_KERNEL:
        return launch(stream, &op->launch, stamp, err);
    case GP_OP_H2D:
        return gp_stream_copy(stream, GP_COPY_H2D, op->to, op->from, op->bytes, err);
    case GP_OP_D2H:
        return gp_stream_copy(stream, GP_COPY_D2H, op->to, op->from, op->bytes, err);
    case GP_OP_D2D:
        return gp_stream_copy(stream, GP_COPY_D2D, op->to, op->from, op->bytes, err);
    case GP_OP_MEMSET:
        return gp_stream_set(stream, op->to, op->value, op->bytes, err);
    case GP_OP_HOST:
        return gp_stream_host_function(stream, op->host, op->user, err);
    case GP_OP_VALUE:
        return 0;
    case GP_OP_KIND_COUNT:
        break;
    }
    assert(false && "an operation of no kind");
    return GP_EINVAL;
}

static int run_op(const struct gp_dispatch *dispatch, const struct gp_step *step,
                  struct gp_error *err)
{
    static const struct gp_probe none;
    const struct gp_probe *probe = dispatch->probes != NULL ? &dispatch->probes[step->op] : &none;
    int64_t begin_ns;
    int code;

    if (probe->before != NULL) {
        code = record(dispatch, "timed record", step, probe->before, err);
        if (code != 0) {
            return code;
        }
    }
    begin_ns = told_ns(dispatch);
    if (dispatch->sink != NULL) {
        gp_sink_op_begin(dispatch->sink, step->op, begin_ns);
    }
    code = submit(dispatch->pool->streams[step->stream], &dispatch->schedule->dag->ops[step->op],
                  probe->stamp, err);
    if (code != 0) {
        return code;
    }
    if (dispatch->sink != NULL) {
        gp_sink_op_end(dispatch->sink, step->op, begin_ns, told_ns(dispatch));
    }
    return probe->after != NULL ? record(dispatch, "timed record", step, probe->after, err) : 0;
}

static int run_step(const struct gp_dispatch *dispatch, const struct gp_step *step,
                    struct gp_error *err)
{
    switch (step->kind) {
    case GP_STEP_OP:
        return run_op(dispatch, step, err);
    case GP_STEP_RECORD:
        return record(dispatch, "record", step, dispatch->pool->events[step->event], err);
    case GP_STEP_WAIT:
        return wait(dispatch, step, err);
    }
    assert(false && "a step of no kind");
    return GP_EINVAL;
}

static int run_steps(const struct gp_dispatch *dispatch, struct gp_error *err)
{
    static const char *const doing[] = {
        [GP_STEP_OP] = "submitting", [GP_STEP_RECORD] = "record after", [GP_STEP_WAIT] = "wait of"};
    const struct gp_schedule *schedule = dispatch->schedule;

    for (uint32_t i = 0; i < schedule->step_count; i++) {
        const struct gp_step *step = &schedule->steps[i];
        int code = run_step(dispatch, step, err);

        if (code != 0) {
            (void)gp_fail_context(err, "%s operation %" PRIu32 " '%s' on stream %" PRIu32,
                                  doing[step->kind], step->op, schedule->dag->ops[step->op].name,
                                  step->stream);
            return code;
        }
    }
    return 0;
}

/* Says where a failure that no single call caused was seen. */
static void add_place(const struct gp_schedule *schedule, uint32_t stream, struct gp_error *err)
{
    for (uint32_t i = schedule->step_count; i-- > 0;) {
        const struct gp_step *step = &schedule->steps[i];

        if (step->kind == GP_STEP_OP && step->stream == stream) {
            (void)gp_fail_context(
                err, "completion of stream %" PRIu32 " up to operation %" PRIu32 " '%s'", stream,
                step->op, schedule->dag->ops[step->op].name);
            return;
        }
    }
}

static int record_done(const struct gp_dispatch *dispatch, struct gp_error *err)
{
    const struct gp_schedule *schedule = dispatch->schedule;

    for (uint32_t i = 0; i < schedule->used_count; i++) {
        uint32_t stream = schedule->used[i];
        int code =
            gp_event_record(dispatch->pool->done[stream], dispatch->pool->streams[stream], err);

        if (code != 0) {
            add_place(schedule, stream, err);
            return code;
        }
    }
    return 0;
}

/* Asks for each pending stream once and keeps those that still are. */
static int poll_pending(const struct gp_dispatch *dispatch, uint32_t *pending, uint32_t *count,
                        struct gp_error *err)
{
    uint32_t left = 0;

    for (uint32_t i = 0; i < *count; i++) {
        int code = gp_event_query(dispatch->pool->done[pending[i]], err);

        if (code == GP_ENOTREADY) {
            pending[left++] = pending[i];
        } else if (code != 0) {
            add_place(dispatch->schedule, pending[i], err);
            return code;
        }
    }
    *count = left;
    return 0;
}

static int await_by_polling(const struct gp_dispatch *dispatch, struct gp_error *err)
{
    struct gp_device *device = dispatch->pool->device;
    uint32_t pending[GP_STREAMS_MAX];
    uint32_t count = dispatch->schedule->used_count;
    uint32_t before = 0;
    int64_t check_ns = 0;

    memcpy(pending, dispatch->schedule->used, count * sizeof *pending);
    for (;;) {
        int code = poll_pending(dispatch, pending, &count, err);
        int64_t now_ns;

        if (code != 0 || count == 0) {
            return code;
        }
        now_ns = gp_device_clock_ns(device);
        if (count != before) {
            check_ns = now_ns + patience_ns;
        } else if (now_ns >= check_ns) {
            code = gp_device_check(device, err);
            if (code != 0) {
                add_place(dispatch->schedule, pending[0], err);
                return code;
            }
            check_ns = now_ns + patience_ns;
        }
        before = count;
        gp_device_pause(device, check_ns);
    }
}

/* After a failure: what was submitted must not run on into what the caller does next. */
static void drain(const struct gp_dispatch *dispatch)
{
    for (uint32_t i = 0; i < dispatch->schedule->used_count; i++) {
        (void)gp_stream_sync(dispatch->pool->streams[dispatch->schedule->used[i]], NULL);
    }
}

static int check_pool(const struct gp_dispatch *dispatch, struct gp_error *err)
{
    const struct gp_schedule *schedule = dispatch->schedule;
    const struct gp_pool *pool = dispatch->pool;

    if (schedule->needs_pool &&
        (pool->made_for != schedule->policy || pool->stream_count != schedule->stream_count)) {
        return gp_fail(err, GP_ESTATE,
                       "policy '%s' needs streams of its own kind; make its pool with "
                       "gp_pool_create_for",
                       schedule->policy->name);
    }
    if (pool->stream_count < schedule->stream_count || pool->event_count < schedule->event_count) {
        return gp_fail(err, GP_ESTATE,
                       "the pool has %" PRIu32 " streams and %" PRIu32
                       " events, the schedule of policy '%s' needs %" PRIu32 " and %" PRIu32
                       "; reserve them first",
                       pool->stream_count, pool->event_count, schedule->policy->name,
                       schedule->stream_count, schedule->event_count);
    }
    return 0;
}

int gp_dispatch_run(const struct gp_dispatch *dispatch, struct gp_run_times *out,
                    struct gp_error *err)
{
    struct gp_device *device = dispatch->pool->device;
    int code = check_pool(dispatch, err);

    assert(out != NULL && dispatch->completion == GP_COMPLETION_EVENT_POLL);
    if (code != 0) {
        return code;
    }
    if (dispatch->sink != NULL) {
        gp_sink_run_begin(dispatch->sink, dispatch->schedule);
    }
    out->begin_ns = gp_device_clock_ns(device);
    code = run_steps(dispatch, err);
    out->submitted_ns = gp_device_clock_ns(device);
    if (code == 0) {
        code = record_done(dispatch, err);
    }
    if (code == 0) {
        code = await_by_polling(dispatch, err);
    }
    if (code != 0) {
        drain(dispatch);
        return code;
    }
    out->end_ns = gp_device_clock_ns(device);
    if (dispatch->sink != NULL) {
        gp_sink_run_end(dispatch->sink, out->begin_ns, out->submitted_ns, out->end_ns);
    }
    return 0;
}
