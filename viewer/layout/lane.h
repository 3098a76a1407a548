/*
 * Questions to one lane: what is there to draw, what is at a moment, what comes next, and exact
 * sums. All are logarithmic in the lane's spans or linear in the pixels asked for.
 */
#ifndef GP_VIEWER_LAYOUT_LANE_H
#define GP_VIEWER_LAYOUT_LANE_H

#include "viewer/layout/timeline.h"

/* A piece of a lane to be drawn. */
struct gp_view_piece {
    int64_t begin_ns, end_ns;
    uint32_t span; /* the span that this is; GP_VIEW_NONE: several, or a bin */
    uint32_t name; /* of the span, or the one that fills most */
    /* Shares of the piece, n/65535. A span has busy 65535; its waiting is a piece before it, with
     * busy 0 and the same span. Never both 0. */
    uint16_t busy, waiting;
};

/* A growing array of the caller's; zeroed before first use, released with gp_free(items). */
struct gp_view_pieces {
    struct gp_view_piece *items;
    size_t count, capacity;
};

/* The pieces that meet [begin, end) in ascending order, replacing what *out holds. pixel_ns is the
 * length of a device pixel: spans shorter than that may be folded with their neighbours into one
 * piece of at most that length (or 1 ns), and none is ever left out. Pieces may reach beyond the
 * window. */
void gp_view_lane_query(const struct gp_view_timeline *timeline, const struct gp_view_lane *lane,
                        int64_t begin_ns, int64_t end_ns, double pixel_ns,
                        struct gp_view_pieces *out);

/* The position in the lane (index of lane->order) of the first span that ends after the moment (a
 * span without duration: begins at or after it); lane->count when there is none. */
uint32_t gp_view_lane_seek(const struct gp_view_timeline *timeline, const struct gp_view_lane *lane,
                           int64_t at_ns);

/* The position of a span; GP_VIEW_NONE when it is not on this lane. */
uint32_t gp_view_lane_position(const struct gp_view_timeline *timeline,
                               const struct gp_view_lane *lane, uint32_t span);

/* The lane that a span lies on; an operation's is its stream's. GP_VIEW_NONE: none. */
uint32_t gp_view_lane_of(const struct gp_view_timeline *timeline, enum gp_view_table table,
                         uint32_t span);

struct gp_view_sums {
    int64_t busy_ns;
    int64_t waiting_ns; /* of the spans that count, not cut at the window */
    uint32_t count;     /* spans that meet the window */
};

/* Exact sums over the part of the lane inside [begin, end). */
void gp_view_lane_sum(const struct gp_view_timeline *timeline, const struct gp_view_lane *lane,
                      int64_t begin_ns, int64_t end_ns, struct gp_view_sums *out);

#endif
