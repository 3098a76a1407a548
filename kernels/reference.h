/*
 * The host's side of the two kernels that cost time: what they compute, as plain functions of
 * arrays. Scenarios check results with them. They know no launch and no device.
 *
 * Sums are taken in another order than on the device: both are right to the bit where every sum is
 * exact (integers up to 2^24).
 */
#ifndef GP_KERNELS_REFERENCE_H
#define GP_KERNELS_REFERENCE_H

#include <stdint.h>

/* c[m×n] = a[m×k] · b[k×n], row-major; n and k multiples of 64. No two may overlap. */
void gp_reference_gemm(const float *a, const float *b, float *c, uint32_t m, uint32_t n,
                       uint32_t k);

/* y[m] = a[m×n] · x[n]. y overlaps neither. */
void gp_reference_matvec(const float *a, const float *x, float *y, uint32_t m, uint32_t n);

#endif
