/*
 * The dependencies of a run, and the part of them that is drawn: those around the selection.
 */
#ifndef GP_VIEWER_LAYOUT_LINKS_H
#define GP_VIEWER_LAYOUT_LINKS_H

#include "probe/store/reader.h"
#include "viewer/layout/timeline.h"

enum { GP_VIEW_LINKS_MAX = 500 };

/* Edges by both ends, 8 bytes an edge and 8 an operation. */
struct gp_view_edges;

/* Reads the edges of the run. *out is the caller's. Slow with millions: for a worker thread. */
int gp_view_edges_load(struct gp_reader *reader, int64_t run, uint32_t op_count,
                       struct gp_view_edges **out, struct gp_error *err);

/* NULL allowed. */
void gp_view_edges_destroy(struct gp_view_edges *edges);

/* Operations that this one waits for, and those that wait for it, by id. Borrowed. */
const uint32_t *gp_view_edges_before(const struct gp_view_edges *edges, uint32_t op,
                                     uint32_t *count);
const uint32_t *gp_view_edges_after(const struct gp_view_edges *edges, uint32_t op,
                                    uint32_t *count);

struct gp_view_link {
    uint32_t from, to; /* op.id */
    uint32_t distance; /* 1: touches the selection */
    bool is_missing;   /* a hazard: nothing keeps this order */
};

/* The edges within `depth` steps before and after an operation, nearest first, at most count_max
 * (≤ GP_VIEW_LINKS_MAX). Returns how many. */
uint32_t gp_view_links_find(const struct gp_view_edges *edges, uint32_t op, uint32_t depth,
                            struct gp_view_link *out, uint32_t count_max);

#endif
