/* Reading a recording in a thread: see opening.h. */
#include "viewer/opening.h"

/* What a thread made; the other one stays NULL. */
struct opening {
    char *path;
    struct gp_document *document;
    struct gp_figures *figures;
    struct gp_error err;
};

static void destroy(gpointer data)
{
    struct opening *opening = data;

    gp_document_close(opening->document);
    gp_figures_destroy(opening->figures);
    g_free(opening->path);
    g_free(opening);
}

static void read_document(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
    struct opening *opening = data;

    (void)source;
    (void)cancellable;
    (void)gp_document_open(opening->path, &opening->document, &opening->err);
    g_task_return_boolean(task, TRUE);
}

static void read_figures(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
    struct opening *opening = data;

    (void)source;
    (void)cancellable;
    (void)gp_figures_load(opening->path, &opening->figures, &opening->err);
    g_task_return_boolean(task, TRUE);
}

static void begin(gpointer source, GCancellable *cancellable, const char *path,
                  GTaskThreadFunc work, GAsyncReadyCallback ready)
{
    GTask *task = g_task_new(source, cancellable, ready, NULL);
    struct opening *opening = g_new0(struct opening, 1);

    opening->path = g_strdup(path);
    g_task_set_task_data(task, opening, destroy);
    g_task_run_in_thread(task, work);
    g_object_unref(task);
}

void gp_opening_read_document(gpointer source, GCancellable *cancellable, const char *path,
                              GAsyncReadyCallback ready)
{
    begin(source, cancellable, path, read_document, ready);
}

void gp_opening_read_figures(gpointer source, GCancellable *cancellable, const char *path,
                             GAsyncReadyCallback ready)
{
    begin(source, cancellable, path, read_figures, ready);
}

/* The opening of a result that somebody still wants; NULL with err filled. */
static struct opening *finish(GAsyncResult *result, struct gp_error *err)
{
    struct opening *opening = g_task_get_task_data(G_TASK(result));
    GError *error = NULL;

    if (!g_task_propagate_boolean(G_TASK(result), &error)) {
        (void)gp_fail(err, GP_EINTERRUPTED, "%s", error->message);
        g_error_free(error);
        return NULL;
    }
    *err = opening->err;
    return opening;
}

struct gp_document *gp_opening_take_document(GAsyncResult *result, struct gp_error *err)
{
    struct opening *opening = finish(result, err);

    return opening != NULL ? g_steal_pointer(&opening->document) : NULL;
}

struct gp_figures *gp_opening_take_figures(GAsyncResult *result, struct gp_error *err)
{
    struct opening *opening = finish(result, err);

    return opening != NULL ? g_steal_pointer(&opening->figures) : NULL;
}
