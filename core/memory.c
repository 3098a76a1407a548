/* Host memory: see memory.h. */
#include "core/memory.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void *default_allocate(void *user, size_t bytes)
{
    (void)user;
    return malloc(bytes);
}

static void default_release(void *user, void *block)
{
    (void)user;
    free(block);
}

static const struct gp_memory_hook default_hook = {default_allocate, default_release, NULL};
static struct gp_memory_hook hook = {default_allocate, default_release, NULL};

void gp_memory_set_hook(const struct gp_memory_hook *new_hook)
{
    hook = new_hook != NULL ? *new_hook : default_hook;
}

/* What comes fresh from the system is zero already: large blocks are not written twice. */
static void *allocate_zeroed(size_t bytes)
{
    void *block;

    if (hook.allocate == default_allocate) {
        return calloc(1, bytes);
    }
    block = hook.allocate(hook.user, bytes);
    if (block != NULL) {
        memset(block, 0, bytes);
    }
    return block;
}

void *gp_alloc(size_t count, size_t bytes)
{
    size_t total;

    if (bytes != 0 && count > SIZE_MAX / bytes) {
        return NULL;
    }
    total = count * bytes;
    return allocate_zeroed(total > 0 ? total : 1);
}

int gp_realloc(void **block, size_t old_count, size_t new_count, size_t bytes)
{
    void *grown;
    size_t kept = old_count < new_count ? old_count : new_count;

    assert(block != NULL && bytes > 0);
    assert(*block != NULL || old_count == 0);
    grown = gp_alloc(new_count, bytes);
    if (grown == NULL) {
        return -1;
    }
    if (kept > 0) {
        memcpy(grown, *block, kept * bytes);
    }
    gp_free(*block);
    *block = grown;
    return 0;
}

void gp_free(void *block)
{
    if (block != NULL) {
        hook.release(hook.user, block);
    }
}
