/*
 * A lane seen from afar: for every bin of 2^k ns, how much of it is busy, how much is waiting and
 * which name fills most of it, at every k from a few spans a bin up to one or two bins for all.
 * Bins begin at multiples of their length in absolute time, so that nothing flickers while the
 * window moves. Built once, then only read.
 */
#ifndef GP_VIEWER_LAYOUT_PYRAMID_H
#define GP_VIEWER_LAYOUT_PYRAMID_H

#include <stddef.h>
#include <stdint.h>

#define GP_VIEW_NONE UINT32_MAX /* no span, name, row or lane */

/* Shares are n/65535 of the bin, rounded up: 0 only where there is nothing at all. */
struct gp_view_bins {
    uint16_t *busy, *waiting;
    uint32_t *name;    /* the one that fills most; above the base: of its halves' names; or none */
    uint16_t *by_name; /* the share of that name */
    int64_t first;     /* bin i covers [(first + i) << shift, (first + i + 1) << shift) */
    uint32_t count;
};

/* Where a bin begins; its number may be negative. */
static inline int64_t gp_view_bin_ns(int64_t bin, unsigned shift)
{
    return bin * (INT64_C(1) << shift);
}

enum { GP_VIEW_LEVELS_MAX = 64 };

struct gp_view_pyramid {
    struct gp_view_bins levels[GP_VIEW_LEVELS_MAX]; /* level k: bins of 1 << (shift + k) ns */
    uint32_t level_count;                           /* 0: no spans */
    unsigned shift;                                 /* of level 0 */
};

struct gp_view_timeline;
struct gp_view_lane;

/* Of a lane whose order is there. */
void gp_view_pyramid_build(const struct gp_view_timeline *timeline, struct gp_view_lane *lane);

/* Takes a zeroed struct. */
void gp_view_pyramid_finish(struct gp_view_pyramid *pyramid);

/* The coarsest level whose bins are no longer than that; GP_VIEW_LEVELS_MAX when even level 0 is
 * longer: then the spans themselves are to be asked. */
uint32_t gp_view_pyramid_level(const struct gp_view_pyramid *pyramid, double bin_ns);

/* Bytes of memory that it holds. */
size_t gp_view_pyramid_bytes(const struct gp_view_pyramid *pyramid);

#endif
