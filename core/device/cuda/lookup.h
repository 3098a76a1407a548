/*
 * From a kernel's descriptor to its loaded function: a small table of open addressing, so that a
 * launch pays one hash and one compare and no lock.
 */
#ifndef GP_CORE_DEVICE_CUDA_LOOKUP_H
#define GP_CORE_DEVICE_CUDA_LOOKUP_H

#include "core/device/cuda/internal.h"

/* Where the search for a kernel begins. Descriptors are static objects of more than 64 bytes, so
 * their low bits say little; the factor is 2^64 divided by the golden ratio. */
static inline uint32_t gp_cuda_lookup_slot(const struct gp_kernel *kernel)
{
    return (uint32_t)(((uint64_t)(uintptr_t)kernel * 0x9e3779b97f4a7c15u) >> 32) &
           (GP_CUDA_KERNEL_SLOTS - 1);
}

/* NULL: not prepared. The table is never more than half full, so an empty slot ends the search. */
static inline struct CUfunc_st *gp_cuda_lookup(struct gp_cuda_function *table,
                                               const struct gp_kernel *kernel)
{
    uint32_t slot = gp_cuda_lookup_slot(kernel);

    for (;;) {
        const struct gp_kernel *found =
            atomic_load_explicit(&table[slot].kernel, memory_order_acquire);

        if (found == kernel) {
            return table[slot].function;
        }
        if (found == NULL) {
            return NULL;
        }
        slot = (slot + 1) & (GP_CUDA_KERNEL_SLOTS - 1);
    }
}

#endif
