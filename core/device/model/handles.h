/*
 * The model device's handles and what its calls share. Inside core/device/model only.
 */
#ifndef GP_CORE_DEVICE_MODEL_HANDLES_H
#define GP_CORE_DEVICE_MODEL_HANDLES_H

#include "core/device/model/execute.h"
#include "core/device/model/graph.h"
#include "core/device/model/lane.h"

/* Handles are kept in lists, so that close can free what the caller left. */
struct gp_model_link {
    struct gp_model_link *next, *previous;
};

/* A capture in progress; of the thread that began it. */
struct gp_capture {
    struct gp_graph_body *body;
    struct gp_model_stream *origin;
    struct gp_lane *owner;
};

struct gp_model {
    struct gp_device base;
    struct gp_profile profile;
    char *profile_json;
    struct gp_memory memory;
    uint64_t pool_bytes, pool_used;   /* stream-ordered memory: held, and in use */
    uint64_t chunk_bytes, chunk_used; /* likewise, of small allocations that act at once */
    struct gp_sim sim;
    struct gp_lanes lanes;
    struct gp_model_link streams, events, graphs; /* heads of rings */
    bool has_sim;
};

struct gp_model_stream {
    struct gp_stream base;
    struct gp_model_link link;
    struct gp_sim_stream *sim; /* NULL: the calling thread's default stream */
    struct gp_capture *capture;
    struct gp_node_set after; /* what the next captured operation comes after */
};

struct gp_model_event {
    struct gp_event base;
    struct gp_model_link link;
    struct gp_sim_marker *marker; /* of the last record; NULL: none */
    struct gp_capture *capture;   /* recorded during it */
    struct gp_node_set after;
};

struct gp_model_graph {
    struct gp_graph base;
    struct gp_model_link link;
    struct gp_graph_body *body;
    bool is_instantiated;
};

/* The model that a handle of the interface is part of. */
static inline struct gp_model *gp_model_of(struct gp_device *device)
{
    return (struct gp_model *)(void *)device;
}

/* Likewise, of streams. */
static inline struct gp_model_stream *gp_model_stream_of(struct gp_stream *stream)
{
    return (struct gp_model_stream *)(void *)stream;
}

/* Likewise, of events. */
static inline struct gp_model_event *gp_model_event_of(struct gp_event *event)
{
    return (struct gp_model_event *)(void *)event;
}

/* Puts a handle at its ring's end, and takes it out. */
void gp_model_link(struct gp_model_link *head, struct gp_model_link *link);
/* See gp_model_link. */
void gp_model_unlink(struct gp_model_link *link);

/* Enters a call: the lane is admitted, the lock held, the device not lost. On an error nothing is
 * held. */
int gp_model_enter(struct gp_model *model, struct gp_lane **out, struct gp_error *err);

/* The stream that a handle means for this thread; made at the first use of a thread's default
 * stream. */
int gp_model_resolve(struct gp_model_stream *stream, struct gp_lane *lane,
                     struct gp_sim_stream **out, struct gp_error *err);

/* Takes op over in every case: submits it, or adds it to the capture that the stream is in. The
 * call costs cost_ns. */
int gp_model_submit(struct gp_model_stream *stream, struct gp_lane *lane, struct gp_sim_op *op,
                    int64_t cost_ns, struct gp_error *err);

/* Waits until all that the stream was given so far is done. */
int gp_model_drain(struct gp_sim_stream *stream, struct gp_lane *lane, int64_t return_ns,
                   struct gp_error *err);

/* A stream's handle with what the simulation has of it, in the ring, inside a call of `lane`; NULL
 * after a failure, which is GP_ENOMEM. */
struct gp_model_stream *gp_model_stream_make(struct gp_model *model, struct gp_lane *lane,
                                             enum gp_stream_flag flag, int32_t priority,
                                             struct gp_error *err);

/* Slot of gp_device_ops; contract in device.h. */
int gp_model_stream_create(struct gp_device *device, enum gp_stream_flag flag, int32_t priority,
                           struct gp_stream **out, struct gp_error *err);
/* Slot of gp_device_ops; contract in device.h. */
int gp_model_stream_create_on(struct gp_device *device, struct gp_sm_part part, int32_t priority,
                              struct gp_stream **out, struct gp_error *err);
