/* Descriptor of vector_add.cu. */
#include "kernels/descriptor.h"

enum { A, B, C, COUNT };

static const struct gp_kernel_arg args[] = {
    GP_ADDRESS_ARG("a"),
    GP_ADDRESS_ARG("b"),
    GP_ADDRESS_ARG("c"),
    GP_WORD_ARG("count"),
};

enum { WARP_ISSUE = 24 };

static void work(const struct gp_launch *launch, struct gp_work *out)
{
    uint64_t bytes = GP_ARG(launch, COUNT, uint32_t) * (uint64_t)sizeof(float);

    out->issue = gp_warps(launch) * WARP_ISSUE;
    out->latency_cycles = GP_CYCLES_START;
    out->read_bytes = 2 * bytes / gp_launch_blocks(launch);
    out->write_bytes = bytes / gp_launch_blocks(launch);
}

static void reference(const struct gp_launch *launch)
{
    const float *a = gp_launch_pointer(launch, A);
    const float *b = gp_launch_pointer(launch, B);
    float *c = gp_launch_pointer(launch, C);
    uint32_t count = GP_ARG(launch, COUNT, uint32_t);

    for (uint32_t i = 0; i < count; i++) {
        c[i] = a[i] + b[i];
    }
}

const struct gp_kernel gp_kernel_vector_add = {
    .name = "vector-add",
    .summary = "c = a + b",
    .symbol = "gp_vector_add",
    .image = &gp_kernels_image,
    .args = args,
    .arg_count = GP_ARG_COUNT(args),
    .stamped = 1,
    .registers = 14,
    .work = work,
    .reference = reference,
};
