/*
 * Moments in order: what the sweeps over a run's operations begin with. Knows nothing of what
 * happens at a moment.
 */
#ifndef GP_PROBE_ANALYSIS_BY_TIME_H
#define GP_PROBE_ANALYSIS_BY_TIME_H

#include <stdint.h>

/* Something that happens to an operation. */
struct gp_moment {
    int64_t at;
    uint32_t op;
    uint32_t what; /* the caller's */
};

/* Sorts by `at`; moments of the same time keep their order. In time linear in the count. */
void gp_moments_sort(struct gp_moment *moments, uint32_t count);

#endif
