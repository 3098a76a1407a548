/*
 * How many blocks of a kernel fit on one SM at once, by compute capability: the CUDA occupancy
 * calculator's rules (cuda_occupancy.h of CUDA 13.0, checked against it in a test). Pure.
 */
#ifndef GP_CORE_DEVICE_MODEL_OCCUPANCY_H
#define GP_CORE_DEVICE_MODEL_OCCUPANCY_H

#include <stdint.h>

/* What one SM has. */
struct gp_sm_limits {
    uint32_t threads;
    uint32_t warps;
    uint32_t blocks;
    uint32_t registers;
    uint32_t shared_bytes;          /* largest carve-out */
    uint32_t shared_block_bytes;    /* most that one block may ask for */
    uint32_t shared_reserved_bytes; /* the system's, in each block */
    uint32_t shared_unit_bytes;
    uint32_t barriers; /* 0: not a limit (before 9.0) */
};

/* What one block takes. */
struct gp_footprint {
    uint32_t warps;
    uint32_t warp_registers; /* each warp's, as the SM's four parts hold them */
    uint32_t shared_bytes;   /* with reserved, rounded up */
    uint32_t barriers;
};

/* The limits of a compute capability 7.0 to 12.x; the nearest lower known one's when it is not in
 * the table, the lowest's when there is none. */
void gp_occupancy_limits(int32_t major, int32_t minor, struct gp_sm_limits *out);

/* The footprint of a block of `threads` ≥ 1 threads with `registers` each (0: no limit by them) and
 * static + dynamic shared memory. Returns 0 when such a block can never run, else 1. */
int gp_occupancy_footprint(const struct gp_sm_limits *limits, uint32_t threads, uint32_t registers,
                           uint64_t shared_bytes, struct gp_footprint *out);

/* What is taken on one SM. */
struct gp_sm_used {
    uint32_t warps, blocks, registers, shared_bytes, barriers;
};

/* Blocks of that footprint that fit on an SM where `used` is taken. */
uint32_t gp_occupancy_room(const struct gp_sm_limits *limits, const struct gp_sm_used *used,
                           const struct gp_footprint *footprint);

#endif
