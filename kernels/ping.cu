/* The device's half of a ping-pong with the host through pinned memory; one thread. */
#include "kernels/device.cuh"

GP_INLINE u64 ping_now(void)
{
    u64 now;

    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

GP_INLINE u32 ping_load(const u32 *word)
{
    u32 value;

    asm volatile("ld.acquire.sys.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
    return value;
}

GP_INLINE void ping_store(u32 *word, u32 value)
{
    asm volatile("st.release.sys.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
}

/* A host that was stopped, or that gave up, must not hold the device for ever. */
#define PING_PATIENCE_NS 2000000000ull

GP_KERNEL(1) gp_ping(const u32 *request, u32 *ack, u64 *times, u32 rounds, u64 stamp)
{
    bool waiting = true;

    stamp_begin(stamp);
    for (u32 round = 1; round <= rounds && waiting; round++) {
        u64 since = ping_now();
        u64 now = since;

        while (ping_load(request) < round && waiting) {
            now = ping_now();
            waiting = now - since < PING_PATIENCE_NS;
        }
        if (waiting) {
            times[round - 1] = ping_now();
            ping_store(ack, round);
        }
    }
    stamp_end(stamp);
}
