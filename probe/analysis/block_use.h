/*
 * What a kernel's blocks made of the SMs, by their own stamps (--trace blocks).
 *
 *     SM 0   |--0--|--4--|
 *     SM 1   |--1--|--5--|
 *     SM 2   |--2--|......     SM 2 and SM 3 have no more of its blocks: the tail
 *     SM 3   |---3---|....
 *            first   last      6 blocks, 4 at once: 2 waves
 */
#ifndef GP_PROBE_ANALYSIS_BLOCK_USE_H
#define GP_PROBE_ANALYSIS_BLOCK_USE_H

#include "probe/analysis/run_data.h"

struct gp_block_use {
    uint32_t blocks;
    uint32_t sms;        /* that ran some of them */
    uint32_t at_once;    /* most that were resident at one time */
    uint32_t waves;      /* blocks ÷ at_once, rounded up */
    int64_t first_begin; /* of the first block */
    int64_t last_begin;  /* of the last block that began */
    int64_t end;         /* of the last block that ended */
    int64_t idle_from;   /* when the first of those SMs had run its last block */
    int64_t median_ns;   /* of the blocks' times */
    int64_t longest_ns;
    double imbalance; /* longest ÷ median; NAN when the median is 0 */
};

/* The blocks of one operation, by number; *count is 0 when they were not recorded. Borrowed. */
const struct gp_block_row *gp_run_blocks(const struct gp_run_data *run, uint32_t op,
                                         uint32_t *count);

/* False when the operation's blocks were not recorded. */
bool gp_block_use_measure(const struct gp_run_data *run, uint32_t op, struct gp_block_use *out);

#endif
