/* Reading the dependencies of a run in a thread: see edges_task.h. */
#include "viewer/edges_task.h"

#include "viewer/wanted.h"

struct job {
    char *path;
    gint64 run;
    guint32 op_count;
    struct gp_view_edges *edges;
    struct gp_error err;
};

static void destroy(gpointer data)
{
    struct job *job = data;

    gp_view_edges_destroy(job->edges);
    g_free(job->path);
    g_free(job);
}

static void work(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
    struct job *job = data;
    struct gp_reader *reader = NULL;

    (void)source;
    if (gp_reader_open(job->path, &reader, &job->err) == 0) {
        gp_reader_heed(reader, gp_wanted(cancellable));
        (void)gp_view_edges_load(reader, job->run, job->op_count, &job->edges, &job->err);
    }
    gp_reader_close(reader);
    g_task_return_boolean(task, TRUE);
}

void gp_edges_task_begin(gpointer source, GCancellable *cancellable, const char *path, gint64 run,
                         guint32 op_count, GAsyncReadyCallback ready)
{
    GTask *task = g_task_new(source, cancellable, ready, NULL);
    struct job *job = g_new0(struct job, 1);

    job->path = g_strdup(path);
    job->run = run;
    job->op_count = op_count;
    g_task_set_task_data(task, job, destroy);
    g_task_run_in_thread(task, work);
    g_object_unref(task);
}

struct gp_view_edges *gp_edges_task_take(GAsyncResult *result, struct gp_error *err)
{
    struct job *job = g_task_get_task_data(G_TASK(result));
    GError *error = NULL;

    if (!g_task_propagate_boolean(G_TASK(result), &error)) {
        (void)gp_fail(err, GP_EINTERRUPTED, "%s", error->message);
        g_error_free(error);
        return NULL;
    }
    *err = job->err;
    return g_steal_pointer(&job->edges);
}
