/* Host calls by correlation: see call_map.h. */
#include "probe/import/call_map.h"

#include "probe/memory.h"

enum { BLOCK = 64 };

static struct gp_call_entry *slot_of(const struct gp_call_map *map, int64_t pid,
                                     int64_t correlation)
{
    /* Ids follow each other, and are asked for nearly in their order: neighbours share a place, so
     * that they share cache lines and pages. */
    uint64_t block = (uint64_t)correlation / BLOCK;
    uint64_t hash =
        ((uint64_t)pid * UINT64_C(0x9e3779b97f4a7c15) + block) * UINT64_C(0xff51afd7ed558ccd);
    size_t slot =
        ((size_t)(hash >> 32) * BLOCK + (size_t)((uint64_t)correlation % BLOCK)) & (map->slots - 1);

    while (map->entries[slot].used &&
           (map->entries[slot].pid != pid || map->entries[slot].correlation != correlation)) {
        slot = (slot + 1) & (map->slots - 1);
    }
    return &map->entries[slot];
}

static void grow(struct gp_call_map *map)
{
    struct gp_call_map old = *map;

    map->slots = old.slots == 0 ? 1024 : old.slots * 2;
    map->entries = gp_xalloc(map->slots, sizeof *map->entries);
    for (size_t i = 0; i < old.slots; i++) {
        if (old.entries[i].used) {
            *slot_of(map, old.entries[i].pid, old.entries[i].correlation) = old.entries[i];
        }
    }
    gp_free(old.entries);
}

struct gp_call_entry *gp_call_map_add(struct gp_call_map *map, int64_t pid, int64_t correlation,
                                      bool *is_new)
{
    struct gp_call_entry *entry;

    if (map->count * 2 >= map->slots) {
        grow(map);
    }
    entry = slot_of(map, pid, correlation);
    *is_new = !entry->used;
    if (*is_new) {
        *entry = (struct gp_call_entry){.pid = pid, .correlation = correlation, .used = true};
        map->count++;
    }
    return entry;
}

struct gp_call_entry *gp_call_map_find(const struct gp_call_map *map, int64_t pid,
                                       int64_t correlation)
{
    struct gp_call_entry *entry = map->slots > 0 ? slot_of(map, pid, correlation) : NULL;

    return entry != NULL && entry->used ? entry : NULL;
}

void gp_call_map_finish(struct gp_call_map *map)
{
    gp_free(map->entries);
    *map = (struct gp_call_map){0};
}
