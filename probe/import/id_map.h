/* Numbers by ids that may be anything. Pure. */
#ifndef GP_PROBE_IMPORT_ID_MAP_H
#define GP_PROBE_IMPORT_ID_MAP_H

#include <stdbool.h>
#include <stdint.h>

struct gp_id_map_slot {
    int64_t id;
    uint32_t value;
    bool used;
};

/* Zeroed: empty. */
struct gp_id_map {
    struct gp_id_map_slot *slots;
    uint32_t slot_count, count;
};

/* Sets the value of an id, whether it has one or not. */
void gp_id_map_set(struct gp_id_map *map, int64_t id, uint32_t value);

/* The value of an id; otherwise: it has none. */
uint32_t gp_id_map_get(const struct gp_id_map *map, int64_t id, uint32_t otherwise);

/* Takes a zeroed struct. */
void gp_id_map_finish(struct gp_id_map *map);

#endif
