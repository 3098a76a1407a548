/* c = a + b, one element a thread. */
#include "kernels/device.cuh"

GP_KERNEL(256) gp_vector_add(const float *a, const float *b, float *c, u32 count, u64 stamp)
{
    u32 i = blockIdx.x * 256 + threadIdx.x;

    stamp_begin(stamp);
    if (i < count) {
        c[i] = __fadd_rn(a[i], b[i]);
    }
    stamp_end(stamp);
}
