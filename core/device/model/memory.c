/* The registry of allocations: see memory.h. */
#define _DEFAULT_SOURCE 1 /* MAP_ANONYMOUS is in POSIX since 2024 only, MAP_NORESERVE is not */
#include "core/device/model/memory.h"

#include <assert.h>
#include <string.h>
#include <sys/mman.h>

#include "core/memory.h"

enum {
    KNOWN_MAX = 1024,           /* ranges remembered of one allocation */
    MEMO_BYTES_MAX = 256 << 20, /* results remembered in all */
};

void gp_memory_init(struct gp_memory *memory, uint64_t device_bytes_max)
{
    memset(memory, 0, sizeof *memory);
    memory->device_bytes_max = device_bytes_max;
    memory->memo.bytes_max = MEMO_BYTES_MAX;
}

static void free_allocation(struct gp_allocation *allocation)
{
    (void)munmap((void *)(uintptr_t)allocation->address, allocation->bytes);
    gp_free(allocation->known);
    gp_free(allocation);
}

void gp_memory_finish(struct gp_memory *memory)
{
    for (uint32_t i = 0; i < memory->count; i++) {
        free_allocation(memory->allocations[i]);
    }
    gp_free(memory->allocations);
    gp_memo_finish(&memory->memo);
    memset(memory, 0, sizeof *memory);
}

/* Index of the first allocation whose address is above `address`. */
static uint32_t upper_bound(const struct gp_memory *memory, uint64_t address)
{
    uint32_t lo = 0;
    uint32_t hi = memory->count;

    while (lo < hi) {
        uint32_t middle = lo + (hi - lo) / 2;

        if (memory->allocations[middle]->address <= address) {
            lo = middle + 1;
        } else {
            hi = middle;
        }
    }
    return lo;
}

static int insert(struct gp_memory *memory, struct gp_allocation *allocation)
{
    void *block = memory->allocations;
    uint32_t at = upper_bound(memory, allocation->address);

    if (memory->count == memory->capacity) {
        uint32_t capacity = memory->capacity * 2 + 16;

        if (gp_realloc(&block, memory->capacity, capacity, sizeof(struct gp_allocation *)) != 0) {
            return -1;
        }
        memory->allocations = block;
        memory->capacity = capacity;
    }
    memmove(memory->allocations + at + 1, memory->allocations + at,
            (memory->count - at) * sizeof(struct gp_allocation *));
    memory->allocations[at] = allocation;
    memory->count++;
    return 0;
}

int gp_memory_add(struct gp_memory *memory, uint64_t bytes, bool is_pinned, uint64_t *address,
                  struct gp_error *err)
{
    const uint64_t left = memory->device_bytes_max - memory->device_bytes;
    struct gp_allocation *allocation;
    void *block;

    if (!is_pinned && bytes > left) {
        return gp_fail(err, GP_EDEVICEMEM,
                       "%llu bytes do not fit: %llu of the model's %llu bytes are free",
                       (unsigned long long)bytes, (unsigned long long)left,
                       (unsigned long long)memory->device_bytes_max);
    }
    allocation = gp_alloc(1, sizeof *allocation);
    if (allocation == NULL) {
        return gp_fail(err, GP_ENOMEM, "no memory to register an allocation");
    }
    block = bytes <= PTRDIFF_MAX ? mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                                 : MAP_FAILED;
    if (block == MAP_FAILED) {
        gp_free(allocation);
        return gp_fail(err, is_pinned ? GP_ENOMEM : GP_EDEVICEMEM,
                       "the host has no %llu bytes for the model", (unsigned long long)bytes);
    }
    allocation->address = (uint64_t)(uintptr_t)block;
    allocation->bytes = bytes;
    allocation->is_pinned = is_pinned;
    if (insert(memory, allocation) != 0) {
        free_allocation(allocation);
        return gp_fail(err, GP_ENOMEM, "no memory to register an allocation");
    }
    memory->device_bytes += is_pinned ? 0 : bytes;
    *address = allocation->address;
    return 0;
}

int gp_memory_remove(struct gp_memory *memory, uint64_t address, bool is_pinned,
                     struct gp_error *err)
{
    uint32_t at = upper_bound(memory, address);
    struct gp_allocation *allocation = at > 0 ? memory->allocations[at - 1] : NULL;

    if (allocation == NULL || allocation->address != address ||
        allocation->is_pinned != is_pinned) {
        return gp_fail(err, GP_EINVAL, "address 0x%llx is not the beginning of an allocation",
                       (unsigned long long)address);
    }
    memory->device_bytes -= is_pinned ? 0 : allocation->bytes;
    memory->count--;
    memmove(memory->allocations + at - 1, memory->allocations + at,
            (memory->count - (at - 1)) * sizeof(struct gp_allocation *));
    free_allocation(allocation);
    return 0;
}

struct gp_allocation *gp_memory_find(const struct gp_memory *memory, uint64_t address,
                                     uint64_t bytes)
{
    uint32_t at = upper_bound(memory, address);
    struct gp_allocation *allocation = at > 0 ? memory->allocations[at - 1] : NULL;

    if (allocation == NULL || address - allocation->address > allocation->bytes ||
        bytes > allocation->bytes - (address - allocation->address)) {
        return NULL;
    }
    return allocation;
}

void gp_memory_touch(struct gp_allocation *allocation, uint64_t address, uint64_t bytes)
{
    uint64_t offset;
    uint32_t kept = 0;

    if (allocation == NULL) {
        return;
    }
    offset = address - allocation->address;
    for (uint32_t i = 0; i < allocation->known_count; i++) {
        const struct gp_known_range *known = &allocation->known[i];

        if (known->offset >= offset + bytes || offset >= known->offset + known->bytes) {
            allocation->known[kept++] = *known;
        }
    }
    allocation->known_count = kept;
}

void gp_memory_know(struct gp_allocation *allocation, uint64_t address, uint64_t bytes,
                    struct gp_hash hash)
{
    void *block = allocation->known;

    if (allocation->is_pinned) {
        return;
    }
    if (allocation->known_count == KNOWN_MAX) {
        allocation->known_count = 0;
    }
    if (allocation->known_count == allocation->known_capacity) {
        uint32_t capacity = allocation->known_capacity * 2 + 4;

        if (gp_realloc(&block, allocation->known_capacity, capacity, sizeof *allocation->known) !=
            0) {
            return; /* it is then computed again when asked for */
        }
        allocation->known = block;
        allocation->known_capacity = capacity;
    }
    allocation->known[allocation->known_count++] =
        (struct gp_known_range){address - allocation->address, bytes, hash};
}

struct gp_hash gp_memory_hash(struct gp_allocation *allocation, uint64_t address, uint64_t bytes)
{
    const uint64_t offset = address - allocation->address;
    struct gp_hash hash;

    assert(offset + bytes <= allocation->bytes);
    for (uint32_t i = 0; i < allocation->known_count; i++) {
        if (allocation->known[i].offset == offset && allocation->known[i].bytes == bytes) {
            return allocation->known[i].hash;
        }
    }
    hash = gp_hash_bytes((const void *)(uintptr_t)address, bytes);
    gp_memory_know(allocation, address, bytes, hash);
    return hash;
}
