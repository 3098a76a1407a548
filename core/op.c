/* The builder and the combinators: see op.h. Makes the tree that dag.c expands; knows no streams.
 */
#include "core/op.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/op_node.h"
#include "core/transient.h"

enum { BLOCK_THREADS_MAX = 1024 };
static const int64_t release_max_ns = INT64_C(3600) * 1000 * 1000 * 1000;

static const char *const kind_names[] = {
#define X(name, word) word,
    GP_OP_KINDS(X)
#undef X
};

const char *gp_op_kind_name(enum gp_op_kind kind)
{
    assert((unsigned)kind < GP_OP_KIND_COUNT);
    return kind_names[kind];
}

void gp_builder_set_device(struct gp_builder *builder, struct gp_device *device)
{
    assert(builder != NULL);
    builder->device = device;
}

int gp_builder_create(struct gp_builder **out, struct gp_error *err)
{
    assert(out != NULL);
    *out = gp_alloc(1, sizeof **out);
    return *out != NULL ? 0 : gp_fail(err, GP_ENOMEM, "out of host memory for a builder");
}

void gp_builder_destroy(struct gp_builder *builder)
{
    struct gp_op *older;

    if (builder == NULL) {
        return;
    }
    for (struct gp_op *op = builder->newest; op != NULL; op = older) {
        older = op->older;
        gp_free(op);
    }
    gp_free(builder);
}

struct gp_op *gp_builder_fail(struct gp_builder *builder, int code, const char *format, ...)
{
    char text[sizeof builder->error.text];
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    (void)gp_fail(&builder->error, code, "%s", text);
    return NULL;
}

bool gp_builder_has_failed(const struct gp_builder *builder)
{
    return builder->error.code != 0;
}

struct gp_op *gp_node_make(struct gp_builder *builder, enum gp_node_kind kind, size_t extra)
{
    struct gp_op *op = gp_alloc(1, GP_NODE_BYTES + extra);

    if (op == NULL) {
        return gp_builder_fail(builder, GP_ENOMEM, "out of host memory for an operation");
    }
    op->kind = kind;
    op->older = builder->newest;
    builder->newest = op;
    return op;
}

static bool check_accesses(struct gp_builder *builder, const struct gp_dag_op *leaf)
{
    if (leaf->access_count > GP_ACCESSES_MAX) {
        (void)gp_builder_fail(builder, GP_EINVAL,
                              "operation '%s' declares %" PRIu32 " accesses; at most %d",
                              leaf->name, leaf->access_count, GP_ACCESSES_MAX);
        return false;
    }
    for (uint32_t i = 0; i < leaf->access_count; i++) {
        const struct gp_access *access = &leaf->accesses[i];

        if (access->buffer == NULL || access->bytes == 0 || access->mode < GP_ACCESS_READ ||
            access->mode > GP_ACCESS_READ_WRITE) {
            (void)gp_builder_fail(builder, GP_EINVAL,
                                  "operation '%s': access %" PRIu32
                                  " has no buffer, no bytes or no mode",
                                  leaf->name, i);
            return false;
        }
        if (access->offset > access->buffer->bytes ||
            access->bytes > access->buffer->bytes - access->offset) {
            (void)gp_builder_fail(builder, GP_EINVAL,
                                  "operation '%s': bytes %" PRIu64 " to %" PRIu64
                                  " lie outside buffer '%s' of %" PRIu64 " bytes",
                                  leaf->name, access->offset, access->offset + access->bytes,
                                  access->buffer->name, access->buffer->bytes);
            return false;
        }
    }
    return true;
}

