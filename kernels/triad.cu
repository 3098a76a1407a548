/* a = b + s · c, grid-stride, in pieces of 16 bytes. Product and sum are rounded one by one, as any
 * host does it. */
#include "kernels/device.cuh"

GP_INLINE float triad(float b, float s, float c)
{
    return __fadd_rn(b, __fmul_rn(s, c));
}

GP_KERNEL(1024)
gp_triad(float *a, const float *b, const float *c, u32 count, float s, u64 stamp)
{
    u32 first = blockIdx.x * blockDim.x + threadIdx.x;
    u32 stride = gridDim.x * blockDim.x;

    stamp_begin(stamp);
    for (u32 i = first; i < count / 4; i += stride) {
        float4 p = ((const float4 *)b)[i], q = ((const float4 *)c)[i];

        ((float4 *)a)[i] =
            float4{triad(p.x, s, q.x), triad(p.y, s, q.y), triad(p.z, s, q.z), triad(p.w, s, q.w)};
    }
    for (u32 i = count / 4 * 4 + first; i < count; i += stride) {
        a[i] = triad(b[i], s, c[i]);
    }
    stamp_end(stamp);
}
