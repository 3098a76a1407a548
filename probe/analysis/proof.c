/* What an experiment showed: see proof.h. */
#include "probe/analysis/proof.h"

#include <assert.h>
#include <math.h>

/* Idle time differs from run to run: a fall by less than this part of it shows nothing. */
static const double fall_min = 0.1;

enum gp_proved gp_proof_judge(enum gp_cause cause, const struct gp_comparison *comparison,
                              const struct gp_cause_total *before,
                              const struct gp_cause_total *after, enum gp_cause *other)
{
    int64_t fell_ns;

    assert((unsigned)cause < GP_CAUSE_COUNT && comparison != NULL && other != NULL);
    if (gp_cause_table[cause].is_limit) {
        return !isnan(comparison->ratio.lo) && comparison->answer != GP_ANSWER_FASTER
                   ? GP_PROVED_AS_EXPECTED
                   : GP_PROVED_NO;
    }
    if (comparison->answer != GP_ANSWER_FASTER || before == NULL || after == NULL) {
        return GP_PROVED_NO;
    }
    fell_ns = before[cause].idle_ns - after[cause].idle_ns;
    if (fell_ns <= 0 || (double)fell_ns < fall_min * (double)before[cause].idle_ns) {
        return GP_PROVED_STILL_THERE;
    }
    for (int i = 0; i < GP_CAUSE_COUNT; i++) {
        if (!gp_cause_table[i].is_limit && before[i].idle_ns - after[i].idle_ns > fell_ns) {
            *other = (enum gp_cause)i;
            fell_ns = before[i].idle_ns - after[i].idle_ns;
        }
    }
    return fell_ns > before[cause].idle_ns - after[cause].idle_ns ? GP_PROVED_CONFOUNDED
                                                                  : GP_PROVED_YES;
}
