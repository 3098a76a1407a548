/*
 * How fast a workload could have been. Pure functions over the traced runs of cells that do the
 * same work (one device, scenario, parameters and submit mode), so that ids mean the same in all.
 *
 *     ideal            |---a---|---c---|            the longest chain of needs, each operation as
 *                                                   short as it was ever seen; or bytes ÷ rate of
 *                                                   a copy engine; or the SMs' work ÷ the SMs; or
 *                                                   the kernels' times ÷ as many as may run; or
 *                                                   the host's calls, each as short as ever seen
 *     device bound     ..|--a--|..|---c---|..       the same with what the device takes around it:
 *                                                   to the first begin, between dependent
 *                                                   operations, to set a copy up, and from the last
 *                                                   end to its being known; and copies in both
 *                                                   directions at once as slow as they are then
 *     measured         ..|--a--|......|----c----|.....
 *
 * Each is the longest of its parts. Everything that is "seen" is the least over the runs, so no run
 * among them was faster than the bounds, but for kernels that were never seen undisturbed: with
 * `single` among the cells they were. What arrives late is wanted from its arrival on. The SMs are
 * never said to need longer than the shortest time in which they were seen to do it all.
 */
#ifndef GP_PROBE_ANALYSIS_BOUNDS_H
#define GP_PROBE_ANALYSIS_BOUNDS_H

#include "probe/analysis/floor.h"

/* Parts of a bound, as sentences name them: "the H2D engine". */
#define GP_LIMITS(X)                                                                               \
    X(CHAIN, "the longest chain of dependencies")                                                  \
    X(H2D, "the H2D engine")                                                                       \
    X(D2H, "the D2H engine")                                                                       \
    X(SMS, "the SMs")                                                                              \
    X(GRIDS, "the room for resident kernels")                                                      \
    X(HOST, "the host's submission")

enum gp_limit {
#define X(name, words) GP_LIMIT_##name,
    GP_LIMITS(X)
#undef X
        GP_LIMIT_COUNT
};

/* The list's words, static. */
const char *gp_limit_name(enum gp_limit limit);

struct gp_bound {
    double ns;                    /* the longest part; NAN unknown */
    double parts[GP_LIMIT_COUNT]; /* NAN unknown; those of the device without what is around */
    enum gp_limit limit;          /* which part that is */
};

struct gp_bounds {
    struct gp_bound ideal, device;
    double lowered_ns; /* see gp_bounds_lower; 0 none */
};

/* Of the runs noted, at least one. */
void gp_bounds_measure(const struct gp_floor *floor, struct gp_bounds *out);

/* Says that a plain run took this long. Traced runs are slower than plain ones, at times by more
 * than what they leave of a bound: what a plain run beat by up to 3 % is lowered to it, and bounds
 * that it beat by more are not known: these traced runs do not tell. */
void gp_bounds_lower(struct gp_bounds *bounds, double measured_ns);

#endif
