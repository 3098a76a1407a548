/*
 * The reactor: the threads of a context that look after futures which have a waker. With the modes
 * that look (event-poll, flag) one thread looks at the oldest future of each stream; with those
 * that sleep in the driver there is one thread a stream, on its oldest; with host functions, which
 * arrive by themselves, one thread asks now and then whether the device still works. Private to
 * core.
 */
#ifndef GP_CORE_REACTOR_H
#define GP_CORE_REACTOR_H

#include <semaphore.h>

#include "core/completion.h"

struct gp_context_state;
struct gp_future;

/* Futures whose next mark is on one stream, oldest first. */
struct gp_watch_queue {
    struct gp_future *first, *last;
};

struct gp_watcher {
    struct gp_context_state *context;
    pthread_t thread;
    uint32_t first_queue, queue_count;
    struct gp_sleepers sleepers; /* the thread itself, when it has nothing to do */
    bool has_thread;
    sem_t has_begun;       /* attached, or failed to */
    struct gp_error begun; /* why not */
};

struct gp_reactor {
    struct gp_watch_queue queues[GP_STREAMS_MAX];
    struct gp_watcher watchers[GP_STREAMS_MAX];
    uint32_t watched; /* futures in queues */
    bool must_quit;
};

/* Makes the thread that looks after the stream if there is none. Not with the lock held. */
int gp_reactor_prepare(struct gp_context_state *context, uint32_t stream, struct gp_error *err);

/* With the lock held; the threads of its streams are there. */
void gp_reactor_watch(struct gp_future *future);

/* With the lock held: a function behind one of its marks was called. */
void gp_reactor_arrive(struct gp_future *future);

/* Ends the threads; nothing is watched any more. */
void gp_reactor_stop(struct gp_context_state *context);

#endif
