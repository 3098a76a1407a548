/* The executor: see executor.h. */
#include "core/executor.h"

#include <assert.h>
#include <inttypes.h>
#include <semaphore.h>

#include "core/memory.h"

enum task_state {
    TASK_READY,   /* in the queue */
    TASK_RUNNING, /* being polled */
    TASK_WOKEN,   /* likewise, and to be polled again */
    TASK_WAITING, /* until its waker is called */
    TASK_DONE,
};

struct gp_task {
    struct gp_executor *executor;
    struct gp_task *next; /* in the queue */
    struct gp_pollable pollable;
    struct gp_sleepers joiners;
    struct gp_error failure; /* code 0: none */
    enum task_state state;
    bool is_joined; /* somebody holds it */
};

struct gp_executor {
    struct gp_signal signal; /* its own sleepers wait for all tasks */
    struct gp_sleepers workers;
    struct gp_task *first, *last; /* to be polled */
    uint32_t task_count;          /* not done */
    bool must_quit;
    pthread_t threads[GP_EXECUTOR_THREADS_MAX];
    uint32_t thread_count;
    sem_t has_begun;       /* once for each thread that attached or failed to */
    struct gp_error begun; /* why a thread could not */
};

/* With the lock held. */
static void enqueue(struct gp_task *task)
{
    struct gp_executor *executor = task->executor;

    task->state = TASK_READY;
    task->next = NULL;
    if (executor->last != NULL) {
        executor->last->next = task;
    } else {
        executor->first = task;
    }
    executor->last = task;
    gp_signal_wake_one(&executor->signal, &executor->workers);
}

static struct gp_task *dequeue(struct gp_executor *executor)
{
    struct gp_task *task = executor->first;

    if (task != NULL) {
        executor->first = task->next;
        if (executor->first == NULL) {
            executor->last = NULL;
        }
    }
    return task;
}

/* A waker: with a lock of a context held, so it only notes. */
static void wake(void *user)
{
    struct gp_task *task = user;
    struct gp_signal *signal = &task->executor->signal;

    gp_signal_lock(signal);
    if (task->state == TASK_WAITING) {
        enqueue(task);
    } else if (task->state == TASK_RUNNING) {
        task->state = TASK_WOKEN;
    }
    gp_signal_unlock(signal);
}

/* With the lock held; the task is nobody's any more, or its joiner's. */
static void end(struct gp_task *task)
{
    struct gp_executor *executor = task->executor;

    task->state = TASK_DONE;
    executor->task_count--;
    if (executor->task_count == 0) {
        gp_signal_wake_all(&executor->signal, &executor->signal.sleepers);
    }
    if (task->is_joined) {
        gp_signal_wake_all(&executor->signal, &task->joiners);
    } else {
        gp_free(task);
    }
}

/* One poll, without the lock; it is held before and after. */
static void poll_task(struct gp_executor *executor, struct gp_task *task)
{
    const struct gp_waker waker = {wake, task};
    struct gp_error failure = {0};
    int code;

    task->state = TASK_RUNNING;
    gp_signal_unlock(&executor->signal);
    code = task->pollable.poll(task->pollable.user, &waker, &failure);
    if (code != GP_ENOTREADY && task->pollable.drop != NULL) {
        task->pollable.drop(task->pollable.user);
    }
    gp_signal_lock(&executor->signal);
    if (code == GP_ENOTREADY && task->state == TASK_WOKEN) {
        enqueue(task);
    } else if (code == GP_ENOTREADY) {
        task->state = TASK_WAITING;
    } else {
        task->failure = failure;
        task->failure.code = code;
        end(task);
    }
}

static void work(struct gp_executor *executor)
{
    for (;;) {
        struct gp_task *task = dequeue(executor);

        if (task != NULL) {
            poll_task(executor, task);
        } else if (executor->must_quit) {
            return;
        } else {
            (void)gp_signal_wait(&executor->signal, &executor->workers, INT64_MAX);
        }
    }
}

static void *run(void *user)
{
    struct gp_executor *executor = user;
    struct gp_device *device = executor->signal.device;
    struct gp_error err = {0};
    int code = gp_device_attach(device, &err);

    if (code != 0) {
        gp_signal_lock(&executor->signal);
        executor->begun = err;
        gp_signal_unlock(&executor->signal);
    }
    (void)sem_post(&executor->has_begun);
    if (code == 0) {
        gp_signal_lock(&executor->signal);
        work(executor);
        gp_signal_unlock(&executor->signal);
        gp_device_detach(device);
    }
    return NULL;
}

/* Waits until each thread has attached or failed to, without parking: the model's time is to know
 * them all before the first task, and must not run on meanwhile. */
