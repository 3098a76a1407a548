/* Descriptor of relu.cu. */
#include "kernels/descriptor.h"

enum { X, Y, COUNT };

static const struct gp_kernel_arg args[] = {
    GP_ADDRESS_ARG("x"),
    GP_ADDRESS_ARG("y"),
    GP_WORD_ARG("count"),
};

enum { WARP_ISSUE = 20 };

static void work(const struct gp_launch *launch, struct gp_work *out)
{
    out->issue = gp_warps(launch) * WARP_ISSUE;
    out->latency_cycles = GP_CYCLES_START;
    out->read_bytes =
        GP_ARG(launch, COUNT, uint32_t) * (uint64_t)sizeof(float) / gp_launch_blocks(launch);
    out->write_bytes = out->read_bytes;
}

static void reference(const struct gp_launch *launch)
{
    const float *x = gp_launch_pointer(launch, X);
    float *y = gp_launch_pointer(launch, Y);
    uint32_t count = GP_ARG(launch, COUNT, uint32_t);

    for (uint32_t i = 0; i < count; i++) {
        y[i] = x[i] > 0.0f ? x[i] : 0.0f;
    }
}

const struct gp_kernel gp_kernel_relu = {
    .name = "relu",
    .summary = "y = max(x, 0)",
    .symbol = "gp_relu",
    .image = &gp_kernels_image,
    .args = args,
    .arg_count = GP_ARG_COUNT(args),
    .stamped = 1,
    .registers = 14,
    .work = work,
    .reference = reference,
};
