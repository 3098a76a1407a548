/*
 * The model's memory: device memory is host memory, an address is a host pointer. Every allocation
 * is registered, so that an address that belongs to none is noticed. Not thread safe: the caller
 * holds the model's lock.
 *
 * Device memory stands for the device's, not the library's: its pages come from the system, not
 * through gp_alloc, so that large buffers cost nothing until they are used.
 */
#ifndef GP_CORE_DEVICE_MODEL_MEMORY_H
#define GP_CORE_DEVICE_MODEL_MEMORY_H

#include <stdbool.h>

#include "core/device/model/hash.h"
#include "core/device/model/memo.h"
#include "core/error.h"
#include "core/kernel.h"

/* What is known of a range's content. */
struct gp_known_range {
    uint64_t offset, bytes;
    struct gp_hash hash;
};

struct gp_allocation {
    uint64_t address, bytes;
    bool is_pinned;
    struct gp_known_range *known;
    uint32_t known_count, known_capacity;
};

struct gp_memory {
    struct gp_allocation **allocations; /* ascending addresses */
    uint32_t count, capacity;
    uint64_t device_bytes, device_bytes_max;
    struct gp_memo memo;
};

/* An empty memory of that size. */
void gp_memory_init(struct gp_memory *memory, uint64_t device_bytes_max);
/* Frees every allocation that is left. */
void gp_memory_finish(struct gp_memory *memory);

/* Zeroed. GP_EDEVICEMEM beyond device_bytes_max or when the host has no more. */
int gp_memory_add(struct gp_memory *memory, uint64_t bytes, bool is_pinned, uint64_t *address,
                  struct gp_error *err);

/* GP_EINVAL when it is not the beginning of an allocation of that kind. */
int gp_memory_remove(struct gp_memory *memory, uint64_t address, bool is_pinned,
                     struct gp_error *err);

/* The allocation that holds all of the range; NULL when there is none. */
struct gp_allocation *gp_memory_find(const struct gp_memory *memory, uint64_t address,
                                     uint64_t bytes);

/* The range has been written: what was known of it is void. NULL allowed. */
void gp_memory_touch(struct gp_allocation *allocation, uint64_t address, uint64_t bytes);

/* The content's hash, remembered until the range is written; pinned memory is not remembered,
 * because the host may write it unseen. */
struct gp_hash gp_memory_hash(struct gp_allocation *allocation, uint64_t address, uint64_t bytes);

/* Remembers a hash that is known from elsewhere. */
void gp_memory_know(struct gp_allocation *allocation, uint64_t address, uint64_t bytes,
                    struct gp_hash hash);

#endif
