/* Descriptor of triad.cu. */
#include "kernels/descriptor.h"

enum { A, B, C, COUNT, S };

static const struct gp_kernel_arg args[] = {
    GP_ADDRESS_ARG("a"),  GP_ADDRESS_ARG("b"), GP_ADDRESS_ARG("c"),
    GP_WORD_ARG("count"), GP_WORD_ARG("s"),
};

/* A step of a warp: 2 loads, 8 arithmetic, 1 store, about 7 for addresses and the loop. */
enum { STEP_ISSUE = 18, WARP_ISSUE = 20 };
/* A step waits for device memory: measured on an H200, one block of 512 threads, 744 µs for 2 048
 * steps. */
enum { STEP_CYCLES = 720 };

static void work(const struct gp_launch *launch, struct gp_work *out)
{
    uint64_t bytes = GP_ARG(launch, COUNT, uint32_t) * (uint64_t)sizeof(float);
    uint64_t blocks = gp_launch_blocks(launch);
    uint64_t steps = gp_divide_up(bytes / 16, blocks * gp_launch_threads(launch));

    out->issue = gp_warps(launch) * (WARP_ISSUE + steps * STEP_ISSUE);
    out->latency_cycles = GP_CYCLES_START + steps * STEP_CYCLES;
    out->read_bytes = 2 * bytes / blocks;
    out->write_bytes = bytes / blocks;
}

static void reference(const struct gp_launch *launch)
{
    float *a = gp_launch_pointer(launch, A);
    const float *b = gp_launch_pointer(launch, B);
    const float *c = gp_launch_pointer(launch, C);
    uint32_t count = GP_ARG(launch, COUNT, uint32_t);
    float s = GP_ARG(launch, S, float);

    for (uint32_t i = 0; i < count; i++) {
        a[i] = b[i] + s * c[i];
    }
}

const struct gp_kernel gp_kernel_triad = {
    .name = "triad",
    .summary = "a = b + s · c, bound by memory",
    .symbol = "gp_triad",
    .image = &gp_kernels_image,
    .args = args,
    .arg_count = GP_ARG_COUNT(args),
    .stamped = 1,
    .registers = 26,
    .work = work,
    .reference = reference,
};
