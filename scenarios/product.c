/* Freivalds' check: see product.h. */
#include "scenarios/product.h"

#include <assert.h>

#include "core/memory.h"
#include "kernels/kernels.h"
#include "kernels/reference.h"
#include "scenarios/setup.h"
#include "scenarios/values.h"

int gp_product_init(struct gp_product *product, struct gp_workload *workload,
                    struct gp_random *random, struct gp_error *err)
{
    size_t m = product->m, n = product->n, k = product->k;

    product->signs = gp_alloc(n, sizeof(float));
    product->right = gp_alloc(product->inputs * m, sizeof(float));
    product->room = gp_alloc(m * n, sizeof(float));
    product->sums = gp_alloc(m > k ? m : k, sizeof(float));
    if (product->signs == NULL || product->right == NULL || product->room == NULL ||
        product->sums == NULL) {
        return gp_setup_fail_memory(workload, err);
    }
    gp_values_draw(product->signs, n, random, 0, 1);
    for (size_t i = 0; i < n; i++) {
        product->signs[i] = 2.0f * product->signs[i] - 1.0f;
    }
    gp_reference_matvec(product->b, product->signs, product->sums, product->k, product->n);
    gp_reference_matvec(product->a, product->sums, product->right, product->inputs * product->m,
                        product->k);
    return 0;
}

void gp_product_finish(struct gp_product *product)
{
    gp_free(product->signs);
    gp_free(product->right);
    gp_free(product->room);
    gp_free(product->sums);
}

/* Names the first wrong element of c in a row whose sum is wrong. */
static int fail_row(const struct gp_product *product, const char *item, uint32_t index, size_t row,
                    struct gp_error *err)
{
    const float *a = product->a + (index % product->inputs * (size_t)product->m + row) * product->k;
    const float *got = product->room + row * product->n;
    float *right = gp_alloc(product->n, sizeof *right);
    size_t column;
    int code;

    if (right == NULL) {
        return gp_fail(err, GP_ENOMEM, "%s %u: out of host memory", item, index);
    }
    gp_reference_gemm(a, product->b, right, 1, product->n, product->k);
    column = gp_values_differ(got, right, product->n);
    assert(column < product->n);
    code = gp_values_fail(err, got[column], right[column], "c[%zu][%zu] of %s %u", row, column,
                          item, index);
    gp_free(right);
    return code;
}

int gp_product_verify(const struct gp_product *product, struct gp_workload *workload,
                      struct gp_buffer *c, uint32_t index, const char *item, struct gp_error *err)
{
    const float *right = product->right + index % product->inputs * (size_t)product->m;
    uint64_t bytes = (uint64_t)product->m * product->n * sizeof(float);
    int code = gp_buffer_read(c, workload->stream, index * bytes, product->room, bytes, err);

    if (code != 0) {
        return code;
    }
    gp_reference_matvec(product->room, product->signs, product->sums, product->m, product->n);
    for (size_t row = 0; row < product->m; row++) {
        if (!(product->sums[row] == right[row])) {
            (void)fail_row(product, item, index, row, err);
            return gp_fail_context(err, "%s", workload->ops->name);
        }
    }
    return 0;
}
