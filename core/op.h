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

/* The words of the schema's op.kind; append only. A builder makes all but the last: a graph's
 * launch of which nobody knows what it ran, in traces that were imported. */
#define GP_OP_KINDS(X)                                                                             \
    X(KERNEL, "kernel")                                                                            \
    X(H2D, "h2d")                                                                                  \
    X(D2H, "d2h")                                                                                  \
    X(D2D, "d2d")                                                                                  \
    X(MEMSET, "memset")                                                                            \
    X(HOST, "host")                                                                                \
    X(VALUE, "value")                                                                              \
    X(ALLOC, "alloc")                                                                              \
    X(FREE, "free")                                                                                \
    X(GRAPH, "graph")

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

/* What an operation leaves for those after it, known before anything runs: a buffer that it writes,
 * or the pointer of a value. The other one is NULL. */
struct gp_handle {
    const struct gp_buffer *buffer;
    void *value;
};

/*
 * What an operation asks of whoever runs it; all zero: nothing. What follows an operation is never
 * released before it. priority and on_null_stream are for policies, which may pass them over; a
 * policy whose unit is the chain looks at the chain's first operation.
 */
struct gp_attributes {
    int64_t release_ns;  /* intended arrival, from the run's begin: not submitted before */
    int32_t priority;    /* as a stream's: smaller is more urgent */
    bool on_null_stream; /* belongs on the legacy default stream, as a library's call may */
};

/* Makes the operation that comes next of the handles of the one before: of a leaf, one for each
 * access that writes, in order, or its value; of and_then, those of its last; of zip, those of all
 * arms; of something shared, its own. Called while a DAG is frozen, never with finished data.
 * handles are valid during the call. NULL after a failure of the builder, else GP_EINVAL. */
typedef struct gp_op *gp_then_fn(struct gp_builder *builder, const struct gp_handle *handles,
                                 uint32_t count, void *user);

/* Likewise, of the device that the work is for. */
typedef struct gp_op *gp_context_fn(struct gp_builder *builder, struct gp_device *device,
                                    void *user);

/* *out is the caller's. One thread at a time may build with it. */
int gp_builder_create(struct gp_builder **out, struct gp_error *err);
/* Destroys its operations; frozen DAGs stay valid. NULL allowed. */
void gp_builder_destroy(struct gp_builder *builder);

/* What with_context hands on. */
void gp_builder_set_device(struct gp_builder *builder, struct gp_device *device);

/* A kernel launch. `launch` is copied with its arguments' values and its accesses; launch->stamp
 * must be 0. An access beyond its buffer, too many accesses, a missing argument, or a grid or block
 * of 0 is GP_EINVAL. name is copied and cut; NULL: the kernel's. */
struct gp_op *gp_op_kernel(struct gp_builder *builder, const char *name,
                           const struct gp_launch *launch);

/* Copies all of `bytes` from `from` + from_offset to `to` + to_offset; the kind follows from the
 * buffers' spaces (host to host, another device or an overlap is GP_EINVAL). name is copied and
 * cut; NULL: the kind's word. */
struct gp_op *gp_op_copy(struct gp_builder *builder, const char *name, const struct gp_buffer *to,
                         uint64_t to_offset, const struct gp_buffer *from, uint64_t from_offset,
                         uint64_t bytes);

/* Sets `bytes` of `to`, device memory, from `offset` on to value. name as for copies. */
struct gp_op *gp_op_memset(struct gp_builder *builder, const char *name, const struct gp_buffer *to,
                           uint64_t offset, uint8_t value, uint64_t bytes);

/* Gives a transient buffer memory, and takes it away again, in order of the stream on which the
 * operation comes to lie; to the hazard clock both write all of it, so whatever uses the buffer
 * must follow the one and precede the other. In a graph both are nodes. A buffer that is not
 * transient is GP_EINVAL, and so is a kernel's argument that lies in a transient buffer of which it
 * declares no access; using one that has no memory is GP_ESTATE when the operation is submitted.
 * name as for copies. */
struct gp_op *gp_op_alloc(struct gp_builder *builder, const char *name, struct gp_buffer *buffer);
/* See gp_op_alloc. */
struct gp_op *gp_op_free(struct gp_builder *builder, const char *name, struct gp_buffer *buffer);

/* A function of the host, on a thread of the device when the work before it is done; see gp_host_fn
 * for what it must not do. accesses: the ranges that it reads and writes. name as for copies. */
struct gp_op *gp_op_host(struct gp_builder *builder, const char *name, gp_host_fn *fn, void *user,
                         const struct gp_access *accesses, uint32_t access_count);

/* No work: a pointer that and_then_with and zip hand on. name as for copies. */
struct gp_op *gp_op_value(struct gp_builder *builder, const char *name, void *value);

/* Gives one of the operations above its attributes; returns it. Anything else, and a release before
 * the run's begin or an hour after it, is GP_EINVAL. */
struct gp_op *gp_op_set_attributes(struct gp_builder *builder, struct gp_op *op,
                                   const struct gp_attributes *attributes);

/* `next` after `first`, in the same chain. Each operation may be used once, unless it is shared;
 * twice is GP_EINVAL. Combinators within combinators deeper than GP_NESTING_MAX are GP_EINVAL when
 * the DAG is frozen; and_then of and_then is not deep. */
struct gp_op *gp_op_and_then(struct gp_builder *builder, struct gp_op *first, struct gp_op *next);

/* What fn makes of first's handles, after `first`. */
struct gp_op *gp_op_and_then_with(struct gp_builder *builder, struct gp_op *first, gp_then_fn *fn,
                                  void *user);

/* What fn makes of the device. */
struct gp_op *gp_op_with_context(struct gp_builder *builder, gp_context_fn *fn, void *user);

/* All arms at once (fork/join); each begins a chain of its own, and what follows continues the
 * first arm's. count ≥ 1. */
struct gp_op *gp_op_zip(struct gp_builder *builder, struct gp_op *const *arms, uint32_t count);

/* The origin's zip: the arms one after another, in one chain. */
struct gp_op *gp_op_zip_in_turn(struct gp_builder *builder, struct gp_op *const *arms,
                                uint32_t count);

/* `source`, to be used any number of times. It runs once, and follows nothing but what it is made
 * of, wherever it is used; what comes after a use begins a chain. A function that makes something
 * shared need itself is refused as a cycle. */
struct gp_op *gp_op_share(struct gp_builder *builder, struct gp_op *source);

/* Fills out[count] with operations that each stand for one handle of `source`, which runs once and
 * must have that many (GP_EINVAL when the DAG is frozen). Each is used like a use of something
 * shared, once. All NULL after a failure. */
void gp_op_unzip(struct gp_builder *builder, struct gp_op *source, uint32_t count,
                 struct gp_op **out);

#endif
