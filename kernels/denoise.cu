/*
 * A 5 × 5 binomial filter over a square tile of brightness, then four floats a pixel. What lies
 * beyond a border comes from the tile there; where the tile given there is the tile itself, there
 * is none, and the border's pixels are repeated. A block takes one patch after another: it fetches
 * the patch and two pixels around it, each once, and filters out of shared memory.
 */
#include "kernels/device.cuh"

enum { DENOISE_PATCH = 16, DENOISE_REACH = 2, DENOISE_ROOM = DENOISE_PATCH + 2 * DENOISE_REACH };

/* The neighbour of a row of three that a coordinate beyond [0, side) is in: 0, 1 or 2. */
GP_INLINE int denoise_part(int at, int side)
{
    return at < 0 ? 0 : at < side ? 1 : 2;
}

/* Where it is in that neighbour, or which pixel of the own border stands for it. */
GP_INLINE int denoise_inside(int at, int side, bool is_own)
{
    if (at < 0) {
        return is_own ? 0 : at + side;
    }
    if (at >= side) {
        return is_own ? side - 1 : at - side;
    }
    return at;
}

GP_INLINE void denoise_fetch(float *room, const float *const *tiles, int side, int left, int top)
{
#pragma unroll 1
    for (int i = (int)threadIdx.x; i < DENOISE_ROOM * DENOISE_ROOM; i += (int)blockDim.x) {
        int x = left + i % DENOISE_ROOM - DENOISE_REACH;
        int y = top + i / DENOISE_ROOM - DENOISE_REACH;

        if (x < side + DENOISE_REACH && y < side + DENOISE_REACH) {
            const float *tile = tiles[denoise_part(y, side) * 3 + denoise_part(x, side)];
            bool is_own = tile == tiles[4];

            room[i] =
                tile[denoise_inside(y, side, is_own) * side + denoise_inside(x, side, is_own)];
        }
    }
}

/* Of the pixel whose upper left neighbour, two away, is `corner`. */
GP_INLINE float denoise_sum(const float *corner)
{
    const int weights[5] = {1, 4, 6, 4, 1};
    float sum = 0.0f;

#pragma unroll
    for (int y = 0; y < 5; y++) {
#pragma unroll
        for (int x = 0; x < 5; x++) {
            sum += (float)(weights[x] * weights[y]) * corner[y * DENOISE_ROOM + x];
        }
    }
    return sum > 0.0f ? sum : 0.0f;
}

/* The patch at (left, top), which is in `room`. */
GP_INLINE void denoise_patch(const float *room, float4 *out, u32 side, u32 left, u32 top)
{
    u32 x = threadIdx.x % DENOISE_PATCH, y = threadIdx.x / DENOISE_PATCH;

    if (left + x < side && top + y < side) {
        float level = (float)((u32)denoise_sum(&room[y * DENOISE_ROOM + x]) / 256);

        out[(top + y) * side + left + x] = float4{level, level, level, 255.0f};
    }
}

GP_KERNEL(256)
gp_denoise(const float *t0, const float *t1, const float *t2, const float *t3, const float *t4,
           const float *t5, const float *t6, const float *t7, const float *t8, float4 *out,
           u32 side, u64 stamp)
{
    __shared__ const float *tiles[9];
    __shared__ float room[DENOISE_ROOM * DENOISE_ROOM];
    u32 across = (side + DENOISE_PATCH - 1) / DENOISE_PATCH;

    stamp_begin(stamp);
    if (threadIdx.x == 0) {
        tiles[0] = t0;
        tiles[1] = t1;
        tiles[2] = t2;
        tiles[3] = t3;
        tiles[4] = t4;
        tiles[5] = t5;
        tiles[6] = t6;
        tiles[7] = t7;
        tiles[8] = t8;
    }
    __syncthreads();
    for (u32 patch = blockIdx.x; patch < across * across; patch += gridDim.x) {
        u32 left = patch % across * DENOISE_PATCH, top = patch / across * DENOISE_PATCH;

        denoise_fetch(room, tiles, (int)side, (int)left, (int)top);
        __syncthreads();
        denoise_patch(room, out, side, left, top);
        __syncthreads();
    }
    stamp_end(stamp);
}
