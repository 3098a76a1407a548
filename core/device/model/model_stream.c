/* Streams and events of the model device: see handles.h and device.h. */
#include "core/device/model/handles.h"

#include <assert.h>

#include "core/memory.h"

/* ---- submission --------------------------------------------------------------------------------
 */

int gp_model_resolve(struct gp_model_stream *stream, struct gp_lane *lane,
                     struct gp_sim_stream **out, struct gp_error *err)
{
    struct gp_model *model = gp_model_of(stream->base.device);

    if (stream->sim != NULL) {
        *out = stream->sim;
        return 0;
    }
    if (lane->default_stream == NULL) {
        int code = gp_sim_stream_create(&model->sim, (uint32_t)model->profile.priority_levels - 1,
                                        true, &lane->default_stream, err);

        if (code != 0) {
            return code;
        }
    }
    *out = lane->default_stream;
    return 0;
}

/* Makes `later` wait for what `earlier` was given so far. */
static int order_after(struct gp_sim *sim, struct gp_sim_stream *later,
                       struct gp_sim_stream *earlier, int64_t at_ns)
{
    struct gp_sim_marker *marker = gp_sim_marker_create(sim, false);
    struct gp_sim_op *record = gp_sim_op_create(sim, GP_SIM_RECORD);
    struct gp_sim_op *wait = gp_sim_op_create(sim, GP_SIM_WAIT);

    if (marker == NULL || record == NULL || wait == NULL) {
        gp_sim_marker_release(sim, marker);
        if (record != NULL) {
            gp_sim_op_destroy(sim, record);
        }
        if (wait != NULL) {
            gp_sim_op_destroy(sim, wait);
        }
        return GP_ENOMEM;
    }
    record->marker = marker;
    wait->marker = marker;
    marker->references = 2;
    gp_sim_submit(sim, earlier, record, at_ns);
    gp_sim_submit(sim, later, wait, at_ns);
    return 0;
}

/* The legacy default stream: its work waits for all earlier work of blocking streams, and theirs
 * for its. */
static int order_with_null(struct gp_sim *sim, struct gp_sim_stream *stream, int64_t at_ns)
{
    struct gp_sim_stream *null = sim->null_stream;

    if (stream->is_blocking && !gp_sim_stream_is_idle(null) &&
        stream->null_order_back != null->submitted) {
        if (order_after(sim, stream, null, at_ns) != 0) {
            return GP_ENOMEM;
        }
        stream->null_order_back = null->submitted;
    }
    for (struct gp_sim_stream *other = sim->first_stream; stream == null && other != NULL;
         other = other->next) {
        if (other->is_blocking && !gp_sim_stream_is_idle(other) &&
            other->null_order != other->submitted) {
            if (order_after(sim, null, other, at_ns) != 0) {
                return GP_ENOMEM;
            }
            other->null_order = other->submitted;
        }
    }
    return 0;
}

static int submit_now(struct gp_sim_stream *stream, struct gp_lane *lane, struct gp_sim_op *op,
                      int64_t cost_ns, struct gp_error *err)
{
    struct gp_sim *sim = lane->lanes->sim;
    const struct gp_profile *profile = sim->profile;
    int64_t at_ns;

    if (stream->launches >= profile->queue_launches ||
        stream->commands >= profile->queue_commands) {
        int code;

        lane->wait = GP_WAIT_QUEUE;
        lane->stream = stream;
        code = gp_lane_block(lane, 0, err);
        if (code != 0) {
            return code;
        }
        gp_lane_readmit(lane);
        if (sim->fault.code != 0) {
            *err = sim->fault;
            return err->code;
        }
    }
    gp_lane_charge(lane, profile->host_between_ns + cost_ns);
    at_ns = lane->clock_ns + profile->launch_start_ns;
    if (order_with_null(sim, stream, at_ns) != 0) {
        return gp_fail(err, GP_ENOMEM, "no memory to order a stream with the NULL stream");
    }
    gp_sim_submit(sim, stream, op, at_ns);
    return 0;
}

static int capture_now(struct gp_model_stream *stream, struct gp_lane *lane, struct gp_sim_op *op,
                       struct gp_error *err)
{
    struct gp_model *model = gp_model_of(stream->base.device);
    int code;

