/* Medians with their bootstrap interval: gp_figure_median of summary.h. */
#include "probe/analysis/summary.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/random.h"
#include "probe/memory.h"

enum {
    RESAMPLES = 2000,
    LOW = RESAMPLES / 40 - 1, /* ranks of 2.5 % and 97.5 % */
    HIGH = RESAMPLES - RESAMPLES / 40 - 1,
};

static const uint64_t seed = 0x6770726f6265; /* any; the same figures have the same interval */

static int compare_doubles(const void *left, const void *right)
{
    const double *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

static double median_of_sorted(const double *sorted, uint32_t count)
{
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}

/* The median of `count` draws, counted by rank instead of sorted. */
static double draw_median(struct gp_random *random, const double *sorted, uint32_t *drawn,
                          uint32_t count)
{
    uint32_t below = 0;
    uint32_t rank = 0;
    double middle;

    memset(drawn, 0, count * sizeof *drawn);
    for (uint32_t i = 0; i < count; i++) {
        drawn[gp_random_below(random, count)]++;
    }
    while (below + drawn[rank] <= (count - 1) / 2) {
        below += drawn[rank++];
    }
    middle = sorted[rank];
    while (below + drawn[rank] <= count / 2) {
        below += drawn[rank++];
    }
    return (middle + sorted[rank]) / 2;
}

struct gp_figure gp_figure_median(const double *values, uint32_t count)
{
    struct gp_figure figure = {NAN, NAN, NAN};
    struct gp_random random = {seed};
    double medians[RESAMPLES];
    double *sorted;
    uint32_t *drawn;

    assert(values != NULL || count == 0);
    if (count == 0) {
        return figure;
    }
    sorted = gp_xalloc(count, sizeof *sorted);
    memcpy(sorted, values, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_doubles);
    figure.median = median_of_sorted(sorted, count);
    if (count > 1) {
        drawn = gp_xalloc(count, sizeof *drawn);
        for (int i = 0; i < RESAMPLES; i++) {
            medians[i] = draw_median(&random, sorted, drawn, count);
        }
        qsort(medians, RESAMPLES, sizeof *medians, compare_doubles);
        figure.lo = medians[LOW];
        figure.hi = medians[HIGH];
        gp_free(drawn);
    }
    gp_free(sorted);
    return figure;
}

/* One side of a ratio. */
struct sample {
    double *sorted;
    uint32_t *drawn;
    uint32_t count;
};

static void init_sample(struct sample *sample, const double *values, uint32_t count)
{
    sample->sorted = gp_xalloc(count, sizeof *sample->sorted);
    sample->drawn = gp_xalloc(count, sizeof *sample->drawn);
    sample->count = count;
    memcpy(sample->sorted, values, count * sizeof *sample->sorted);
    qsort(sample->sorted, count, sizeof *sample->sorted, compare_doubles);
}

static void finish_sample(struct sample *sample)
{
    gp_free(sample->sorted);
    gp_free(sample->drawn);
}

struct gp_figure gp_figure_ratio(const double *over, uint32_t over_count, const double *under,
                                 uint32_t under_count)
{
    struct gp_figure figure = {NAN, NAN, NAN};
    struct gp_random random = {seed};
    double ratios[RESAMPLES];
    struct sample top, bottom;

    if (over_count == 0 || under_count == 0) {
        return figure;
    }
    init_sample(&top, over, over_count);
    init_sample(&bottom, under, under_count);
    figure.median =
        median_of_sorted(top.sorted, over_count) / median_of_sorted(bottom.sorted, under_count);
    if (over_count > 1 && under_count > 1) {
        for (int i = 0; i < RESAMPLES; i++) {
            double drawn = draw_median(&random, top.sorted, top.drawn, over_count);

            ratios[i] = drawn / draw_median(&random, bottom.sorted, bottom.drawn, under_count);
        }
        qsort(ratios, RESAMPLES, sizeof *ratios, compare_doubles);
        figure.lo = ratios[LOW];
        figure.hi = ratios[HIGH];
    }
    finish_sample(&top);
    finish_sample(&bottom);
    return figure;
}
