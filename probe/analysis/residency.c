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

void gp_residency_of(const struct gp_device_row *device, const struct gp_op_row *op,
                     struct gp_residency *out)
{
    const struct gp_sm_used nothing = {0};
    uint64_t threads = (uint64_t)op->block[0] * op->block[1] * op->block[2];
    struct gp_footprint footprint;
    struct gp_sm_limits limits;

    *out = (struct gp_residency){0};
    if (op->kind != GP_OP_KERNEL) {
        threads = DEVICE_COPY_THREADS;
    }
    limits_of(device, &limits);
    if (threads == 0 || threads > limits.threads ||
        !gp_occupancy_footprint(&limits, (uint32_t)threads, op->regs > 0 ? (uint32_t)op->regs : 0,
                                op->smem > 0 ? (uint64_t)op->smem : 0, &footprint)) {
        return;
    }
    out->room = device->sm_count * gp_occupancy_room(&limits, &nothing, &footprint);
    out->blocks = (int64_t)op->grid[0] * op->grid[1] * op->grid[2];
    out->block = (struct gp_resources){
        .warps = footprint.warps,
        .blocks = 1,
        .registers = (int64_t)footprint.warps * footprint.warp_registers,
        .shared_bytes = footprint.shared_bytes,
    };
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
