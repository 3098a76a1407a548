/* The device's half of the copy oracle: says when words of memory changed. One warp a word. */
#include "kernels/device.cuh"

GP_INLINE u64 watch_now(void)
{
    u64 now;

    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
    return now;
}

/* Not from the first-level cache, which does not see what a copy writes. */
GP_INLINE u32 watch_load(const u32 *word)
{
    u32 value;

    asm volatile("ld.relaxed.sys.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
    return value;
}

GP_INLINE void watch_tell(u32 *word)
{
    asm volatile("st.release.sys.u32 [%0], 1;" ::"l"(word) : "memory");
}

/* A copy that never comes must not hold the device for ever: a look takes about 0.35 us. */
#define WATCH_LOOKS (1u << 23)

GP_KERNEL(512) gp_watch(const u32 *words, u32 stride, u32 old, u64 *times, u32 *ready, u64 stamp)
{
    stamp_begin(stamp);
    if (threadIdx.x % 32 == 0) {
        u32 index = threadIdx.x / 32;
        const u32 *word = words + (u64)index * stride;
        u64 before = watch_now();
        u64 last = before;

        if (index == 0) {
            watch_tell(ready);
        }
        for (u32 look = 0; look < WATCH_LOOKS && watch_load(word) == old; look++) {
            last = before;
            before = watch_now();
        }
        times[2 * index] = last;
        times[2 * index + 1] = watch_now();
    }
    stamp_end(stamp);
}
