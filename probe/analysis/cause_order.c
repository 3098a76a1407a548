/* Causes by the order that the DAG and streams keep: see cause_rules.h. */
#include "probe/analysis/cause_rules.h"

bool gp_cause_held(const struct gp_held *all, uint32_t op, struct gp_hold *out)
{
    if (all == NULL || all[op].on == GP_NO_OP) {
        return false;
    }
    *out = (struct gp_hold){.until = all[op].until, .figure = GP_UNKNOWN, .on = all[op].on};
    return true;
}

bool gp_cause_dependency(const struct gp_cause_index *index, uint32_t op, int64_t from, int64_t to,
                         struct gp_hold *out)
{
    int64_t release = index->run->ops[op].release;
    bool is_held = gp_cause_held(index->depends, op, out);

    (void)from;
    (void)to;
    if (release > 0 && (!is_held || release > out->until)) {
        *out = (struct gp_hold){.until = release, .figure = GP_UNKNOWN, .on = GP_NO_OP};
        is_held = true;
    }
    return is_held;
}

bool gp_cause_host_function(const struct gp_cause_index *index, uint32_t op, int64_t from,
                            int64_t to, struct gp_hold *out)
{
    (void)from;
    (void)to;
    return gp_cause_held(index->host, op, out);
}

bool gp_cause_same_stream(const struct gp_cause_index *index, uint32_t op, int64_t from, int64_t to,
                          struct gp_hold *out)
{
    (void)from;
    (void)to;
    return gp_cause_held(index->behind, op, out);
}
