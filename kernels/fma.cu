/*
 * x = x · multiplier + multiplier, over and over: arithmetic without memory. The coefficient is a
 * parameter, so no compiler can shorten the loop. It is one and not two because a multiply-add of
 * three registers of one bank takes two issue slots (measured on an H200: 342 µs against 205 for 8
 * blocks an SM), and nobody but the assembler chooses registers. A thread walks the data
 * grid-stride, with one, two or four elements in hand, and fetches the next ones before it works on
 * these.
 */
#include "kernels/device.cuh"

template <int chains> GP_INLINE void fma_load(float *x, const float *data, u32 i, u32 count)
{
#pragma unroll
    for (int j = 0; j < chains; j++) {
        u32 at = i + j * gridDim.x * blockDim.x;

        x[j] = at < count ? data[at] : 0.0f;
    }
}

template <int chains> GP_INLINE void fma_store(const float *x, float *data, u32 i, u32 count)
{
#pragma unroll
    for (int j = 0; j < chains; j++) {
        u32 at = i + j * gridDim.x * blockDim.x;

        if (at < count) {
            data[at] = x[j];
        }
    }
}

template <int chains>
GP_INLINE void fma_walk(float *data, u32 count, u32 iterations, float multiplier)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    float x[chains];

    fma_load<chains>(x, data, i, count);
    while (i < count) {
        u32 next = i + chains * gridDim.x * blockDim.x;
        float x_next[chains];

        fma_load<chains>(x_next, data, next, count);
#pragma unroll 16
        for (u32 n = 0; n < iterations; n++) {
#pragma unroll
            for (int j = 0; j < chains; j++) {
                x[j] = __fmaf_rn(x[j], multiplier, multiplier);
            }
        }
        fma_store<chains>(x, data, i, count);
#pragma unroll
        for (int j = 0; j < chains; j++) {
            x[j] = x_next[j];
        }
        i = next;
    }
}

GP_KERNEL(1024)
gp_fma_1(float *data, u32 count, u32 iterations, float multiplier, u64 stamp)
{
    stamp_begin(stamp);
    fma_walk<1>(data, count, iterations, multiplier);
    stamp_end(stamp);
}

GP_KERNEL(1024)
gp_fma_2(float *data, u32 count, u32 iterations, float multiplier, u64 stamp)
{
    stamp_begin(stamp);
    fma_walk<2>(data, count, iterations, multiplier);
    stamp_end(stamp);
}

GP_KERNEL(1024)
gp_fma_4(float *data, u32 count, u32 iterations, float multiplier, u64 stamp)
{
    stamp_begin(stamp);
    fma_walk<4>(data, count, iterations, multiplier);
    stamp_end(stamp);
}
