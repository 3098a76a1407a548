/* Seeded generator: see random.h. */
#include "core/random.h"

#include <assert.h>

uint64_t gp_random_next(struct gp_random *random)
{
    uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint64_t gp_random_below(struct gp_random *random, uint64_t limit)
{
    uint64_t unbiased;
    uint64_t drawn;

    assert(limit > 0);
    /* Rejecting the last partial stretch keeps every result equally likely. */
    unbiased = UINT64_MAX - UINT64_MAX % limit;
    do {
        drawn = gp_random_next(random);
    } while (drawn >= unbiased);
    return drawn % limit;
}
