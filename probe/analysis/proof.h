/*
 * What an experiment showed of the cause that suggested it. A pure function.
 *
 * An experiment changes more than one thing: another policy places everything anew, more streams
 * share more connections. So a cell that became faster says little about one cause by itself.
 *
 * Two things tell: how long operations waited for the cause, all together and whether their stream
 * was idle or not; and what it cost of the makespan, as it is without the cause (what_if.h).
 * Streams' idle time does not: behind work of its own stream an operation waits while the stream is
 * busy, and twice as many streams are idle for longer.
 */
#ifndef GP_PROBE_ANALYSIS_PROOF_H
#define GP_PROBE_ANALYSIS_PROOF_H

#include "probe/analysis/compare.h"
#include "probe/analysis/what_if.h"

/* - hardly: the cell is faster, by less than half a percent.
 * - proven: the cell is faster, operations waited less for the cause, and no other removable
 * cause's cost fell by more.
 * - as expected: the cause is a limit, and the cell is not faster, or hardly.
 * - still there: the cell is faster, and operations waited for the cause as long as before.
 * - confounded: the cell is faster, and another cause's cost fell by more.
 * - otherwise: the cell is faster, and less than a tenth of that is the cause's cost. */
#define GP_PROVED(X) X(NO) X(HARDLY) X(YES) X(AS_EXPECTED) X(STILL_THERE) X(CONFOUNDED) X(OTHERWISE)

enum gp_proved {
#define X(name) GP_PROVED_##name,
    GP_PROVED(X)
#undef X
};

/* What a cause did in a run. */
struct gp_burden {
    int64_t cost_ns;   /* of the makespan */
    int64_t waited_ns; /* for it, by all operations together */
    int64_t idle_ns;   /* of streams */
};

/* All of a run. */
struct gp_burdens {
    int64_t makespan_ns; /* to its last end */
    struct gp_burden of[GP_CAUSE_COUNT];
};

/* What every cause did; those that held nobody cost nothing. */
void gp_burdens_measure(const struct gp_what_if *what_if, struct gp_burdens *out);

/* comparison: of the cell as it was and changed, filled. before and after: of their kept runs;
 * NULL: there is none, which proves nothing. *other: the cause whose cost fell most, when
 * confounded; else untouched. */
enum gp_proved gp_proof_judge(enum gp_cause cause, const struct gp_comparison *comparison,
                              const struct gp_burdens *before, const struct gp_burdens *after,
                              enum gp_cause *other);

#endif
