/* Descriptors of fma.cu: one kernel with 1, 2 or 4 independent chains a thread. */
#include <math.h>

#include "kernels/descriptor.h"

enum { DATA, COUNT, ITERATIONS, MULTIPLIER };

static const struct gp_kernel_arg args[] = {
    GP_ADDRESS_ARG("data"),
    GP_WORD_ARG("count"),
    GP_WORD_ARG("iterations"),
    GP_WORD_ARG("multiplier"),
};

/*
 * The loop is unrolled 16 times and takes about 4 issue slots around them. Measured on an H200 at
 * 1.98 GHz, blocks of 256 threads, 20 000 iterations: one block an SM 45.8 µs with one chain (4.5
 * cycles an iteration; the latency of a multiply-add is 4); eight blocks 205, 361 and 680 µs with
 * 1, 2 and 4 chains (1.27, 2.23 and 4.21 issue slots an iteration). A step takes 410 cycles more:
 * 64 steps of 540 iterations in `mixed` take 92.4 µs.
 */
enum { UNROLLED = 16, LOOP_ISSUE = 4, STEP_ISSUE = 20, STEP_CYCLES = 410 };
static const double iteration_cycles = 4.5;

static void work(const struct gp_launch *launch, uint64_t chains, struct gp_work *out)
{
    uint64_t count = GP_ARG(launch, COUNT, uint32_t);
    uint64_t iterations = GP_ARG(launch, ITERATIONS, uint32_t);
    uint64_t blocks = gp_launch_blocks(launch);
    uint64_t steps = gp_divide_up(count, blocks * gp_launch_threads(launch) * chains);
    uint64_t step_issue =
        iterations * chains + iterations * LOOP_ISSUE / UNROLLED + STEP_ISSUE * chains;

    out->issue = gp_warps(launch) * steps * step_issue;
    out->latency_cycles =
        GP_CYCLES_START + steps * (STEP_CYCLES + (uint64_t)(iteration_cycles * (double)iterations));
    out->read_bytes = count * sizeof(float) / blocks;
    out->write_bytes = out->read_bytes;
}

static void work_1(const struct gp_launch *launch, struct gp_work *out)
{
    work(launch, 1, out);
}

static void work_2(const struct gp_launch *launch, struct gp_work *out)
{
    work(launch, 2, out);
}

static void work_4(const struct gp_launch *launch, struct gp_work *out)
{
    work(launch, 4, out);
}

/* Ends early where nothing changes any more: at a fixed point or at a NaN. */
static float iterate(float x, uint32_t iterations, float multiplier)
{
    for (uint32_t n = 0; n < iterations; n++) {
        float next = fmaf(x, multiplier, multiplier);

        if (next == x || isnan(next)) {
            return next;
        }
        x = next;
    }
    return x;
}

/* Whether all of x are integers up to 2^22. Adding 1.5 · 2^23 drops what is behind the point. */
static int are_integers(const float *x, uint32_t count)
{
    static const float shift = 12582912.0f, limit = 4194304.0f;
    unsigned odd = 0;

    for (uint32_t i = 0; i < count; i++) {
        odd |= (unsigned)((x[i] + shift) - shift != x[i]) | (unsigned)!(fabsf(x[i]) <= limit);
    }
    return odd == 0;
}

/* With a multiplier of 1, integers stay exact up to 2^24 and the sum is known at once; iterating
 * gives the same bits. */
static void reference(const struct gp_launch *launch)
{
    float *data = gp_launch_pointer(launch, DATA);
    uint32_t count = GP_ARG(launch, COUNT, uint32_t);
    uint32_t iterations = GP_ARG(launch, ITERATIONS, uint32_t);
    float multiplier = GP_ARG(launch, MULTIPLIER, float);
    float sum = (float)iterations;

    if (multiplier == 1.0f && iterations > 0 && iterations <= 1 << 23 &&
        are_integers(data, count)) {
        for (uint32_t i = 0; i < count; i++) {
            data[i] += sum;
        }
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        data[i] = iterate(data[i], iterations, multiplier);
    }
}

#define FMA_KERNEL(chains, text, count)                                                            \
    const struct gp_kernel gp_kernel_fma_##chains = {                                              \
        .name = "fma-" #chains,                                                                    \
        .summary = "x = x · multiplier + multiplier, over and over, " text,                        \
        .symbol = "gp_fma_" #chains,                                                               \
        .image = &gp_kernels_image,                                                                \
        .args = args,                                                                              \
        .arg_count = GP_ARG_COUNT(args),                                                           \
        .stamped = 1,                                                                              \
        .registers = count,                                                                        \
        .work = work_##chains,                                                                     \
        .reference = reference,                                                                    \
    }

FMA_KERNEL(1, "one chain a thread", 14);
FMA_KERNEL(2, "two chains a thread", 20);
FMA_KERNEL(4, "four chains a thread", 30);
