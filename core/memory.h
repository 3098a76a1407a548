/*
 * The library's host memory. All of core/ allocates through these, so that a test can make any
 * allocation fail and a host program can bring its own allocator.
 */
#ifndef GP_CORE_MEMORY_H
#define GP_CORE_MEMORY_H

#include <stddef.h>

struct gp_memory_hook {
    void *(*allocate)(void *user, size_t bytes); /* NULL when out of memory; aligned for any type */
    void (*release)(void *user, void *block);    /* block may be NULL */
    void *user;
};

/* Replaces the allocator of the whole process; NULL restores malloc and free. Call it before the
 * library is used or when all that was allocated is released; not thread safe. It is process-wide,
 * like malloc itself, because what one thread allocates another may free. */
void gp_memory_set_hook(const struct gp_memory_hook *hook);

/* count × bytes of zeroed memory; NULL when out of memory or when the product overflows.
 * count × bytes may be 0 (a unique pointer). */
void *gp_alloc(size_t count, size_t bytes);

/* Grows or shrinks to new_count elements; new elements are zeroed; *block may be NULL with
 * old_count 0. Returns 0, or -1 leaving *block as it was. */
int gp_realloc(void **block, size_t old_count, size_t new_count, size_t bytes);

/* Releases what gp_alloc or gp_realloc gave; NULL allowed. */
void gp_free(void *block);

#endif
