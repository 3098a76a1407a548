/* y = a · x, one warp a row; rows that begin on 16 bytes are read in such pieces. */
#include "kernels/device.cuh"

GP_INLINE float matvec_quads(const float *row, const float *x, u32 n, u32 lane)
{
    const float4 *row_quads = (const float4 *)row;
    const float4 *x_quads = (const float4 *)x;
    float sum = 0.0f;

#pragma unroll 2
    for (u32 i = lane; i < n / 4; i += 32) {
        float4 p = row_quads[i], q = x_quads[i];

        sum = __fmaf_rn(p.x, q.x, sum);
        sum = __fmaf_rn(p.y, q.y, sum);
        sum = __fmaf_rn(p.z, q.z, sum);
        sum = __fmaf_rn(p.w, q.w, sum);
    }
    return sum;
}

GP_INLINE float matvec_singles(const float *row, const float *x, u32 n, u32 lane)
{
    float sum = 0.0f;

    for (u32 i = lane; i < n; i += 32) {
        sum = __fmaf_rn(row[i], x[i], sum);
    }
    return sum;
}

GP_KERNEL(256) gp_matvec(const float *a, const float *x, float *y, u32 m, u32 n, u64 stamp)
{
    u32 row = blockIdx.x * 8 + threadIdx.x / 32;
    u32 lane = threadIdx.x % 32;

    stamp_begin(stamp);
    if (row < m) {
        const float *from = a + (u64)row * n;
        float sum = n % 4 == 0 ? matvec_quads(from, x, n, lane) : matvec_singles(from, x, n, lane);

#pragma unroll
        for (int lanes = 16; lanes > 0; lanes /= 2) {
            sum += __shfl_xor_sync(0xffffffffu, sum, lanes);
        }
        if (lane == 0) {
            y[row] = sum;
        }
    }
    stamp_end(stamp);
}
