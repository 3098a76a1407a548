/*
 * Timelines kept as they are in memory, and mapped from there, so that a large recording opens at
 * once the second time. A file for each run in a folder of the user's, good only while the
 * recording is the same file, with the same size and time of change, and nothing is being written
 * to it.
 */
#ifndef GP_VIEWER_LAYOUT_CACHE_H
#define GP_VIEWER_LAYOUT_CACHE_H

#include <stdatomic.h>

#include "viewer/layout/timeline.h"

/* The run as it was kept; the caller's. NULL: it was not, or what is there is damaged, older than
 * the recording or of another build. */
struct gp_view_timeline *gp_view_cache_read(const char *folder, const char *path, int64_t run);

/* Keeps it, making the folder when it is not there. What cannot be written is not kept, nor what is
 * cancelled meanwhile (NULL: nobody will); false then. */
bool gp_view_cache_write(const char *folder, const char *path,
                         const struct gp_view_timeline *timeline, const atomic_bool *is_cancelled);

struct gp_view_keep;

/* Keeps it in a thread, which takes some seconds. The timeline must stay until gp_view_keep_finish.
 * NULL: there is nothing to do, since it is small, was kept already, or no thread can be started.
 */
struct gp_view_keep *gp_view_keep_begin(const char *folder, const char *path,
                                        const struct gp_view_timeline *timeline);

/* Waits until it is kept, or gives it up when hurried; NULL allowed. */
void gp_view_keep_finish(struct gp_view_keep *keep, bool is_hurried);

#endif
