/*
 * Rows of a recording into the columns of a timeline; used by load.c and by tests that make
 * timelines without a file.
 */
#ifndef GP_VIEWER_LAYOUT_FILL_H
#define GP_VIEWER_LAYOUT_FILL_H

#include <pthread.h>

#include "probe/record.h"
#include "viewer/layout/timeline.h"

/* What a run's timeline holds besides its spans. All borrowed. */
struct gp_view_head {
    const struct gp_run_row *run;
    const struct gp_device_row *device;
    const struct gp_stream_row *streams; /* at most GP_STREAMS_MAX */
    uint32_t stream_count;
    const char *const *strings; /* of gp_reader_strings */
    uint32_t string_count;
};

struct gp_view_fill {
    struct gp_view_timeline *timeline;
    const char *const *strings; /* of the reader */
    pthread_mutex_t lock;       /* of the wide values of columns */
};

/* An empty timeline with room for that many operations; it is the caller's. Texts are copied; the
 * head's strings must stay until gp_view_fill_end. */
struct gp_view_timeline *gp_view_fill_begin(struct gp_view_fill *fill,
                                            const struct gp_view_head *head, uint32_t op_count);

/* Operations first … first + count − 1. Threads may fill different ones at once. */
void gp_view_fill_ops(struct gp_view_fill *fill, uint32_t first,
                      const struct gp_op_outline *outlines, uint32_t count);

/* Ranges and host calls, once; their texts are those of the reader. */
void gp_view_fill_host(struct gp_view_fill *fill, const struct gp_range_row *ranges,
                       uint32_t range_count, const struct gp_call_row *calls, uint32_t call_count);

/* No more rows come: the columns can be read. After a failure as well, before the timeline is
 * destroyed. */
void gp_view_fill_end(struct gp_view_fill *fill);

#endif
