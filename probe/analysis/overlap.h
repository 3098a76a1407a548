/*
 * How long operations ran, and how long together. Pure functions over rows; no I/O.
 *
 *     stream 0   |--up----|      |---kernel---|
 *     stream 1        |---kernel---|     |--down--|
 *     stream 2      |--down-|
 *
 *     running    |--------------------------------|   running_ns, the union of all
 *     copy       |----------|            |--------|   copy_ns, the union of copies
 *     kernel          |-----------------------|       kernel_ns, the union of kernels
 *     both            |-----|            |----|       both_ns, a copy and a kernel at once
 *     up         |--------|                           h2d_ns, the union of copies to the device
 *     down          |-------|            |--------|   d2h_ns, the union of copies to the host
 *     duplex        |-----|                           duplex_ns, copies in both directions at once
 *     at once    1  2 3   2 1    2 1     2    1       at_once_ns[k]: how long exactly k ran; the
 *                                                     last one: so many or more; [0]: none, between
 *                                                     the first begin and the last end
 *
 * The sum of at_once_ns is from the first begin to the last end; that of k · at_once_ns[k] is the
 * sum of all durations as long as no more than GP_AT_ONCE_MAX ran at once. Copies are h2d, d2h and
 * d2d; d2d has no direction here. Memsets run, but are neither copy nor kernel. Left out:
 * operations without a begin or an end, and those that do not run on the device (host functions,
 * values).
 */
#ifndef GP_PROBE_ANALYSIS_OVERLAP_H
#define GP_PROBE_ANALYSIS_OVERLAP_H

#include "probe/record.h"

enum { GP_AT_ONCE_MAX = 128 };

struct gp_overlap {
    double total_ns; /* sum of all durations: the one that an int64 might not hold */
    int64_t running_ns;
    int64_t copy_ns;
    int64_t kernel_ns;
    int64_t both_ns;
    int64_t h2d_ns;
    int64_t d2h_ns;
    int64_t duplex_ns;
    int64_t at_once_ns[GP_AT_ONCE_MAX + 1];
    uint32_t most_at_once;
};

/* In time linear in the count; ops in any order. */
void gp_overlap_measure(const struct gp_op_row *ops, uint32_t count, struct gp_overlap *out);

#endif
