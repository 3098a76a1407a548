/*
 * Dispatch: see dispatch.h. Submits (submit.h) or launches a graph, marks the end of each stream
 * that got work, and waits for the marks (completion.h).
 */
#include "core/dispatch.h"

#include <assert.h>
#include <inttypes.h>

#include "core/submit.h"

/* Streams whose ends are the run's end: a graph has all its work on the first one. */
static uint32_t count_ends(const struct gp_dispatch *dispatch)
{
    return dispatch->graph != NULL ? 1 : dispatch->schedule->used_count;
}

static int set_marks(const struct gp_dispatch *dispatch, struct gp_mark **marks,
                     struct gp_error *err)
{
    const struct gp_schedule *schedule = dispatch->schedule;
    struct gp_pool *pool = dispatch->pool;

    for (uint32_t i = 0; i < count_ends(dispatch); i++) {
        uint32_t stream = schedule->used[i];
        int code = gp_mark_set(&pool->done[stream], pool->streams[stream], err);

        if (code != 0) {
            gp_submit_add_place(schedule, stream, err);
            return code;
        }
        marks[i] = &pool->done[stream];
    }
    return 0;
}

static int await(const struct gp_dispatch *dispatch, struct gp_mark *const *marks,
                 struct gp_error *err)
{
    const struct gp_schedule *schedule = dispatch->schedule;
    uint32_t at = 0;
    int code = gp_marks_wait(marks, count_ends(dispatch), &at, err);

    if (code != 0) {
        gp_submit_add_place(schedule, schedule->used[at], err);
    }
    return code;
}

static int launch_graph(const struct gp_dispatch *dispatch, struct gp_error *err)
{
    struct gp_device *device = dispatch->pool->device;
    int64_t begin_ns = dispatch->sink != NULL ? gp_device_clock_ns(device) : 0;
    int code =
        gp_graph_launch(dispatch->graph, dispatch->pool->streams[dispatch->schedule->used[0]], err);

    if (code != 0) {
        (void)gp_fail_context(err, "launching the graph of %" PRIu32 " operations",
                              dispatch->schedule->dag->op_count);
        return code;
    }
    if (dispatch->sink != NULL) {
        gp_sink_launch(dispatch->sink, begin_ns, gp_device_clock_ns(device));
    }
    return 0;
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
    if (pool->completion != dispatch->completion || pool->mark_count < schedule->stream_count) {
        return gp_fail(err, GP_ESTATE,
                       "the pool is not prepared for completion '%s'; call gp_pool_prepare first",
                       gp_completion_name(dispatch->completion));
    }
    return 0;
}

int gp_dispatch_run(const struct gp_dispatch *dispatch, struct gp_run_times *out,
                    struct gp_error *err)
{
    struct gp_device *device = dispatch->pool->device;
    struct gp_submission submission = {
        .schedule = dispatch->schedule,
        .device = device,
        .streams = dispatch->pool->streams,
        .events = dispatch->pool->events,
        .probes = dispatch->probes,
        .sink = dispatch->sink,
    };
    struct gp_mark *marks[GP_STREAMS_MAX];
    int code = check_pool(dispatch, err);

    assert(out != NULL);
    if (code != 0) {
        return code;
    }
    if (dispatch->sink != NULL) {
        gp_sink_run_begin(dispatch->sink, dispatch->schedule);
    }
    out->begin_ns = gp_device_clock_ns(device);
    submission.begin_ns = out->begin_ns;
    code = dispatch->graph != NULL ? launch_graph(dispatch, err) : gp_submit(&submission, err);
    out->submitted_ns = gp_device_clock_ns(device);
    if (code == 0) {
        code = set_marks(dispatch, marks, err);
    }
    if (code == 0) {
        code = await(dispatch, marks, err);
    }
    if (code != 0) {
        gp_submit_drain(&submission);
        return code;
    }
    out->end_ns = gp_device_clock_ns(device);
    if (dispatch->sink != NULL) {
        gp_sink_run_end(dispatch->sink, out->begin_ns, out->submitted_ns, out->end_ns);
    }
    return 0;
}
