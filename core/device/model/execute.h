/*
 * What an operation does to bytes, at its virtual end: copies move them, kernels run their host
 * reference, stamps and flags are written. Results of kernels are reused by content (memo.h).
 */
#ifndef GP_CORE_DEVICE_MODEL_EXECUTE_H
#define GP_CORE_DEVICE_MODEL_EXECUTE_H

#include "core/device/model/memory.h"
#include "core/device/model/sim.h"

struct gp_action {
    uint32_t references;
    uint64_t to, from, bytes;
    uint8_t value;
    void
        *staged; /* owned; a copy's bytes when they come from pageable memory, a launch's buffers */
    struct gp_launch launch; /* its pointers are owned */
};

/* A copied launch; NULL without memory. One reference is the caller's. */
struct gp_action *gp_action_launch(const struct gp_launch *launch);

/* A copy, fill or free. */
struct gp_action *gp_action_move(uint64_t to, uint64_t from, uint64_t bytes, uint8_t value);

/* Drops a reference; NULL allowed. */
void gp_action_destroy(struct gp_action *action);

/* Whether everything that the launch names lies in the memory. */
bool gp_launch_is_valid(const struct gp_memory *memory, const struct gp_launch *launch);

/* The operation's effect; GP_EFAULT when it is faulty. */
int gp_execute(struct gp_sim *sim, const struct gp_sim_op *op, struct gp_error *err);

#endif
