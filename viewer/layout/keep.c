/* Keeping a timeline while it is looked at: see cache.h. */
#include <pthread.h>
#include <stdatomic.h>

#include "probe/memory.h"
#include "viewer/layout/cache.h"

enum { KEPT_FROM = 200000 /* operations: fewer are read as fast from the recording */ };

struct gp_view_keep {
    char *folder, *path;
    const struct gp_view_timeline *timeline;
    pthread_t thread;
    atomic_bool is_cancelled;
};

/* A timeline that cannot be kept is read again the next time, no more. */
static void *keep_it(void *argument)
{
    struct gp_view_keep *keep = argument;

    (void)gp_view_cache_write(keep->folder, keep->path, keep->timeline, &keep->is_cancelled);
    return NULL;
}

static void destroy(struct gp_view_keep *keep)
{
    gp_free(keep->folder);
    gp_free(keep->path);
    gp_free(keep);
}

struct gp_view_keep *gp_view_keep_begin(const char *folder, const char *path,
                                        const struct gp_view_timeline *timeline)
{
    struct gp_view_keep *keep;

    if (timeline->mapping != NULL || timeline->tables[GP_VIEW_OPS].count < KEPT_FROM) {
        return NULL;
    }
    keep = gp_xalloc(1, sizeof *keep);
    keep->folder = gp_xcopy(folder);
    keep->path = gp_xcopy(path);
    keep->timeline = timeline;
    if (pthread_create(&keep->thread, NULL, keep_it, keep) != 0) {
        destroy(keep);
        return NULL;
    }
    return keep;
}

void gp_view_keep_finish(struct gp_view_keep *keep, bool is_hurried)
{
    if (keep != NULL) {
        atomic_store(&keep->is_cancelled, is_hurried);
        (void)pthread_join(keep->thread, NULL);
        destroy(keep);
    }
}
