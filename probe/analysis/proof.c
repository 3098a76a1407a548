/* What an experiment showed: see proof.h. */
#include "probe/analysis/proof.h"

#include <assert.h>
#include <math.h>

/* Waits differ from run to run: a fall by less than this part of them shows nothing. */
static const double fall_min = 0.1;
/* A model's runs are all alike, so that the least difference is certain; nobody would notice it. */
static const double ratio_max = 0.995;

/* Of what is gained so much must be what the cause cost. */
static const double part_min = 0.1;

void gp_burdens_measure(const struct gp_what_if *what_if, struct gp_burdens *out)
{
    assert(what_if != NULL && out != NULL);
    out->makespan_ns = what_if->as_it_was_ns;
    for (int cause = 0; cause < GP_CAUSE_COUNT; cause++) {
        const struct gp_cause_total *total = &what_if->causes->totals[cause];

        out->of[cause] = (struct gp_burden){
            .cost_ns = what_if->as_it_was_ns - what_if->without_ns[cause],
            .waited_ns = (int64_t)total->waited_ns,
            .idle_ns = total->idle_ns,
        };
    }
}

/* The cell is faster: by what the cause cost? */
static enum gp_proved judge_faster(enum gp_cause cause, const struct gp_burdens *before,
                                   const struct gp_burdens *after, enum gp_cause *other)
{
    const struct gp_burden *was = &before->of[cause], *is = &after->of[cause];
    int64_t less_waited_ns = was->waited_ns - is->waited_ns;
    int64_t fell_ns = was->cost_ns - is->cost_ns;
    int64_t most_ns = fell_ns > 0 ? fell_ns : 0;
    bool is_confounded = false;

    if (less_waited_ns <= 0 || (double)less_waited_ns < fall_min * (double)was->waited_ns) {
        return GP_PROVED_STILL_THERE;
    }
    for (int i = 0; i < GP_CAUSE_COUNT; i++) {
        int64_t other_fell_ns = before->of[i].cost_ns - after->of[i].cost_ns;

        if (!gp_cause_table[i].is_limit && other_fell_ns > most_ns) {
            *other = (enum gp_cause)i;
            most_ns = other_fell_ns;
            is_confounded = true;
        }
    }
    if (is_confounded) {
        return GP_PROVED_CONFOUNDED;
    }
    return (double)fell_ns < part_min * (double)(before->makespan_ns - after->makespan_ns)
               ? GP_PROVED_OTHERWISE
               : GP_PROVED_YES;
}

enum gp_proved gp_proof_judge(enum gp_cause cause, const struct gp_comparison *comparison,
                              const struct gp_burdens *before, const struct gp_burdens *after,
                              enum gp_cause *other)
{
    bool is_faster, is_hardly;

    assert((unsigned)cause < GP_CAUSE_COUNT && comparison != NULL && other != NULL);
    is_faster = comparison->answer == GP_ANSWER_FASTER && comparison->ratio.median <= ratio_max;
    is_hardly = comparison->answer == GP_ANSWER_FASTER && !is_faster;
    if (gp_cause_table[cause].is_limit) {
        return !isnan(comparison->ratio.lo) && !is_faster ? GP_PROVED_AS_EXPECTED : GP_PROVED_NO;
    }
    if (!is_faster || before == NULL || after == NULL) {
        return is_hardly ? GP_PROVED_HARDLY : GP_PROVED_NO;
    }
    return judge_faster(cause, before, after, other);
}
