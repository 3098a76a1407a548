/*
 * Memory for the programs: as core/memory.h, but out of memory ends the process with a message, so
 * that nobody above the library has to ask. Release with gp_free.
 */
#ifndef GP_PROBE_MEMORY_H
#define GP_PROBE_MEMORY_H

#include "core/memory.h"

/* count × bytes of zeroed memory, never NULL. */
void *gp_xalloc(size_t count, size_t bytes);

/* Makes room for at least `needed` elements in an array of *capacity of them: grows it by half or
 * more. New elements are zeroed. Returns the array, moved or not. */
void *gp_xgrow(void *block, size_t *capacity, size_t needed, size_t bytes);

/* A copy of a NUL-terminated text; NULL gives NULL. */
char *gp_xcopy(const char *text);

#endif
