/* y = max(x, 0), one element a thread. */
#include "kernels/device.cuh"

GP_KERNEL(256) gp_relu(const float *x, float *y, u32 count, u64 stamp)
{
    u32 i = blockIdx.x * 256 + threadIdx.x;

    stamp_begin(stamp);
    if (i < count) {
        y[i] = x[i] > 0.0f ? x[i] : 0.0f;
    }
    stamp_end(stamp);
}