    op->part = stream->sim != NULL ? stream->sim->part : 0;
    if (op->kind == GP_SIM_FREE && !gp_graph_body_owns(stream->capture->body, op->action->to)) {
        code = gp_fail(err, GP_EUNSUPPORTED,
                       "a free of memory from outside the graph cannot be captured into it");
    } else {
        code = gp_graph_body_add(stream->capture->body, op, &stream->after, err);
    }
    if (code == 0 && op->kind == GP_SIM_FREE) {
        gp_action_destroy(op->action); /* the memory is there for the next launch too */
        op->action = NULL;
    }
    gp_lane_charge(lane, model->profile.host_capture_ns);
    if (code != 0) {
        gp_model_capture_drop(model, stream->capture);
    }
    return code;
}

int gp_model_submit(struct gp_model_stream *stream, struct gp_lane *lane, struct gp_sim_op *op,
                    int64_t cost_ns, struct gp_error *err)
{
    struct gp_error own = {0};
    struct gp_sim_stream *sim_stream = NULL;
    int code;

    if (stream->capture != NULL) {
        code = capture_now(stream, lane, op, &own);
    } else {
        code = gp_model_resolve(stream, lane, &sim_stream, &own);
        if (code == 0) {
            code = submit_now(sim_stream, lane, op, cost_ns, &own);
        }
    }
    if (code != 0) {
        gp_sim_op_destroy(lane->lanes->sim, op);
        if (err != NULL) {
            *err = own;
        }
    }
    return code;
}

int gp_model_drain(struct gp_sim_stream *stream, struct gp_lane *lane, int64_t return_ns,
                   struct gp_error *err)
{
    assert(stream != NULL && lane != NULL);
    lane->wait = GP_WAIT_STREAM;
    lane->stream = stream;
    lane->target = stream->submitted;
    return gp_lane_block(lane, return_ns, err);
}

/* ---- streams -----------------------------------------------------------------------------------
 */

struct gp_model_stream *gp_model_stream_make(struct gp_model *model, struct gp_lane *lane,
                                             enum gp_stream_flag flag, int32_t priority,
                                             struct gp_error *err)
{
    const struct gp_device_info *info = &model->base.info;
    struct gp_model_stream *stream = gp_alloc(1, sizeof *stream);
    int code = 0;

    if (stream == NULL) {
        (void)gp_fail(err, GP_ENOMEM, "no memory for a stream");
        return NULL;
    }
    priority = priority > info->priority_least ? info->priority_least : priority;
    priority = priority < info->priority_greatest ? info->priority_greatest : priority;
    if (flag == GP_STREAM_NULL) {
        priority = info->priority_least;
        stream->sim = model->sim.null_stream;
    } else if (flag == GP_STREAM_PER_THREAD) {
        priority = info->priority_least;
    } else {
        code = gp_sim_stream_create(&model->sim, (uint32_t)(priority - info->priority_greatest),
                                    flag == GP_STREAM_BLOCKING, &stream->sim, err);
        gp_lane_charge(lane, model->profile.host_stream_create_ns);
    }
    if (code != 0) {
        gp_free(stream);
        return NULL;
    }
    stream->base = (struct gp_stream){&model->base, flag, priority, 0};
    gp_model_link(&model->streams, &stream->link);
    return stream;
}

int gp_model_stream_create(struct gp_device *device, enum gp_stream_flag flag, int32_t priority,
                           struct gp_stream **out, struct gp_error *err)
{
    struct gp_model *model = gp_model_of(device);
    struct gp_lane *lane = NULL;
    struct gp_model_stream *stream;
    int code = gp_model_enter(model, &lane, err);

    if (code != 0) {
        return code;
    }
    stream = gp_model_stream_make(model, lane, flag, priority, err);
    gp_lane_leave(lane, false);
    if (stream == NULL) {
        return GP_ENOMEM;
    }
    *out = &stream->base;
    return 0;
}

int gp_model_stream_destroy(struct gp_stream *base, struct gp_error *err)
{
    struct gp_model_stream *stream = gp_model_stream_of(base);
    struct gp_model *model = gp_model_of(base->device);
    struct gp_lane *lane = NULL;
    int code = gp_lane_enter(&model->lanes, &lane, err);

    if (code != 0) {
        return code;
    }
    if (stream->capture != NULL) {
        gp_model_capture_drop(model, stream->capture);
    }
    if (base->flag == GP_STREAM_BLOCKING || base->flag == GP_STREAM_NON_BLOCKING) {
        gp_sim_stream_destroy(&model->sim, stream->sim);
    }
    gp_model_unlink(&stream->link);
    gp_node_set_finish(&stream->after);
    gp_free(stream);
    gp_lane_leave(lane, false);
    return 0;
}

