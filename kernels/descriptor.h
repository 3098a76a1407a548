/* What the descriptors share: argument lists and the arithmetic of gp_work. Private to kernels/. */
#ifndef GP_KERNELS_DESCRIPTOR_H
#define GP_KERNELS_DESCRIPTOR_H

#include "kernels/kernels.h"

#define GP_ADDRESS_ARG(name)                                                                       \
    {                                                                                              \
        name, GP_ARG_ADDRESS, 8                                                                    \
    }
#define GP_WORD_ARG(name)                                                                          \
    {                                                                                              \
        name, GP_ARG_VALUE, 4                                                                      \
    }
#define GP_ARG_COUNT(args) ((uint32_t)(sizeof(args) / sizeof(args)[0]))

/*
 * Cycles from the first instruction of a block that loads, computes a little and stores, to its
 * last, and of one more load that the others wait for; data in the second-level cache. Measured on
 * an H200 at 1.98 GHz: relu of one block 0.27 µs; matvec of 256 × 1 024 1.16 µs.
 */
enum { GP_CYCLES_START = 500, GP_CYCLES_LOAD = 400 };

/* value ÷ by, rounded up; by > 0. */
static inline uint64_t gp_divide_up(uint64_t value, uint64_t by)
{
    return (value + by - 1) / by;
}

/* Warps of one block. */
static inline uint64_t gp_warps(const struct gp_launch *launch)
{
    return gp_divide_up(gp_launch_threads(launch), 32);
}

#endif
