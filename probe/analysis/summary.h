/*
 * What a recording says of its cells: the figures of the summary table and of --json. Pure
 * functions over plain structs; the reader fills the input. No I/O.
 */
#ifndef GP_PROBE_ANALYSIS_SUMMARY_H
#define GP_PROBE_ANALYSIS_SUMMARY_H

#include "probe/analysis/best.h"
#include "probe/record.h"

/* A figure with its 95 % interval; NAN where unknown. */
struct gp_figure {
    double median, lo, hi;
};

/* Makespans of one cell, as recorded. Arrays are borrowed. */
struct gp_cell_data {
    const int64_t *plain_ns; /* one a complete plain run, in repeat order; ≥ 0 */
    uint32_t plain_count;
    /* traced_ns[i] ÷ twin_ns[i] are the pairs of perturbation. */
    const int64_t *traced_ns, *twin_ns;
    uint32_t pair_count;
    const struct gp_op_row *ops; /* of the traced run that was kept; NULL none */
    uint32_t op_count;
    int32_t verified; /* 1, 0, −1 as in gp_run_row, over all its runs: 0 wins, then 1 */
    enum gp_status status;
};

/* A cell against round-robin with the same pool size and submit mode: not known (there is none, or
 * an interval is not known), intervals that touch, or the whole interval below or above. */
#define GP_VERSUSES(X) X(UNKNOWN, "") X(SAME, "same") X(FASTER, "faster") X(SLOWER, "slower")

enum gp_versus {
#define X(name, word) GP_VERSUS_##name,
    GP_VERSUSES(X)
#undef X
        GP_VERSUS_COUNT
};

/* The list's word, static. */
const char *gp_versus_name(enum gp_versus versus);

/* Latency is that of chains: from the submission of the first operation to the end of the last.
 * Where chains arrive, it is that of those which do, from their intended arrival. */
struct gp_cell_summary {
    struct gp_figure makespan_ns;
    struct gp_figure perturbation; /* traced ÷ plain */
    double speedup;                /* median of `single` of the same scenario ÷ this median */
    double concurrency;            /* Σ durations ÷ union of running time */
    double copy_compute_overlap;   /* time with a copy and a kernel running ÷ the smaller union */
    double h2d_d2h_overlap;        /* time with copies in both directions ÷ the smaller union */
    double latency_p50_ns, latency_p99_ns; /* of chains, see below */
    /* bounds.h; of what all cells that do the same work saw. NAN unknown. */
    double bound_ns, device_bound_ns;
    double bound_but_host_ns; /* bound_ns without what the host's calls take */
    double bound_lowered_ns;  /* by which plain runs beat what traced ones told; else 0 */
    double efficiency;        /* device_bound_ns ÷ median makespan */
    const char *limit;        /* what it comes closest to, "the H2D engine"; NULL unknown; static */
    double limit_share;       /* of the makespan, that it takes at least */
    uint32_t repeats;
    enum gp_versus versus_round_robin;
    bool is_best;        /* smallest median of its scenario */
    bool is_tied;        /* not distinguishable from the best (best.h); or not known */
    bool is_recommended; /* smallest pool within 2 % of the best, or known not to be worse */
};

/* Median and percentile bootstrap interval (2 000 resamples, seeded, so it repeats). count 0: all
 * NAN; count 1: lo and hi NAN. */
struct gp_figure gp_figure_median(const double *values, uint32_t count);

/* Median of `over` ÷ median of `under`, likewise, both drawn anew each time. Either count 0: all
 * NAN; either 1: lo and hi NAN. Values > 0. */
struct gp_figure gp_figure_ratio(const double *over, uint32_t over_count, const double *under,
                                 uint32_t under_count);

/* Everything but the comparisons between cells. */
void gp_summary_cell(const struct gp_cell_data *data, struct gp_cell_summary *out);

/* A cell among those of one scenario (same device, same parameters). */
struct gp_summary_entry {
    bool is_single;      /* policy `single`: the reference of the speed-up */
    bool is_round_robin; /* policy `round-robin`: what others are held against */
    int32_t streams;
    enum gp_submit submit;
    struct gp_sample makespans; /* those of plain runs, ns */
    struct gp_cell_summary *summary;
};

/* Fills speedup, versus_round_robin and the is_ flags of entries that have been through
 * gp_summary_cell. Give it the complete cells only; medians that are not known are passed over. */
void gp_summary_compare(const struct gp_summary_entry *entries, uint32_t count);

#endif
