/*
 * Reading the dependencies of a run in a thread: with millions it takes longer than a window may
 * wait.
 */
#ifndef GP_VIEWER_EDGES_TASK_H
#define GP_VIEWER_EDGES_TASK_H

#include <gio/gio.h>

#include "viewer/layout/links.h"

/* `source` is kept alive until `ready` was called with it, in the main thread. */
void gp_edges_task_begin(gpointer source, GCancellable *cancellable, const char *path, gint64 run,
                         guint32 op_count, GAsyncReadyCallback ready);

/* For `ready`: the edges, the caller's; NULL with err filled, GP_EINTERRUPTED when cancelled. */
struct gp_view_edges *gp_edges_task_take(GAsyncResult *result, struct gp_error *err);

#endif
