/*
 * What resolve.c and resolve_engines.c share: one run on its way from raw facts to intervals.
 */
#ifndef GP_PROBE_TIMING_RESOLVE_INTERNAL_H
#define GP_PROBE_TIMING_RESOLVE_INTERNAL_H

#include "probe/timing/resolve.h"

/* Events are set against kernels' stamps; against the last byte of a copy they were off by up to
 * 0.3 µs either way (the copy oracle on an H200, nothing else running). */
enum { GP_EVENT_OFF_NS = 300 };

struct gp_resolver {
    const struct gp_resolve_input *input;
    struct gp_op_row *rows;
    int64_t *shortest_ns; /* per operation: no shorter than this */
    uint32_t *previous;   /* on the same stream, UINT32_MAX none */
    uint32_t *next;       /* likewise */
    uint32_t *order;      /* operations in issue order */
    uint32_t count;
};

/* A value that is no less than the bound. */
static inline void gp_raise(int64_t *value, int64_t bound)
{
    *value = bound > *value ? bound : *value;
}

/* A value that is no more than the bound. */
static inline void gp_lower(int64_t *value, int64_t bound)
{
    *value = bound < *value ? bound : *value;
}

/* The rows of stamped kernels are facts and only bound others. */
static inline bool gp_resolve_is_fixed(const struct gp_op_row *row)
{
    return row->stamp_begin != GP_UNKNOWN;
}

/* A direction, or −1: no copy between host and device. */
int gp_resolve_direction_of(const struct gp_op_row *row);

/* NULL: likewise. */
const struct gp_engine *gp_resolve_engine_of(const struct gp_resolver *r,
                                             const struct gp_op_row *row);

/* How long after its operation an event may be: no longer than what it costs. Of others than copies
 * it is not measured, and the most of any copy is taken. */
int64_t gp_resolve_late_ns(const struct gp_resolver *r, uint32_t op);

/* The later one begins after the earlier one ended. */
void gp_resolve_after(struct gp_resolver *r, uint32_t earlier, uint32_t later);

/* It takes no less than its shortest time. */
void gp_resolve_within(struct gp_resolver *r, uint32_t op);

/* All that the engines say: one copy after the other, no rest while one waits, and how late events
 * are beside what the other direction does. */
void gp_resolve_apply_engines(struct gp_resolver *r);

#endif