/* Enters for a call that asks about a stream. */
static int enter_stream(struct gp_stream *base, struct gp_lane **lane, struct gp_sim_stream **out,
                        struct gp_error *err)
{
    struct gp_model_stream *stream = gp_model_stream_of(base);
    struct gp_model *model = gp_model_of(base->device);
    int code = gp_model_enter(model, lane, err);

    if (code != 0) {
        return code;
    }
    if (stream->capture != NULL) {
        gp_model_capture_drop(model, stream->capture);
        code =
            gp_fail(err, GP_EUNSUPPORTED, "waiting for a stream cannot be captured into a graph");
    } else {
        code = gp_model_resolve(stream, *lane, out, err);
    }
    if (code != 0) {
        gp_lane_leave(*lane, false);
    }
    return code;
}

static int fail_stuck(struct gp_error *err)
{
    return gp_fail(err, GP_EDEADLOCK,
                   "deadlock: it is not complete, nothing is pending on the device, and no other "
                   "thread is at work");
}

int gp_model_stream_query(struct gp_stream *base, struct gp_error *err)
{
    struct gp_model *model = gp_model_of(base->device);
    struct gp_lane *lane = NULL;
    struct gp_sim_stream *stream = NULL;
    int code = enter_stream(base, &lane, &stream, err);

    if (code != 0) {
        return code;
    }
    assert(stream != NULL);
    gp_lane_charge(lane, model->profile.host_query_ns);
    if (!gp_sim_stream_is_idle(stream)) {
        stream->is_watched = true;
        code = model->lanes.is_stuck ? fail_stuck(err) : GP_ENOTREADY;
    } else if (stream->completed > 0 &&
               stream->idle_ns + model->profile.visible_event_ns > lane->clock_ns) {
        if (stream->node.slot == 0) {
            gp_sim_schedule(&model->sim, &stream->node, GP_SIM_STREAM_VISIBLE,
                            stream->idle_ns + model->profile.visible_event_ns);
        }
        code = GP_ENOTREADY;
    }
    gp_lane_leave(lane, false);
    return code;
}

/* How late a waiting call sees what it waited for; a thread that slept must wake up. */
static int64_t return_ns(const struct gp_model *model, bool is_blocking)
{
    return is_blocking ? model->profile.visible_blocking_ns : model->profile.visible_sync_ns;
}

int gp_model_stream_sync(struct gp_stream *base, struct gp_error *err)
{
    struct gp_model *model = gp_model_of(base->device);
    struct gp_lane *lane = NULL;
    struct gp_sim_stream *stream = NULL;
    int code = enter_stream(base, &lane, &stream, err);

    if (code != 0) {
        return code;
    }
    gp_lane_charge(lane, model->profile.host_sync_ns);
    code = gp_model_drain(stream, lane,
                          return_ns(model, base->device->info.scheduling == GP_SCHEDULING_BLOCKING),
                          err);
    if (code == 0 && model->sim.fault.code != 0) {
        code = model->sim.fault.code;
        if (err != NULL) {
            *err = model->sim.fault;
        }
    }
    gp_lane_leave(lane, false);
    return code;
}

/* ---- events ------------------------------------------------------------------------------------
 */

int gp_model_event_create(struct gp_device *device, uint32_t flags, struct gp_event **out,
                          struct gp_error *err)
{
    struct gp_model *model = gp_model_of(device);
    struct gp_lane *lane = NULL;
    struct gp_model_event *event;
    int code = gp_model_enter(model, &lane, err);

    if (code != 0) {
        return code;
    }
    gp_lane_charge(lane, model->profile.host_event_create_ns);
    event = gp_alloc(1, sizeof *event);
    if (event != NULL) {
        event->base = (struct gp_event){device, flags};
        gp_model_link(&model->events, &event->link);
        *out = &event->base;
    } else {
        code = gp_fail(err, GP_ENOMEM, "no memory for an event");
    }
    gp_lane_leave(lane, false);
    return code;
}

