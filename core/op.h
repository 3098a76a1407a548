/*
 * Operations and their combinators: lazy, stream-agnostic descriptions of GPU work. A tree of them
 * is frozen into a DAG (dag.h) before any stream is chosen.
 *
 * A builder owns every operation made through it. Errors stick: after the first failure every call
 * returns NULL and takes NULL, and gp_dag_freeze reports it, so building needs no checks in
 * between. One thread at a time.
 */
#ifndef GP_CORE_OP_H
#define GP_CORE_OP_H

#include "core/buffer.h"

/* The words of the schema's op.kind; append only. */
#define GP_OP_KINDS(X)                                                                             \
    X(KERNEL, "kernel") X(H2D, "h2d") X(D2H, "d2h") X(D2D, "d2d") X(MEMSET, "memset")

enum gp_op_kind {
#define X(name, word) GP_OP_##name,
    GP_OP_KINDS(X)
#undef X
        GP_OP_KIND_COUNT
};

/* The list's word, static. */
const char *gp_op_kind_name(enum gp_op_kind kind);

struct gp_op;
struct gp_builder;

/* *out is the caller's. One thread at a time may build with it. */
int gp_builder_create(struct gp_builder **out, struct gp_error *err);
/* Destroys its operations; frozen DAGs stay valid. NULL allowed. */
void gp_builder_destroy(struct gp_builder *builder);

/* A kernel launch. `launch` is copied with its arguments' values and its accesses; launch->stamp
 * must be 0. An access beyond its buffer, too many accesses, a missing argument, or a grid or block
 * of 0 is GP_EINVAL. name is copied and cut; NULL: the kernel's. */
struct gp_op *gp_op_kernel(struct gp_builder *builder, const char *name,
                           const struct gp_launch *launch);

/* Copies all of `bytes` from `from` + from_offset to `to` + to_offset; the kind follows from the
 * buffers' spaces (pinned to pinned, another device or an overlap is GP_EINVAL). name is copied and
 * cut; NULL: the kind's word. */
struct gp_op *gp_op_copy(struct gp_builder *builder, const char *name, const struct gp_buffer *to,
                         uint64_t to_offset, const struct gp_buffer *from, uint64_t from_offset,
                         uint64_t bytes);

/* Sets `bytes` of `to`, device memory, from `offset` on to value. name as for copies. */
struct gp_op *gp_op_memset(struct gp_builder *builder, const char *name, const struct gp_buffer *to,
                           uint64_t offset, uint8_t value, uint64_t bytes);

/* `next` after `first`, in the same chain. Each operation may be used once; twice is GP_EINVAL.
 * Combinators within combinators deeper than GP_NESTING_MAX are GP_EINVAL; and_then of and_then is
 * not deep. */
struct gp_op *gp_op_and_then(struct gp_builder *builder, struct gp_op *first, struct gp_op *next);

/* All arms at once (fork/join); each begins a chain of its own, and what follows continues the
 * first arm's. count ≥ 1. */
struct gp_op *gp_op_zip(struct gp_builder *builder, struct gp_op *const *arms, uint32_t count);

#endif
