/*
 * From raw facts to intervals: for each operation, when it began and ended, as [lo, hi] that every
 * constraint allows, and one drawn value inside. A pure function over one run's rows.
 *
 * Constraints: nothing begins before its submitting call; a stream's operations do not overlap; a
 * dependent begins after what it depends on; a stamp is exact to a tick; an event after an
 * operation fires when it has ended, and later by no more than an event costs; a copy takes at
 * least bytes ÷ the engine's measured peak; copies on an exclusive engine do not overlap, and the
 * engine does not rest while one waits, where their order is certain.
 */
#ifndef GP_PROBE_TIMING_RESOLVE_H
#define GP_PROBE_TIMING_RESOLVE_H

#include "probe/record.h"
#include "probe/timing/engines.h"

struct gp_resolve_input {
    const struct gp_schedule *schedule;
    const struct gp_engines *engines;
    enum gp_trace trace;   /* EVENTS: begin is drawn at `ready`, as naive recorders do */
    int64_t timer_tick_ns; /* 0 unknown, taken as 1 */
    int64_t run_end_ns;    /* makespan: nothing ended later */
    bool is_modelled;      /* source is then "modelled" */
};

/* Reads kind, bytes, submit_*, ready, done, stamp_* of rows (one an operation of the DAG, times
 * from the run's begin) and writes begin, end, their intervals, source and engine. */
void gp_resolve(const struct gp_resolve_input *input, struct gp_op_row *rows);

#endif
