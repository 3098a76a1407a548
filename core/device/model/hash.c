/* Hashing: see hash.h. Eight lanes take a stripe of 64 bytes at a time; each lane multiplies the
 * halves of its word, keyed by the stripe's number, and adds its neighbour's word, so that no
 * product of 0 loses anything (the idea of XXH3's accumulators). */
#include "core/device/model/hash.h"

#include <string.h>

enum { LANES = 8, STRIPE_BYTES = LANES * 8 };

static uint64_t mix(uint64_t x)
{
    /* splitmix64's finalizer (Vigna, public domain) */
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static void accumulate(uint64_t *sums, uint64_t *keys, const unsigned char *stripe)
{
    uint64_t words[LANES];

    memcpy(words, stripe, sizeof words);
    for (int i = 0; i < LANES; i++) {
        uint64_t keyed = words[i] ^ keys[i];

        sums[i] += (keyed & 0xffffffff) * (keyed >> 32) + words[i ^ 1];
        keys[i] += UINT64_C(0x9e3779b97f4a7c15);
    }
}

struct gp_hash gp_hash_bytes(const void *data, size_t bytes)
{
    const unsigned char *at = data;
    uint64_t sums[LANES] = {0};
    uint64_t keys[LANES];
    unsigned char last[STRIPE_BYTES] = {0};
    struct gp_hash hash = {bytes, ~(uint64_t)bytes};

    for (int i = 0; i < LANES; i++) {
        keys[i] = mix((uint64_t)i + 1);
    }
    for (size_t left = bytes; left >= STRIPE_BYTES; left -= STRIPE_BYTES) {
        accumulate(sums, keys, at);
        at += STRIPE_BYTES;
    }
    memcpy(last, at, bytes % STRIPE_BYTES);
    accumulate(sums, keys, last);
    for (int i = 0; i < LANES; i++) {
        hash.lo = mix(hash.lo + sums[i]);
        hash.hi = mix((hash.hi ^ sums[i]) + UINT64_C(0x632be59bd9b4e019));
    }
    return hash;
}

struct gp_hash gp_hash_join(struct gp_hash so_far, struct gp_hash next)
{
    struct gp_hash hash;

    hash.lo = mix(mix(so_far.lo + 1) + next.lo);
    hash.hi = mix((mix(so_far.hi + 2) ^ next.hi) + UINT64_C(0x632be59bd9b4e019));
    return hash;
}
