/* Submit mode graph: see graph_submit.h. */
#include "core/graph_submit.h"

#include <assert.h>
#include <inttypes.h>

#include "core/submit.h"
#include "core/transient.h"

/* The events that fork and join, one a used stream, come after those of the steps. */
static struct gp_event *event_of(const struct gp_dispatch *dispatch, uint32_t used)
{
    return dispatch->pool->events[dispatch->schedule->event_count + used];
}

static struct gp_stream *stream_of(const struct gp_dispatch *dispatch, uint32_t used)
{
    return dispatch->pool->streams[dispatch->schedule->used[used]];
}

/* `to` waits for all that `from` has. The event is from's. */
static int follow(struct gp_stream *from, struct gp_stream *to, struct gp_event *event,
                  struct gp_error *err)
{
    int code = gp_event_record(event, from, err);

    return code == 0 ? gp_stream_wait(to, event, err) : code;
}

static int fork_streams(const struct gp_dispatch *dispatch, struct gp_error *err)
{
    int code = 0;

    for (uint32_t i = 1; i < dispatch->schedule->used_count && code == 0; i++) {
        code = follow(stream_of(dispatch, 0), stream_of(dispatch, i), event_of(dispatch, 0), err);
    }
    return code;
}

static int join_streams(const struct gp_dispatch *dispatch, struct gp_error *err)
{
    int code = 0;

    for (uint32_t i = 1; i < dispatch->schedule->used_count && code == 0; i++) {
        code = follow(stream_of(dispatch, i), stream_of(dispatch, 0), event_of(dispatch, i), err);
    }
    return code;
}

/* The driver would say it in the middle of the capture, and not which policy it was. */
static int check_streams(const struct gp_dispatch *dispatch, struct gp_error *err)
{
    for (uint32_t i = 0; i < dispatch->schedule->used_count; i++) {
        if (stream_of(dispatch, i)->flag == GP_STREAM_NULL) {
            return gp_fail(err, GP_EUNSUPPORTED,
                           "policy '%s' uses the NULL stream, which cannot be captured into a "
                           "graph",
                           dispatch->schedule->policy->name);
        }
    }
    return 0;
}

/* A graph is launched as one. */
static int check_releases(const struct gp_dispatch *dispatch, struct gp_error *err)
{
    const struct gp_dag *dag = dispatch->schedule->dag;

    for (uint32_t id = 0; id < dag->op_count; id++) {
        if (dag->ops[id].attributes.release_ns > 0) {
            return gp_fail(err, GP_EUNSUPPORTED,
                           "operation %" PRIu32 " '%s' arrives %" PRId64
                           " ns after the run's begin, and a graph is launched as one",
                           id, dag->ops[id].name, dag->ops[id].attributes.release_ns);
        }
    }
    return 0;
}

/* The memory of a graph's alloc nodes is the graph's: it must be freed there, and no other can be.
 */
static int check_transient(const struct gp_dag_op *op, const char *when, struct gp_error *err)
{
    if (op->transient == NULL) {
        return 0;
    }
    if (op->transient->lifetime == GP_LIFETIME_IMMEDIATE) {
        return gp_fail(err, GP_EUNSUPPORTED,
                       "buffer '%s' is allocated and freed by calls that act at once, which cannot "
                       "be captured into a graph",
                       op->transient->name);
    }
    if (op->transient->memory != 0) {
        return gp_fail(
            err, GP_EUNSUPPORTED,
            "buffer '%s' has memory %s the graph; a graph must both allocate and free it",
            op->transient->name, when);
    }
    return 0;
}

static int check_transients(const struct gp_dispatch *dispatch, const char *when,
                            struct gp_error *err)
{
    const struct gp_dag *dag = dispatch->schedule->dag;
    int code = 0;

    for (uint32_t id = 0; id < dag->op_count && code == 0; id++) {
        code = check_transient(&dag->ops[id], when, err);
    }
    return code;
}

static int capture(const struct gp_dispatch *dispatch, struct gp_graph **out, struct gp_error *err)
{
    const struct gp_submission submission = {
        .schedule = dispatch->schedule,
        .device = dispatch->pool->device,
        .streams = dispatch->pool->streams,
        .events = dispatch->pool->events,
        .probes = dispatch->probes,
    };
    struct gp_stream *origin = stream_of(dispatch, 0);
    int code = gp_stream_capture_begin(origin, err);

    if (code != 0) {
        return code;
    }
    code = fork_streams(dispatch, err);
    if (code == 0) {
        code = gp_submit(&submission, err);
    }
    if (code == 0) {
        code = join_streams(dispatch, err);
    }
    if (code == 0) {
        code = check_transients(dispatch, "after", err);
    }
    if (code == 0) {
        return gp_stream_capture_end(origin, out, err);
    }
    gp_transient_forget(dispatch->schedule->dag);
    /* What failed may have ended the capture already; then there is none to end. */
    if (gp_stream_capture_end(origin, out, NULL) == 0) {
        (void)gp_graph_destroy(*out, NULL);
    }
    return code;
}

int gp_graph_submit_create(const struct gp_dispatch *dispatch, struct gp_graph **out,
                           int64_t *instantiate_ns, struct gp_error *err)
{
    const struct gp_schedule *schedule = dispatch->schedule;
    struct gp_device *device = dispatch->pool->device;
    struct gp_graph *graph = NULL;
    int64_t begin_ns;
    int code = check_streams(dispatch, err);

    assert(out != NULL && instantiate_ns != NULL && schedule->used_count > 0);
    assert(dispatch->pool->stream_count >= schedule->stream_count);
    *out = NULL;
    if (code == 0) {
        code = check_releases(dispatch, err);
    }
    if (code == 0) {
        code = check_transients(dispatch, "before", err);
    }
    if (code == 0) {
        code = gp_pool_reserve(dispatch->pool, schedule->event_count + schedule->used_count, err);
    }
    if (code == 0) {
        code = capture(dispatch, &graph, err);
    }
    if (code != 0) {
        (void)gp_fail_context(err, "graph of %" PRIu32 " operations", schedule->dag->op_count);
        return code;
    }
    begin_ns = gp_device_clock_ns(device);
    code = gp_graph_instantiate(graph, err);
    *instantiate_ns = gp_device_clock_ns(device) - begin_ns;
    if (code != 0) {
        (void)gp_graph_destroy(graph, NULL);
        return code;
    }
    *out = graph;
    return 0;
}
