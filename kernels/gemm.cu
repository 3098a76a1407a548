/*
 * c = a · b by tiles: a block of 256 threads makes 64 × 64 of c, each thread 4 × 4 of it. While one
 * pair of tiles (64 × 16 of a, 16 × 64 of b) is multiplied out of shared memory, the next one is on
 * its way through registers into the other half.
 */
#include "kernels/device.cuh"

enum { GEMM_SIDE = 64, GEMM_DEPTH = 16 };

/* a's tile is kept transposed, so that a thread's four rows are one 16-byte load. Columns are
 * rotated by 8 for each group of four k (an exclusive or, so groups of four rows stay together):
 * without that the transposing stores of a warp would meet in 8 of the 32 banks. */
GP_INLINE u32 gemm_column(u32 k, u32 row)
{
    return row ^ ((k >> 2) << 3);
}

struct __align__(16) gemm_tiles
{
    float a[GEMM_DEPTH][GEMM_SIDE];
    float b[GEMM_DEPTH][GEMM_SIDE];
};

/* Four neighbours as one access. (A function, because clang takes the alignment of the operand of a
 * cast for that of its result.) */
GP_INLINE float4 *gemm_four(float *at)
{
    return (float4 *)at;
}

GP_INLINE void gemm_store(gemm_tiles *tiles, u32 thread, float4 a, float4 b)
{
    u32 k = thread % 4 * 4;
    u32 column = gemm_column(k, thread / 4);

    tiles->a[k][column] = a.x;
    tiles->a[k + 1][column] = a.y;
    tiles->a[k + 2][column] = a.z;
    tiles->a[k + 3][column] = a.w;
    *gemm_four(&tiles->b[thread / 16][thread % 16 * 4]) = b;
}

GP_INLINE void gemm_multiply_row(float *sums, float a, float4 b)
{
    sums[0] = __fmaf_rn(a, b.x, sums[0]);
    sums[1] = __fmaf_rn(a, b.y, sums[1]);
    sums[2] = __fmaf_rn(a, b.z, sums[2]);
    sums[3] = __fmaf_rn(a, b.w, sums[3]);
}

GP_INLINE void gemm_multiply(gemm_tiles *tiles, u32 row, u32 column, float (*sums)[4])
{
#pragma unroll
    for (u32 k = 0; k < GEMM_DEPTH; k++) {
        float4 a = *gemm_four(&tiles->a[k][gemm_column(k, row)]);
        float4 b = *gemm_four(&tiles->b[k][column]);

        gemm_multiply_row(sums[0], a.x, b);
        gemm_multiply_row(sums[1], a.y, b);
        gemm_multiply_row(sums[2], a.z, b);
        gemm_multiply_row(sums[3], a.w, b);
    }
}

GP_KERNEL(256)
gp_gemm(const float *a, const float *b, float *c, u32 m, u32 n, u32 k, u64 stamp)
{
    __shared__ gemm_tiles tiles[2];
    u32 thread = threadIdx.x;
    u32 lane = thread % 32, warp = thread / 32;
    /* A warp makes 16 rows × 32 columns: 4 × 8 threads, the fewest words of shared memory. */
    u32 row = (warp / 2 * 4 + lane / 8) * 4;
    u32 column = (warp % 2 * 8 + lane % 8) * 4;
    float sums[4][4] = {};
    const float *from_a, *from_b;
    u32 half = 0;

    stamp_begin(stamp);
    from_a = a + (u64)(blockIdx.y * GEMM_SIDE + thread / 4) * k + thread % 4 * 4;
    from_b = b + (u64)(thread / 16) * n + blockIdx.x * GEMM_SIDE + thread % 16 * 4;
    gemm_store(&tiles[0], thread, *(const float4 *)from_a, *(const float4 *)from_b);
    __syncthreads();
    for (u32 done = GEMM_DEPTH; done < k; done += GEMM_DEPTH) {
        float4 next_a, next_b;

        from_a += GEMM_DEPTH;
        from_b += (u64)GEMM_DEPTH * n;
        next_a = *(const float4 *)from_a;
        next_b = *(const float4 *)from_b;
        /* Or the compiler fetches them only where they are stored. */
        asm volatile("" ::: "memory");
        gemm_multiply(&tiles[half], row, column, sums);
        half ^= 1;
        gemm_store(&tiles[half], thread, next_a, next_b);
        __syncthreads();
    }
    gemm_multiply(&tiles[half], row, column, sums);
    c += (u64)(blockIdx.y * GEMM_SIDE + row) * n + blockIdx.x * GEMM_SIDE + column;
#pragma unroll
    for (u32 i = 0; i < 4; i++) {
        *(float4 *)(c + (u64)i * n) = float4{sums[i][0], sums[i][1], sums[i][2], sums[i][3]};
    }
    stamp_end(stamp);
}
