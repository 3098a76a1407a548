/*
 * Where a run of ours is in what another recorder saw, by its ranges. For alignment.c.
 */
#ifndef GP_PROBE_ANALYSIS_ALIGNMENT_FIND_H
#define GP_PROBE_ANALYSIS_ALIGNMENT_FIND_H

#include "probe/analysis/alignment.h"

/* Host ranges of operations, in the order of submission. */
struct gp_alignment_anchors {
    const struct gp_range_row **ranges;
    uint32_t count;
};

/* Our run in theirs, with the ranges of its operations in either; none when by_order. */
struct gp_alignment_found {
    struct gp_alignment_place place;
    struct gp_alignment_anchors ours, theirs;
    int64_t begin, end; /* of the run, on their clock */
};

/* Whether it was found. *out is to be finished in every case. */
bool gp_alignment_search(const struct gp_alignment_side *ours,
                         const struct gp_alignment_side *theirs, struct gp_alignment_found *out);
void gp_alignment_found_finish(struct gp_alignment_found *found);

#endif
