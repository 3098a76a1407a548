/*
 * The time axis: ticks at 1, 2 or 5 × 10^n ns and texts with a unit. Pure functions.
 */
#ifndef GP_VIEWER_LAYOUT_TICKS_H
#define GP_VIEWER_LAYOUT_TICKS_H

#include <stddef.h>
#include <stdint.h>

enum { GP_VIEW_TICK_WIDTH = 90 }; /* logical pixels that a tick with its text takes at least */

struct gp_view_ticks {
    int64_t first_ns, step_ns; /* major ticks at first, first + step, … ≤ end */
    uint32_t count;
    uint32_t minor; /* parts of a step: 5, 4 or 2; 1 where a step is 1 ns */
};

/* At most count_max ticks (≥ 1) inside [begin, end], begin < end. */
void gp_view_ticks_choose(int64_t begin_ns, int64_t end_ns, uint32_t count_max,
                          struct gp_view_ticks *out);

/* "0", "12.5 µs", "-3 ms": as many digits as tell two ticks of that step apart; step 0: as a
 * duration, with three or four significant digits. Cut to size, always ended. */
void gp_view_format_time(int64_t at_ns, int64_t step_ns, char *text, size_t size);

#endif
