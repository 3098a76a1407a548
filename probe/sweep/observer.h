/*
 * The sink that keeps what dispatch tells of one traced run: host times of each operation's
 * submission and of each other call. Storage is reserved before the run; during it nothing is
 * allocated.
 */
#ifndef GP_PROBE_SWEEP_OBSERVER_H
#define GP_PROBE_SWEEP_OBSERVER_H

#include "probe/record.h"

struct gp_observer {
    struct gp_sink base;
    int64_t *op_begin, *op_end; /* per operation, host clock */
    uint32_t op_count, op_capacity;
    struct gp_call_row *calls; /* host clock until gp_observer_rebase */
    uint32_t call_count, call_capacity;
};

/* Empty; the observer is the caller's. */
void gp_observer_init(struct gp_observer *observer);
/* Releases what reserve made; the observer may be used again. */
void gp_observer_finish(struct gp_observer *observer);

/* Room for one run of the schedule; forgets the run before. */
void gp_observer_reserve(struct gp_observer *observer, const struct gp_schedule *schedule);

/* Makes all times count from epoch_ns. */
void gp_observer_rebase(struct gp_observer *observer, uint32_t op_count, int64_t epoch_ns);

#endif
