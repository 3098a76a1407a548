/* The figures of a recording as tables: see matrix.h. */
#include "viewer/matrix.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "probe/memory.h"
#include "viewer/cell_text.h"

static const struct {
    const char *word, *unit, *summary;
    bool is_less_better;
} metrics[GP_MATRIX_METRIC_COUNT] = {
#define X(name, word, unit, less, summary) [GP_MATRIX_##name] = {word, unit, summary, less},
    GP_MATRIX_METRICS(X)
#undef X
};

const char *gp_matrix_metric_name(enum gp_matrix_metric metric)
{
    return metrics[metric].word;
}

const char *gp_matrix_metric_unit(enum gp_matrix_metric metric)
{
    return metrics[metric].unit;
}

const char *gp_matrix_metric_summary(enum gp_matrix_metric metric)
{
    return metrics[metric].summary;
}

bool gp_matrix_metric_is_less_better(enum gp_matrix_metric metric)
{
    return metrics[metric].is_less_better;
}

static struct gp_figure scaled(struct gp_figure figure, double factor)
{
    return (struct gp_figure){figure.median * factor, figure.lo * factor, figure.hi * factor};
}

static struct gp_figure exactly(double value)
{
    return (struct gp_figure){value, NAN, NAN};
}

struct gp_figure gp_matrix_figure(const struct gp_result *result, enum gp_matrix_metric metric)
{
    const struct gp_cell_summary *summary = &result->summary;

    switch (metric) {
    case GP_MATRIX_MAKESPAN:
        return scaled(summary->makespan_ns, 1e-6);
    case GP_MATRIX_SPEEDUP:
        return exactly(summary->speedup);
    case GP_MATRIX_EFFICIENCY:
        return exactly(summary->efficiency);
    case GP_MATRIX_CONCURRENCY:
        return exactly(summary->concurrency);
    case GP_MATRIX_OVERLAP:
        return exactly(summary->copy_compute_overlap);
    case GP_MATRIX_LATENCY:
        return exactly(summary->latency_p99_ns * 1e-6);
    default:
        assert(metric == GP_MATRIX_PERTURBATION);
        return summary->perturbation;
    }
}

void gp_matrix_format(double value, char *text, size_t size)
{
    if (!isfinite(value)) {
        (void)snprintf(text, size, "–");
    } else {
        int whole = value == 0 ? 1 : (int)floor(log10(fabs(value))) + 1;
        int decimals = whole >= 4 ? 0 : whole <= 0 ? 3 : 4 - whole;

        (void)snprintf(text, size, "%.*f", decimals, value);
    }
}

/* ---- tables -------------------------------------------------------------------------------- */

static bool is_same_table(const struct gp_cell_row *a, const struct gp_cell_row *b)
{
    return a->device == b->device && a->submit == b->submit && a->order == b->order &&
           strcmp(a->scenario, b->scenario) == 0 && strcmp(a->params, b->params) == 0 &&
           strcmp(a->completion, b->completion) == 0;
}

/* Its index among the rows; appended when it is new. */
static uint32_t add_policy(struct gp_matrix *matrix, const char *policy)
{
    uint32_t i = 0;

    while (i < matrix->policy_count && strcmp(matrix->policies[i], policy) != 0) {
        i++;
    }
    if (i == matrix->policy_count) {
        matrix->policies[matrix->policy_count++] = policy;
    }
    return i;
}

/* Inserted in its place when it is new. */
static void add_streams(struct gp_matrix *matrix, int32_t streams)
{
    uint32_t i = 0;

    while (i < matrix->stream_count && matrix->streams[i] < streams) {
        i++;
    }
    if (i == matrix->stream_count || matrix->streams[i] != streams) {
        memmove(&matrix->streams[i + 1], &matrix->streams[i],
                (matrix->stream_count - i) * sizeof *matrix->streams);
        matrix->streams[i] = streams;
        matrix->stream_count++;
    }
}

static uint32_t column_of(const struct gp_matrix *matrix, int32_t streams)
{
    uint32_t i = 0;

    while (matrix->streams[i] != streams) {
        i++;
        assert(i < matrix->stream_count);
    }
    return i;
}