int gp_model_event_destroy(struct gp_event *base, struct gp_error *err)
{
    struct gp_model_event *event = gp_model_event_of(base);
    struct gp_model *model = gp_model_of(base->device);
    struct gp_lane *lane = NULL;
    int code = gp_lane_enter(&model->lanes, &lane, err);

    if (code != 0) {
        return code;
    }
    gp_sim_marker_release(&model->sim, event->marker);
    gp_model_unlink(&event->link);
    gp_node_set_finish(&event->after);
    gp_free(event);
    gp_lane_leave(lane, false);
    return 0;
}

/* A record during a capture only remembers what came before it. */
static int record_captured(struct gp_model *model, struct gp_model_event *event,
                           struct gp_model_stream *stream, struct gp_error *err)
{
    gp_sim_marker_release(&model->sim, event->marker);
    event->marker = NULL;
    event->capture = stream->capture;
    event->after.count = 0;
    if (gp_node_set_add(&event->after, &stream->after) != 0) {
        return gp_fail(err, GP_ENOMEM, "no memory to capture a record");
    }
    return 0;
}

static int record_now(struct gp_model *model, struct gp_model_event *event,
                      struct gp_model_stream *stream, struct gp_lane *lane, struct gp_error *err)
{
    const bool is_timed = (event->base.flags & GP_EVENT_TIMED) != 0;
    struct gp_sim_marker *marker = gp_sim_marker_create(&model->sim, is_timed);
    struct gp_sim_op *op = gp_sim_op_create(&model->sim, GP_SIM_RECORD);
    int code;

    if (marker == NULL || op == NULL) {
        gp_sim_marker_release(&model->sim, marker);
        if (op != NULL) {
            gp_sim_op_destroy(&model->sim, op);
        }
        return gp_fail(err, GP_ENOMEM, "no memory to record an event");
    }
    op->marker = marker;
    op->is_timed = is_timed;
    marker->references = 2;
    code = gp_model_submit(
        stream, lane, op,
        is_timed ? model->profile.host_record_timed_ns : model->profile.host_record_ns, err);
    if (code != 0) {
        gp_sim_marker_release(&model->sim, marker);
        return code;
    }
    gp_sim_marker_release(&model->sim, event->marker);
    event->marker = marker;
    event->capture = NULL;
    return 0;
}

int gp_model_event_record(struct gp_event *event, struct gp_stream *stream, struct gp_error *err)
{
    struct gp_model *model = gp_model_of(event->device);
    struct gp_lane *lane = NULL;
    int code = gp_model_enter(model, &lane, err);

    if (code != 0) {
        return code;
    }
    if (gp_model_stream_of(stream)->capture != NULL) {
        gp_lane_charge(lane, model->profile.host_capture_ns);
        code = record_captured(model, gp_model_event_of(event), gp_model_stream_of(stream), err);
    } else {
        code = record_now(model, gp_model_event_of(event), gp_model_stream_of(stream), lane, err);
    }
    gp_lane_leave(lane, true);
    return code;
}

/* A wait for an event that was captured joins the stream to the capture. */
static int wait_captured(struct gp_model_stream *stream, struct gp_model_event *event,
                         struct gp_error *err)
{
    if (stream->base.flag == GP_STREAM_NULL || stream->base.flag == GP_STREAM_PER_THREAD) {
        gp_model_capture_drop(gp_model_of(stream->base.device), event->capture);
        return gp_fail(err, GP_EUNSUPPORTED, "a default stream cannot be captured");
    }
    if (stream->capture != NULL && stream->capture != event->capture) {
        return gp_fail(err, GP_ESTATE, "the event belongs to another capture");
    }
    if (stream->capture == NULL) {
        stream->capture = event->capture;
        stream->after.count = 0;
    }
    if (gp_node_set_add(&stream->after, &event->after) != 0) {
        return gp_fail(err, GP_ENOMEM, "no memory to capture a wait");
    }
    return 0;
}

/* Whether waiting for it could still delay anything. */
static bool matters(const struct gp_sim_marker *marker, int64_t clock_ns)
{
    if (marker == NULL) {
        return false;
    }
    for (int i = 0; i < GP_SIM_TARGETS && marker->is_done; i++) {
        if (marker->floor_ns[i] > clock_ns) {
            return true;
        }
    }
    return !marker->is_done;
}

