/*
 * A 128-bit hash of bytes, fast where vectors of 64-bit lanes are. For telling contents apart, not
 * for secrets. The same on every little-endian machine.
 */
#ifndef GP_CORE_DEVICE_MODEL_HASH_H
#define GP_CORE_DEVICE_MODEL_HASH_H

#include <stddef.h>
#include <stdint.h>

struct gp_hash {
    uint64_t lo, hi;
};

/* The hash of `bytes` bytes at data; also of none. */
struct gp_hash gp_hash_bytes(const void *data, size_t bytes);

/* The hash of a sequence: `so_far` followed by `next`. */
struct gp_hash gp_hash_join(struct gp_hash so_far, struct gp_hash next);

#endif
