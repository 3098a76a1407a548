/*
 * Dispatch: walks a schedule's steps and submits them to a pool's streams, then waits until the
 * streams are known complete. The only place where work reaches a device.
 */
#ifndef GP_CORE_DISPATCH_H
#define GP_CORE_DISPATCH_H

#include "core/completion.h"
#include "core/sink.h"

/* Streams made once, the events that schedules need, and what tells that a stream is done. */
struct gp_pool {
    struct gp_device *device;
    const struct gp_policy_ops *made_for; /* NULL: for whoever wants usual streams */
    struct gp_stream *streams[GP_STREAMS_MAX];
    uint32_t stream_count;
    struct gp_event **events; /* untimed, for steps */
    uint32_t event_count;
    enum gp_completion completion;       /* what `done` is made for */
    struct gp_mark done[GP_STREAMS_MAX]; /* one a stream */
    uint32_t mark_count;
    void *flags;             /* pinned words of completion "flag"; NULL: not made yet */
    struct gp_signal signal; /* of completion "host-func" */
};

/* Makes stream_count non-blocking streams of priority 0, in order. Make one pool per process, at
 * the largest size, before any other stream (connections go by activation, but helpers made first
 * would disturb older drivers). */
int gp_pool_create(struct gp_device *device, uint32_t stream_count, struct gp_pool **out,
                   struct gp_error *err);
/* The same with the streams that a policy asks for (policy.h), as many as it uses: for policies
 * that need a pool of their own. */
int gp_pool_create_for(struct gp_device *device, const struct gp_policy *policy,
                       struct gp_pool **out, struct gp_error *err);
void gp_pool_destroy(struct gp_pool *pool);

/* Grows the events to what a schedule needs; dispatch itself allocates nothing. */
int gp_pool_reserve(struct gp_pool *pool, uint32_t event_count, struct gp_error *err);

/* Makes what another completion mode than the first needs, for gp_dispatch_run; a pool that is
 * ready for it is left alone. Tries the mode on the first stream, which it waits for: what the
 * device cannot do is GP_EUNSUPPORTED. After a failure the pool is ready for none. */
int gp_pool_prepare(struct gp_pool *pool, enum gp_completion completion, struct gp_error *err);

/* Extra instrumentation of one operation in a traced run; all zero: none. Events are timed ones,
 * owned by the caller. */
struct gp_probe {
    gp_addr stamp;           /* kernels only */
    struct gp_event *before; /* recorded just before the operation */
    struct gp_event *after;  /* recorded just after */
};

/* Host clock. Makespan = end_ns − begin_ns; submit time = submitted_ns − begin_ns. */
struct gp_run_times {
    int64_t begin_ns;     /* just before the first submitting call */
    int64_t submitted_ns; /* just after the last */
    int64_t end_ns;       /* the last used stream is known complete */
};

struct gp_dispatch {
    const struct gp_schedule *schedule;
    /* At least schedule->stream_count streams, reserved; made for the policy if it needs that;
     * prepared for any completion but the default. */
    struct gp_pool *pool;
    const struct gp_probe *probes; /* per operation; NULL in plain runs */
    struct gp_sink *sink;          /* NULL: nobody is told, and no clock is read on the way */
    /* Launched instead of submitting step by step: made of this schedule, pool and probes by
     * gp_graph_submit_create. NULL: streams. */
    struct gp_graph *graph;
    enum gp_completion completion;
};

/* Runs it once. On a failure *err names the operation, what was submitted is waited for as far as
 * the device still answers, and the error is returned. Called on an attached thread. */
int gp_dispatch_run(const struct gp_dispatch *dispatch, struct gp_run_times *out,
                    struct gp_error *err);

#endif
