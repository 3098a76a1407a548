/*
 * Where somebody is in a timeline: the window of time, what is selected, measured, marked and
 * searched for, and the rows as they were arranged. All that keys and pointer can do is a function
 * here; widgets call them and draw what the scene and the overlay say. Knows no display.
 *
 * The timeline and the edges are borrowed and must live as long. One thread.
 */
#ifndef GP_VIEWER_NAVIGATOR_H
#define GP_VIEWER_NAVIGATOR_H

#include "viewer/layout/layout.h"
#include "viewer/layout/links.h"
#include "viewer/layout/running.h"
#include "viewer/layout/search.h"

enum {
    GP_MARKS_MAX = 64,
    GP_BOOKMARKS_MAX = 5,
    GP_LINK_DEPTH = 2, /* how far dependencies of the selection are drawn */
    GP_HITS_MAX = 4096 /* parts of the minimap in which hits are told apart */
};

struct gp_navigator {
    const struct gp_view_timeline *timeline;
    const struct gp_view_edges *edges; /* NULL: not known (yet) */
    const struct gp_view_idle *idle;   /* borrowed like them; NULL: not known (yet) */
    uint32_t idle_count;
    struct gp_view_rows *rows;
    struct gp_view_window window, bounds;
    struct gp_view_undo undo;
    struct gp_view_pick selected, hovered;
    int64_t cursor_ns;                    /* GP_UNKNOWN: the pointer is elsewhere */
    int64_t range_begin_ns, range_end_ns; /* GP_UNKNOWN: nothing is measured */
    int64_t marks_ns[GP_MARKS_MAX];       /* ascending */
    uint32_t mark_count;
    struct gp_view_window bookmarks[GP_BOOKMARKS_MAX]; /* end 0: not set */
    struct gp_view_link links[GP_VIEW_LINKS_MAX];
    uint32_t link_count;
    uint8_t *matches; /* a flag for each name; NULL: nothing is searched for */
    uint8_t *hits;    /* GP_HITS_MAX flags */
    uint64_t hit_count;
};

/* Everything is seen, nothing is selected. */
void gp_navigator_init(struct gp_navigator *navigator, const struct gp_view_timeline *timeline);

/* Another timeline of the same run, as when a sample gives way to a better one: the window stays,
 * or everything is still seen, and marks stay. The rows are as they were made, nothing is selected
 * or searched for. */
void gp_navigator_renew(struct gp_navigator *navigator, const struct gp_view_timeline *timeline);

/* Takes a zeroed struct. */
void gp_navigator_finish(struct gp_navigator *navigator);

/* ---- the window ------------------------------------------------------------------------------ */

/* Zooms about the cursor, or the middle when the pointer is elsewhere; factor < 1 is closer. */
void gp_navigator_zoom(struct gp_navigator *navigator, double factor);

/* By a share of the window. */
void gp_navigator_pan(struct gp_navigator *navigator, double share);

/* Another window, which undo takes back. */
void gp_navigator_go(struct gp_navigator *navigator, struct gp_view_window window);

/* All there is; the measured range or else the selection; back to where one was. */
void gp_navigator_show_all(struct gp_navigator *navigator);
void gp_navigator_fit(struct gp_navigator *navigator);
void gp_navigator_undo(struct gp_navigator *navigator);

/* Remembers the window under a number below GP_BOOKMARKS_MAX, and goes back to it. */
void gp_navigator_bookmark(struct gp_navigator *navigator, unsigned number);
void gp_navigator_recall(struct gp_navigator *navigator, unsigned number);

/* ---- the selection --------------------------------------------------------------------------- */

/* Selects a span (GP_VIEW_NONE, or of a sample: none) with its dependencies and moves the window
 * just so that it is seen when asked to. */
void gp_navigator_select(struct gp_navigator *navigator, struct gp_view_pick pick,
                         bool is_revealed);

/* Selects an operation by its id. */
void gp_navigator_select_op(struct gp_navigator *navigator, uint32_t op);

/* The next or the previous span of the lane; the nearest one of the lane below or above. */
void gp_navigator_step_lane(struct gp_navigator *navigator, bool is_forward);
void gp_navigator_step_row(struct gp_navigator *navigator, bool is_down);

/* To the operation that waits for this one, or that this one waits for; of several the one that
 * follows most closely. */
void gp_navigator_follow(struct gp_navigator *navigator, bool is_forward);

/* Begin and end of what is selected; false: nothing is. */
bool gp_navigator_selection(const struct gp_navigator *navigator, int64_t *begin_ns,
                            int64_t *end_ns);

/* ---- measuring and marking ---------------------------------------------------------------------
 */

/* The moment, or the edge of a span within reach of it. */
int64_t gp_navigator_snap(const struct gp_navigator *navigator, int64_t at_ns, double reach_pixels,
                          double width);

/* Measures what is selected. */
void gp_navigator_measure(struct gp_navigator *navigator);

/* A mark at the cursor, or at the begin of the selection; one that is there goes. */
void gp_navigator_mark(struct gp_navigator *navigator);

/* No range and no marks. */
void gp_navigator_clear(struct gp_navigator *navigator);

/* ---- searching ---------------------------------------------------------------------------------
 */

/* Names that contain the text; "" ends the search. Nothing is selected by it. */
void gp_navigator_search(struct gp_navigator *navigator, const char *text);

/* Selects the next or the previous hit. */
void gp_navigator_step_hit(struct gp_navigator *navigator, bool is_forward);

/* ---- for who draws
 * ------------------------------------------------------------------------------- */

/* Valid until the navigator changes. */
struct gp_view_overlay gp_navigator_overlay(const struct gp_navigator *navigator);

/* Ends of a span, waiting included; false: its times are not known. */
bool gp_navigator_times(const struct gp_navigator *navigator, struct gp_view_pick pick,
                        int64_t *ready_ns, int64_t *begin_ns, int64_t *end_ns);

#endif
