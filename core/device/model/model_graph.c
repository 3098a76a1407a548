/* Capture and graphs of the model device: see handles.h and device.h. */
#include "core/device/model/handles.h"

#include <assert.h>
#include <stddef.h>

#include "core/memory.h"

#define GP_OWNER(at, type) ((struct type *)(void *)((char *)(at)-offsetof(struct type, link)))

/* Streams and events forget the capture; the body is the caller's. */
static void forget(struct gp_model *model, struct gp_capture *capture)
{
    for (struct gp_model_link *link = model->streams.next; link != &model->streams;
         link = link->next) {
        struct gp_model_stream *stream = GP_OWNER(link, gp_model_stream);

        if (stream->capture == capture) {
            stream->capture = NULL;
            stream->after.count = 0;
        }
    }
    for (struct gp_model_link *link = model->events.next; link != &model->events;
         link = link->next) {
        struct gp_model_event *event = GP_OWNER(link, gp_model_event);

        if (event->capture == capture) {
            event->capture = NULL;
            event->after.count = 0;
        }
    }
    gp_free(capture);
}

void gp_model_capture_drop(struct gp_model *model, struct gp_capture *capture)
{
    gp_graph_body_release(capture->body);
    forget(model, capture);
}

int gp_model_capture_begin(struct gp_stream *base, struct gp_error *err)
{
    struct gp_model_stream *stream = gp_model_stream_of(base);
    struct gp_model *model = gp_model_of(base->device);
    struct gp_capture *capture;
    struct gp_lane *lane = NULL;
    int code = gp_model_enter(model, &lane, err);

    if (code != 0) {
        return code;
    }
    capture = gp_alloc(1, sizeof *capture);
    if (base->flag == GP_STREAM_NULL || base->flag == GP_STREAM_PER_THREAD) {
        code = gp_fail(err, GP_EUNSUPPORTED, "a default stream cannot be captured");
    } else if (stream->capture != NULL) {
        code = gp_fail(err, GP_ESTATE, "the stream is being captured already");
    } else if (capture == NULL) {
        code = gp_fail(err, GP_ENOMEM, "no memory to begin a capture");
    } else {
        code = gp_graph_body_create(&model->sim, &capture->body, err);
    }
    if (code == 0) {
        assert(capture != NULL);
        capture->origin = stream;
        capture->owner = lane;
        stream->capture = capture;
        stream->after.count = 0;
    } else {
        gp_free(capture);
    }
    gp_lane_charge(lane, model->profile.host_capture_ns);
    gp_lane_leave(lane, false);
    return code;
}

/* Every node must lead to the origin stream's end: 0, or GP_ESTATE. */
static int check_joined(const struct gp_capture *capture, struct gp_error *err)
{
    const struct gp_graph_body *body = capture->body;
    const struct gp_node_set *ends = &capture->origin->after;
    bool *is_followed = gp_alloc(body->node_count, sizeof *is_followed);
    int code = 0;

    if (is_followed == NULL) {
        return gp_fail(err, GP_ENOMEM, "no memory to end a capture");
    }
    for (uint32_t i = 0; i < body->node_count; i++) {
        const struct gp_node_set *predecessors = &body->nodes[i].predecessors;

        for (uint32_t p = 0; p < predecessors->count; p++) {
            is_followed[predecessors->nodes[p]] = true;
        }
    }
    for (uint32_t e = 0; e < ends->count; e++) {
        is_followed[ends->nodes[e]] = true;
    }
    for (uint32_t i = 0; i < body->node_count && code == 0; i++) {
        if (!is_followed[i]) {
            code = gp_fail(err, GP_ESTATE,
                           "a stream of the capture was not joined to its first stream again");
        }
    }
    gp_free(is_followed);
    return code;
}

