/* sums[block] = what the block saw of x: a block's sum through its warps' registers. Four loads at
 * a time are on their way, or latency would be the limit and not the memory's rate. */
#include "kernels/device.cuh"

#define REDUCE_WARPS 8
#define REDUCE_LOADS 4

GP_KERNEL(256) gp_reduce(const float *x, float *sums, u32 count, u64 stamp)
{
    __shared__ float partial[REDUCE_WARPS];
    u32 lane = threadIdx.x % 32;
    u32 warp = threadIdx.x / 32;
    u32 stride = gridDim.x * blockDim.x;
    float sum = 0.0f;

    stamp_begin(stamp);
#pragma unroll 1
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += REDUCE_LOADS * stride) {
        float loaded[REDUCE_LOADS];

#pragma unroll
        for (u32 j = 0; j < REDUCE_LOADS; j++) {
            loaded[j] = i + j * stride < count ? x[i + j * stride] : 0.0f;
        }
#pragma unroll
        for (u32 j = 0; j < REDUCE_LOADS; j++) {
            sum += loaded[j];
        }
    }
    for (int lanes = 16; lanes > 0; lanes /= 2) {
        sum += __shfl_xor_sync(0xffffffffu, sum, lanes);
    }
    if (lane == 0) {
        partial[warp] = sum;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
#pragma unroll 1
        for (u32 i = 1; i < REDUCE_WARPS; i++) {
            sum += partial[i];
        }
        sums[blockIdx.x] = sum;
    }
    stamp_end(stamp);
}
