/*
 * A launch in words: the grid, the block and the arguments of a kernel that the library does not
 * know. Private to scenarios/.
 */
#ifndef GP_SCENARIOS_LAUNCH_SPEC_H
#define GP_SCENARIOS_LAUNCH_SPEC_H

#include <stdint.h>

#include "core/error.h"
#include "core/limits.h"

/* in, out, inout: a buffer on the device, which the kernel reads, writes or both, as its address;
 * zero: so many zero bytes; the others: a number. */
#define GP_SPEC_ARGS(X)                                                                            \
    X(IN, "in")                                                                                    \
    X(OUT, "out")                                                                                  \
    X(INOUT, "inout")                                                                              \
    X(U32, "u32")                                                                                  \
    X(I32, "i32")                                                                                  \
    X(U64, "u64")                                                                                  \
    X(I64, "i64")                                                                                  \
    X(F32, "f32")                                                                                  \
    X(F64, "f64")                                                                                  \
    X(ZERO, "zero")

enum gp_spec_kind {
#define X(name, word) GP_SPEC_##name,
    GP_SPEC_ARGS(X)
#undef X
        GP_SPEC_KIND_COUNT
};

struct gp_spec_arg {
    enum gp_spec_kind kind;
    uint32_t bytes;                                      /* of the argument itself: 8 of a buffer */
    uint64_t buffer_bytes;                               /* 0: no buffer */
    uint64_t value[GP_ARG_BYTES_MAX / sizeof(uint64_t)]; /* its first `bytes`, if no buffer */
};

struct gp_launch_spec {
    uint32_t grid[3], block[3];
    struct gp_spec_arg args[GP_KERNEL_ARGS_MAX];
    uint32_t arg_count;
};

/* Whether the kernel reads the argument's buffer; not when it has none. */
static inline int gp_spec_reads(const struct gp_spec_arg *arg)
{
    return arg->kind == GP_SPEC_IN || arg->kind == GP_SPEC_INOUT;
}

/* Likewise whether it writes. */
static inline int gp_spec_writes(const struct gp_spec_arg *arg)
{
    return arg->kind == GP_SPEC_OUT || arg->kind == GP_SPEC_INOUT;
}

/* grid and block: "64", "64x8", "64x8x2"; args: "in:4K,out:4K,u32:1024,f32:1.5", "" none. GP_EINVAL
 * names `owner` and what is allowed: what CUDA allows on every GPU (CUDA Programming Guide,
 * technical specifications). */
int gp_launch_spec_read(const char *owner, const char *grid, const char *block, const char *args,
                        struct gp_launch_spec *out, struct gp_error *err);

/* "in:4K" for messages, from 0; cut. `args` as given to read. */
void gp_launch_spec_word(const char *args, uint32_t index, char out[64]);

#endif
