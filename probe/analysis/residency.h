/*
 * What a run's kernels take of the SMs: how many blocks of each fit, and when the last of them was
 * given an SM. From grid, block, registers and shared memory, by the rules of occupancy; where the
 * device's SMs or a kernel's grid are not known, nothing is said.
 */
#ifndef GP_PROBE_ANALYSIS_RESIDENCY_H
#define GP_PROBE_ANALYSIS_RESIDENCY_H

#include "core/device/model/occupancy.h"
#include "probe/record.h"

/* What the whole device has, or what kernels take of it. */
struct gp_resources {
    int64_t warps, blocks, registers, shared_bytes;
};

/* One kernel's. Zeroed: not known. */
struct gp_residency {
    struct gp_resources block; /* that one block takes */
    int64_t blocks;            /* of its grid */
    int64_t room;              /* blocks that the empty device holds; 0: such a block never runs */
};

/* False when the device's SMs are not known. */
bool gp_residency_device(const struct gp_device_row *device, struct gp_resources *out);

/* Copies on the device and memsets take SMs too; their blocks are taken as 1 024 threads, and their
 * number is not known (0). */
void gp_residency_of(const struct gp_device_row *device, const struct gp_op_row *op,
                     struct gp_residency *out);

/* The residency of the shapes that were asked for last: a run has few. Zeroed: none yet. */
enum { GP_SHAPES_KEPT = 64 };

struct gp_residencies {
    const struct gp_device_row *device; /* borrowed; one and the same for all that it is asked */
    struct gp_shape {
        uint64_t threads;
        int32_t smem, regs;
        bool is_known;
        struct gp_residency residency; /* of one block */
    } kept[GP_SHAPES_KEPT];
};

/* What gp_residency_of says, without working it out again for a shape that is kept. */
void gp_residencies_of(struct gp_residencies *residencies, const struct gp_op_row *op,
                       struct gp_residency *out);

/* Blocks that are resident from begin to `full`, and from then to end; `full`: when the last block
 * of the grid was given an SM, by waves of equal length. */
void gp_residency_waves(const struct gp_residency *residency, const struct gp_op_row *op,
                        int64_t *full, int64_t blocks[2]);

#endif
