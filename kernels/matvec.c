/* Descriptor of matvec.cu. */
#include "kernels/descriptor.h"
#include "kernels/reference.h"

enum { A, X, Y, M, N };

static const struct gp_kernel_arg args[] = {
    GP_ADDRESS_ARG("a"), GP_ADDRESS_ARG("x"), GP_ADDRESS_ARG("y"),
    GP_WORD_ARG("m"),    GP_WORD_ARG("n"),
};

/* A warp takes 32 × 4 values a step: 2 loads, 4 multiply-adds, about 3 for the loop; two steps are
 * in flight at a time. The five exchanges of the final sum and the row's set-up come on top. */
enum { STEP = 128, STEP_ISSUE = 9, ROW_ISSUE = 40, ROW_CYCLES = 200 };

static void work(const struct gp_launch *launch, struct gp_work *out)
{
    uint64_t m = GP_ARG(launch, M, uint32_t);
    uint64_t n = GP_ARG(launch, N, uint32_t);
    uint64_t steps = gp_divide_up(n, STEP);

    out->issue = gp_warps(launch) * (ROW_ISSUE + steps * STEP_ISSUE);
    out->latency_cycles =
        GP_CYCLES_START + ROW_CYCLES + gp_divide_up(steps, 2) * (uint64_t)GP_CYCLES_LOAD;
    out->read_bytes = (m + 1) * n * sizeof(float) / gp_launch_blocks(launch);
    out->write_bytes = m * sizeof(float) / gp_launch_blocks(launch);
}

static void reference(const struct gp_launch *launch)
{
    gp_reference_matvec(gp_launch_pointer(launch, A), gp_launch_pointer(launch, X),
                        gp_launch_pointer(launch, Y), GP_ARG(launch, M, uint32_t),
                        GP_ARG(launch, N, uint32_t));
}

const struct gp_kernel gp_kernel_matvec = {
    .name = "matvec",
    .summary = "y = a · x, one warp a row",
    .symbol = "gp_matvec",
    .image = &gp_kernels_image,
    .args = args,
    .arg_count = GP_ARG_COUNT(args),
    .stamped = 1,
    .registers = 32,
    .work = work,
    .reference = reference,
};
