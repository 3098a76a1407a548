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

/* Whether it stamps each of its blocks. */
static inline bool gp_stamps_blocks(const struct gp_sim_op *op)
{
    return (op->stamp & GP_STAMP_BLOCKS) != 0 && !op->is_faulty;
}

/*
 * Of an operation that does: a block begins with its cohort, and the cohort's blocks end now. What
 * is modelled: every block with an SM of its own choice and the times of those of its kernel that
 * began there with it; they are in the stamps as the device's timer shows them. While a cohort
 * runs, the end of each of its blocks' stamps holds the index + 1 of the one that joined before.
 */
void gp_execute_block_begin(const struct gp_sim *sim, struct gp_sim_cohort *cohort, uint32_t block);
void gp_execute_blocks_end(const struct gp_sim *sim, const struct gp_sim_cohort *cohort);

/* The operation's effect; GP_EFAULT when it is faulty. */
int gp_execute(struct gp_sim *sim, const struct gp_sim_op *op, struct gp_error *err);

#endif
