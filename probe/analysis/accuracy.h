/*
 * How well ways of timing agree with a reference, from runs that carry both. What is constant is
 * fitted on one run and scored on the others, so that nothing is scored on what it was fitted to.
 * Pure functions over plain structs. No I/O.
 */
#ifndef GP_PROBE_ANALYSIS_ACCURACY_H
#define GP_PROBE_ANALYSIS_ACCURACY_H

#include "probe/record.h"

/* naive: two events around each operation, as they are. resolved: begin and end as drawn. */
#define GP_ACCURACY_METHODS(X) X(NAIVE, "naive") X(RESOLVED, "resolved")
#define GP_ACCURACY_QUANTITIES(X) X(BEGIN, "begin") X(END, "end") X(DURATION, "duration")

enum gp_accuracy_method {
#define X(name, word) GP_ACCURACY_##name,
    GP_ACCURACY_METHODS(X)
#undef X
        GP_ACCURACY_METHOD_COUNT
};

enum gp_accuracy_quantity {
#define X(name, word) GP_ACCURACY_##name,
    GP_ACCURACY_QUANTITIES(X)
#undef X
        GP_ACCURACY_QUANTITY_COUNT
};

/* Operations of one run; borrowed. Those without a reference are passed over. */
struct gp_accuracy_run {
    const struct gp_op_row *ops;
    uint32_t count;
};

/* Copies from this size on are to be known closely. */
enum { GP_ACCURACY_BYTES_MIN = 1024 * 1024 };

/* The most rows that one call makes. */
enum { GP_ACCURACY_ROWS_MAX = GP_OP_KIND_COUNT * GP_ACCURACY_QUANTITY_COUNT };

/* How much faster than ours the reference's clock ran during a run, as a part of 1, by its stamped
 * kernels; 0 where there are too few. (CUPTI sets its clock by the host's once and then has it run
 * on by the device's timer: on one H200 0 to 2 ppm apart, on another 26, which are 0.6 µs in a run
 * of 24 ms.) */
double gp_accuracy_drift(const struct gp_accuracy_run *run);

/*
 * Fits on runs[0] a constant each and the reference's drift, scores on the others; run_count ≥ 2.
 * For each kind and quantity of which both have operations one row: bias_ns is the median of (value
 * − reference − fitted constant), spread_ns the 95th percentile of the distance from that, inside
 * the share of operations whose stated interval holds the reference and width_ns the median width
 * of these intervals (of copies from GP_ACCURACY_BYTES_MIN on, by clocks set so that the kernels of
 * the same run agree; NAN for naive, for durations and where there are none). device is 0. Returns
 * the number of rows.
 */
uint32_t gp_accuracy_measure(enum gp_accuracy_method method, const struct gp_accuracy_run *runs,
                             uint32_t run_count, struct gp_accuracy_row rows[GP_ACCURACY_ROWS_MAX]);

#endif
