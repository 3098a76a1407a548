/*
 * The shapes that most scenarios have: a number of alike chains, all at once or one after another.
 * Private to scenarios/.
 */
#ifndef GP_SCENARIOS_CHAINS_H
#define GP_SCENARIOS_CHAINS_H

#include "scenarios/scenario.h"

/* Builds chain `index` from the scenario's own state. Errors stick in the builder (op.h). */
typedef struct gp_op *gp_chain_fn(const void *state, struct gp_builder *builder, uint32_t index);

/* Freezes the zip of `count` chains of workload->state into workload->dag. count ≥ 1. */
int gp_chains_build(struct gp_workload *workload, uint32_t count, gp_chain_fn *chain,
                    struct gp_error *err);

/* The same, each after the one before. */
int gp_chains_build_in_sequence(struct gp_workload *workload, uint32_t count, gp_chain_fn *chain,
                                struct gp_error *err);

#endif