static int wait_for_threads(struct gp_executor *executor, struct gp_error *err)
{
    for (uint32_t i = 0; i < executor->thread_count;) {
        i += sem_wait(&executor->has_begun) == 0 ? 1 : 0;
    }
    if (executor->begun.code != 0 && err != NULL) {
        *err = executor->begun;
        (void)gp_fail_context(err, "a thread of the executor");
    }
    return executor->begun.code;
}

int gp_executor_create(struct gp_device *device, uint32_t thread_count, struct gp_executor **out,
                       struct gp_error *err)
{
    struct gp_executor *executor;
    int code = 0;

    assert(device != NULL && out != NULL);
    *out = NULL;
    thread_count = thread_count > 0 ? thread_count : 1;
    if (thread_count > GP_EXECUTOR_THREADS_MAX) {
        return gp_fail(err, GP_EINVAL, "an executor of %" PRIu32 " threads; it may have %d",
                       thread_count, GP_EXECUTOR_THREADS_MAX);
    }
    executor = gp_alloc(1, sizeof *executor);
    if (executor == NULL) {
        return gp_fail(err, GP_ENOMEM, "out of host memory for an executor");
    }
    gp_signal_init(&executor->signal, device);
    (void)sem_init(&executor->has_begun, 0, 0);
    while (code == 0 && executor->thread_count < thread_count) {
        if (pthread_create(&executor->threads[executor->thread_count], NULL, run, executor) != 0) {
            code = gp_fail(err, GP_ENOMEM, "thread %" PRIu32 " of %" PRIu32 " of an executor",
                           executor->thread_count, thread_count);
        } else {
            executor->thread_count++;
        }
    }
    if (code == 0) {
        code = wait_for_threads(executor, err);
    }
    if (code != 0) {
        gp_executor_destroy(executor);
        return code;
    }
    *out = executor;
    return 0;
}

void gp_executor_destroy(struct gp_executor *executor)
{
    struct gp_signal *signal;
    struct gp_lane *lane;

    if (executor == NULL) {
        return;
    }
    signal = &executor->signal;
    gp_signal_lock(signal);
    while (executor->task_count > 0) {
        (void)gp_signal_wait(signal, &signal->sleepers, INT64_MAX);
    }
    executor->must_quit = true;
    gp_signal_wake_all(signal, &executor->workers);
    gp_signal_unlock(signal);
    lane = gp_device_park(signal->device);
    for (uint32_t i = 0; i < executor->thread_count; i++) {
        (void)pthread_join(executor->threads[i], NULL);
    }
    gp_device_resume(signal->device, lane);
    gp_signal_finish(signal);
    (void)sem_destroy(&executor->has_begun);
    gp_free(executor);
}

int gp_executor_spawn(struct gp_executor *executor, const struct gp_pollable *pollable,
                      struct gp_task **out, struct gp_error *err)
{
    struct gp_task *task;

    assert(executor != NULL && pollable != NULL && pollable->poll != NULL);
    task = gp_alloc(1, sizeof *task);
    if (out != NULL) {
        *out = task;
    }
    if (task == NULL) {
        return gp_fail(err, GP_ENOMEM, "out of host memory for a task");
    }
    task->executor = executor;
    task->pollable = *pollable;
    task->is_joined = out != NULL;
    gp_signal_lock(&executor->signal);
    executor->task_count++;
    enqueue(task);
    gp_signal_unlock(&executor->signal);
    return 0;
}

static int poll_future(void *user, const struct gp_waker *waker, struct gp_error *err)
{
    return gp_future_poll(user, waker, err);
}

static void drop_future(void *user)
{
    gp_future_drop(user);
}

int gp_executor_spawn_future(struct gp_executor *executor, struct gp_future *future,
                             struct gp_task **out, struct gp_error *err)
{
    const struct gp_pollable pollable = {poll_future, drop_future, future};

    assert(future != NULL);
    return gp_executor_spawn(executor, &pollable, out, err);
}

int gp_task_join(struct gp_task *task, struct gp_error *err)
{
    struct gp_signal *signal = &task->executor->signal;
    int code;

    gp_signal_lock(signal);
    while (task->state != TASK_DONE) {
        (void)gp_signal_wait(signal, &task->joiners, INT64_MAX);
    }
    gp_signal_unlock(signal);
    code = task->failure.code;
    if (code != 0 && err != NULL) {
        *err = task->failure;
    }
    gp_free(task);
    return code;
}

bool gp_task_is_done(struct gp_task *task)
{
    bool is_done;

    gp_signal_lock(&task->executor->signal);
    is_done = task->state == TASK_DONE;
    gp_signal_unlock(&task->executor->signal);
    return is_done;
}
