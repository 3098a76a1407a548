/* Work in a thread: see job.h. */
#include "viewer/layout/job.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "probe/memory.h"

#define SHARE_ONE 1000000.0

struct gp_view_job {
    gp_view_work_fn *work;
    void *user;
    pthread_t thread;
    bool has_thread;
    atomic_bool is_given_up, is_over;
    atomic_uint share; /* in millionths */
};

static void *run(void *argument)
{
    struct gp_view_job *job = argument;

    job->work(job, job->user);
    atomic_store(&job->is_over, true);
    return NULL;
}

struct gp_view_job *gp_view_job_begin(gp_view_work_fn *work, void *user)
{
    struct gp_view_job *job = gp_xalloc(1, sizeof *job);

    job->work = work;
    job->user = user;
    job->has_thread = pthread_create(&job->thread, NULL, run, job) == 0;
    if (!job->has_thread) {
        (void)run(job);
    }
    return job;
}

bool gp_view_job_is_over(const struct gp_view_job *job, double *share)
{
    bool is_over = atomic_load(&job->is_over);

    *share = atomic_load(&job->share) / SHARE_ONE;
    return is_over;
}

bool gp_view_job_finish(struct gp_view_job *job, bool is_given_up)
{
    bool is_done;

    if (job == NULL) {
        return false;
    }
    is_done = !is_given_up || atomic_load(&job->is_over);
    atomic_store(&job->is_given_up, is_given_up);
    if (job->has_thread) {
        (void)pthread_join(job->thread, NULL);
    }
    gp_free(job);
    return is_done;
}

bool gp_view_job_go_on(struct gp_view_job *job, double share)
{
    if (job == NULL) {
        return true;
    }
    atomic_store(&job->share, (unsigned)(share * SHARE_ONE));
    return !atomic_load(&job->is_given_up);
}
