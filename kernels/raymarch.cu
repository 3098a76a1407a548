/* Two stages of a picture, a thread a pixel of a square tile: where its ray meets the scene, and
 * how bright that is. Rays beside one another take different numbers of steps. */
#include "kernels/device.cuh"

#define SCENE_INLINE GP_INLINE
#define SCENE_ADD(a, b) __fadd_rn(a, b)
#define SCENE_MUL(a, b) __fmul_rn(a, b)
#define SCENE_DIV(a, b) __fdiv_rn(a, b)
#define SCENE_SQRT(a) __fsqrt_rn(a)
#include "kernels/scene.h"

GP_KERNEL(256)
gp_raymarch(float *depth, u32 side, u32 x, u32 y, u32 view, u32 steps, u64 stamp)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;

    stamp_begin(stamp);
    if (i < side * side) {
        struct scene_point eye = {0.0f, 0.0f, 0.0f};

        depth[i] = scene_march(eye, scene_ray(x + i % side, y + i / side, view), 0.5f, steps);
    }
    stamp_end(stamp);
}

GP_KERNEL(256)
gp_shade(const float *depth, float *color, u32 side, u32 x, u32 y, u32 view, u32 steps, u64 stamp)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;

    stamp_begin(stamp);
    if (i < side * side) {
        color[i] = scene_shade(scene_ray(x + i % side, y + i / side, view), depth[i], steps);
    }
    stamp_end(stamp);
}
