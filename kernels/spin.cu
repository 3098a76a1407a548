/*
 * Lets time pass, by the device's clock, whatever else runs beside it, and then mixes a value into
 * a word: so that what came before it, and in which order, shows in the word. It sleeps in between,
 * so that it takes no issue slots from others.
 */
#include "kernels/device.cuh"

GP_INLINE u64 spin_now(void)
{
    u64 now;

    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

/* Sleeps are at most this long: they end late by up to as much again. */
#define SPIN_SLEEP_NS 200

GP_INLINE void spin_for(u32 *word, u32 value, u32 ns, u64 stamp)
{
    u64 since = spin_now();
    bool mixes = blockIdx.x == 0 && threadIdx.x == 0;
    u32 before = 0;

    stamp_begin(stamp);
    if (mixes) {
        before = *word;
    }
    while (spin_now() - since + SPIN_SLEEP_NS < ns) {
        asm volatile("nanosleep.u32 %0;" ::"r"(SPIN_SLEEP_NS / 2));
    }
    while (spin_now() - since < ns) {
    }
    if (mixes) {
        *word = before * 1664525u + value;
    }
    stamp_end(stamp);
}

GP_KERNEL(1024) gp_spin(u32 *word, u32 value, u32 ns, u64 stamp)
{
    spin_for(word, value, ns, stamp);
}

/* As gp_work_spread_ns of core/kernel.h. */
GP_INLINE u32 spin_spread(u32 block, u32 spread_ns)
{
    u32 x = block * 2654435761u;

    x = (x ^ x >> 16) * 73244475u;
    x ^= x >> 16;
    return (u32)(((u64)x * ((u64)spread_ns + 1)) >> 32);
}

GP_KERNEL(1024) gp_spin_uneven(u32 *word, u32 value, u32 ns, u32 spread_ns, u64 stamp)
{
    spin_for(word, value, ns + spin_spread(blockIdx.x, spread_ns), stamp);
}
