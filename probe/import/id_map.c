/* Numbers by ids: see id_map.h. */
#include "probe/import/id_map.h"

#include <stddef.h>

#include "probe/memory.h"

/* The slot that has the id, or the free one where it belongs. */
static struct gp_id_map_slot *slot_of(const struct gp_id_map *map, int64_t id)
{
    uint32_t slot = (uint32_t)((uint64_t)id * UINT64_C(0x9e3779b97f4a7c15) >> 32);

    slot &= map->slot_count - 1;
    while (map->slots[slot].used && map->slots[slot].id != id) {
        slot = (slot + 1) & (map->slot_count - 1);
    }
    return &map->slots[slot];
}

static void grow(struct gp_id_map *map)
{
    struct gp_id_map old = *map;

    map->slot_count = old.slot_count == 0 ? 256 : old.slot_count * 2;
    map->slots = gp_xalloc(map->slot_count, sizeof *map->slots);
    for (uint32_t i = 0; i < old.slot_count; i++) {
        if (old.slots[i].used) {
            *slot_of(map, old.slots[i].id) = old.slots[i];
        }
    }
    gp_free(old.slots);
}

void gp_id_map_set(struct gp_id_map *map, int64_t id, uint32_t value)
{
    struct gp_id_map_slot *slot;

    if (map->count >= map->slot_count / 2) {
        grow(map);
    }
    slot = slot_of(map, id);
    map->count += !slot->used;
    *slot = (struct gp_id_map_slot){id, value, true};
}

uint32_t gp_id_map_get(const struct gp_id_map *map, int64_t id, uint32_t otherwise)
{
    const struct gp_id_map_slot *slot = map->slot_count > 0 ? slot_of(map, id) : NULL;

    return slot != NULL && slot->used ? slot->value : otherwise;
}

void gp_id_map_finish(struct gp_id_map *map)
{
    gp_free(map->slots);
    *map = (struct gp_id_map){0};
}
