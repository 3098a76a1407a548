/*
 * One run seen by two recorders: our own rows, and those of a tool that watched from outside (an
 * imported trace). Anchors are the host ranges that both have, in their order; a line fitted to
 * them maps our clock to theirs; operations are matched by the range that submitted them, else by
 * kind and order. Pure functions over rows; no I/O.
 */
#ifndef GP_PROBE_ANALYSIS_ALIGNMENT_H
#define GP_PROBE_ANALYSIS_ALIGNMENT_H

#include "probe/record.h"

/* Rows of a run, borrowed. Times count from its epoch. */
struct gp_alignment_side {
    const struct gp_op_row *ops;
    const struct gp_range_row *ranges;
    uint32_t op_count, range_count;
    int64_t epoch_realtime_ns; /* GP_UNKNOWN or 0: not known */
};

/* Differences, ours − theirs, after the fit. NAN: nothing was matched. */
struct gp_alignment_quantity {
    double bias_ns;   /* median */
    double spread_ns; /* 95th percentile of the distance from the bias */
};

struct gp_alignment_kind {
    uint32_t matched;
    uint32_t ours, theirs; /* operations of the kind in either */
    struct gp_alignment_quantity begin, end, duration;
    double
        inside; /* share of their begins and ends that lie in our intervals, the residual allowed */
};

struct gp_alignment {
    uint32_t anchors;
    double offset_ns; /* theirs = offset + (1 + drift) × ours */
    double drift;
    double residual_ns; /* 95th percentile of the anchors' distance from the line */
    bool by_order; /* there were no ranges of operations (a graph): matched by kind and order */
    struct gp_alignment_kind kinds[GP_OP_KIND_COUNT];
    double tolerance_ns; /* what is nearer than this has no order and no overlap of its own */
    /* Of neighbours whose intervals of begin lie apart in ours, how many began in that order in
     * theirs. */
    uint64_t order_pairs, order_same;
    /* Of pairs that overlap in either, and of which our intervals say whether they do, how many do
     * in both. */
    uint64_t overlap_pairs, overlap_same;
};

/* Where a run of ours was found in theirs; smaller is better, in this order. */
struct gp_alignment_place {
    bool by_order;       /* it has no ranges of the operations */
    bool is_other_cell;  /* it lies in the range of another cell, as far as either says */
    int64_t distance_ns; /* from when ours was; 0 where either does not know when it was */
    int64_t longer_ns;   /* how much longer or shorter it took */
};

/* Whether theirs has a run that can be ours; looks at ranges only. */
bool gp_alignment_find(const struct gp_alignment_side *ours, const struct gp_alignment_side *theirs,
                       struct gp_alignment_place *out);

/* Whether a is the better place. */
bool gp_alignment_is_better(const struct gp_alignment_place *a, const struct gp_alignment_place *b);

/* Aligns with the best place. GP_ENOTFOUND: theirs has no range of a traced run with our
 * operations; the text says what was looked for. */
int gp_alignment_make(const struct gp_alignment_side *ours, const struct gp_alignment_side *theirs,
                      struct gp_alignment *out, struct gp_error *err);

#endif
