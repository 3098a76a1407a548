/*
 * gpuprobe's own kernels: descriptors, host references and the image they are loaded from. Each
 * kernel is NAME.cu (device) and NAME.c (descriptor); README.md says how the image is made.
 */
#ifndef GP_KERNELS_KERNELS_H
#define GP_KERNELS_KERNELS_H

#include "core/kernel.h"

/* Addresses are multiples of 4 bytes, of 16 where it says "quads". Results are those of
 * kernel->reference to the bit, for gemm and matvec where every sum is exact (integers up to 2^24).
 * Blocks have one dimension. */

/* c[m×n] = a[m×k] · b[k×n], row-major float, quads; m, n, k multiples of 64.
 * args: a, b, c (addresses), m, n, k (uint32). grid n/64 × m/64, block 256. */
extern const struct gp_kernel gp_kernel_gemm;
/* y[m] = a[m×n] · x[n], quads (a and x). args: a, x, y, m, n. One warp a row; grid ⌈m/8⌉, block
 * 256. */
extern const struct gp_kernel gp_kernel_matvec;
/* y[i] = max(x[i], 0), 0 for a NaN; y may be x. args: x, y, count. grid ⌈count/256⌉, block 256. */
extern const struct gp_kernel gp_kernel_relu;
/* c[i] = a[i] + b[i]. args: a, b, c, count. grid ⌈count/256⌉, block 256. */
extern const struct gp_kernel gp_kernel_vector_add;
/* data[i] = data[i] · multiplier + multiplier, fused, `iterations` times, in 1, 2 or 4 independent
 * chains a thread; grid-stride, any grid and block. args: data, count, iterations (uint32),
 * multiplier (float). count + 4 · threads < 2^32. The reference is quick for a multiplier of 1,
 * integers up to 2^22 and up to 2^23 iterations. */
extern const struct gp_kernel gp_kernel_fma_1;
extern const struct gp_kernel gp_kernel_fma_2;
extern const struct gp_kernel gp_kernel_fma_4;
/* a[i] = b[i] + s · c[i], each operation rounded; grid-stride, quads, any grid and block.
 * args: a, b, c, count, s (float). */
extern const struct gp_kernel gp_kernel_triad;
/* The device's half of the clock map's ping-pong; one thread. For r = 1 … rounds: waits until
 * *request ≥ r, writes the device clock to times[r − 1], then r to *ack (system-wide release).
 * Gives up when nothing came for 2 s. args: request, ack (addresses of uint32), times (address of
 * uint64[rounds]), all pinned; rounds (uint32). */
extern const struct gp_kernel gp_kernel_ping;

/* The device's half of the copy oracle: warp w looks at words[w · stride] until it is no longer
 * `old`, for some 3 s at most, and writes to times[2w] when it last began a look that found it old,
 * and to times[2w + 1] when the look that did not had ended; before that, 1 to *ready (system-wide
 * release). args: words (device), stride (uint32, in words), old (uint32), times (uint64, two a
 * warp), ready (pinned uint32). grid 1, block 32 to 512. */
extern const struct gp_kernel gp_kernel_watch;
/* Nothing. args: none. Any grid and block. */
extern const struct gp_kernel gp_kernel_noop;
/* Lets ns pass in every block, then *word = gp_spin_mix(*word, value), the word as it was when the
 * kernel began. args: word (address of uint32), value, ns (uint32). Any grid and block. */
extern const struct gp_kernel gp_kernel_spin;
/* The same with up to spread_ns more in each block, as gp_work_spread_ns says. args: word, value,
 * ns, spread_ns (uint32); ns + spread_ns < 2^32. */
extern const struct gp_kernel gp_kernel_spin_uneven;
/* sums[b] = the sum of the elements of x that block b sees, grid-stride. args: x, sums, count. Any
 * grid, block 256; count + 4 · threads < 2^32. */
extern const struct gp_kernel gp_kernel_reduce;
/* depth[side²]: how far a sphere is along each pixel's ray, 9 when there is none within `steps`.
 * The tile's first pixel is (x, y) of a square picture of `view` pixels. args: depth, side, x, y,
 * view, steps (uint32). grid ⌈side²/256⌉, block 256. */
extern const struct gp_kernel gp_kernel_raymarch;
/* color[side²]: how bright that is, 0 … 255, whole. args: depth, color, then as raymarch. */
extern const struct gp_kernel gp_kernel_shade;
/* out[side²][4], quads: 5 × 5 binomial mean of brightness 0 … 255, rounded down, as red, green and
 * blue, and 255. args: nine tiles of [side²] floats, row by row, of which the middle one is
 * filtered and the others lie around it; out, side (uint32, ≥ 2). A neighbour that is the middle
 * tile itself stands for none: the border's pixels are repeated there. Blocks take patches of 16²
 * in turn: any grid, block 256. */
extern const struct gp_kernel gp_kernel_denoise;

/* What spin makes of a word: another order of values gives another word. */
uint32_t gp_spin_mix(uint32_t word, uint32_t value);

/* Every kernel above, in that order. */
extern const struct gp_kernel *const gp_kernel_table[];
extern const size_t gp_kernel_table_count;

/* NULL when there is none of that name. */
const struct gp_kernel *gp_kernel_find(const char *name);

/* The image all of them are in. fatbin is NULL when the build had no nvcc. */
extern const struct gp_image gp_kernels_image;

#endif
