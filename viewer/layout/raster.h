/*
 * Pieces of lanes onto one line of device pixels.
 */
#ifndef GP_VIEWER_LAYOUT_RASTER_H
#define GP_VIEWER_LAYOUT_RASTER_H

#include "viewer/layout/color.h"
#include "viewer/layout/lane.h"
#include "viewer/layout/window.h"

/* What a pixel shows. */
struct gp_view_pixel {
    float busy, waiting; /* how many times over; mean of the pixel */
    float most;          /* share of the name */
    uint32_t name;       /* GP_VIEW_NONE: nothing runs, not even for 0 ns */
};

/* What the lanes of a timeline answered for one window, so that a lane that is in several strips,
 * or in several frames, is asked once while the window stays. Takes a zeroed struct. */
struct gp_view_asked {
    struct gp_view_window window;
    uint32_t columns;
    struct gp_view_lane_pieces {
        struct gp_view_pieces pieces;
        bool is_known;
    } * lanes; /* by lane, of the timeline that was asked first */
    uint32_t lane_count;
};

/* Of another timeline, or at the end: releases all and zeroes it. */
void gp_view_asked_forget(struct gp_view_asked *asked);

struct gp_view_raster {
    struct gp_view_window window;
    uint32_t columns;
    double per_ns;               /* columns a ns */
    bool is_plain;               /* for sums, set by the caller: neither gaps nor soft edges */
    struct gp_view_asked *asked; /* set by the caller, who keeps it; NULL: it has one of its own */
    struct gp_view_asked own;
    struct gp_view_pixel *pixels;
    const struct gp_view_pieces *pieces; /* those added last */
};

/* Empty, for a window of that many device pixels (≥ 1). Takes a struct that is zeroed but for what
 * the caller sets, or one used before. */
void gp_view_raster_begin(struct gp_view_raster *raster, struct gp_view_window window,
                          uint32_t columns);

/* Takes a zeroed struct; what the caller keeps stays. */
void gp_view_raster_finish(struct gp_view_raster *raster);

/* Adds a lane of the timeline, which is the same while the same is asked. Every span in the
 * window marks at least one pixel; edges lie on pixels where the span is seen on its own, and ends
 * of spans that follow one another stay apart. */
void gp_view_raster_add(struct gp_view_raster *raster, const struct gp_view_timeline *timeline,
                        const struct gp_view_lane *lane);

struct gp_view_raster_style {
    const struct gp_view_palette *palette;
    const uint32_t *colors; /* of names */
    const uint8_t *matches; /* of names: the others are pale; NULL none is */
    uint32_t hatch;         /* device pixels of a stripe of waiting, ≥ 1 */
};

/* columns pixels, premultiplied and transparent where there is nothing. */
void gp_view_raster_paint(const struct gp_view_raster *raster,
                          const struct gp_view_raster_style *style, uint32_t *out);

#endif
