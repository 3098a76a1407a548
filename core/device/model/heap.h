/*
 * The model's pending events, ordered by (time, sequence): a 4-ary heap whose nodes lie inside the
 * things that wait. Moving an event is as cheap as adding one, so nothing stale is ever kept.
 */
#ifndef GP_CORE_DEVICE_MODEL_HEAP_H
#define GP_CORE_DEVICE_MODEL_HEAP_H

#include <stdint.h>

struct gp_heap_node {
    uint32_t slot; /* position + 1; 0: not pending */
    uint32_t kind; /* the owner's */
};

struct gp_heap_entry {
    int64_t at_ns;
    uint64_t sequence;
    struct gp_heap_node *node;
};

/* Zero is an empty heap. */
struct gp_heap {
    struct gp_heap_entry *entries;
    uint32_t count, capacity, reserved;
    uint64_t sequence;
};

/* Frees it; nodes that were pending are forgotten. */
void gp_heap_finish(struct gp_heap *heap);

/* Makes sure that `more` further nodes can be pending at once; 0, or -1 without memory. */
int gp_heap_reserve(struct gp_heap *heap, uint32_t more);

/* Gives that much back. */
void gp_heap_release(struct gp_heap *heap, uint32_t fewer);

/* Adds the node, or moves it, behind all others of that time. A place was reserved. */
void gp_heap_set(struct gp_heap *heap, struct gp_heap_node *node, int64_t at_ns);

/* Takes the node out; not pending is allowed. */
void gp_heap_remove(struct gp_heap *heap, struct gp_heap_node *node);

/* The earliest; NULL when empty. */
static inline const struct gp_heap_entry *gp_heap_first(const struct gp_heap *heap)
{
    return heap->count > 0 ? &heap->entries[0] : (const struct gp_heap_entry *)0;
}

#endif
