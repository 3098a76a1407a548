/*
 * What the rules of causes.h look up: of each operation its stream's and its engine's order, and
 * what held it by each kind of order, computed once a run. Internal to the causes.
 */
#ifndef GP_PROBE_ANALYSIS_CAUSE_INDEX_H
#define GP_PROBE_ANALYSIS_CAUSE_INDEX_H

#include "probe/analysis/causes.h"

/* Until when something held an operation, and which operation it was; {INT64_MIN, GP_NO_OP}:
 * nothing did. */
struct gp_held {
    int64_t until;
    uint32_t on;
};

struct gp_cause_index {
    const struct gp_run_data *run;
    uint32_t *edge_first;    /* edges[edge_first[i] .. edge_first[i + 1]) end at operation i */
    struct gp_held *depends; /* device work it depends on, also through host functions */
    struct gp_held *host;    /* host functions it depends on, or behind which it is */
    int64_t *wanted;         /* all it depends on has ended; 0: on nothing */
    struct gp_held *behind;  /* device work before it on its stream */
};

/* data is borrowed; release with finish. */
struct gp_cause_index *gp_cause_index_create(const struct gp_run_data *data);
void gp_cause_index_destroy(struct gp_cause_index *index);

/* From when on its stream was idle before it: 0 for a stream's first. */
int64_t gp_cause_index_idle_from(const struct gp_cause_index *index, uint32_t op);

#endif
