/*
 * Work that takes too long for a window to wait for: it runs in a thread of its own, says how far
 * it is, and may be given up. What it works on must stay until it is finished.
 */
#ifndef GP_VIEWER_LAYOUT_JOB_H
#define GP_VIEWER_LAYOUT_JOB_H

#include <stdbool.h>

struct gp_view_job;

typedef void gp_view_work_fn(struct gp_view_job *job, void *user);

/* Begins the work; where no thread can be started it is done at once. The caller's. */
struct gp_view_job *gp_view_job_begin(gp_view_work_fn *work, void *user);

/* Whether the work has ended, and if not how much of it is done: 0 to 1. */
bool gp_view_job_is_over(const struct gp_view_job *job, double *share);

/* Waits for the end, or gives it up and waits for that, which does not take long; true when the
 * work was done. NULL allowed: false. Releases the job. */
bool gp_view_job_finish(struct gp_view_job *job, bool is_given_up);

/* For the work, every few milliseconds: how much is done. False: give up. NULL: nobody looks, go
 * on.
 */
bool gp_view_job_go_on(struct gp_view_job *job, double share);

#endif
