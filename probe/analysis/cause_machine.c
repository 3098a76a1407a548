/* Causes outside the run, as the machine's state tells them: see cause_rules.h. They get only what
 * is longer than a device takes to begin and what nothing else explains. */
#include "probe/analysis/cause_rules.h"

#include "probe/machine/machine.h"

/* Shorter than this is nobody's turn: a time slice is some 2 ms and changing over takes 0.1. */
static const int64_t slice_ns_min = 100000;
static const int64_t start_ns_max = 20000;

/* The state during [from, to): the last sample before its end; NULL there is none. */
static const struct gp_state_row *state_at(const struct gp_run_data *run, int64_t to)
{
    const struct gp_state_row *found = NULL;

    for (uint32_t i = 0; i < run->state_count && (found == NULL || run->states[i].at < to); i++) {
        found = &run->states[i];
    }
    return found;
}

bool gp_cause_throttle(const struct gp_cause_index *index, uint32_t op, int64_t from, int64_t to,
                       struct gp_hold *out)
{
    const struct gp_state_row *state = state_at(index->run, to);
    int64_t reasons = 0;

    (void)op;
#define X(bit, text) reasons |= bit;
    GP_THROTTLES(X)
#undef X
    *out = (struct gp_hold){.until = to, .figure = GP_UNKNOWN, .on = GP_NO_OP};
    if (state == NULL || state->throttle == GP_UNKNOWN || to - from <= start_ns_max) {
        return false;
    }
    out->figure = state->throttle & reasons;
    return out->figure != 0;
}

bool gp_cause_time_slice(const struct gp_cause_index *index, uint32_t op, int64_t from, int64_t to,
                         struct gp_hold *out)
{
    const struct gp_state_row *state = state_at(index->run, to);

    (void)op;
    *out = (struct gp_hold){.until = to, .figure = GP_UNKNOWN, .on = GP_NO_OP};
    if (state == NULL || state->processes == GP_UNKNOWN || to - from < slice_ns_min) {
        return false;
    }
    out->figure = state->processes;
    return state->processes > 0;
}
