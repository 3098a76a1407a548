/*
 * Lays the spans of a timeline on lanes, so that those of a lane do not overlap and none hides
 * another.
 */
#ifndef GP_VIEWER_LAYOUT_LANES_H
#define GP_VIEWER_LAYOUT_LANES_H

#include "viewer/layout/timeline.h"

/* Makes the lanes of all tables, with their sums and pyramids, and sets the timeline's begin and
 * end and what is undrawn. The columns are complete; there are no lanes yet. Of two spans that
 * overlap the one that began first, or is longer, lies higher up.
 * threads: how many may work at it, the caller's included. */
void gp_view_lanes_build(struct gp_view_timeline *timeline, uint32_t threads);

#endif
