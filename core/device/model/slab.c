/* Slabs: see slab.h. */
#include "core/device/model/slab.h"

#include <assert.h>
#include <string.h>

#include "core/memory.h"

enum { CHUNK_ITEMS = 128 };

struct link {
    struct link *next;
};

void gp_slab_init(struct gp_slab *slab, size_t item_bytes)
{
    const size_t unit = sizeof(max_align_t);

    memset(slab, 0, sizeof *slab);
    slab->item_bytes = (item_bytes + unit - 1) / unit * unit;
}

void gp_slab_finish(struct gp_slab *slab)
{
    struct link *chunk = slab->chunks;

    while (chunk != NULL) {
        struct link *next = chunk->next;

        gp_free(chunk);
        chunk = next;
    }
    slab->chunks = NULL;
    slab->free_items = NULL;
}

static int grow(struct gp_slab *slab)
{
    char *chunk = gp_alloc(1, sizeof(max_align_t) + CHUNK_ITEMS * slab->item_bytes);

    if (chunk == NULL) {
        return -1;
    }
    ((struct link *)(void *)chunk)->next = slab->chunks;
    slab->chunks = chunk;
    for (size_t i = CHUNK_ITEMS; i-- > 0;) {
        struct link *item = (void *)(chunk + sizeof(max_align_t) + i * slab->item_bytes);

        item->next = slab->free_items;
        slab->free_items = item;
    }
    return 0;
}

void *gp_slab_take(struct gp_slab *slab)
{
    struct link *item;

    if (slab->free_items == NULL && grow(slab) != 0) {
        return NULL;
    }
    item = slab->free_items;
    slab->free_items = item->next;
    slab->in_use++;
    memset(item, 0, slab->item_bytes);
    return item;
}

void gp_slab_give(struct gp_slab *slab, void *item)
{
    struct link *link = item;

    assert(item != NULL && slab->in_use > 0);
    link->next = slab->free_items;
    slab->free_items = link;
    slab->in_use--;
}

int gp_slab_reserve(struct gp_slab *slab, uint64_t count)
{
    for (uint64_t have = 0; have < count; have += CHUNK_ITEMS) {
        if (grow(slab) != 0) {
            return -1;
        }
    }
    return 0;
}
