/*
 * Dispatch: walks a schedule's steps and submits them to a pool's streams, then waits until the
 * streams are known complete. The only place where work reaches a device.
 */
#ifndef GP_CORE_DISPATCH_H
#define GP_CORE_DISPATCH_H

#include "core/sink.h"

/* How the host learns that a run is complete; the words of cell.completion. */
#define GP_COMPLETIONS(X) X(EVENT_POLL, "event-poll")

enum gp_completion {
#define X(name, word) GP_COMPLETION_##name,
    GP_COMPLETIONS(X)
#undef X
        GP_COMPLETION_COUNT
};

/* The list's word, static. */
const char *gp_completion_name(enum gp_completion completion);

/* Streams made once, the events that schedules need, and the completion events. */
struct gp_pool {
    struct gp_device *device;
    const struct gp_policy_ops *made_for; /* NULL: for whoever wants usual streams */
    struct gp_stream *streams[GP_STREAMS_MAX];
    uint32_t stream_count;
    struct gp_event **events; /* untimed, for steps */
    uint32_t event_count;
    struct gp_event *done[GP_STREAMS_MAX]; /* untimed, one a stream */
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
    /* At least schedule->stream_count streams, reserved; made for the policy if it needs that. */
    struct gp_pool *pool;
    const struct gp_probe *probes; /* per operation; NULL in plain runs */
    struct gp_sink *sink;          /* NULL: nobody is told, and no clock is read on the way */
    enum gp_completion completion;
};

/* Runs it once. On a failure *err names the operation, what was submitted is waited for as far as
 * the device still answers, and the error is returned. Called on an attached thread. */
int gp_dispatch_run(const struct gp_dispatch *dispatch, struct gp_run_times *out,
                    struct gp_error *err);

#endif
