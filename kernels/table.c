/* All kernels, in the order of kernels.h, and their image's layout as image.S writes it. */
#include "kernels/kernels.h"

#include <string.h>

_Static_assert(offsetof(struct gp_image, name) == 0, "image.S: 1st word");
_Static_assert(offsetof(struct gp_image, fatbin) == 8, "image.S: 2nd word");
_Static_assert(offsetof(struct gp_image, fatbin_bytes) == 16, "image.S: 3rd word");
_Static_assert(offsetof(struct gp_image, ptx) == 24, "image.S: 4th word");
_Static_assert(offsetof(struct gp_image, ptx_bytes) == 32, "image.S: 5th word");
_Static_assert(sizeof(struct gp_image) == 40, "image.S: size");

const struct gp_kernel *const gp_kernel_table[] = {
    &gp_kernel_gemm,        &gp_kernel_matvec, &gp_kernel_relu,     &gp_kernel_vector_add,
    &gp_kernel_fma_1,       &gp_kernel_fma_2,  &gp_kernel_fma_4,    &gp_kernel_triad,
    &gp_kernel_ping,        &gp_kernel_watch,  &gp_kernel_noop,     &gp_kernel_spin,
    &gp_kernel_spin_uneven, &gp_kernel_reduce, &gp_kernel_raymarch, &gp_kernel_shade,
    &gp_kernel_denoise,
};
const size_t gp_kernel_table_count = sizeof gp_kernel_table / sizeof gp_kernel_table[0];

const struct gp_kernel *gp_kernel_find(const char *name)
{
    for (size_t i = 0; i < gp_kernel_table_count; i++) {
        if (strcmp(gp_kernel_table[i]->name, name) == 0) {
            return gp_kernel_table[i];
        }
    }
    return NULL;
}
