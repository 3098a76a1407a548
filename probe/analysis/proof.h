/*
 * What an experiment showed of the cause that suggested it. A pure function.
 *
 * An experiment changes more than one thing: another policy places everything anew, more streams
 * share more connections. So a cell that became faster says little about one cause by itself.
 */
#ifndef GP_PROBE_ANALYSIS_PROOF_H
#define GP_PROBE_ANALYSIS_PROOF_H

#include "probe/analysis/causes.h"
#include "probe/analysis/compare.h"

/* - proven: the cell is faster, idle time for the cause fell, and for no other removable cause it
 *   fell by more.
 * - as expected: the cause is a limit, and the cell is not faster.
 * - still there: the cell is faster, and there is no less idle time for the cause than before.
 * - confounded: the cell is faster, and idle time for another cause fell by more. */
#define GP_PROVED(X) X(NO) X(YES) X(AS_EXPECTED) X(STILL_THERE) X(CONFOUNDED)

enum gp_proved {
#define X(name) GP_PROVED_##name,
    GP_PROVED(X)
#undef X
};

/* comparison: of the cell as it was and changed, filled. before and after: totals of their causes;
 * NULL: unknown, which proves nothing. *other: the cause whose idle time fell by more, when
 * confounded; else untouched. */
enum gp_proved gp_proof_judge(enum gp_cause cause, const struct gp_comparison *comparison,
                              const struct gp_cause_total *before,
                              const struct gp_cause_total *after, enum gp_cause *other);

#endif
