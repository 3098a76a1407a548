/* Descriptor of reduce.cu. */
#include "kernels/descriptor.h"

enum { X, SUMS, COUNT };

static const struct gp_kernel_arg args[] = {
    GP_ADDRESS_ARG("x"),
    GP_ADDRESS_ARG("sums"),
    GP_WORD_ARG("count"),
};

/* A step waits for four loads at a time, as one of triad does; then five exchanges, a barrier and
 * eight sums. */
enum { STEP_LOADS = 4, STEP_ISSUE = 24, WARP_ISSUE = 60, STEP_CYCLES = 720, END_CYCLES = 350 };

static void work(const struct gp_launch *launch, struct gp_work *out)
{
    uint64_t count = GP_ARG(launch, COUNT, uint32_t);
    uint64_t blocks = gp_launch_blocks(launch);
    uint64_t steps = gp_divide_up(count, blocks * gp_launch_threads(launch) * STEP_LOADS);

    out->issue = gp_warps(launch) * (WARP_ISSUE + steps * STEP_ISSUE);
    out->latency_cycles = GP_CYCLES_START + steps * STEP_CYCLES + END_CYCLES;
    out->read_bytes = count * sizeof(float) / blocks;
    out->write_bytes = sizeof(float);
}

static void reference(const struct gp_launch *launch)
{
    const float *x = gp_launch_pointer(launch, X);
    float *sums = gp_launch_pointer(launch, SUMS);
    uint32_t count = GP_ARG(launch, COUNT, uint32_t);
    uint32_t blocks = launch->grid[0];
    uint32_t threads = launch->block[0];

    for (uint32_t block = 0; block < blocks; block++) {
        float sum = 0.0f;

        for (uint64_t first = (uint64_t)block * threads; first < count;
             first += (uint64_t)blocks * threads) {
            for (uint64_t i = first; i < first + threads && i < count; i++) {
                sum += x[i];
            }
        }
        sums[block] = sum;
    }
}

const struct gp_kernel gp_kernel_reduce = {
    .name = "reduce",
    .summary = "a sum for each block",
    .symbol = "gp_reduce",
    .image = &gp_kernels_image,
    .args = args,
    .arg_count = GP_ARG_COUNT(args),
    .stamped = 1,
    .registers = 22,
    .shared_bytes = 32,
    .work = work,
    .reference = reference,
};