/* Their stand-ins must tell transient buffers apart. */
static bool check_transients(struct gp_builder *builder, struct gp_dag_op *leaf)
{
    for (uint32_t i = 0; i < leaf->access_count; i++) {
        const struct gp_buffer *buffer = leaf->accesses[i].buffer;

        if (buffer->lifetime == GP_LIFETIME_LASTING) {
            continue;
        }
        leaf->has_stand_ins = leaf->transient == NULL;
        for (uint32_t j = 0; j < i; j++) {
            const struct gp_buffer *other = leaf->accesses[j].buffer;

            if (other != buffer && other->address == buffer->address) {
                (void)gp_builder_fail(builder, GP_EINVAL,
                                      "operation '%s': transient buffers '%s' and '%s' have the "
                                      "same id %" PRIu32,
                                      leaf->name, other->name, buffer->name, buffer->id);
                return false;
            }
        }
    }
    return true;
}

/* The leaf of a description that is checked but for its accesses. */
static struct gp_op *make_leaf(struct gp_builder *builder, const struct gp_dag_op *described)
{
    struct gp_dag_op leaf = *described;
    char name[GP_NAME_BYTES_MAX];
    struct gp_op *op;

    if (!check_accesses(builder, &leaf) || !check_transients(builder, &leaf)) {
        return NULL;
    }
    (void)snprintf(name, sizeof name, "%s", leaf.name);
    leaf.name = name;
    op = gp_node_make(builder, GP_NODE_LEAF, gp_leaf_bytes(&leaf));
    if (op != NULL) {
        gp_leaf_pack(&leaf, (char *)op + GP_NODE_BYTES, &op->leaf);
        op->label = op->leaf.name;
    }
    return op;
}

static bool is_grid_allowed(const struct gp_launch *launch)
{
    for (int i = 0; i < 3; i++) {
        if (launch->grid[i] == 0 || launch->block[i] == 0 || launch->block[i] > BLOCK_THREADS_MAX) {
            return false;
        }
    }
    return (uint64_t)launch->block[0] * launch->block[1] * launch->block[2] <= BLOCK_THREADS_MAX;
}

static bool are_args_allowed(const struct gp_launch *launch)
{
    const struct gp_kernel *kernel = launch->kernel;

    if (kernel->arg_count > GP_KERNEL_ARGS_MAX || (kernel->arg_count > 0 && launch->args == NULL)) {
        return false;
    }
    for (uint32_t i = 0; i < kernel->arg_count; i++) {
        if (launch->args[i] == NULL || kernel->args[i].bytes > GP_ARG_BYTES_MAX) {
            return false;
        }
    }
    return true;
}

/* Index of the first argument that lies in a transient buffer of which the launch declares no
 * access; arg_count when there is none. */
static uint32_t find_undeclared(const struct gp_launch *launch)
{
    const struct gp_kernel *kernel = launch->kernel;
    uint32_t arg = 0;

    while (arg < kernel->arg_count && (kernel->args[arg].kind != GP_ARG_ADDRESS ||
                                       !gp_buffer_is_stand_in(GP_ARG(launch, arg, gp_addr)) ||
                                       gp_access_find(launch->accesses, launch->access_count,
                                                      GP_ARG(launch, arg, gp_addr)) != NULL)) {
        arg++;
    }
    return arg;
}

