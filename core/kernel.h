/*
 * What the library knows of a kernel: its image, its parameters, the resources it takes, the work
 * it does and what it computes. One const descriptor a kernel (kernels/ has ours); nothing here
 * runs.
 */
#ifndef GP_CORE_KERNEL_H
#define GP_CORE_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "core/limits.h"

/* An address in the device's memory; 0 is no address. On the model it is a host address. */
typedef uint64_t gp_addr;

struct gp_buffer;

enum gp_access_mode { GP_ACCESS_READ = 1, GP_ACCESS_WRITE = 2, GP_ACCESS_READ_WRITE = 3 };

/* A byte range that an operation reads or writes: [offset, offset + bytes) of the buffer. */
struct gp_access {
    const struct gp_buffer *buffer;
    uint64_t offset;
    uint64_t bytes; /* > 0 */
    enum gp_access_mode mode;
};

/* Compiled code, in the order in which a device tries it. Either part may be absent (NULL, 0). The
 * descriptor and what it points to outlive every device that loaded it. */
struct gp_image {
    const char *name;
    const void *fatbin; /* cubins for several architectures, by nvcc */
    size_t fatbin_bytes;
    const char *ptx; /* NUL-terminated text; ptx_bytes counts the NUL */
    size_t ptx_bytes;
};

enum gp_arg_kind { GP_ARG_VALUE, GP_ARG_ADDRESS };

struct gp_kernel_arg {
    const char *name;
    enum gp_arg_kind kind; /* an address is a gp_addr, 8 bytes */
    uint32_t bytes;        /* ≤ GP_ARG_BYTES_MAX */
};

/*
 * Two 64-bit words in device memory that a kernel fills, so that its first and last instruction are
 * timed without an event. In device-clock ns (%globaltimer; source: PTX ISA, special registers).
 * Whoever hands a slot out sets begin to UINT64_MAX and end to 0 first; each block takes the
 * minimum and the maximum.
 */
struct gp_stamp {
    uint64_t begin;
    uint64_t end;
};

/*
 * The same of one block, with the SM that it ran on (%smid). A launch has one for each block of its
 * grid, by linear index (x first); each block fills its own, so nothing need be set first.
 */
struct gp_block_stamp {
    uint64_t begin;
    uint64_t end;
    uint32_t sm;
    uint32_t unused;
};

/* Added to the address of a struct gp_block_stamp, which makes it a slot of such stamps. */
enum { GP_STAMP_BLOCKS = 1 };

struct gp_launch;

/* The work of one block of a launch, for the model device and for bounds. Device independent. */
struct gp_work {
    uint64_t issue;          /* warp instructions issued */
    uint64_t latency_cycles; /* SM cycles of the block's longest dependent path, alone on its SM */
    uint64_t read_bytes;     /* bytes that must come from device memory */
    uint64_t write_bytes;    /* bytes that must go there */
    uint64_t spin_ns;        /* time that passes whatever else is resident (spin kernels) */
    uint64_t spread_ns;      /* < 2^32; blocks take gp_work_spread_ns longer than spin_ns */
};

/* How much longer than spin_ns a block of that linear index takes: 0 … spread_ns, uniform over the
 * indices, the same in every launch. Kernels that spread compute the same. */
static inline uint32_t gp_work_spread_ns(uint32_t block, uint32_t spread_ns)
{
    uint32_t x = block * 2654435761u;

    x = (x ^ x >> 16) * 73244475u;
    x ^= x >> 16;
    return (uint32_t)(((uint64_t)x * ((uint64_t)spread_ns + 1)) >> 32);
}

struct gp_kernel {
    const char *name; /* as shown and recorded */
    const char *summary;
    const char *symbol; /* the entry's name in the image */
    const struct gp_image *image;
    /* Parameters without the last one, which of every kernel is its slot (gp_launch's stamp).
     * stamped is false only for kernels that are not ours. */
    const struct gp_kernel_arg *args;
    uint32_t arg_count;
    int stamped;
    /* Resources for occupancy on the model; on a GPU the driver knows. */
    uint32_t registers;    /* per thread */
    uint32_t shared_bytes; /* static, per block */
    /* The work of each block of this launch. NULL: unknown, and the model takes nothing. */
    void (*work)(const struct gp_launch *launch, struct gp_work *out);
    /* Computes on the host what the launch computes on the device, through the launch's addresses
     * taken as host addresses (the model's memory). NULL: the model leaves the output untouched. A
     * pure function of the launch and of the ranges it declares as read. */
    void (*reference)(const struct gp_launch *launch);
};

/* One launch. Borrowed by the call it is given to; arguments are copied before that call returns.
 */
struct gp_launch {
    const struct gp_kernel *kernel;
    uint32_t grid[3];        /* blocks, each ≥ 1 */
    uint32_t block[3];       /* threads, each ≥ 1, product ≤ 1 024 */
    uint32_t shared_bytes;   /* dynamic */
    const void *const *args; /* kernel->arg_count pointers to values of kernel->args[i].bytes */
    const struct gp_access *accesses; /* what it reads and writes; may be NULL on a GPU */
    uint32_t access_count;
    /* In device memory: a struct gp_stamp; or GP_STAMP_BLOCKS + the first of the grid's struct
     * gp_block_stamp; 0: do not stamp. */
    gp_addr stamp;
};

/* Argument i as its type; for descriptors' work and reference functions. */
#define GP_ARG(launch, i, type) (*(const type *)(launch)->args[i])

/* An address argument of a launch on the model as a host pointer. */
static inline void *gp_launch_pointer(const struct gp_launch *launch, uint32_t i)
{
    return (void *)(uintptr_t)GP_ARG(launch, i, gp_addr);
}

/* Blocks of the whole grid. */
static inline uint64_t gp_launch_blocks(const struct gp_launch *launch)
{
    return (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
}

/* Bytes of the launch's slot behind gp_stamp_address; there must be a slot. */
static inline uint64_t gp_launch_stamp_bytes(const struct gp_launch *launch)
{
    return (launch->stamp & GP_STAMP_BLOCKS) != 0
               ? gp_launch_blocks(launch) * sizeof(struct gp_block_stamp)
               : sizeof(struct gp_stamp);
}

/* Where a slot is. */
static inline gp_addr gp_stamp_address(gp_addr stamp)
{
    return stamp & ~(gp_addr)GP_STAMP_BLOCKS;
}

/* Threads of one block. */
static inline uint32_t gp_launch_threads(const struct gp_launch *launch)
{
    return launch->block[0] * launch->block[1] * launch->block[2];
}

#endif
