/* Descriptor of gemm.cu. */
#include "kernels/descriptor.h"
#include "kernels/reference.h"

enum { A, B, C, M, N, K };

static const struct gp_kernel_arg args[] = {
    GP_ADDRESS_ARG("a"), GP_ADDRESS_ARG("b"), GP_ADDRESS_ARG("c"),
    GP_WORD_ARG("m"),    GP_WORD_ARG("n"),    GP_WORD_ARG("k"),
};

/* By step of 16 along k, measured on an H200 at 1.98 GHz in `batch`, where a has just been
 * uploaded, k = 1 024: one block an SM 43 µs (34.9 when the same a is multiplied again and again),
 * two on one SM 71 µs. So a block takes 35 µs of its SM's issue slots, 547 a warp and step. That is
 * more than the 308 instructions (16 × (16 multiply-adds + 2 shared loads), and about 20 around
 * them): the wide shared loads take several slots. Those 35 µs already slow the lone block by 1.12,
 * so that 38.9 µs of cycles make its 43. */
enum { STEP = 16, STEP_ISSUE = 547, STEP_CYCLES = 1180 };

static void work(const struct gp_launch *launch, struct gp_work *out)
{
    uint64_t m = GP_ARG(launch, M, uint32_t);
    uint64_t n = GP_ARG(launch, N, uint32_t);
    uint64_t k = GP_ARG(launch, K, uint32_t);
    uint64_t steps = k / STEP;

    out->issue = gp_warps(launch) * steps * STEP_ISSUE;
    out->latency_cycles = GP_CYCLES_START + steps * STEP_CYCLES;
    /* Every block reads 64 rows of a and 64 columns of b, but of the device's memory each is read
     * once: the others find it in the second-level cache. */
    out->read_bytes = (m * k + k * n) * sizeof(float) / gp_launch_blocks(launch);
    out->write_bytes = m * n * sizeof(float) / gp_launch_blocks(launch);
}

static void reference(const struct gp_launch *launch)
{
    gp_reference_gemm(gp_launch_pointer(launch, A), gp_launch_pointer(launch, B),
                      gp_launch_pointer(launch, C), GP_ARG(launch, M, uint32_t),
                      GP_ARG(launch, N, uint32_t), GP_ARG(launch, K, uint32_t));
}

const struct gp_kernel gp_kernel_gemm = {
    .name = "gemm",
    .summary = "c = a · b, 64 × 64 tiles",
    .symbol = "gp_gemm",
    .image = &gp_kernels_image,
    .args = args,
    .arg_count = GP_ARG_COUNT(args),
    .stamped = 1,
    .registers = 63,
    .shared_bytes = 16384,
    .work = work,
    .reference = reference,
};