struct gp_op *gp_op_kernel(struct gp_builder *builder, const char *name,
                           const struct gp_launch *launch)
{
    struct gp_dag_op leaf = {.kind = GP_OP_KERNEL};

    assert(builder != NULL && launch != NULL && launch->kernel != NULL);
    if (gp_builder_has_failed(builder)) {
        return NULL;
    }
    leaf.name = name != NULL ? name : launch->kernel->name;
    leaf.launch = *launch;
    leaf.accesses = launch->accesses;
    leaf.access_count = launch->access_count;
    if (!is_grid_allowed(launch)) {
        return gp_builder_fail(
            builder, GP_EINVAL,
            "operation '%s': grid and block must be at least 1 and a block at most %d "
            "threads",
            leaf.name, BLOCK_THREADS_MAX);
    }
    if (!are_args_allowed(launch)) {
        return gp_builder_fail(
            builder, GP_EINVAL,
            "operation '%s': kernel '%s' takes %" PRIu32
            " arguments (at most %d, of at most %d bytes each), and one is missing",
            leaf.name, launch->kernel->name, launch->kernel->arg_count, GP_KERNEL_ARGS_MAX,
            GP_ARG_BYTES_MAX);
    }
    if (find_undeclared(launch) < launch->kernel->arg_count) {
        return gp_builder_fail(
            builder, GP_EINVAL,
            "operation '%s': argument '%s' lies in a transient buffer of which no access is "
            "declared",
            leaf.name, launch->kernel->args[find_undeclared(launch)].name);
    }
    if (launch->stamp != 0) {
        return gp_builder_fail(
            builder, GP_EINVAL,
            "operation '%s': the stamp is given by who runs it, not in the operation", leaf.name);
    }
    return make_leaf(builder, &leaf);
}

/* The kind of a copy between two spaces; false for host to host. */
static bool copy_kind(enum gp_space to, enum gp_space from, enum gp_op_kind *out)
{
    if (to != GP_SPACE_DEVICE && from != GP_SPACE_DEVICE) {
        return false;
    }
    *out = to != GP_SPACE_DEVICE ? GP_OP_D2H : from != GP_SPACE_DEVICE ? GP_OP_H2D : GP_OP_D2D;
    return true;
}

static bool overlaps(const struct gp_access *a, const struct gp_access *b)
{
    return a->buffer == b->buffer && a->offset < b->offset + b->bytes &&
           b->offset < a->offset + a->bytes;
}

/* Two ranges of one length, and what the builder needs. */
/* NOLINTNEXTLINE(readability-function-size) */
struct gp_op *gp_op_copy(struct gp_builder *builder, const char *name, const struct gp_buffer *to,
                         uint64_t to_offset, const struct gp_buffer *from, uint64_t from_offset,
                         uint64_t bytes)
{
    const struct gp_access accesses[] = {
        {from, from_offset, bytes, GP_ACCESS_READ},
        {to, to_offset, bytes, GP_ACCESS_WRITE},
    };
    struct gp_dag_op leaf = {.accesses = accesses, .access_count = 2, .bytes = bytes};

    assert(builder != NULL && to != NULL && from != NULL);
    if (gp_builder_has_failed(builder)) {
        return NULL;
    }
    if (!copy_kind(to->space, from->space, &leaf.kind)) {
        return gp_builder_fail(
            builder, GP_EINVAL,
            "copy '%s': '%s' and '%s' are both in host memory; copy with the processor",
            name != NULL ? name : "", from->name, to->name);
    }
    leaf.name = name != NULL ? name : gp_op_kind_name(leaf.kind);
    if (to->device != from->device) {
        return gp_builder_fail(builder, GP_EINVAL,
                               "copy '%s': '%s' and '%s' are of different devices", leaf.name,
                               from->name, to->name);
    }
    if (overlaps(&accesses[0], &accesses[1])) {
        return gp_builder_fail(builder, GP_EINVAL,
                               "copy '%s': source and destination overlap in '%s'", leaf.name,
                               to->name);
    }
    leaf.to = to->address + to_offset;
    leaf.from = from->address + from_offset;
    return make_leaf(builder, &leaf);
}

struct gp_op *gp_op_memset(struct gp_builder *builder, const char *name, const struct gp_buffer *to,
                           uint64_t offset, uint8_t value, uint64_t bytes)
{
    const struct gp_access access = {to, offset, bytes, GP_ACCESS_WRITE};
    struct gp_dag_op leaf = {
        .kind = GP_OP_MEMSET,
        .accesses = &access,
        .access_count = 1,
        .bytes = bytes,
        .value = value,
    };

    assert(builder != NULL && to != NULL);
    if (gp_builder_has_failed(builder)) {
        return NULL;
    }
    leaf.name = name != NULL ? name : gp_op_kind_name(leaf.kind);
    if (to->space != GP_SPACE_DEVICE) {
        return gp_builder_fail(builder, GP_EINVAL, "memset '%s': '%s' is not in device memory",
                               leaf.name, to->name);
    }
    leaf.to = to->address + offset;
    return make_leaf(builder, &leaf);
}

