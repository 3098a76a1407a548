/* Descriptors of raymarch.cu. */
#include "kernels/descriptor.h"
#include "kernels/scene.h"

/* Arguments of shade; those of raymarch begin with DEPTH and then go on with SIDE. */
enum { DEPTH, COLOR, SIDE, LEFT, TOP, VIEW, STEPS };

static const struct gp_kernel_arg raymarch_args[] = {
    GP_ADDRESS_ARG("depth"), GP_WORD_ARG("side"), GP_WORD_ARG("x"),
    GP_WORD_ARG("y"),        GP_WORD_ARG("view"), GP_WORD_ARG("steps"),
};

static const struct gp_kernel_arg shade_args[] = {
    GP_ADDRESS_ARG("depth"), GP_ADDRESS_ARG("color"), GP_WORD_ARG("side"),  GP_WORD_ARG("x"),
    GP_WORD_ARG("y"),        GP_WORD_ARG("view"),     GP_WORD_ARG("steps"),
};

/*
 * A step asks six spheres, each with a root. Measured on an H200 at 1.98 GHz, tiles of 256² and at
 * most 256 steps: a trace alone takes 71 µs and a shade 57, which is what their longest rays need;
 * on 8 streams both together take 28 µs a tile, and the SMs are full.
 */
enum { STEP_ISSUE = 200, STEP_CYCLES = 560, LONGEST_TRACE = 285, LONGEST_SHADOW = 200 };

/* A warp takes the steps of its longest ray; the means over the tiles of `pipeline`, counted on the
 * host for 16 to 400 steps. What the longest ray of a tile takes is the kernel's length. */
static void work(const struct gp_launch *launch, uint64_t mean_steps, uint64_t longest_steps,
                 struct gp_work *out)
{
    out->issue = gp_warps(launch) * (mean_steps + 1) * STEP_ISSUE;
    out->latency_cycles = GP_CYCLES_START + longest_steps * STEP_CYCLES;
    out->write_bytes = gp_launch_threads(launch) * sizeof(float);
}

static void raymarch_work(const struct gp_launch *launch, struct gp_work *out)
{
    uint64_t steps = GP_ARG(launch, STEPS - 1, uint32_t);

    work(launch, steps * 64 / (steps + 64), steps < LONGEST_TRACE ? steps : LONGEST_TRACE, out);
}

static void shade_work(const struct gp_launch *launch, struct gp_work *out)
{
    uint64_t steps = GP_ARG(launch, STEPS, uint32_t);

    work(launch, steps * 20 / (steps + 26), steps < LONGEST_SHADOW ? steps : LONGEST_SHADOW, out);
    out->read_bytes = out->write_bytes;
}

static void raymarch_reference(const struct gp_launch *launch)
{
    float *depth = gp_launch_pointer(launch, DEPTH);
    uint32_t side = GP_ARG(launch, SIDE - 1, uint32_t);
    uint32_t left = GP_ARG(launch, LEFT - 1, uint32_t), top = GP_ARG(launch, TOP - 1, uint32_t);
    uint32_t view = GP_ARG(launch, VIEW - 1, uint32_t);
    uint32_t steps = GP_ARG(launch, STEPS - 1, uint32_t);
    const struct scene_point eye = {0.0f, 0.0f, 0.0f};

    for (uint32_t i = 0; i < side * side; i++) {
        struct scene_point ray = scene_ray(left + i % side, top + i / side, view);

        depth[i] = scene_march(eye, ray, 0.5f, steps);
    }
}

static void shade_reference(const struct gp_launch *launch)
{
    const float *depth = gp_launch_pointer(launch, DEPTH);
    float *color = gp_launch_pointer(launch, COLOR);
    uint32_t side = GP_ARG(launch, SIDE, uint32_t);
    uint32_t left = GP_ARG(launch, LEFT, uint32_t), top = GP_ARG(launch, TOP, uint32_t);
    uint32_t view = GP_ARG(launch, VIEW, uint32_t);
    uint32_t steps = GP_ARG(launch, STEPS, uint32_t);

    for (uint32_t i = 0; i < side * side; i++) {
        struct scene_point ray = scene_ray(left + i % side, top + i / side, view);

        color[i] = scene_shade(ray, depth[i], steps);
    }
}

const struct gp_kernel gp_kernel_raymarch = {
    .name = "raymarch",
    .summary = "where each pixel's ray meets the scene",
    .symbol = "gp_raymarch",
    .image = &gp_kernels_image,
    .args = raymarch_args,
    .arg_count = GP_ARG_COUNT(raymarch_args),
    .stamped = 1,
    .registers = 23,
    .work = raymarch_work,
    .reference = raymarch_reference,
};

const struct gp_kernel gp_kernel_shade = {
    .name = "shade",
    .summary = "how bright what each ray met is",
    .symbol = "gp_shade",
    .image = &gp_kernels_image,
    .args = shade_args,
    .arg_count = GP_ARG_COUNT(shade_args),
    .stamped = 1,
    .registers = 27,
    .work = shade_work,
    .reference = shade_reference,
};
