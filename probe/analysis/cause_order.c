/* Causes by the order that the DAG and streams keep: see cause_rules.h. */
#include "probe/analysis/cause_rules.h"

static bool held(const struct gp_held *by, struct gp_hold *out)
{
    *out = (struct gp_hold){.until = by->until, .figure = GP_UNKNOWN, .on = by->on};
    return by->on != GP_NO_OP;
}

bool gp_cause_dependency(const struct gp_cause_index *index, uint32_t op, int64_t from, int64_t to,
                         struct gp_hold *out)
{
    (void)from;
    (void)to;
    return held(&index->depends[op], out);
}

bool gp_cause_host_function(const struct gp_cause_index *index, uint32_t op, int64_t from,
                            int64_t to, struct gp_hold *out)
{
    (void)from;
    (void)to;
    return held(&index->host[op], out);
}

bool gp_cause_same_stream(const struct gp_cause_index *index, uint32_t op, int64_t from, int64_t to,
                          struct gp_hold *out)
{
    (void)from;
    (void)to;
    return held(&index->behind[op], out);
}
