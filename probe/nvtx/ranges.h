/*
 * How the tool's host-side ranges are named, grouped and coloured: the same in the recording and in
 * NVTX, so that a timeline of Nsight and one of ours look alike. Knows neither NVTX nor SQL.
 */
#ifndef GP_PROBE_NVTX_RANGES_H
#define GP_PROBE_NVTX_RANGES_H

#include "core/op.h"

/* The NVTX domain, and gp_range_row.domain in the recording. */
#define GP_RANGE_DOMAIN "gpuprobe"

/* From the outside in. The NVTX category of a level, and range.category, is level + 1 (0 is NVTX's
 * "no category"). Ranges of one level other than chains do not overlap on one thread. */
#define GP_RANGE_LEVELS(X) X(CELL, "cell") X(RUN, "run") X(CHAIN, "chain") X(OP, "operation")

enum gp_range_level {
#define X(name, word) GP_RANGE_##name,
    GP_RANGE_LEVELS(X)
#undef X
        GP_RANGE_LEVEL_COUNT
};

/* The level's word; static. */
const char *gp_range_level_name(enum gp_range_level level);

/* 0xAARRGGBB of an operation's range, by kind. */
uint32_t gp_range_op_color(enum gp_op_kind kind);

/* 0xAARRGGBB of the other levels' ranges; level is not GP_RANGE_OP. */
uint32_t gp_range_level_color(enum gp_range_level level);

#endif
