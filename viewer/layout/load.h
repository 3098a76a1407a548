/*
 * Reads a run into a timeline with several threads, each with a reader of its own. The caller never
 * waits: it looks at the progress, may cancel, and takes the timeline when it is there. Of a large
 * run samples (sample.h) are there before, the first within a moment. Any thread may call anything
 * here, one at a time for each load.
 */
#ifndef GP_VIEWER_LAYOUT_LOAD_H
#define GP_VIEWER_LAYOUT_LOAD_H

#include "viewer/layout/timeline.h"

struct gp_view_load;

struct gp_view_load_options {
    const char *path;  /* copied */
    int64_t run;       /* with operations kept: struct gp_result.kept_run */
    uint32_t threads;  /* 0: as many as there are processors, at most 8 */
    const char *cache; /* folder of timelines that were kept (cache.h); NULL none; copied */
    /* Called from a thread of the load when it has ended, however that was; NULL nothing. */
    void (*notify)(void *user);
    void *user;
};

struct gp_view_progress {
    uint64_t done, total; /* operations; total 0: not known yet */
    bool is_over;         /* gp_view_load_finish returns at once */
};

/* Errors of the file come from gp_view_load_finish. *out is the caller's to finish. */
int gp_view_load_begin(const struct gp_view_load_options *options, struct gp_view_load **out,
                       struct gp_error *err);

/* How far it is. */
void gp_view_load_look(const struct gp_view_load *load, struct gp_view_progress *out);

/* The newest sample of a run that is large, the caller's; NULL: there is none, or none since the
 * last call. */
struct gp_view_timeline *gp_view_load_sample(struct gp_view_load *load);

/* Returns at once; the load then ends soon with GP_EINTERRUPTED. */
void gp_view_load_cancel(struct gp_view_load *load);

/* Waits for the end and releases the load; NULL allowed (GP_EINVAL). *out is the caller's
 * (gp_view_timeline_destroy), NULL on a failure. Errors are the reader's; GP_ENOTFOUND: the run
 * has no operations, with what to do; GP_EINTERRUPTED: cancelled. */
int gp_view_load_finish(struct gp_view_load *load, struct gp_view_timeline **out,
                        struct gp_error *err);

#endif
