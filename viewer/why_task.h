/*
 * Finding the causes of a run's waits in a thread, so that the timeline need not wait for them.
 */
#ifndef GP_VIEWER_WHY_TASK_H
#define GP_VIEWER_WHY_TASK_H

#include <gio/gio.h>

#include "viewer/why.h"

/* `source` is kept alive until `ready` was called with it, in the main thread. */
void gp_why_task_begin(gpointer source, GCancellable *cancellable, const char *path, gint64 cell,
                       gint64 run, GAsyncReadyCallback ready);

/* For `ready`: the causes, the caller's; NULL with err filled, GP_EINTERRUPTED when cancelled. */
struct gp_why *gp_why_task_take(GAsyncResult *result, struct gp_error *err);

#endif
