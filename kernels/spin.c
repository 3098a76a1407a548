/* Descriptors of spin.cu. */
#include "kernels/descriptor.h"

enum { WORD, VALUE, NS, SPREAD };

static const struct gp_kernel_arg args[] = {
    GP_ADDRESS_ARG("word"), GP_WORD_ARG("value"), GP_WORD_ARG("ns"),
    GP_WORD_ARG("spread_ns"), /* not of spin */
};

static void work(const struct gp_launch *launch, struct gp_work *out)
{
    out->spin_ns = GP_ARG(launch, NS, uint32_t);
    out->latency_cycles = GP_CYCLES_START;
}

static void work_uneven(const struct gp_launch *launch, struct gp_work *out)
{
    work(launch, out);
    out->spread_ns = GP_ARG(launch, SPREAD, uint32_t);
}

uint32_t gp_spin_mix(uint32_t word, uint32_t value)
{
    return word * 1664525u + value;
}

static void reference(const struct gp_launch *launch)
{
    uint32_t *word = gp_launch_pointer(launch, WORD);

    *word = gp_spin_mix(*word, GP_ARG(launch, VALUE, uint32_t));
}

const struct gp_kernel gp_kernel_spin = {
    .name = "spin",
    .summary = "lets time pass, then mixes a value into a word",
    .symbol = "gp_spin",
    .image = &gp_kernels_image,
    .args = args,
    .arg_count = SPREAD,
    .stamped = 1,
    .registers = 14,
    .work = work,
    .reference = reference,
};

const struct gp_kernel gp_kernel_spin_uneven = {
    .name = "spin-uneven",
    .summary = "lets time pass, in each block for another while, then mixes a value into a word",
    .symbol = "gp_spin_uneven",
    .image = &gp_kernels_image,
    .args = args,
    .arg_count = GP_ARG_COUNT(args),
    .stamped = 1,
    .registers = 14,
    .work = work_uneven,
    .reference = reference,
};