struct gp_op *gp_op_host(struct gp_builder *builder, const char *name, gp_host_fn *fn, void *user,
                         const struct gp_access *accesses, uint32_t access_count)
{
    const struct gp_dag_op leaf = {
        .kind = GP_OP_HOST,
        .name = name != NULL ? name : gp_op_kind_name(GP_OP_HOST),
        .host = fn,
        .user = user,
        .accesses = accesses,
        .access_count = access_count,
    };

    assert(builder != NULL && fn != NULL && (accesses != NULL || access_count == 0));
    return gp_builder_has_failed(builder) ? NULL : make_leaf(builder, &leaf);
}

static struct gp_op *make_transient(struct gp_builder *builder, enum gp_op_kind kind,
                                    const char *name, struct gp_buffer *buffer)
{
    const struct gp_access access = {buffer, 0, buffer->bytes, GP_ACCESS_WRITE};
    const struct gp_dag_op leaf = {
        .kind = kind,
        .name = name != NULL ? name : gp_op_kind_name(kind),
        .accesses = &access,
        .access_count = 1,
        .bytes = buffer->bytes,
        .transient = buffer,
    };

    if (gp_builder_has_failed(builder)) {
        return NULL;
    }
    if (buffer->lifetime == GP_LIFETIME_LASTING) {
        return gp_builder_fail(builder, GP_EINVAL,
                               "%s '%s': buffer '%s' has memory of its own; make it with "
                               "gp_buffer_create_transient",
                               gp_op_kind_name(kind), leaf.name, buffer->name);
    }
    return make_leaf(builder, &leaf);
}

struct gp_op *gp_op_alloc(struct gp_builder *builder, const char *name, struct gp_buffer *buffer)
{
    assert(builder != NULL && buffer != NULL);
    return make_transient(builder, GP_OP_ALLOC, name, buffer);
}

struct gp_op *gp_op_free(struct gp_builder *builder, const char *name, struct gp_buffer *buffer)
{
    assert(builder != NULL && buffer != NULL);
    return make_transient(builder, GP_OP_FREE, name, buffer);
}

struct gp_op *gp_op_value(struct gp_builder *builder, const char *name, void *value)
{
    const struct gp_dag_op leaf = {
        .kind = GP_OP_VALUE,
        .name = name != NULL ? name : gp_op_kind_name(GP_OP_VALUE),
    };
    struct gp_op *op;

    assert(builder != NULL);
    op = gp_builder_has_failed(builder) ? NULL : make_leaf(builder, &leaf);
    if (op != NULL) {
        op->user = value;
    }
    return op;
}

struct gp_op *gp_op_set_attributes(struct gp_builder *builder, struct gp_op *op,
                                   const struct gp_attributes *attributes)
{
    assert(builder != NULL && attributes != NULL);
    if (gp_builder_has_failed(builder)) {
        return NULL;
    }
    if (op == NULL || op->kind != GP_NODE_LEAF) {
        return gp_builder_fail(builder, GP_EINVAL,
                               "attributes of '%s': only single operations have them; give them to "
                               "each before it is combined",
                               op != NULL ? op->label : "");
    }
    if (attributes->release_ns < 0 || attributes->release_ns > release_max_ns) {
        return gp_builder_fail(builder, GP_EINVAL,
                               "operation '%s': released %" PRId64
                               " ns after the run's begin; allowed is 0 to %" PRId64,
                               op->label, attributes->release_ns, release_max_ns);
    }
    op->leaf.attributes = *attributes;
    return op;
}
