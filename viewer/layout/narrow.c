/* Lengths in 16 or 32 bits: see narrow.h. The largest small value says "look beside". */
#include "viewer/layout/narrow.h"

#include <assert.h>
#include <stdlib.h>

#include "probe/memory.h"

void gp_view_narrow_init(struct gp_view_narrow *column, uint32_t count, unsigned bytes)
{
    assert(bytes == 2 || bytes == 4);
    *column = (struct gp_view_narrow){.count = count};
    if (bytes == 2) {
        column->small = gp_xalloc(count, sizeof *column->small);
    } else {
        column->large = gp_xalloc(count, sizeof *column->large);
    }
}

void gp_view_narrow_finish(struct gp_view_narrow *column)
{
    gp_free(column->small);
    gp_free(column->large);
    gp_free(column->wide);
    *column = (struct gp_view_narrow){0};
}

bool gp_view_narrow_set(struct gp_view_narrow *column, uint32_t index, int64_t value)
{
    assert(index < column->count && value >= 0);
    if (column->small != NULL) {
        column->small[index] = value < UINT16_MAX ? (uint16_t)value : UINT16_MAX;
        return value < UINT16_MAX;
    }
    column->large[index] = value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
    return value < UINT32_MAX;
}

void gp_view_narrow_set_wide(struct gp_view_narrow *column, uint32_t index, int64_t value)
{
    column->wide = gp_xgrow(column->wide, &column->wide_capacity, column->wide_count + 1,
                            sizeof *column->wide);
    column->wide[column->wide_count++] = (struct gp_view_wide){index, value};
}

static int compare_wide(const void *left, const void *right)
{
    const struct gp_view_wide *a = left, *b = right;

    return (a->index > b->index) - (a->index < b->index);
}

void gp_view_narrow_seal(struct gp_view_narrow *column)
{
    if (column->wide_count > 0) {
        qsort(column->wide, column->wide_count, sizeof *column->wide, compare_wide);
    }
}

int64_t gp_view_narrow_get_wide(const struct gp_view_narrow *column, uint32_t index)
{
    const struct gp_view_wide key = {index, 0};
    const struct gp_view_wide *found =
        bsearch(&key, column->wide, column->wide_count, sizeof key, compare_wide);

    assert(found != NULL);
    return found->value;
}

size_t gp_view_narrow_bytes(const struct gp_view_narrow *column)
{
    return column->count * (column->small != NULL ? sizeof *column->small : sizeof *column->large) +
           column->wide_capacity * sizeof *column->wide;
}
