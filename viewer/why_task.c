/* Finding the causes of a run's waits in a thread: see why_task.h. */
#include "viewer/why_task.h"

#include "viewer/wanted.h"

struct job {
    char *path;
    gint64 cell, run;
    struct gp_why *why;
    struct gp_error err;
};

static void destroy(gpointer data)
{
    struct job *job = data;

    gp_why_destroy(job->why);
    g_free(job->path);
    g_free(job);
}

static void work(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
    struct job *job = data;

    (void)source;
    (void)gp_why_load(job->path, job->cell, job->run, gp_wanted(cancellable), &job->why, &job->err);
    g_task_return_boolean(task, TRUE);
}

void gp_why_task_begin(gpointer source, GCancellable *cancellable, const char *path, gint64 cell,
                       gint64 run, GAsyncReadyCallback ready)
{
    GTask *task = g_task_new(source, cancellable, ready, NULL);
    struct job *job = g_new0(struct job, 1);

    job->path = g_strdup(path);
    job->cell = cell;
    job->run = run;
    g_task_set_task_data(task, job, destroy);
    g_task_run_in_thread(task, work);
    g_object_unref(task);
}

struct gp_why *gp_why_task_take(GAsyncResult *result, struct gp_error *err)
{
    struct job *job = g_task_get_task_data(G_TASK(result));
    GError *error = NULL;

    if (!g_task_propagate_boolean(G_TASK(result), &error)) {
        (void)gp_fail(err, GP_EINTERRUPTED, "%s", error->message);
        g_error_free(error);
        return NULL;
    }
    *err = job->err;
    return g_steal_pointer(&job->why);
}
