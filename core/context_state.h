/*
 * What is inside a context and a future; private to context.c, future.c,
 * future_submit.c, reclaim.c and reactor.c. All of it is
 * guarded by the context's signal unless said otherwise; device calls are made without the lock.
 */
#ifndef GP_CORE_CONTEXT_STATE_H
#define GP_CORE_CONTEXT_STATE_H

#include "core/dispatch.h"
#include "core/future.h"
#include "core/reactor.h"

struct gp_kept {
    struct gp_kept *next;
    gp_release_fn *release;
    void *user;
};

/* Reused with its events and marks: the device makes none twice. */
struct gp_future {
    struct gp_context_state *context;
    struct gp_future *next;                        /* free or parked */
    struct gp_future *watch_next, *watch_previous; /* in a queue of the reactor */
    struct gp_schedule *schedule;
    struct gp_kept *kept;
    struct gp_waker waker;
    struct gp_event **events; /* for the schedule's steps */
    struct gp_mark **marks;   /* where they are stays the same */
    uint32_t *streams;        /* of each mark that is set */
    uint32_t event_count, mark_count;
    uint32_t set;               /* marks of this use */
    uint32_t reached;           /* of them; host-func: how many functions ran */
    uint32_t unsubmitted;       /* host-func: 1 while marks are still being set */
    int64_t check_ns;           /* when a poll asks the device; the polling thread's own */
    struct gp_error failure;    /* code 0: none yet */
    enum gp_future_state state; /* the using thread's own */
    bool is_watched;            /* the reactor looks, not the polls */
    bool is_done;               /* nothing of it runs any more */
};

/* Pinned words for marks, handed out once each. */
struct gp_flags {
    struct gp_flags *next;
    uint32_t *words;
    uint32_t used;
};

enum { GP_FLAGS_OF_BLOCK = 1024 };

struct gp_context_state {
    struct gp_device *device;
    struct gp_context_options options;
    struct gp_policy *policy;
    struct gp_policy *alone; /* "single", for streams of the caller */
    struct gp_signal signal;
    struct gp_pool *pool; /* NULL: not made yet */
    bool is_making;       /* somebody makes the pool or a thread */
    struct gp_future *free;
    struct gp_future *parked, *parked_last; /* dropped in flight */
    uint32_t parked_count;
    uint32_t live_count; /* handed out, not released; those parked too */
    struct gp_flags *flags;
    struct gp_reactor reactor;
};

/* The state behind `context`, of the registered one for NULL; NULL with GP_ESTATE in *err. */
struct gp_context_state *gp_context_state(struct gp_context *context, struct gp_error *err);

/* Makes the pool if there is none. One thread makes, others wait for it, parked. */
int gp_context_make_pool(struct gp_context_state *state, struct gp_error *err);

/* One maker at a time; between begin and end the caller may call the device. */
void gp_context_make_begin(struct gp_context_state *state);
void gp_context_make_end(struct gp_context_state *state);

/* A word of pinned memory that nobody else has, for as long as the context exists. */
int gp_context_take_flag(struct gp_context_state *state, uint32_t **out, struct gp_error *err);

/* A future for a schedule, whose owner it becomes also on a failure. */
int gp_future_create(struct gp_context_state *state, struct gp_schedule *schedule,
                     struct gp_future **out, struct gp_error *err);

/* The events and marks that its schedule needs, of which it may have some from an earlier use. */
int gp_future_make_ready(struct gp_future *future, struct gp_error *err);

/* Submits and sets the marks. After a failure on the way, which is kept in the future, the marks
 * tell when what was submitted is done; without marks it is waited for here. */
void gp_future_submit(struct gp_future *future);

/* With the lock held: nothing of it runs any more. Calls the waker. */
void gp_future_finish(struct gp_future *future);

/* What is not yet reached of an unwatched future is looked at, by the thread that uses it: 0 all
 * reached; GP_ENOTREADY; a failure. */
int gp_future_look(struct gp_future *future, struct gp_error *err);

/* Ends an unwatched future that a look found done, or failed. */
void gp_future_settle(struct gp_future *future, int code, const struct gp_error *err);

/* Whether the reactor looks after it; and waiting for its end, as the mode says or for the
 * reactor. Not with the lock held. */
bool gp_future_is_watched(struct gp_future *future);
void gp_future_wait_unwatched(struct gp_future *future);
void gp_future_wait_watched(struct gp_future *future);

/* Destroys one that is in no list. */
void gp_future_destroy(struct gp_future *future);

/* Releases parked futures that are done; all: looks at each, else up to the first that is not. */
uint32_t gp_future_sweep(struct gp_context_state *state, bool all);
void gp_future_drain(struct gp_context_state *state);

#endif
