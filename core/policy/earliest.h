/*
 * A plan by estimated times: operation after operation on the stream where it would finish first.
 * Shared by the policies that look ahead.
 */
#ifndef GP_CORE_POLICY_EARLIEST_H
#define GP_CORE_POLICY_EARLIEST_H

#include "core/estimate.h"
#include "core/policy/policy.h"

struct gp_earliest_place {
    uint32_t stream;
    int64_t end_ns; /* estimated, from the begin of the DAG */
};

struct gp_earliest {
    const struct gp_dag *dag;
    struct gp_estimate *estimate;
    uint32_t *order;                  /* all operations, longest path to the end first */
    struct gp_earliest_place *places; /* per operation, once it has one */
    int64_t free_ns[GP_STREAMS_MAX];  /* when each stream is done with what it has */
};

/* Nothing placed yet; *out is the caller's and borrows the DAG. GP_ENOMEM. */
int gp_earliest_create(const struct gp_dag *dag, struct gp_earliest **out, struct gp_error *err);
/* NULL allowed. */
void gp_earliest_destroy(struct gp_earliest *earliest);

/* Gives op, whose predecessors have places, one on a stream of [first, first + count). */
void gp_earliest_place(struct gp_earliest *earliest, uint32_t op, uint32_t first, uint32_t count);

#endif