int gp_model_stream_wait(struct gp_stream *stream, struct gp_event *base, struct gp_error *err)
{
    struct gp_model_event *event = gp_model_event_of(base);
    struct gp_model *model = gp_model_of(stream->device);
    struct gp_lane *lane = NULL;
    struct gp_sim_op *op = NULL;
    int code = gp_model_enter(model, &lane, err);

    if (code != 0) {
        return code;
    }
    if (event->capture != NULL) {
        gp_lane_charge(lane, model->profile.host_capture_ns);
        code = wait_captured(gp_model_stream_of(stream), event, err);
    } else if (gp_model_stream_of(stream)->capture != NULL) {
        gp_model_capture_drop(model, gp_model_stream_of(stream)->capture);
        code = gp_fail(err, GP_EUNSUPPORTED,
                       "a wait for an event from outside cannot be captured into a graph");
    } else if (!matters(event->marker, lane->clock_ns)) {
        gp_lane_charge(lane, model->profile.host_between_ns + model->profile.host_wait_ns);
    } else {
        op = gp_sim_op_create(&model->sim, GP_SIM_WAIT);
        if (op == NULL) {
            code = gp_fail(err, GP_ENOMEM, "no memory for an event wait");
        } else {
            op->marker = event->marker;
            op->marker->references++;
            code = gp_model_submit(gp_model_stream_of(stream), lane, op,
                                   model->profile.host_wait_ns, err);
        }
    }
    gp_lane_leave(lane, true);
    return code;
}

int gp_model_event_query(struct gp_event *base, struct gp_error *err)
{
    const struct gp_model_event *event = gp_model_event_of(base);
    struct gp_model *model = gp_model_of(base->device);
    struct gp_lane *lane = NULL;
    int code = gp_model_enter(model, &lane, err);

    if (code != 0) {
        return code;
    }
    gp_lane_charge(lane, model->profile.host_query_ns);
    if (event->marker != NULL && !event->marker->is_visible) {
        code = model->lanes.is_stuck ? fail_stuck(err) : GP_ENOTREADY;
    }
    gp_lane_leave(lane, false);
    return code;
}

int gp_model_event_sync(struct gp_event *base, struct gp_error *err)
{
    const struct gp_model_event *event = gp_model_event_of(base);
    struct gp_model *model = gp_model_of(base->device);
    const struct gp_profile *profile = &model->profile;
    struct gp_lane *lane = NULL;
    int code = gp_model_enter(model, &lane, err);

    if (code != 0) {
        return code;
    }
    gp_lane_charge(lane, profile->host_sync_ns);
    if (event->marker != NULL) {
        lane->wait = GP_WAIT_MARKER;
        lane->marker = event->marker;
        lane->marker->references++;
        code =
            gp_lane_block(lane, return_ns(model, (base->flags & GP_EVENT_BLOCKING_SYNC) != 0), err);
        gp_sim_marker_release(&model->sim, lane->marker);
    }
    if (code == 0 && model->sim.fault.code != 0) {
        code = model->sim.fault.code;
        if (err != NULL) {
            *err = model->sim.fault;
        }
    }
    gp_lane_leave(lane, false);
    return code;
}

int gp_model_event_elapsed(struct gp_event *begin, struct gp_event *end, int64_t *out_ns,
                           struct gp_error *err)
{
    const struct gp_sim_marker *first = gp_model_event_of(begin)->marker;
    const struct gp_sim_marker *last = gp_model_event_of(end)->marker;
    struct gp_model *model = gp_model_of(begin->device);
    struct gp_lane *lane = NULL;
    int code = gp_model_enter(model, &lane, err);

    if (code != 0) {
        return code;
    }
    gp_lane_charge(lane, model->profile.host_elapsed_ns);
    if ((begin->flags & end->flags & GP_EVENT_TIMED) == 0) {
        code = gp_fail(err, GP_EUNSUPPORTED, "elapsed time needs two timed events");
    } else if (first == NULL || last == NULL) {
        code = gp_fail(err, GP_ESTATE, "elapsed time of an event that was never recorded");
    } else if (!first->is_done || !last->is_done) {
        code = GP_ENOTREADY;
    } else {
        *out_ns = last->time_ns - first->time_ns;
    }
    gp_lane_leave(lane, false);
    return code;
}
