/*
 * How long operations ran, and how long together. Pure functions over rows; no I/O.
 *
 *     stream 0   |--copy--|      |---kernel---|
 *     stream 1        |---kernel---|     |--copy--|
 *
 *     running    |------------------------------|     running_ns, the union of all
 *     copy       |--------|              |------|     copy_ns, the union of copies
 *     kernel          |-----------------------|       kernel_ns, the union of kernels
 *     both            |---|              |----|       both_ns, a copy and a kernel at once
 *
 * Copies are h2d, d2h and d2d. Memsets run, but are neither copy nor kernel. Left out: operations
 * without a begin or an end, and those that do not run on the device (host functions, values).
 */
#ifndef GP_PROBE_ANALYSIS_OVERLAP_H
#define GP_PROBE_ANALYSIS_OVERLAP_H

#include "probe/record.h"

struct gp_overlap {
    double total_ns; /* sum of all durations: the one that an int64 might not hold */
    int64_t running_ns;
    int64_t copy_ns;
    int64_t kernel_ns;
    int64_t both_ns;
};

/* In n log n; ops in any order. */
void gp_overlap_measure(const struct gp_op_row *ops, uint32_t count, struct gp_overlap *out);

#endif
