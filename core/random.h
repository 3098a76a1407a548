/*
 * A seeded generator, so that whatever is drawn can be drawn again: splitmix64 (Steele, Lea, Flood:
 * "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014). Not for secrets.
 */
#ifndef GP_CORE_RANDOM_H
#define GP_CORE_RANDOM_H

#include <stdint.h>

/* Owned by the caller; any value of state is a good seed. One thread at a time. */
struct gp_random {
    uint64_t state;
};

/* Uniform over all 64-bit values. */
uint64_t gp_random_next(struct gp_random *random);

/* Uniform in [0, limit); limit > 0. */
uint64_t gp_random_below(struct gp_random *random, uint64_t limit);

#endif
