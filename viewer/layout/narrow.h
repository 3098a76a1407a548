/*
 * A column of lengths in ns that nearly always fit 16 or 32 bits: the few that do not go to a table
 * beside it, so that ten million operations stay small and no length is cut.
 */
#ifndef GP_VIEWER_LAYOUT_NARROW_H
#define GP_VIEWER_LAYOUT_NARROW_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gp_view_wide {
    uint32_t index;
    int64_t value;
};

struct gp_view_narrow {
    uint32_t count;
    uint16_t *small; /* one of the two, by the width at init */
    uint32_t *large;
    struct gp_view_wide *wide; /* by index, once sealed */
    size_t wide_count, wide_capacity;
};

/* count zeros; bytes is 2 or 4. Out of memory ends the process, as everywhere in the programs. */
void gp_view_narrow_init(struct gp_view_narrow *column, uint32_t count, unsigned bytes);

/* Takes a zeroed struct. */
void gp_view_narrow_finish(struct gp_view_narrow *column);

/* Each index once; value ≥ 0. Returns false when the value is too wide: the caller then gives it to
 * gp_view_narrow_set_wide. Threads may set different indices at once. */
bool gp_view_narrow_set(struct gp_view_narrow *column, uint32_t index, int64_t value);

/* One thread at a time. */
void gp_view_narrow_set_wide(struct gp_view_narrow *column, uint32_t index, int64_t value);

/* After the last set, before the first get. */
void gp_view_narrow_seal(struct gp_view_narrow *column);

/* Of those that lie beside; for the next function. */
int64_t gp_view_narrow_get_wide(const struct gp_view_narrow *column, uint32_t index);

/* The value that was set last. Here, since a frame asks a million times. */
static inline int64_t gp_view_narrow_get(const struct gp_view_narrow *column, uint32_t index)
{
    assert(index < column->count);
    if (column->small != NULL) {
        return column->small[index] < UINT16_MAX ? column->small[index]
                                                 : gp_view_narrow_get_wide(column, index);
    }
    return column->large[index] < UINT32_MAX ? column->large[index]
                                             : gp_view_narrow_get_wide(column, index);
}

/* Bytes of memory that it holds. */
size_t gp_view_narrow_bytes(const struct gp_view_narrow *column);

#endif
