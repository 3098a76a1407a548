/*
 * The figures of a recording as tables of policy × pool size: which tables there are, what stands
 * in each place, how it reads and how good it is. Pure functions over analysed results; knows no
 * display.
 */
#ifndef GP_VIEWER_MATRIX_H
#define GP_VIEWER_MATRIX_H

#include "probe/analysis/load.h"

/* word, unit, whether less is better, what it is */
#define GP_MATRIX_METRICS(X)                                                                       \
    X(MAKESPAN, "makespan", "ms", true, "median over the plain runs: the time that counts")        \
    X(SPEEDUP, "speed-up", "×", false, "makespan of policy single divided by this one's")          \
    X(EFFICIENCY, "efficiency", "", false,                                                         \
      "shortest makespan that the device could reach, divided by this one's")                      \
    X(CONCURRENCY, "concurrency", "", false,                                                       \
      "sum of the operations' durations divided by the time in which any ran")                     \
    X(OVERLAP, "copy-compute overlap", "", false,                                                  \
      "share of the shorter of copying and computing that ran beside the other")                   \
    X(LATENCY, "p99 latency", "ms", true, "99 of 100 chains ended this soon after their submit")   \
    X(PERTURBATION, "perturbation", "×", true,                                                     \
      "traced makespan divided by plain makespan: what tracing itself costs")

enum gp_matrix_metric {
#define X(name, word, unit, less, summary) GP_MATRIX_##name,
    GP_MATRIX_METRICS(X)
#undef X
        GP_MATRIX_METRIC_COUNT
};

/* Static texts of the list above. */
const char *gp_matrix_metric_name(enum gp_matrix_metric metric);
const char *gp_matrix_metric_unit(enum gp_matrix_metric metric);
const char *gp_matrix_metric_summary(enum gp_matrix_metric metric);
bool gp_matrix_metric_is_less_better(enum gp_matrix_metric metric);

/* A figure of a cell in the metric's unit, with its interval; NAN where unknown. */
struct gp_figure gp_matrix_figure(const struct gp_result *result, enum gp_matrix_metric metric);

/* Four significant digits, or "–" where unknown. */
void gp_matrix_format(double value, char *text, size_t size);

/* One table: cells that differ in policy and pool size only. */
struct gp_matrix {
    const char **policies;           /* rows, in the recording's order; borrowed from results */
    int32_t *streams;                /* columns, ascending */
    const struct gp_result **places; /* row by row; NULL: not run */
    uint32_t policy_count, stream_count;
    char title[600]; /* scenario, parameters, and what else sets it apart */
};

/* All tables of the results, which must live as long. *out is the caller's, released with
 * gp_matrices_destroy. Returns how many. */
uint32_t gp_matrices_create(const struct gp_results *results, struct gp_matrix **out);

/* NULL allowed. */
void gp_matrices_destroy(struct gp_matrix *matrices, uint32_t count);

/* The place of a row and a column; NULL: not run. */
const struct gp_result *gp_matrix_at(const struct gp_matrix *matrix, uint32_t policy,
                                     uint32_t stream);

/* Smallest and largest known figure of the table, intervals included when asked for; false when
 * nothing is known. */
bool gp_matrix_extent(const struct gp_matrix *matrix, enum gp_matrix_metric metric,
                      bool has_intervals, double *min, double *max);

/* How good a figure is among those between min and max: 0 the worst, 1 the best; NAN unknown. */
double gp_matrix_goodness(double value, double min, double max, enum gp_matrix_metric metric);

#endif
