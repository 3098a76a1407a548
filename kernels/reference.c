/* Host gemm and matvec: see reference.h. Written so that a compiler vectorises them for any target.
 */
#include "kernels/reference.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

enum { PANEL = 64, LANES = 16 };

/* c[0 .. PANEL) += a[0 .. PANEL) · panel, four rows of the panel at a time so that c is loaded and
 * stored once for four products. */
static void multiply_row(const float *restrict a, const float (*restrict panel)[PANEL],
                         float *restrict c)
{
    for (size_t k = 0; k < PANEL; k += 4) {
        const float(*restrict rows)[PANEL] = panel + k;
        float a0 = a[k], a1 = a[k + 1], a2 = a[k + 2], a3 = a[k + 3];

        for (size_t j = 0; j < PANEL; j++) {
            c[j] += (a0 * rows[0][j] + a1 * rows[1][j]) + (a2 * rows[2][j] + a3 * rows[3][j]);
        }
    }
}

void gp_reference_gemm(const float *a, const float *b, float *c, uint32_t m, uint32_t n, uint32_t k)
{
    /* Of b, what one pass over a's rows needs, in the first-level cache and without its stride. */
    float panel[PANEL][PANEL];

    assert(n % PANEL == 0 && k % PANEL == 0);
    memset(c, 0, (size_t)m * n * sizeof *c);
    for (size_t column = 0; column < n; column += PANEL) {
        for (size_t depth = 0; depth < k; depth += PANEL) {
            for (size_t i = 0; i < PANEL; i++) {
                memcpy(panel[i], b + (depth + i) * n + column, sizeof panel[i]);
            }
            for (size_t row = 0; row < m; row++) {
                multiply_row(a + row * k + depth, (const float(*)[PANEL])panel,
                             c + row * n + column);
            }
        }
    }
}

/* Sums by lane, because the compiler may not change the order of one sum. */
static float dot(const float *restrict a, const float *restrict x, size_t n)
{
    float sums[LANES] = {0.0f};
    float sum = 0.0f;
    size_t i = 0;

    for (; i + LANES <= n; i += LANES) {
        for (size_t lane = 0; lane < LANES; lane++) {
            sums[lane] += a[i + lane] * x[i + lane];
        }
    }
    for (; i < n; i++) {
        sum += a[i] * x[i];
    }
    for (size_t lane = 0; lane < LANES; lane++) {
        sum += sums[lane];
    }
    return sum;
}

void gp_reference_matvec(const float *a, const float *x, float *y, uint32_t m, uint32_t n)
{
    for (size_t row = 0; row < m; row++) {
        y[row] = dot(a + row * n, x, n);
    }
}