static void name_table(struct gp_matrix *matrix, const struct gp_results *results, uint32_t first)
{
    const struct gp_cell_row *cell = results->cells[first].cell;
    char params[400], manner[100];

    gp_cell_params_text(cell->params, params, sizeof params);
    gp_cell_manner_text(cell, results->cells[first].device,
                        gp_cell_connections_vary(results, first), manner, sizeof manner);
    (void)snprintf(matrix->title, sizeof matrix->title, "%s%s%s%s%s%s", cell->scenario,
                   params[0] != '\0' ? " (" : "", params, params[0] != '\0' ? ")" : "",
                   manner[0] != '\0' ? ", " : "", manner);
}

static void fill_table(struct gp_matrix *matrix, const struct gp_results *results, uint32_t first)
{
    const struct gp_cell_row *head = results->cells[first].cell;

    matrix->policies = gp_xalloc(results->count, sizeof *matrix->policies);
    matrix->streams = gp_xalloc((size_t)results->count + 1, sizeof *matrix->streams);
    for (uint32_t i = first; i < results->count; i++) {
        if (is_same_table(head, results->cells[i].cell)) {
            (void)add_policy(matrix, results->cells[i].cell->policy);
            add_streams(matrix, results->cells[i].cell->streams);
        }
    }
    matrix->places =
        gp_xalloc((size_t)matrix->policy_count * matrix->stream_count, sizeof *matrix->places);
    for (uint32_t i = first; i < results->count; i++) {
        const struct gp_result *result = &results->cells[i];

        if (is_same_table(head, result->cell)) {
            uint32_t row = add_policy(matrix, result->cell->policy);

            matrix->places[(size_t)row * matrix->stream_count +
                           column_of(matrix, result->cell->streams)] = result;
        }
    }
    name_table(matrix, results, first);
}

uint32_t gp_matrices_create(const struct gp_results *results, struct gp_matrix **out)
{
    struct gp_matrix *matrices = gp_xalloc(results->count, sizeof *matrices);
    uint32_t *firsts = gp_xalloc(results->count, sizeof *firsts);
    uint32_t count = 0;

    for (uint32_t i = 0; i < results->count; i++) {
        uint32_t table = 0;

        while (table < count &&
               !is_same_table(results->cells[firsts[table]].cell, results->cells[i].cell)) {
            table++;
        }
        if (table == count) {
            firsts[count] = i;
            fill_table(&matrices[count++], results, i);
        }
    }
    gp_free(firsts);
    *out = matrices;
    return count;
}

void gp_matrices_destroy(struct gp_matrix *matrices, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        gp_free(matrices[i].policies);
        gp_free(matrices[i].streams);
        gp_free(matrices[i].places);
    }
    gp_free(matrices);
}

const struct gp_result *gp_matrix_at(const struct gp_matrix *matrix, uint32_t policy,
                                     uint32_t stream)
{
    assert(policy < matrix->policy_count && stream < matrix->stream_count);
    return matrix->places[(size_t)policy * matrix->stream_count + stream];
}

static void widen(double value, double *min, double *max)
{
    if (isfinite(value)) {
        *min = fmin(*min, value);
        *max = fmax(*max, value);
    }
}

bool gp_matrix_extent(const struct gp_matrix *matrix, enum gp_matrix_metric metric,
                      bool has_intervals, double *min, double *max)
{
    *min = INFINITY;
    *max = -INFINITY;
    for (size_t i = 0; i < (size_t)matrix->policy_count * matrix->stream_count; i++) {
        if (matrix->places[i] != NULL) {
            struct gp_figure figure = gp_matrix_figure(matrix->places[i], metric);

            widen(figure.median, min, max);
            if (has_intervals) {
                widen(figure.lo, min, max);
                widen(figure.hi, min, max);
            }
        }
    }
    return *min <= *max;
}

double gp_matrix_goodness(double value, double min, double max, enum gp_matrix_metric metric)
{
    double share = max > min ? (value - min) / (max - min) : 0.5;

    if (!isfinite(value)) {
        return NAN;
    }
    return metrics[metric].is_less_better ? 1 - share : share;
}
