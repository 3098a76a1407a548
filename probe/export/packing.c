/* Lanes: see packing.h. */
#include "probe/export/packing.h"

#include <assert.h>

#include "probe/memory.h"

/* What is open on a lane, the innermost last: its ends do not ascend. */
struct gp_packing_lane {
    int64_t *ends;
    size_t depth, capacity;
};

static void close_until(struct gp_packing_lane *lane, uint32_t index, int64_t at,
                        gp_packing_ended_fn *ended, void *user)
{
    while (lane->depth > 0 && lane->ends[lane->depth - 1] <= at) {
        lane->depth--;
        if (ended != NULL) {
            ended(user, index, lane->ends[lane->depth]);
        }
    }
}

/* Whether [begin, end) lies inside all that is open at begin. */
static int fits(const struct gp_packing_lane *lane, int64_t begin, int64_t end)
{
    size_t depth = lane->depth;

    while (depth > 0 && lane->ends[depth - 1] <= begin) {
        depth--;
    }
    return depth == 0 || lane->ends[depth - 1] >= end;
}

uint32_t gp_packing_place(struct gp_packing *lanes, int64_t begin, int64_t end,
                          gp_packing_ended_fn *ended, void *user)
{
    struct gp_packing_lane *lane;
    uint32_t index = 0;

    assert(end >= begin);
    while (index < lanes->count && !fits(&lanes->lanes[index], begin, end)) {
        index++;
    }
    if (index == lanes->count) {
        lanes->lanes =
            gp_xgrow(lanes->lanes, &lanes->capacity, lanes->count + 1, sizeof *lanes->lanes);
        lanes->count++;
    }
    lane = &lanes->lanes[index];
    close_until(lane, index, begin, ended, user);
    lane->ends = gp_xgrow(lane->ends, &lane->capacity, lane->depth + 1, sizeof *lane->ends);
    lane->ends[lane->depth++] = end;
    return index;
}

void gp_packing_finish(struct gp_packing *lanes, gp_packing_ended_fn *ended, void *user)
{
    for (uint32_t i = 0; i < lanes->count; i++) {
        close_until(&lanes->lanes[i], i, INT64_MAX, ended, user);
        gp_free(lanes->lanes[i].ends);
    }
    gp_free(lanes->lanes);
    *lanes = (struct gp_packing){0};
}
