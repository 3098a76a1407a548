/* Which of several samples may be the best one: see best.h. */
#include "probe/analysis/best.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "core/random.h"
#include "probe/memory.h"

enum { RESAMPLES = 1000, QUANTILE = RESAMPLES * 95 / 100 - 1 /* rank of 95 % */ };

static const uint64_t seed = 0x62657374; /* any; the same samples have the same answer */
static const double normal_quantile = 1.6449;

/* Those samples of which something is known. */
struct field {
    const struct gp_sample **samples;
    double *median; /* of each */
    double *drawn;  /* of each the medians of its resamples, RESAMPLES of them */
    uint32_t count;
    uint32_t fewest, most; /* values of a sample */
};

static int compare_doubles(const void *left, const void *right)
{
    const double *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

/* The median of values, which it sorts. */
static double take_median(double *values, uint32_t count)
{
    qsort(values, count, sizeof *values, compare_doubles);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

static double draw_median(const struct gp_sample *sample, const uint32_t *choices, double *values)
{
    for (uint32_t i = 0; i < sample->count; i++) {
        values[i] = sample->values[choices[i]];
    }
    return take_median(values, sample->count);
}

static void choose(struct gp_random *random, uint32_t count, uint32_t *choices)
{
    for (uint32_t i = 0; i < count; i++) {
        choices[i] = (uint32_t)gp_random_below(random, count);
    }
}

static void draw_all(struct field *field)
{
    struct gp_random random = {seed};
    uint32_t *choices = gp_xalloc(field->most, sizeof *choices);
    double *values = gp_xalloc(field->most, sizeof *values);

    for (uint32_t i = 0; i < field->most; i++) {
        choices[i] = i;
    }
    for (uint32_t i = 0; i < field->count; i++) {
        field->median[i] = draw_median(field->samples[i], choices, values);
    }
    for (uint32_t draw = 0; draw < RESAMPLES; draw++) {
        for (uint32_t i = 0; i < field->count; i++) {
            if (i == 0 || field->fewest < field->most) {
                choose(&random, field->samples[i]->count, choices);
            }
            field->drawn[(size_t)i * RESAMPLES + draw] =
                draw_median(field->samples[i], choices, values);
        }
    }
    gp_free(values);
    gp_free(choices);
}

/* Student's 95 % quantile over the normal one's (Fisher and Cornish's expansion). */
static double widening(uint32_t freedom)
{
    double z = normal_quantile, z3 = z * z * z, v = (double)freedom;

    return (z + (z3 + z) / (4 * v) + (5 * z3 * z * z + 16 * z3 + 3 * z) / (96 * v * v)) / z;
}

/* The standard deviation of the difference of two samples' drawn medians. */
static double spread(const double *a, const double *b)
{
    double sum = 0, squares = 0;

    for (uint32_t draw = 0; draw < RESAMPLES; draw++) {
        sum += a[draw] - b[draw];
    }
    for (uint32_t draw = 0; draw < RESAMPLES; draw++) {
        double apart = a[draw] - b[draw] - sum / RESAMPLES;

        squares += apart * apart;
    }
    return sqrt(squares / RESAMPLES);
}

/* greatest: room for RESAMPLES. */
static bool may_be_best(const struct field *field, uint32_t place, double *greatest)
{
    const double *own = field->drawn + (size_t)place * RESAMPLES;
    double measured = -INFINITY;

    for (uint32_t draw = 0; draw < RESAMPLES; draw++) {
        greatest[draw] = -INFINITY;
    }
    for (uint32_t i = 0; i < field->count; i++) {
        const double *other = field->drawn + (size_t)i * RESAMPLES;
        double worse = field->median[place] - field->median[i];
        double s = spread(own, other);

        if (s == 0 && worse > 0) {
            return false;
        }
        if (s == 0) {
            continue; /* itself, or equal without any doubt */
        }
        measured = fmax(measured, worse / s);
        for (uint32_t draw = 0; draw < RESAMPLES; draw++) {
            double t = (own[draw] - other[draw] - worse) / s;

            greatest[draw] = t > greatest[draw] ? t : greatest[draw];
        }
    }
    qsort(greatest, RESAMPLES, sizeof *greatest, compare_doubles);
    return !(measured > greatest[QUANTILE] * widening(field->fewest - 1));
}

void gp_best_find(const struct gp_sample *samples, uint32_t count, bool *out)
{
    struct field field = {.samples = gp_xalloc(count, sizeof(struct gp_sample *)),
                          .median = gp_xalloc(count, sizeof(double)),
                          .fewest = UINT32_MAX};
    double *greatest = gp_xalloc(RESAMPLES, sizeof *greatest);

    assert(samples != NULL || count == 0);
    for (uint32_t i = 0; i < count; i++) {
        if (samples[i].count > 1) {
            field.samples[field.count++] = &samples[i];
            field.fewest = samples[i].count < field.fewest ? samples[i].count : field.fewest;
            field.most = samples[i].count > field.most ? samples[i].count : field.most;
        }
    }
    field.drawn = gp_xalloc((size_t)field.count * RESAMPLES, sizeof *field.drawn);
    draw_all(&field);
    for (uint32_t i = 0, place = 0; i < count; i++) {
        out[i] = samples[i].count < 2 || may_be_best(&field, place++, greatest);
    }
    gp_free(field.samples);
    gp_free(field.median);
    gp_free(field.drawn);
    gp_free(greatest);
}
