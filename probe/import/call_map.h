/*
 * Host calls by process and correlation id, which is unique only inside a process. Pure.
 */
#ifndef GP_PROBE_IMPORT_CALL_MAP_H
#define GP_PROBE_IMPORT_CALL_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gp_call_entry {
    int64_t pid; /* global id without thread */
    int64_t correlation;
    int64_t begin, end;
    int64_t name;     /* of StringIds */
    uint32_t op;      /* first operation of it, when part is set */
    uint32_t part;    /* index + 1 of the part that has its operations; 0 none */
    bool used, taken; /* taken: its row has been written */
};

/* Zeroed: empty. */
struct gp_call_map {
    struct gp_call_entry *entries;
    size_t slots, count;
};

/* The entry of that process and id, made when there is none; *is_new says which. Valid until the
 * next is made. */
struct gp_call_entry *gp_call_map_add(struct gp_call_map *map, int64_t pid, int64_t correlation,
                                      bool *is_new);

/* NULL: there is none. */
struct gp_call_entry *gp_call_map_find(const struct gp_call_map *map, int64_t pid,
                                       int64_t correlation);

/* Takes a zeroed struct. */
void gp_call_map_finish(struct gp_call_map *map);

#endif
