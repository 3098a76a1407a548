/*
 * The critical path of a run: what its time was spent on, from the run's begin to its last end,
 * without a gap. Walked from the end: an operation's run, what it waited for last, that operation's
 * run, and so on, back to the begin or to the host, which submitted all the time.
 *
 *     host       [submit a][submit b]
 *     stream 0             |----a----|            |-----c-----|     c needs b
 *     stream 1                        |-----b----|
 *
 *     path       <--submit--><---a---><>----b----<>-----c-----|     b waited for a's engine
 *
 * Nothing leads further back than an operation's arrival: until then it is a wait for that, put
 * down to `dependency` as causes.h does, whatever the host and the device did meanwhile.
 *
 * A step is either the run of an operation or what passed before an operation's begin while nothing
 * on the path ran, put down to the cause that let it go.
 */
#ifndef GP_PROBE_ANALYSIS_CRITICAL_H
#define GP_PROBE_ANALYSIS_CRITICAL_H

#include "probe/analysis/causes.h"

struct gp_critical_step {
    int64_t from, to; /* ns of the run, from < to */
    uint32_t op;      /* that ran, or waited */
    /* Of a wait its cause; of a run why the next step could not begin before it had ended,
     * GP_CAUSE_COUNT of the last one. */
    enum gp_cause cause;
    bool is_run;
};

struct gp_critical {
    struct gp_critical_step
        *steps; /* in time; each begins where the one before it ends, the first at 0 */
    uint32_t count;
    int64_t run_ns;                   /* of all runs */
    int64_t wait_ns[GP_CAUSE_COUNT];  /* of all waits */
    int64_t after_ns[GP_CAUSE_COUNT]; /* of runs, by their cause */
};

/* *out is the caller's to finish; no steps when nothing ran. */
void gp_critical_find(const struct gp_causes *causes, struct gp_critical *out);
/* Takes a zeroed struct. */
void gp_critical_finish(struct gp_critical *critical);

#endif
