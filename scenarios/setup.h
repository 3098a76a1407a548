/*
 * What the set-up of most scenarios has in common: their own state, buffers from a table, poison.
 * Private to scenarios/.
 */
#ifndef GP_SCENARIOS_SETUP_H
#define GP_SCENARIOS_SETUP_H

#include "scenarios/scenario.h"

/* One buffer of a scenario's own; its index in the table is its id. */
struct gp_setup_buffer {
    struct gp_buffer **out;
    const char *name;
    enum gp_space space;
    uint64_t bytes;
};

/* Zeroed memory for the scenario's state, which becomes workload->state; NULL after a failure. The
 * scenario's teardown frees it. */
void *gp_setup_state(struct gp_workload *workload, size_t bytes, struct gp_error *err);

/* Creates them all, or fails at the first that cannot be; teardown destroys what is there. */
int gp_setup_buffers(struct gp_workload *workload, const struct gp_setup_buffer *wanted,
                     uint32_t count, struct gp_error *err);

/* Fills each with what is no right result of anything. */
int gp_setup_poison(struct gp_workload *workload, struct gp_buffer *const *buffers, uint32_t count,
                    struct gp_error *err);

/* GP_ENOMEM, with the scenario's name. */
int gp_setup_fail_memory(const struct gp_workload *workload, struct gp_error *err);

#endif
