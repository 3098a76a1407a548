/* What kernels take of the SMs: see residency.h. */
#include "probe/analysis/residency.h"

#include <assert.h>

enum { WARP_THREADS = 32, DEVICE_COPY_THREADS = 1024 };

static void limits_of(const struct gp_device_row *device, struct gp_sm_limits *out)
{
    bool is_known = device->compute_major != GP_UNKNOWN && device->compute_minor != GP_UNKNOWN;

    gp_occupancy_limits(is_known ? (int32_t)device->compute_major : 0,
                        is_known ? (int32_t)device->compute_minor : 0, out);
}

bool gp_residency_device(const struct gp_device_row *device, struct gp_resources *out)
{
    struct gp_sm_limits limits;

    if (device->sm_count == GP_UNKNOWN || device->sm_count <= 0 ||
        device->compute_major == GP_UNKNOWN) {
        return false;
    }
    limits_of(device, &limits);
    *out = (struct gp_resources){
        .warps = device->sm_count * limits.warps,
        .blocks = device->sm_count * limits.blocks,
        .registers = device->sm_count * limits.registers,
        .shared_bytes = device->sm_count * limits.shared_bytes,
    };
    return true;
}

/* Copies and memsets on the device have no threads of their own. */
static uint64_t threads_of(const struct gp_op_row *op)
{
    return op->kind == GP_OP_KERNEL ? (uint64_t)op->block[0] * op->block[1] * op->block[2]
                                    : DEVICE_COPY_THREADS;
}

/* Of one block; zeroed where such a block never runs. */
static void work_out(const struct gp_device_row *device, const struct gp_op_row *op,
                     struct gp_residency *out)
{
    const struct gp_sm_used nothing = {0};
    uint64_t threads = threads_of(op);
    struct gp_footprint footprint;
    struct gp_sm_limits limits;

    *out = (struct gp_residency){0};
    limits_of(device, &limits);
    if (threads == 0 || threads > limits.threads ||
        !gp_occupancy_footprint(&limits, (uint32_t)threads, op->regs > 0 ? (uint32_t)op->regs : 0,
                                op->smem > 0 ? (uint64_t)op->smem : 0, &footprint)) {
        return;
    }
    out->room = device->sm_count * gp_occupancy_room(&limits, &nothing, &footprint);
    out->block = (struct gp_resources){
        .warps = footprint.warps,
        .blocks = 1,
        .registers = (int64_t)footprint.warps * footprint.warp_registers,
        .shared_bytes = footprint.shared_bytes,
    };
}

static void add_blocks(const struct gp_op_row *op, struct gp_residency *out)
{
    if (out->block.blocks > 0) {
        out->blocks = (int64_t)op->grid[0] * op->grid[1] * op->grid[2];
    }
}

void gp_residency_of(const struct gp_device_row *device, const struct gp_op_row *op,
                     struct gp_residency *out)
{
    work_out(device, op, out);
    add_blocks(op, out);
}

void gp_residencies_of(struct gp_residencies *residencies, const struct gp_op_row *op,
                       struct gp_residency *out)
{
    uint64_t threads = threads_of(op);
    uint64_t place = (threads * 31 + (uint64_t)op->smem * 7 + (uint64_t)op->regs) % GP_SHAPES_KEPT;
    struct gp_shape *shape = &residencies->kept[place];

    if (!shape->is_known || shape->threads != threads || shape->smem != op->smem ||
        shape->regs != op->regs) {
        *shape = (struct gp_shape){threads, op->smem, op->regs, true, {.room = 0}};
        work_out(residencies->device, op, &shape->residency);
    }
    *out = shape->residency;
    add_blocks(op, out);
}

void gp_residency_waves(const struct gp_residency *residency, const struct gp_op_row *op,
                        int64_t *full, int64_t blocks[2])
{
    int64_t waves;

    assert(op->begin <= op->end);
    if (residency->blocks <= residency->room || residency->room == 0) {
        *full = op->begin;
        blocks[0] = blocks[1] = residency->blocks;
        return;
    }
    waves = (residency->blocks + residency->room - 1) / residency->room;
    *full = op->end - (op->end - op->begin) / waves;
    blocks[0] = residency->room;
    blocks[1] = residency->blocks - (waves - 1) * residency->room;
}
