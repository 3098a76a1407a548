/*
 * A first look at a large run: blocks of its operations, evenly spread from the first to the last,
 * which become a timeline long before all operations are read, and a better one whenever more
 * blocks are there. Each operation of it stands for several: what is drawn is an estimate, and
 * gp_view_is_sample says so.
 */
#ifndef GP_VIEWER_LAYOUT_SAMPLE_H
#define GP_VIEWER_LAYOUT_SAMPLE_H

#include "viewer/layout/fill.h"

enum {
    GP_VIEW_SAMPLE_FROM = 200000, /* operations: a run of fewer is read as a whole at once */
    GP_VIEW_SAMPLE_ROWS = 32,     /* operations of a block */
    GP_VIEW_SAMPLE_BLOCKS = 4096, /* blocks of a sample */
    GP_VIEW_SAMPLE_STEP = 4,      /* every 4th of them makes a good first look */
};

struct gp_view_sample;

/* Empty, of a run with at least GP_VIEW_SAMPLE_FROM operations. The caller's. */
struct gp_view_sample *gp_view_sample_create(uint32_t op_count);

/* NULL allowed. */
void gp_view_sample_destroy(struct gp_view_sample *sample);

/* The first operation of a block; the first block begins with the run, the last one ends with it.
 */
uint32_t gp_view_sample_first(const struct gp_view_sample *sample, uint32_t block);

/* Takes what it has room for out of operations first … first + count − 1: of each block that begins
 * there and is still empty, as much as there is. Threads may give different ones at once. */
void gp_view_sample_put(struct gp_view_sample *sample, uint32_t first,
                        const struct gp_op_outline *outlines, uint32_t count);

/* The timeline of what is there, at least one block; without ranges and host calls. The caller's.
 */
struct gp_view_timeline *gp_view_sample_make(const struct gp_view_sample *sample,
                                             const struct gp_view_head *head);

#endif
