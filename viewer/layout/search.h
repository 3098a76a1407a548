/*
 * Finding: names that contain a text, the spans that bear them, edges of spans to snap to.
 */
#ifndef GP_VIEWER_LAYOUT_SEARCH_H
#define GP_VIEWER_LAYOUT_SEARCH_H

#include "viewer/layout/layout.h"

/* Sets a flag for each name that contains the text, regardless of ASCII case; "" none. Returns how
 * many names do. */
uint32_t gp_view_search_names(const struct gp_view_timeline *timeline, const char *text,
                              uint8_t *matches);

/* How many spans bear such a name, and where: sets hits[i] when one meets part i of `count` equal
 * parts of the bounds. hits NULL: only counts. Linear in all spans. */
uint64_t gp_view_search_hits(const struct gp_view_timeline *timeline, const uint8_t *matches,
                             struct gp_view_window bounds, uint8_t *hits, uint32_t count);

/* The next match by begin, on any lane that is shown, after `from` (span GP_VIEW_NONE: the first),
 * or the one before it; goes on at the other end. span GP_VIEW_NONE: there is none. */
struct gp_view_pick gp_view_search_step(const struct gp_view_timeline *timeline,
                                        const struct gp_view_rows *rows, const uint8_t *matches,
                                        struct gp_view_pick from, bool is_forward);

/* The next or previous span on the lane of `from`; `from` itself at the end of the lane. */
struct gp_view_pick gp_view_step_lane(const struct gp_view_timeline *timeline,
                                      struct gp_view_pick from, bool is_forward);

/* The span of the next shown lane below (or above) that is nearest in time. */
struct gp_view_pick gp_view_step_row(const struct gp_view_timeline *timeline,
                                     const struct gp_view_rows *rows, struct gp_view_pick from,
                                     bool is_down);

/* The begin or end of a span on a shown lane nearest to the moment, within reach; else at_ns. */
int64_t gp_view_snap(const struct gp_view_timeline *timeline, const struct gp_view_rows *rows,
                     int64_t at_ns, int64_t reach_ns);

#endif
