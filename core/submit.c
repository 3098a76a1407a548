/* Submission: see submit.h. */
#include "core/submit.h"

#include <assert.h>
#include <inttypes.h>

#include "core/transient.h"

/* The clock, for a sink only. */
static int64_t told_ns(const struct gp_submission *submission)
{
    return submission->sink != NULL ? gp_device_clock_ns(submission->device) : 0;
}

static int record(const struct gp_submission *submission, const char *name,
                  const struct gp_step *step, struct gp_event *event, struct gp_error *err)
{
    int64_t begin_ns = told_ns(submission);
    int code = gp_event_record(event, submission->streams[step->stream], err);

    if (code == 0 && submission->sink != NULL) {
        gp_sink_call(submission->sink, name, step->op, begin_ns, told_ns(submission));
    }
    return code;
}

static int wait(const struct gp_submission *submission, const struct gp_step *step,
                struct gp_error *err)
{
    int64_t begin_ns = told_ns(submission);
    int code =
        gp_stream_wait(submission->streams[step->stream], submission->events[step->event], err);

    if (code == 0 && submission->sink != NULL) {
        gp_sink_call(submission->sink, "wait", step->op, begin_ns, told_ns(submission));
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
    case GP_OP_ALLOC:
        return gp_buffer_allocate(op->transient, stream, err);
    case GP_OP_FREE:
        return gp_buffer_free(op->transient, stream, err);
    case GP_OP_GRAPH: /* only in rows */
    case GP_OP_KIND_COUNT:
        break;
    }
    assert(false && "an operation of no kind");
    return GP_EINVAL;
}

/* Kept apart so that the usual way stays short. */
static int submit_placed(struct gp_stream *stream, const struct gp_dag_op *op, gp_addr stamp,
                         struct gp_error *err)
{
    struct gp_placed_op placed;
    int code = gp_transient_place(op, &placed, err);

    return code == 0 ? submit(stream, &placed.op, stamp, err) : code;
}

static int run_op(const struct gp_submission *submission, const struct gp_step *step,
                  struct gp_error *err)
{
    static const struct gp_probe none;
    const struct gp_probe *probe =
        submission->probes != NULL ? &submission->probes[step->op] : &none;
    const struct gp_dag_op *op = &submission->schedule->dag->ops[step->op];
    struct gp_stream *stream = submission->streams[step->stream];
    int64_t begin_ns;
    int code;

    if (probe->before != NULL) {
        code = record(submission, "timed record", step, probe->before, err);
        if (code != 0) {
            return code;
        }
    }
    begin_ns = told_ns(submission);
    if (submission->sink != NULL) {
        gp_sink_op_begin(submission->sink, step->op, begin_ns);
    }
    code = op->has_stand_ins ? submit_placed(stream, op, probe->stamp, err)
                             : submit(stream, op, probe->stamp, err);
    if (code != 0) {
        return code;
    }
    if (submission->sink != NULL) {
        gp_sink_op_end(submission->sink, step->op, begin_ns, told_ns(submission));
    }
    return probe->after != NULL ? record(submission, "timed record", step, probe->after, err) : 0;
}

static int run_step(const struct gp_submission *submission, const struct gp_step *step,
                    struct gp_error *err)
{
    switch (step->kind) {
    case GP_STEP_OP:
        return run_op(submission, step, err);
    case GP_STEP_RECORD:
        return record(submission, "record", step, submission->events[step->event], err);
    case GP_STEP_WAIT:
        return wait(submission, step, err);
    }
    assert(false && "a step of no kind");
    return GP_EINVAL;
}

/* Until the operation that the step is before or of has arrived. */
static void await_release(const struct gp_submission *submission, const struct gp_step *step)
{
    int64_t release_ns = submission->schedule->dag->ops[step->op].attributes.release_ns;
    int64_t until_ns = submission->begin_ns + release_ns;

    if (release_ns > 0 && step->kind != GP_STEP_RECORD) {
        while (gp_device_clock_ns(submission->device) < until_ns) {
            gp_device_pause(submission->device, until_ns);
        }
    }
}

int gp_submit(const struct gp_submission *submission, struct gp_error *err)
{
    static const char *const doing[] = {
        [GP_STEP_OP] = "submitting", [GP_STEP_RECORD] = "record after", [GP_STEP_WAIT] = "wait of"};
    const struct gp_schedule *schedule = submission->schedule;

    for (uint32_t i = 0; i < schedule->step_count; i++) {
        const struct gp_step *step = &schedule->steps[i];
        int code;

        await_release(submission, step);
        code = run_step(submission, step, err);
        if (code != 0) {
            (void)gp_fail_context(err, "%s operation %" PRIu32 " '%s' on stream %" PRIu32,
                                  doing[step->kind], step->op, schedule->dag->ops[step->op].name,
                                  step->stream);
            return code;
        }
    }
    return 0;
}

void gp_submit_add_place(const struct gp_schedule *schedule, uint32_t stream, struct gp_error *err)
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

void gp_submit_drain(const struct gp_submission *submission)
{
    const struct gp_schedule *schedule = submission->schedule;

    for (uint32_t i = 0; i < schedule->used_count; i++) {
        (void)gp_stream_sync(submission->streams[schedule->used[i]], NULL);
    }
    gp_transient_release(schedule->dag);
}
