/*
 * Reading a recording in a thread, so that the window never waits. A reading whose window lost
 * interest ends as GP_EINTERRUPTED.
 */
#ifndef GP_VIEWER_OPENING_H
#define GP_VIEWER_OPENING_H

#include <gio/gio.h>

#include "viewer/document.h"

/* `source` is kept alive until `ready` was called with it, in the main thread. */
void gp_opening_read_document(gpointer source, GCancellable *cancellable, const char *path,
                              GAsyncReadyCallback ready);
void gp_opening_read_figures(gpointer source, GCancellable *cancellable, const char *path,
                             GAsyncReadyCallback ready);

/* What to do, from figures that stay as long. */
void gp_opening_read_advice(gpointer source, GCancellable *cancellable, struct gp_figures *figures,
                            GAsyncReadyCallback ready);

/* For `ready`: what was read, the caller's; NULL with err filled. */
struct gp_document *gp_opening_take_document(GAsyncResult *result, struct gp_error *err);
struct gp_figures *gp_opening_take_figures(GAsyncResult *result, struct gp_error *err);

/* For `ready`: false with err filled, and nothing in *out. */
gboolean gp_opening_take_advice(GAsyncResult *result, struct gp_advices *out, struct gp_error *err);

#endif
