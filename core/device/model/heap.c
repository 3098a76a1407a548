/* The event heap: see heap.h. */
#include "core/device/model/heap.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/memory.h"

enum { ARITY = 4 };

static bool is_before(const struct gp_heap_entry *a, const struct gp_heap_entry *b)
{
    return a->at_ns < b->at_ns || (a->at_ns == b->at_ns && a->sequence < b->sequence);
}

static void put(struct gp_heap *heap, uint32_t position, const struct gp_heap_entry *entry)
{
    heap->entries[position] = *entry;
    entry->node->slot = position + 1;
}

static void sift_up(struct gp_heap *heap, uint32_t position, struct gp_heap_entry entry)
{
    while (position > 0) {
        uint32_t parent = (position - 1) / ARITY;

        if (!is_before(&entry, &heap->entries[parent])) {
            break;
        }
        put(heap, position, &heap->entries[parent]);
        position = parent;
    }
    put(heap, position, &entry);
}

static void sift_down(struct gp_heap *heap, uint32_t position, struct gp_heap_entry entry)
{
    for (;;) {
        uint32_t first = position * ARITY + 1;
        uint32_t last = first + ARITY < heap->count ? first + ARITY : heap->count;
        uint32_t least = first;

        if (first >= heap->count) {
            break;
        }
        for (uint32_t i = first + 1; i < last; i++) {
            if (is_before(&heap->entries[i], &heap->entries[least])) {
                least = i;
            }
        }
        if (!is_before(&heap->entries[least], &entry)) {
            break;
        }
        put(heap, position, &heap->entries[least]);
        position = least;
    }
    put(heap, position, &entry);
}

void gp_heap_finish(struct gp_heap *heap)
{
    gp_free(heap->entries);
    *heap = (struct gp_heap){0};
}

int gp_heap_reserve(struct gp_heap *heap, uint32_t more)
{
    void *block = heap->entries;
    uint32_t capacity = heap->capacity;

    while (capacity < heap->reserved + more) {
        capacity = capacity * 2 + 64;
    }
    if (capacity != heap->capacity) {
        if (gp_realloc(&block, heap->capacity, capacity, sizeof *heap->entries) != 0) {
            return -1;
        }
        heap->entries = block;
        heap->capacity = capacity;
    }
    heap->reserved += more;
    return 0;
}

void gp_heap_release(struct gp_heap *heap, uint32_t fewer)
{
    assert(heap->reserved >= fewer);
    heap->reserved -= fewer;
}

void gp_heap_set(struct gp_heap *heap, struct gp_heap_node *node, int64_t at_ns)
{
    struct gp_heap_entry entry = {at_ns, heap->sequence++, node};
    uint32_t position;

    if (node->slot == 0) {
        assert(heap->count < heap->capacity);
        sift_up(heap, heap->count++, entry);
        return;
    }
    position = node->slot - 1;
    if (is_before(&entry, &heap->entries[position])) {
        sift_up(heap, position, entry);
    } else {
        sift_down(heap, position, entry);
    }
}

void gp_heap_remove(struct gp_heap *heap, struct gp_heap_node *node)
{
    uint32_t position;
    struct gp_heap_entry last;

    if (node->slot == 0) {
        return;
    }
    position = node->slot - 1;
    node->slot = 0;
    last = heap->entries[--heap->count];
    if (position == heap->count) {
        return;
    }
    if (position > 0 && is_before(&last, &heap->entries[(position - 1) / ARITY])) {
        sift_up(heap, position, last);
    } else {
        sift_down(heap, position, last);
    }
}
