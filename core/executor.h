/*
 * The executor: threads that poll tasks. A task is polled when it is spawned and whenever its waker
 * was called; between polls it costs memory and no thread, so thousands may be in flight. It knows
 * nothing of what tasks do.
 *
 * On the model a thread that waits in spawn, join or destroy is parked meanwhile.
 */
#ifndef GP_CORE_EXECUTOR_H
#define GP_CORE_EXECUTOR_H

#include "core/future.h"

/* Something that can be polled to its end, as gp_future_poll; polled by one thread at a time, not
 * always the same, attached to the device. */
struct gp_pollable {
    int (*poll)(void *user, const struct gp_waker *waker, struct gp_error *err);
    /* Optional: called once after its last poll. The waker must not be called after it. */
    void (*drop)(void *user);
    void *user;
};

struct gp_executor;
struct gp_task;

enum { GP_EXECUTOR_THREADS_MAX = 64 };

/* thread_count 0: one. Each thread attaches to the device, which outlives the executor. *out is the
 * caller's. GP_ENOMEM also when threads cannot be made. */
int gp_executor_create(struct gp_device *device, uint32_t thread_count, struct gp_executor **out,
                       struct gp_error *err);

/* Waits for all tasks, ends the threads. Joined or not, tasks of gp_executor_spawn that the caller
 * holds must be joined before. NULL allowed. */
void gp_executor_destroy(struct gp_executor *executor);

/* The pollable is the executor's from now on; after a failure it is still the caller's. *out is to
 * be joined; out NULL: nobody will ask. Any thread. */
int gp_executor_spawn(struct gp_executor *executor, const struct gp_pollable *pollable,
                      struct gp_task **out, struct gp_error *err);

/* The same with a future, which is dropped at its end. */
int gp_executor_spawn_future(struct gp_executor *executor, struct gp_future *future,
                             struct gp_task **out, struct gp_error *err);

/* Waits until the task has ended and releases it: 0, or what its last poll returned. Not on a
 * thread of the executor. */
int gp_task_join(struct gp_task *task, struct gp_error *err);

/* True when join would not wait. */
bool gp_task_is_done(struct gp_task *task);

#endif
