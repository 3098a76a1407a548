/*
 * An array larger than every cache that kernels sum up: the data of scenarios whose kernels are
 * bound by memory. It repeats a pattern, so that what must come out is known from one of its
 * periods. Private to scenarios/.
 */
#ifndef GP_SCENARIOS_READING_H
#define GP_SCENARIOS_READING_H

#include "scenarios/scenario.h"

struct gp_reading {
    struct gp_buffer *x;    /* on the device: [periods][period] */
    struct gp_buffer *sums; /* on the device: [kernels][blocks] */
    uint32_t kernels, blocks, periods, period;
    float *right; /* [blocks] */
    float *room;  /* [kernels][blocks] */
};

/* The device memory that it takes for kernels of so many blocks that read about so many bytes. */
uint64_t gp_reading_bytes(uint32_t kernels, uint32_t blocks, uint64_t bytes);

/* GP_EINVAL when a block's sum may not be exact. `owner` is the scenario. */
int gp_reading_check(const char *owner, uint32_t blocks, uint64_t bytes, struct gp_error *err);

/* Draws and uploads the array. */
int gp_reading_init(struct gp_reading *reading, struct gp_workload *workload, uint32_t kernels,
                    uint32_t blocks, uint64_t bytes, struct gp_error *err);

/* Builds kernel `index`, which reads all of it. */
struct gp_op *gp_reading_sum(const struct gp_reading *reading, struct gp_builder *builder,
                             uint32_t index);

/* What a scenario's reset, verify and teardown do with it. A zeroed one has nothing to finish. */
int gp_reading_reset(const struct gp_reading *reading, struct gp_workload *workload,
                     struct gp_error *err);
int gp_reading_verify(const struct gp_reading *reading, struct gp_workload *workload,
                      struct gp_error *err);
void gp_reading_finish(struct gp_reading *reading);

#endif
