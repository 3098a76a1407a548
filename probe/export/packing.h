/*
 * Lanes of a timeline: viewers lose what partly overlaps on one lane, so that each lane gets only
 * intervals that are apart or lie inside one another. Pure; no I/O.
 *
 *     track      |---a---|              lane 0   |---a---| |--c--|
 *                    |---b---|          lane 1       |---b---|
 *                          |--c--|
 */
#ifndef GP_PROBE_EXPORT_PACKING_H
#define GP_PROBE_EXPORT_PACKING_H

#include <stddef.h>
#include <stdint.h>

struct gp_packing_lane;

/* The lanes of one track. Zeroed: none yet. */
struct gp_packing {
    struct gp_packing_lane *lanes;
    size_t count, capacity;
};

/* Told of each interval that has ended, innermost first; NULL: nobody asks. */
typedef void gp_packing_ended_fn(void *user, uint32_t lane, int64_t end);

/* The first lane where the interval fits. Intervals come by ascending begin and, of the same begin,
 * descending end; end ≥ begin. Tells first of those on that lane which have ended by `begin`. */
uint32_t gp_packing_place(struct gp_packing *lanes, int64_t begin, int64_t end,
                          gp_packing_ended_fn *ended, void *user);

/* Tells of all that is still open, and releases. Takes a zeroed struct. */
void gp_packing_finish(struct gp_packing *lanes, gp_packing_ended_fn *ended, void *user);

#endif
