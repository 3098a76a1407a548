/*
 * Contexts: a device with a policy, its pool of streams, and the futures that run on them. The
 * three verbs are init, schedule (every choice made, nothing submitted; future.h) and sync
 * (schedule, run, wait). Any thread that is attached to the device may use a context, several at
 * once. It knows no recordings.
 *
 * Where a function takes a context, NULL stands for the registered one: the thread's if there is
 * one, else the process's. A context that was not initialised is GP_ESTATE.
 */
#ifndef GP_CORE_CONTEXT_H
#define GP_CORE_CONTEXT_H

#include "core/completion.h"
#include "core/schedule.h"

/* Who finds the context when none is named. */
enum gp_context_scope { GP_SCOPE_NONE, GP_SCOPE_THREAD, GP_SCOPE_PROCESS };

/* Zero means default. */
struct gp_context_options {
    const struct gp_policy_ops *policy; /* NULL: round-robin */
    uint32_t stream_count;              /* of the pool; 0: GP_STREAMS_DEFAULT */
    enum gp_issue_order order;
    enum gp_completion completion;
    enum gp_context_scope scope;
};

/* The caller's; zero it before init. */
struct gp_context {
    struct gp_context_state *state; /* NULL: not initialised */
};

struct gp_future;

/* Makes the policy; streams are made when the first work is submitted. The device outlives the
 * context. Twice, or a second context for the same scope, is GP_ESTATE and changes nothing. */
int gp_context_init(struct gp_context *context, struct gp_device *device,
                    const struct gp_context_options *options, struct gp_error *err);

/* Waits for all work of dropped futures, runs what they keep, stops the context's threads and
 * unregisters it, on the thread that registered it if the scope is a thread. The struct may be
 * initialised again. GP_ESTATE, and nothing is changed, while futures exist that were not dropped.
 * One that was not initialised is left alone. */
int gp_context_finish(struct gp_context *context, struct gp_error *err);

/* Makes every choice for the DAG and submits nothing. The DAG is borrowed until the future is
 * dropped or done; its buffers until the work is done. *out is the caller's. */
int gp_context_schedule(struct gp_context *context, const struct gp_dag *dag,
                        struct gp_future **out, struct gp_error *err);

/* Schedules, submits and waits. */
int gp_context_sync(struct gp_context *context, const struct gp_dag *dag, struct gp_error *err);

/* Submits the DAG to a stream of the caller, in one order, without asking the policy, and waits for
 * the stream also when submitting failed, which is then what is returned. */
int gp_context_sync_on(struct gp_context *context, const struct gp_dag *dag,
                       struct gp_stream *stream, struct gp_error *err);

/* The same without waiting: the caller synchronises, and keeps the buffers until then. */
int gp_context_submit_on(struct gp_context *context, const struct gp_dag *dag,
                         struct gp_stream *stream, struct gp_error *err);

/* Of futures that were dropped in flight. sweep releases what is done, without waiting, and returns
 * how many that were; drain waits for all; pending says how many there are. Scheduling sweeps as
 * far as the oldest are done. 0 for a context that was not initialised. */
uint32_t gp_context_sweep(struct gp_context *context);
void gp_context_drain(struct gp_context *context);
uint32_t gp_context_pending(struct gp_context *context);

#endif
