/*
 * The part of time that is seen, and how it changes: zoom about the cursor, pan, fit, undo. Pure
 * arithmetic that neither overflows nor collapses: a window is never shorter than
 * GP_VIEW_WINDOW_MIN_NS nor outside the bounds.
 */
#ifndef GP_VIEWER_LAYOUT_WINDOW_H
#define GP_VIEWER_LAYOUT_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

enum { GP_VIEW_WINDOW_MIN_NS = 10, GP_VIEW_UNDO_MAX = 64 };

struct gp_view_window {
    int64_t begin_ns, end_ns;
};

/* All there is with a margin of 1/50 on both sides: what `fit all` shows and what limits the rest.
 */
struct gp_view_window gp_view_window_all(int64_t begin_ns, int64_t end_ns);

/* factor < 1 zooms in; what is at at_ns stays where it is, unless the bounds forbid it. */
struct gp_view_window gp_view_window_zoom(struct gp_view_window window,
                                          struct gp_view_window bounds, int64_t at_ns,
                                          double factor);

/* By a share of its length; negative to the left. */
struct gp_view_window gp_view_window_pan(struct gp_view_window window, struct gp_view_window bounds,
                                         double share);

/* [begin, end] with a margin, in either order. */
struct gp_view_window gp_view_window_fit(struct gp_view_window bounds, int64_t begin_ns,
                                         int64_t end_ns);

/* The same length, moved just so far that [begin, end] is seen, or its begin when it is longer. */
struct gp_view_window gp_view_window_reveal(struct gp_view_window window,
                                            struct gp_view_window bounds, int64_t begin_ns,
                                            int64_t end_ns);

/* What a pointer on an overview of the bounds takes hold of: one end of the window, all of it, or
 * nothing, which begins a new window. */
enum gp_view_grip { GP_VIEW_GRIP_NONE, GP_VIEW_GRIP_BEGIN, GP_VIEW_GRIP_END, GP_VIEW_GRIP_BODY };

/* At x of width; ends reach so many pixels, unless the window is so narrow that nothing else would
 * be left of it. A window of everything cannot be held. */
enum gp_view_grip gp_view_window_grip(struct gp_view_window window, struct gp_view_window bounds,
                                      double width, double x, double reach);

/* The window after what was held at from_ns was dragged to to_ns. An end may pass the other. */
struct gp_view_window gp_view_window_drag(struct gp_view_window window,
                                          struct gp_view_window bounds, enum gp_view_grip grip,
                                          int64_t from_ns, int64_t to_ns);

/* Time at x of width, and back; x may lie outside. */
int64_t gp_view_window_time(struct gp_view_window window, double width, double x);
double gp_view_window_x(struct gp_view_window window, double width, int64_t at_ns);

/* Windows seen before; zeroed is empty, the oldest are forgotten. */
struct gp_view_undo {
    struct gp_view_window windows[GP_VIEW_UNDO_MAX];
    uint32_t count;
};

/* Remembers the window, unless it was the last one remembered. */
void gp_view_undo_push(struct gp_view_undo *undo, struct gp_view_window window);

/* False when there is none. */
bool gp_view_undo_pop(struct gp_view_undo *undo, struct gp_view_window *out);

#endif
