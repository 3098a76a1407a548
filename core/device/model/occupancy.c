/* Occupancy: see occupancy.h. */
#include "core/device/model/occupancy.h"

#include <assert.h>
#include <stddef.h>

enum {
    WARP_THREADS = 32,
    REGISTER_UNIT = 256, /* of a warp */
    SM_PARTS = 4,        /* each with a quarter of the registers */
    BLOCK_REGISTERS_MAX = 65536,
    THREAD_REGISTERS_MAX = 255,
};

/* Source: cuda_occupancy.h of CUDA 13.0. Barriers: blocks × multiplier, from 9.0 on. */
static const struct {
    int32_t major, minor;
    struct gp_sm_limits limits;
} table[] = {
    {7, 0, {2048, 64, 32, 65536, 96 << 10, 96 << 10, 0, 256, 0}},
    {7, 5, {1024, 32, 16, 65536, 64 << 10, 64 << 10, 0, 256, 0}},
    {8, 0, {2048, 64, 32, 65536, 164 << 10, 163 << 10, 1 << 10, 128, 0}},
    {8, 6, {1536, 48, 16, 65536, 100 << 10, 99 << 10, 1 << 10, 128, 0}},
    {8, 7, {1536, 48, 16, 65536, 164 << 10, 163 << 10, 1 << 10, 128, 0}},
    {8, 9, {1536, 48, 24, 65536, 100 << 10, 99 << 10, 1 << 10, 128, 0}},
    {9, 0, {2048, 64, 32, 65536, 228 << 10, 227 << 10, 1 << 10, 128, 64}},
    {10, 0, {2048, 64, 32, 65536, 228 << 10, 227 << 10, 1 << 10, 128, 64}},
    {12, 0, {1536, 48, 24, 65536, 100 << 10, 99 << 10, 1 << 10, 128, 24}},
};

void gp_occupancy_limits(int32_t major, int32_t minor, struct gp_sm_limits *out)
{
    size_t best = 0;

    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (table[i].major < major || (table[i].major == major && table[i].minor <= minor)) {
            best = i;
        }
    }
    *out = table[best].limits;
}

static uint32_t round_up(uint64_t value, uint32_t unit)
{
    return (uint32_t)((value + unit - 1) / unit * unit);
}

int gp_occupancy_footprint(const struct gp_sm_limits *limits, uint32_t threads, uint32_t registers,
                           uint64_t shared_bytes, struct gp_footprint *out)
{
    uint32_t warp_registers;
    uint32_t warps_per_part;

    assert(threads >= 1);
    out->warps = (threads + WARP_THREADS - 1) / WARP_THREADS;
    out->warp_registers = 0;
    out->shared_bytes = 0;
    out->barriers = limits->barriers > 0 ? 1 : 0;
    if (out->warps > limits->warps || registers > THREAD_REGISTERS_MAX ||
        shared_bytes > limits->shared_block_bytes) {
        return 0;
    }
    out->shared_bytes =
        round_up(shared_bytes + limits->shared_reserved_bytes, limits->shared_unit_bytes);
    if (registers > 0) {
        warp_registers = round_up((uint64_t)registers * WARP_THREADS, REGISTER_UNIT);
        if ((uint64_t)warp_registers * round_up(out->warps, SM_PARTS) > BLOCK_REGISTERS_MAX) {
            return 0;
        }
        /* A warp's registers lie in one part. What is left over there counts as taken, so that a
         * plain sum gives the calculator's answer. */
        warps_per_part = limits->registers / SM_PARTS / warp_registers;
        out->warp_registers = limits->registers / (SM_PARTS * warps_per_part);
    }
    return 1;
}

static uint32_t at_most(uint32_t room, uint32_t limit, uint32_t used, uint32_t each)
{
    uint32_t fits = each > 0 ? (limit - used) / each : room;

    return fits < room ? fits : room;
}

uint32_t gp_occupancy_room(const struct gp_sm_limits *limits, const struct gp_sm_used *used,
                           const struct gp_footprint *footprint)
{
    uint32_t room = limits->blocks - used->blocks;

    room = at_most(room, limits->warps, used->warps, footprint->warps);
    room = at_most(room, limits->registers, used->registers,
                   footprint->warps * footprint->warp_registers);
    room = at_most(room, limits->shared_bytes, used->shared_bytes, footprint->shared_bytes);
    return at_most(room, limits->barriers, used->barriers, footprint->barriers);
}
