/*
 * Objects of one size, taken and given back often: chunks of them and a list of the free ones. What
 * it holds follows the most that was ever in use.
 */
#ifndef GP_CORE_DEVICE_MODEL_SLAB_H
#define GP_CORE_DEVICE_MODEL_SLAB_H

#include <stddef.h>
#include <stdint.h>

struct gp_slab {
    size_t item_bytes;
    void *free_items; /* each points to the next in its first bytes */
    void *chunks;     /* likewise */
    uint64_t in_use;
};

/* An empty one of objects of that size. */
void gp_slab_init(struct gp_slab *slab, size_t item_bytes);
/* Frees it with every object. */
void gp_slab_finish(struct gp_slab *slab);

/* Makes the next `count` takes succeed; 0, or -1 without memory. */
int gp_slab_reserve(struct gp_slab *slab, uint64_t count);

/* A zeroed object; NULL without memory. */
void *gp_slab_take(struct gp_slab *slab);
/* Gives one back; not NULL. */
void gp_slab_give(struct gp_slab *slab, void *item);

#endif
