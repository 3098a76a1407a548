/* What must hold of blocks that stamped themselves: the rules `block` and `block-room` of
 * invariants.h. */
#include "probe/analysis/block_use.h"
#include "probe/analysis/by_time.h"
#include "probe/analysis/invariants.h"
#include "probe/analysis/residency.h"
#include "probe/memory.h"

#include <string.h>

static const char not_recorded[] = "its blocks were not recorded";

static int64_t tick_ns(const struct gp_run_data *run)
{
    int64_t tick = run->device->timer_tick_ns;

    return tick != GP_UNKNOWN && tick > 0 ? tick : 0;
}

static void add(struct gp_violations *out, enum gp_invariant what, uint32_t op,
                const struct gp_block_row *block, int64_t by_ns, const char *text)
{
    gp_violations_add(out, &(struct gp_violation){.what = what,
                                                  .op = op,
                                                  .other = GP_NO_OP,
                                                  .by_ns = by_ns,
                                                  .block = block != NULL ? block->block + 1 : 0,
                                                  .text = text});
}

/* ---- block --------------------------------------------------------------------------------- */

static void judge_block(const struct gp_run_data *run, const struct gp_op_row *op,
                        const struct gp_block_row *block, struct gp_violations *out)
{
    const enum gp_invariant what = GP_INVARIANT_BLOCK;
    const int64_t tick = tick_ns(run);

    if (run->device->sm_count != GP_UNKNOWN && block->sm >= run->device->sm_count) {
        add(out, what, op->id, block, GP_UNKNOWN, "a block of it ran on an SM that there is not");
    }
    if (block->end < block->begin) {
        add(out, what, op->id, block, block->begin - block->end,
            "a block of it ends before it begins");
    }
    if (op->begin_lo != GP_UNKNOWN && block->begin < op->begin_lo - tick) {
        add(out, what, op->id, block, op->begin_lo - block->begin,
            "a block of it begins before it does");
    }
    if (op->end_hi != GP_UNKNOWN && block->end > op->end_hi + tick) {
        add(out, what, op->id, block, block->end - op->end_hi, "a block of it ends after it does");
    }
}

/* Every block of the grid, and each once. */
static void judge_numbers(const struct gp_op_row *op, const struct gp_block_row *blocks,
                          uint32_t count, struct gp_violations *out)
{
    const uint64_t grid = (uint64_t)op->grid[0] * op->grid[1] * op->grid[2];

    for (uint32_t i = 0; i < count; i++) {
        if (i > 0 && blocks[i].block == blocks[i - 1].block) {
            add(out, GP_INVARIANT_BLOCK, op->id, &blocks[i], GP_UNKNOWN,
                "two blocks of it have the same number");
            return;
        }
        if (blocks[i].block >= grid) {
            add(out, GP_INVARIANT_BLOCK, op->id, &blocks[i], GP_UNKNOWN,
                "a block is none of its grid");
            return;
        }
    }
    if (count != grid) {
        add(out, GP_INVARIANT_BLOCK, op->id, NULL, GP_UNKNOWN,
            "blocks of its grid are missing among those that were recorded");
    }
}

const char *gp_blocks_check(const struct gp_run_data *run, struct gp_violations *out)
{
    uint32_t count;

    for (uint32_t i = 0; i < run->op_count; i++) {
        const struct gp_block_row *blocks = gp_run_blocks(run, i, &count);

        for (uint32_t k = 0; k < count; k++) {
            judge_block(run, &run->ops[i], &blocks[k], out);
        }
        if (count > 0) {
            judge_numbers(&run->ops[i], blocks, count, out);
        }
    }
    return run->block_count > 0 ? NULL : not_recorded;
}

/* ---- block-room ---------------------------------------------------------------------------- */

enum { BEGINS, ENDS };

/* Blocks that are resident for certain, first the ends of a moment and then its begins; the block's
 * index as what gp_moment calls the operation. */
static struct gp_moment *certain_blocks(const struct gp_run_data *run, uint32_t *count)
{
    struct gp_moment *moments = gp_xalloc(2 * (size_t)run->block_count, sizeof *moments);
    const int64_t tick = tick_ns(run);

    *count = 0;
    for (int what = ENDS; what >= BEGINS; what--) {
        for (uint32_t i = 0; i < run->block_count; i++) {
            const struct gp_block_row *block = &run->blocks[i];

            if (block->sm < run->device->sm_count && block->end - tick > block->begin) {
                moments[(*count)++] = (struct gp_moment){
                    what == ENDS ? block->end - tick : block->begin, i, (uint32_t)what};
            }
        }
    }
    gp_moments_sort(moments, *count);
    return moments;
}

static void change(struct gp_resources *taken, const struct gp_resources *block, int sign)
{
    taken->warps += sign * block->warps;
    taken->blocks += sign * block->blocks;
    taken->registers += sign * block->registers;
    taken->shared_bytes += sign * block->shared_bytes;
}

/* Registers are those of our descriptors: what the model has, and what nvcc makes for 9.0. */
static bool knows_registers(const struct gp_device_row *device)
{
    return device->kind == GP_ORIGIN_MODEL ||
           (device->compute_major == 9 && device->compute_minor == 0 && device->image != NULL &&
            strcmp(device->image, "fatbin") == 0);
}

static bool is_over(const struct gp_resources *taken, const struct gp_resources *limit,
                    bool with_registers)
{
    return taken->warps > limit->warps || taken->blocks > limit->blocks ||
           taken->shared_bytes > limit->shared_bytes ||
           (with_registers && taken->registers > limit->registers);
}

const char *gp_block_room_check(const struct gp_run_data *run, struct gp_violations *out)
{
    const bool with_registers = knows_registers(run->device);
    struct gp_residencies residencies = {.device = run->device};
    struct gp_resources limit, *taken;
    struct gp_moment *moments;
    uint32_t count;

    if (run->block_count == 0) {
        return not_recorded;
    }
    if (!gp_residency_device(run->device, &limit)) {
        return "what an SM of the device holds is not known";
    }
    limit.warps /= run->device->sm_count;
    limit.blocks /= run->device->sm_count;
    limit.registers /= run->device->sm_count;
    limit.shared_bytes /= run->device->sm_count;
    taken = gp_xalloc((size_t)run->device->sm_count, sizeof *taken);
    moments = certain_blocks(run, &count);
    for (uint32_t i = 0; i < count; i++) {
        const struct gp_block_row *block = &run->blocks[moments[i].op];
        struct gp_resources *sm = &taken[block->sm];
        bool was_over = is_over(sm, &limit, with_registers);
        struct gp_residency residency;

        gp_residencies_of(&residencies, &run->ops[block->op], &residency);
        change(sm, &residency.block, moments[i].what == ENDS ? -1 : 1);
        if (!was_over && is_over(sm, &limit, with_registers)) {
            add(out, GP_INVARIANT_BLOCK_ROOM, block->op, block, GP_UNKNOWN,
                "a block of it runs on an SM that has no room for it");
        }
    }
    gp_free(moments);
    gp_free(taken);
    return NULL;
}