/* Slot of gp_device_ops; contract in device.h. */
int gp_model_stream_destroy(struct gp_stream *base, struct gp_error *err);
/* Slot of gp_device_ops; contract in device.h. */
int gp_model_stream_query(struct gp_stream *base, struct gp_error *err);
/* Slot of gp_device_ops; contract in device.h. */
int gp_model_stream_sync(struct gp_stream *base, struct gp_error *err);
/* Slot of gp_device_ops; contract in device.h. */
int gp_model_stream_wait(struct gp_stream *stream, struct gp_event *base, struct gp_error *err);
/* Slot of gp_device_ops; contract in device.h. */
int gp_model_event_create(struct gp_device *device, uint32_t flags, struct gp_event **out,
                          struct gp_error *err);
/* Slot of gp_device_ops; contract in device.h. */
int gp_model_event_destroy(struct gp_event *base, struct gp_error *err);
/* Slot of gp_device_ops; contract in device.h. */
int gp_model_event_record(struct gp_event *event, struct gp_stream *stream, struct gp_error *err);
/* Slot of gp_device_ops; contract in device.h. */
int gp_model_event_query(struct gp_event *base, struct gp_error *err);
/* Slot of gp_device_ops; contract in device.h. */
int gp_model_event_sync(struct gp_event *base, struct gp_error *err);
/* Slot of gp_device_ops; contract in device.h. */
int gp_model_event_elapsed(struct gp_event *begin, struct gp_event *end, int64_t *out_ns,
                           struct gp_error *err);

/* Slot of gp_device_ops; contract in device.h. */
int gp_model_launch(struct gp_stream *stream, const struct gp_launch *launch, struct gp_error *err);
/* Slot of gp_device_ops; contract in device.h. */
int gp_model_copy(struct gp_stream *base, enum gp_copy_kind kind, uint64_t to, uint64_t from,
                  uint64_t bytes, struct gp_error *err);
/* Slot of gp_device_ops; contract in device.h. */
int gp_model_set(struct gp_stream *stream, gp_addr to, uint8_t value, uint64_t bytes,
                 struct gp_error *err);
/* Slot of gp_device_ops; contract in device.h. */
int gp_model_host_function(struct gp_stream *stream, gp_host_fn *fn, void *user,
                           struct gp_error *err);
/* Slot of gp_device_ops; contract in device.h. */
int gp_model_flag_write(struct gp_stream *stream, uint32_t *flag, uint32_t value,
                        struct gp_error *err);
/* What a call costs that allocates so many bytes at once; takes them. Small allocations share
 * chunks, of which there are as many as their sum needs. */
int64_t gp_model_chunk_take(struct gp_model *model, uint64_t bytes);
/* Likewise of a call that frees them, beside the wait for the device. */
int64_t gp_model_chunk_give(struct gp_model *model, uint64_t bytes);

/* Slot of gp_device_ops; contract in device.h. */
int gp_model_mem_alloc_async(struct gp_stream *base, uint64_t bytes, gp_addr *out,
                             struct gp_error *err);
/* Slot of gp_device_ops; contract in device.h. */
int gp_model_mem_free_async(struct gp_stream *stream, gp_addr address, struct gp_error *err);

/* Slot of gp_device_ops; contract in device.h. */
int gp_model_capture_begin(struct gp_stream *base, struct gp_error *err);
/* Slot of gp_device_ops; contract in device.h. */
int gp_model_capture_end(struct gp_stream *base, struct gp_graph **out, struct gp_error *err);
/* Slot of gp_device_ops; contract in device.h. */
int gp_model_graph_instantiate(struct gp_graph *base, struct gp_error *err);
/* Slot of gp_device_ops; contract in device.h. */
int gp_model_graph_launch(struct gp_graph *base, struct gp_stream *stream, struct gp_error *err);
/* Slot of gp_device_ops; contract in device.h. */
int gp_model_graph_destroy(struct gp_graph *base, struct gp_error *err);
/* Ends a capture without a graph, because of an error or because its stream goes. */
void gp_model_capture_drop(struct gp_model *model, struct gp_capture *capture);

#endif
