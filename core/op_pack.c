/* The variable part of an operation as one block: see op_node.h. */
#include <assert.h>
#include <stdalign.h>
#include <string.h>

#include "core/op_node.h"

static size_t aligned(size_t bytes)
{
    return (bytes + alignof(max_align_t) - 1) / alignof(max_align_t) * alignof(max_align_t);
}

static uint32_t arg_count(const struct gp_dag_op *leaf)
{
    return leaf->launch.kernel != NULL ? leaf->launch.kernel->arg_count : 0;
}

size_t gp_leaf_bytes(const struct gp_dag_op *leaf)
{
    uint32_t count = arg_count(leaf);
    size_t bytes = aligned(count * sizeof(void *));

    for (uint32_t i = 0; i < count; i++) {
        bytes += aligned(leaf->launch.kernel->args[i].bytes);
    }
    bytes += aligned(leaf->access_count * sizeof(struct gp_access));
    return bytes + aligned(strlen(leaf->name) + 1);
}

/* Takes the next `bytes` of the block. */
static void *take(char **at, size_t bytes)
{
    void *taken = *at;

    *at += aligned(bytes);
    return taken;
}

void gp_leaf_pack(const struct gp_dag_op *from, void *block, struct gp_dag_op *to)
{
    uint32_t count = arg_count(from);
    size_t name_bytes = strlen(from->name) + 1;
    char *at = block;
    const void **args = take(&at, count * sizeof *args);
    struct gp_access *accesses;
    char *name;

    assert(block != NULL && to != NULL);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t bytes = from->launch.kernel->args[i].bytes;
        void *value = take(&at, bytes);

        memcpy(value, from->launch.args[i], bytes);
        args[i] = value;
    }
    accesses = take(&at, from->access_count * sizeof *accesses);
    if (from->access_count > 0) {
        memcpy(accesses, from->accesses, from->access_count * sizeof *accesses);
    }
    name = take(&at, name_bytes);
    memcpy(name, from->name, name_bytes);
    *to = *from;
    to->name = name;
    to->accesses = accesses;
    if (to->launch.kernel != NULL) {
        to->launch.args = args;
        to->launch.accesses = accesses;
        to->launch.access_count = from->access_count;
    }
    assert((size_t)(at - (char *)block) == gp_leaf_bytes(from));
}
