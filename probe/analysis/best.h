/*
 * Which of several samples may be the best one, corrected for how many they are. Pure; no I/O.
 *
 * Of k cells the one with the smallest median is often so by luck. A sample is left out of the set
 * only when its median is above some other's by more than chance would make of the true best:
 *
 *     t(i, j) = (median i − median j) ÷ s(i, j)         s: its standard deviation, by bootstrap
 *     i is out when max over j of t(i, j) > c(i)        c: the 95 % quantile of that maximum over
 *                                                       resamples around what was measured
 *
 * so that the set holds the true best with a confidence of 95 %, however many there are. This is
 * subset selection (S. S. Gupta, Technometrics 7 (1965) 225–245), one half of multiple comparisons
 * with the best (J. C. Hsu, Annals of Statistics 12 (1984) 1136–1144), with the maximum's
 * distribution from a bootstrap (P. H. Westfall and S. S. Young, Resampling-Based Multiple Testing,
 * Wiley 1993). Samples of equal size are taken as repeats that were interleaved, and drawn
 * together: what disturbed all of them alike then says nothing against any. Of n values a median's
 * spread is known badly, so c is widened by the quantile of Student's distribution over the normal
 * one's.
 */
#ifndef GP_PROBE_ANALYSIS_BEST_H
#define GP_PROBE_ANALYSIS_BEST_H

#include <stdbool.h>
#include <stdint.h>

struct gp_sample {
    const double *values; /* in the order in which they were measured; borrowed */
    uint32_t count;
};

/* Says in out, one a sample, whether it may be the best. Of fewer than two values nothing is known:
 * such a sample is in, and speaks against no other. Seeded, so it repeats; in count² time. */
void gp_best_find(const struct gp_sample *samples, uint32_t count, bool *out);

#endif
