/* Driving part by part: see drive.h. */
#include "probe/sweep/drive.h"

#include <assert.h>
#include <inttypes.h>

#include "core/executor.h"
#include "probe/memory.h"

/* What a thread synchronises. */
struct job {
    struct gp_driver *driver;
    const struct gp_dag *part;
};

struct gp_driver {
    struct gp_device *device;
    enum gp_drive drive;
    struct gp_dag **parts;
    uint32_t part_count;
    struct gp_context context;
    struct gp_executor *executor; /* not of sync */
    struct gp_task **tasks;       /* one a part */
    struct job *jobs;             /* likewise */
};

static int start(struct gp_driver *driver, const struct gp_context_options *options,
                 uint32_t worker_count, struct gp_error *err)
{
    int code = gp_context_init(&driver->context, driver->device, options, err);

    if (code == 0 && driver->drive != GP_DRIVE_SYNC) {
        code =
            gp_executor_create(driver->device, driver->drive == GP_DRIVE_THREADS ? worker_count : 1,
                               &driver->executor, err);
    }
    return code;
}

void gp_driver_destroy(struct gp_driver *driver)
{
    if (driver == NULL) {
        return;
    }
    gp_executor_destroy(driver->executor);
    (void)gp_context_finish(&driver->context, NULL);
    gp_dag_unsplit(driver->parts, driver->part_count);
    gp_free((void *)driver->tasks);
    gp_free(driver->jobs);
    gp_free(driver);
}

/* Submitted by the executor's thread when it is polled first. */
static int spawn_future(struct gp_driver *driver, uint32_t i, struct gp_error *err)
{
    struct gp_future *future = NULL;
    int code = gp_context_schedule(&driver->context, driver->parts[i], &future, err);

    if (code == 0) {
        code = gp_executor_spawn_future(driver->executor, future, &driver->tasks[i], err);
        if (code != 0) {
            gp_future_drop(future);
        }
    }
    return code;
}

static int synchronise(void *user, const struct gp_waker *waker, struct gp_error *err)
{
    const struct job *job = user;

    (void)waker;
    return gp_context_sync(&job->driver->context, job->part, err);
}

static int spawn_thread_job(struct gp_driver *driver, uint32_t i, struct gp_error *err)
{
    const struct gp_pollable pollable = {.poll = synchronise, .user = &driver->jobs[i]};

    return gp_executor_spawn(driver->executor, &pollable, &driver->tasks[i], err);
}

static int hand_on(struct gp_driver *driver, uint32_t i, struct gp_error *err)
{
    switch (driver->drive) {
    case GP_DRIVE_AWAIT:
        return spawn_future(driver, i, err);
    case GP_DRIVE_SYNC:
        return gp_context_sync(&driver->context, driver->parts[i], err);
    case GP_DRIVE_THREADS:
        return spawn_thread_job(driver, i, err);
    case GP_DRIVE_SUBMIT:
    case GP_DRIVE_COUNT:
        break;
    }
    assert(false && "a drive of no kind");
    return GP_EINVAL;
}

/* Joins the first `count` tasks; the first failure is told. */
static int join(struct gp_driver *driver, uint32_t count, struct gp_error *err)
{
    int code = 0;

    for (uint32_t i = 0; i < count && driver->drive != GP_DRIVE_SYNC; i++) {
        struct gp_error one = {0};
        int joined = gp_task_join(driver->tasks[i], &one);

        if (joined != 0 && code == 0) {
            code = joined;
            *err = one;
        }
    }
    return code;
}

int gp_driver_run(struct gp_driver *driver, struct gp_run_times *out, struct gp_error *err)
{
    struct gp_error failure = {0};
    uint32_t handed = 0;
    int code = 0;
    int joined;

    out->begin_ns = gp_device_clock_ns(driver->device);
    while (handed < driver->part_count && code == 0) {
        code = hand_on(driver, handed, &failure);
        handed += code == 0 ? 1 : 0;
    }
    out->submitted_ns = gp_device_clock_ns(driver->device);
    joined = join(driver, handed, err);
    out->end_ns = gp_device_clock_ns(driver->device);
    if (code != 0) {
        *err = failure;
        return gp_fail_context(err, "part %" PRIu32 " of %" PRIu32, handed, driver->part_count);
    }
    return joined;
}

int gp_driver_create(const struct gp_workload *workload, const struct gp_context_options *options,
                     struct gp_driver **out, struct gp_error *err)
{
    struct gp_driver *driver = gp_xalloc(1, sizeof *driver);
    struct gp_run_times ignored;
    int code;

    assert(workload->drive != GP_DRIVE_SUBMIT && options->scope == GP_SCOPE_NONE);
    driver->device = workload->device;
    driver->drive = workload->drive;
    code = gp_dag_split(workload->dag, &driver->parts, &driver->part_count, err);
    if (code == 0) {
        code = start(driver, options, workload->worker_count, err);
    }
    driver->tasks = gp_xalloc(driver->part_count, sizeof(struct gp_task *));
    driver->jobs = gp_xalloc(driver->part_count, sizeof *driver->jobs);
    for (uint32_t i = 0; i < driver->part_count; i++) {
        driver->jobs[i] = (struct job){driver, driver->parts[i]};
    }
    /* The context makes its streams, events and marks when they are first needed. */
    if (code == 0) {
        code = gp_driver_run(driver, &ignored, err);
    }
    if (code != 0) {
        gp_driver_destroy(driver);
        return code;
    }
    *out = driver;
    return 0;
}
