/* Memory for the programs: see memory.h. */
#include "probe/memory.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void die(size_t count, size_t bytes)
{
    (void)fprintf(stderr, "gpuprobe: out of memory (%zu × %zu bytes)\n", count, bytes);
    abort();
}

void *gp_xalloc(size_t count, size_t bytes)
{
    void *block = gp_alloc(count, bytes);

    if (block == NULL) {
        die(count, bytes);
    }
    return block;
}

void *gp_xgrow(void *block, size_t *capacity, size_t needed, size_t bytes)
{
    size_t grown;

    assert(capacity != NULL && bytes > 0);
    if (needed <= *capacity) {
        return block;
    }
    grown = *capacity <= SIZE_MAX / 2 ? *capacity + *capacity / 2 : needed;
    if (grown < needed) {
        grown = needed;
    }
    if (grown < 16) {
        grown = 16;
    }
    if (gp_realloc(&block, *capacity, grown, bytes) != 0) {
        die(grown, bytes);
    }
    *capacity = grown;
    return block;
}

char *gp_xcopy(const char *text)
{
    char *copy;
    size_t length;

    if (text == NULL) {
        return NULL;
    }
    length = strlen(text);
    copy = gp_xalloc(length + 1, 1);
    memcpy(copy, text, length);
    return copy;
}
