/* Windows of time: see window.h. Lengths are differences of int64 that were checked to fit. */
#include "viewer/layout/window.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

static struct gp_view_window clamp(struct gp_view_window bounds, int64_t begin_ns, double length_ns)
{
    int64_t whole_ns = bounds.end_ns - bounds.begin_ns;
    int64_t length = length_ns >= (double)whole_ns ? whole_ns : (int64_t)length_ns;

    if (length < GP_VIEW_WINDOW_MIN_NS) {
        length = GP_VIEW_WINDOW_MIN_NS < whole_ns ? GP_VIEW_WINDOW_MIN_NS : whole_ns;
    }
    if (begin_ns < bounds.begin_ns) {
        begin_ns = bounds.begin_ns;
    }
    if (begin_ns > bounds.end_ns - length) {
        begin_ns = bounds.end_ns - length;
    }
    return (struct gp_view_window){begin_ns, begin_ns + length};
}

/* at + shift, kept inside what can be subtracted without overflow. */
static int64_t add(int64_t at_ns, double shift_ns)
{
    const double limit = 4e18;
    double sum = (double)at_ns + shift_ns;

    if (sum > limit || sum < -limit) {
        return sum > 0 ? (int64_t)limit : (int64_t)-limit;
    }
    return at_ns + (int64_t)llround(shift_ns);
}

struct gp_view_window gp_view_window_all(int64_t begin_ns, int64_t end_ns)
{
    int64_t margin_ns = (end_ns - begin_ns) / 50;

    assert(begin_ns < end_ns);
    if (margin_ns < GP_VIEW_WINDOW_MIN_NS / 2) {
        margin_ns = GP_VIEW_WINDOW_MIN_NS / 2;
    }
    return (struct gp_view_window){begin_ns - margin_ns, end_ns + margin_ns};
}

struct gp_view_window gp_view_window_zoom(struct gp_view_window window,
                                          struct gp_view_window bounds, int64_t at_ns,
                                          double factor)
{
    double before_ns = (double)(at_ns - window.begin_ns);
    double length_ns = (double)(window.end_ns - window.begin_ns) * factor;

    if (!(factor > 0) || !isfinite(length_ns)) {
        return window;
    }
    if (length_ns < GP_VIEW_WINDOW_MIN_NS) {
        factor *= GP_VIEW_WINDOW_MIN_NS / length_ns;
        length_ns = GP_VIEW_WINDOW_MIN_NS;
    }
    return clamp(bounds, add(at_ns, -before_ns * factor), round(length_ns));
}

struct gp_view_window gp_view_window_pan(struct gp_view_window window, struct gp_view_window bounds,
                                         double share)
{
    double length_ns = (double)(window.end_ns - window.begin_ns);

    return clamp(bounds, add(window.begin_ns, length_ns * share), length_ns);
}

struct gp_view_window gp_view_window_fit(struct gp_view_window bounds, int64_t begin_ns,
                                         int64_t end_ns)
{
    int64_t low_ns = begin_ns < end_ns ? begin_ns : end_ns;
    int64_t high_ns = begin_ns < end_ns ? end_ns : begin_ns;
    double margin_ns = (double)(high_ns - low_ns) / 20;

    /* A moment gets as much room on both sides as a window must have. */
    if (margin_ns < GP_VIEW_WINDOW_MIN_NS / 2.0) {
        margin_ns = GP_VIEW_WINDOW_MIN_NS / 2.0;
    }
    return clamp(bounds, add(low_ns, -margin_ns), (double)(high_ns - low_ns) + 2 * margin_ns);
}

struct gp_view_window gp_view_window_reveal(struct gp_view_window window,
                                            struct gp_view_window bounds, int64_t begin_ns,
                                            int64_t end_ns)
{
    double length_ns = (double)(window.end_ns - window.begin_ns);
    double margin_ns = length_ns / 20;

    if (begin_ns >= window.begin_ns && end_ns <= window.end_ns) {
        return window;
    }
    if (begin_ns < window.begin_ns || (double)(end_ns - begin_ns) > length_ns - 2 * margin_ns) {
        return clamp(bounds, add(begin_ns, -margin_ns), length_ns);
    }
    return clamp(bounds, add(end_ns, margin_ns - length_ns), length_ns);
}

enum gp_view_grip gp_view_window_grip(struct gp_view_window window, struct gp_view_window bounds,
                                      double width, double x, double reach)
{
    double from = gp_view_window_x(bounds, width, window.begin_ns);
    double to = gp_view_window_x(bounds, width, window.end_ns);

    if (window.end_ns - window.begin_ns >= bounds.end_ns - bounds.begin_ns || x < from - reach ||
        x > to + reach) {
        return GP_VIEW_GRIP_NONE;
    }
    if (to - from >= 3 * reach && fabs(x - from) <= reach) {
        return GP_VIEW_GRIP_BEGIN;
    }
    if (to - from >= 3 * reach && fabs(x - to) <= reach) {
        return GP_VIEW_GRIP_END;
    }
    return GP_VIEW_GRIP_BODY;
}

struct gp_view_window gp_view_window_drag(struct gp_view_window window,
                                          struct gp_view_window bounds, enum gp_view_grip grip,
                                          int64_t from_ns, int64_t to_ns)
{
    double length_ns = (double)(window.end_ns - window.begin_ns);
    double moved_ns = (double)to_ns - (double)from_ns;
    int64_t held, fixed, low;

    if (grip == GP_VIEW_GRIP_NONE) {
        return gp_view_window_fit(bounds, from_ns, to_ns);
    }
    if (grip == GP_VIEW_GRIP_BODY) {
        return clamp(bounds, add(window.begin_ns, moved_ns), length_ns);
    }
    fixed = grip == GP_VIEW_GRIP_BEGIN ? window.end_ns : window.begin_ns;
    held = add(grip == GP_VIEW_GRIP_BEGIN ? window.begin_ns : window.end_ns, moved_ns);
    held = held < bounds.begin_ns ? bounds.begin_ns : held;
    held = held > bounds.end_ns ? bounds.end_ns : held;
    low = held < fixed ? held : fixed;
    return clamp(bounds, low, fabs((double)held - (double)fixed));
}

int64_t gp_view_window_time(struct gp_view_window window, double width, double x)
{
    double length_ns = (double)(window.end_ns - window.begin_ns);

    return width > 0 ? add(window.begin_ns, x / width * length_ns) : window.begin_ns;
}

double gp_view_window_x(struct gp_view_window window, double width, int64_t at_ns)
{
    return (double)(at_ns - window.begin_ns) / (double)(window.end_ns - window.begin_ns) * width;
}

void gp_view_undo_push(struct gp_view_undo *undo, struct gp_view_window window)
{
    const struct gp_view_window *last = undo->count > 0 ? &undo->windows[undo->count - 1] : NULL;

    if (last != NULL && last->begin_ns == window.begin_ns && last->end_ns == window.end_ns) {
        return;
    }
    if (undo->count == GP_VIEW_UNDO_MAX) {
        for (uint32_t i = 1; i < undo->count; i++) {
            undo->windows[i - 1] = undo->windows[i];
        }
        undo->count--;
    }
    undo->windows[undo->count++] = window;
}

bool gp_view_undo_pop(struct gp_view_undo *undo, struct gp_view_window *out)
{
    if (undo->count == 0) {
        return false;
    }
    *out = undo->windows[--undo->count];
    return true;
}