int gp_model_capture_end(struct gp_stream *base, struct gp_graph **out, struct gp_error *err)
{
    struct gp_model_stream *stream = gp_model_stream_of(base);
    struct gp_model *model = gp_model_of(base->device);
    struct gp_capture *capture = stream->capture;
    struct gp_model_graph *graph = NULL;
    struct gp_lane *lane = NULL;
    int code = gp_model_enter(model, &lane, err);

    if (code != 0) {
        return code;
    }
    if (capture == NULL || capture->origin != stream || capture->owner != lane) {
        gp_lane_leave(lane, false);
        return gp_fail(err, GP_ESTATE,
                       "no capture that this thread began on this stream is to be ended");
    }
    code = check_joined(capture, err);
    if (code == 0) {
        graph = gp_alloc(1, sizeof *graph);
        code = graph != NULL ? 0 : gp_fail(err, GP_ENOMEM, "no memory for a graph");
    }
    if (code == 0) {
        assert(graph != NULL);
        graph->base = (struct gp_graph){base->device, capture->body->node_count};
        graph->body = capture->body;
        gp_model_link(&model->graphs, &graph->link);
        forget(model, capture);
        *out = &graph->base;
    } else {
        gp_model_capture_drop(model, capture);
    }
    gp_lane_charge(lane, model->profile.host_capture_ns);
    gp_lane_leave(lane, false);
    return code;
}

static struct gp_model_graph *graph_of(struct gp_graph *graph)
{
    return (struct gp_model_graph *)(void *)graph;
}

int gp_model_graph_instantiate(struct gp_graph *base, struct gp_error *err)
{
    struct gp_model_graph *graph = graph_of(base);
    struct gp_model *model = gp_model_of(base->device);
    const struct gp_profile *profile = &model->profile;
    struct gp_lane *lane = NULL;
    int code = gp_model_enter(model, &lane, err);

    if (code != 0) {
        return code;
    }
    if (graph->is_instantiated) {
        code = gp_fail(err, GP_ESTATE, "the graph is instantiated already");
    } else {
        code = gp_graph_body_instantiate(graph->body, err);
        graph->is_instantiated = code == 0;
        gp_lane_charge(lane, profile->host_instantiate_ns +
                                 profile->host_instantiate_node_ns * base->node_count);
    }
    gp_lane_leave(lane, false);
    return code;
}

int gp_model_graph_launch(struct gp_graph *base, struct gp_stream *stream, struct gp_error *err)
{
    struct gp_model_graph *graph = graph_of(base);
    struct gp_model *model = gp_model_of(base->device);
    const struct gp_profile *profile = &model->profile;
    struct gp_lane *lane = NULL;
    struct gp_sim_op *op = NULL;
    int code = gp_model_enter(model, &lane, err);

    if (code != 0) {
        return code;
    }
    if (!graph->is_instantiated) {
        code = gp_fail(err, GP_ESTATE, "the graph is not instantiated");
    } else if (gp_model_stream_of(stream)->capture != NULL) {
        gp_model_capture_drop(model, gp_model_stream_of(stream)->capture);
        code = gp_fail(err, GP_EUNSUPPORTED, "a graph launch cannot be captured into a graph");
    } else {
        op = gp_sim_op_create(&model->sim, GP_SIM_GRAPH);
        code = op != NULL ? gp_graph_run_create(graph->body, &op->run, err)
                          : gp_fail(err, GP_ENOMEM, "no memory to launch a graph");
    }
    if (code == 0) {
        code = gp_model_submit(
            gp_model_stream_of(stream), lane, op,
            profile->host_graph_ns + profile->host_graph_node_ps * base->node_count / 1000, err);
    } else if (op != NULL) {
        gp_sim_op_destroy(&model->sim, op);
    }
    gp_lane_leave(lane, true);
    return code;
}

int gp_model_graph_destroy(struct gp_graph *base, struct gp_error *err)
{
    struct gp_model_graph *graph = graph_of(base);
    struct gp_model *model = gp_model_of(base->device);
    struct gp_lane *lane = NULL;
    int code = gp_lane_enter(&model->lanes, &lane, err);

    if (code != 0) {
        return code;
    }
    gp_model_unlink(&graph->link);
    gp_graph_body_release(graph->body);
    gp_free(graph);
    gp_lane_leave(lane, false);
    return 0;
}
