/* Reading a recording in a thread: see opening.h. */
#include "viewer/opening.h"

#include "viewer/wanted.h"

/* What a thread made; the others stay NULL and zeroed. */
struct opening {
    char *path;
    struct gp_document *document;
    struct gp_figures *figures; /* or for advice, whose they are */
    struct gp_advices advices;
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
    (void)gp_figures_load(opening->path, gp_wanted(cancellable), &opening->figures, &opening->err);
    g_task_return_boolean(task, TRUE);
}

static void read_advice(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
    struct opening *opening = data;

    (void)source;
    (void)gp_figures_advise(opening->figures, gp_wanted(cancellable), &opening->advices,
                            &opening->err);
    g_task_return_boolean(task, TRUE);
}

/* Takes the opening over. */
static void begin(gpointer source, GCancellable *cancellable, struct opening *opening,
                  GTaskThreadFunc work, GAsyncReadyCallback ready)
{
    GTask *task = g_task_new(source, cancellable, ready, NULL);

    g_task_set_task_data(task, opening, destroy);
    g_task_run_in_thread(task, work);
    g_object_unref(task);
}

static struct opening *opening_of(const char *path)
{
    struct opening *opening = g_new0(struct opening, 1);

    opening->path = g_strdup(path);
    return opening;
}

void gp_opening_read_document(gpointer source, GCancellable *cancellable, const char *path,
                              GAsyncReadyCallback ready)
{
    begin(source, cancellable, opening_of(path), read_document, ready);
}

void gp_opening_read_figures(gpointer source, GCancellable *cancellable, const char *path,
                             GAsyncReadyCallback ready)
{
    begin(source, cancellable, opening_of(path), read_figures, ready);
}

void gp_opening_read_advice(gpointer source, GCancellable *cancellable, struct gp_figures *figures,
                            GAsyncReadyCallback ready)
{
    struct opening *opening = g_new0(struct opening, 1);

    opening->figures = gp_figures_hold(figures);
    begin(source, cancellable, opening, read_advice, ready);
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

gboolean gp_opening_take_advice(GAsyncResult *result, struct gp_advices *out, struct gp_error *err)
{
    struct opening *opening = finish(result, err);

    *out = (struct gp_advices){.count = 0};
    if (opening == NULL || err->code != 0) {
        return FALSE;
    }
    *out = opening->advices;
    return TRUE;
}
