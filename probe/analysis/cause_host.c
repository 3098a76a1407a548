/* Causes that lie with the host: see cause_rules.h. */
#include "probe/analysis/cause_rules.h"

bool gp_cause_not_submitted(const struct gp_cause_index *index, uint32_t op, int64_t from,
                            int64_t to, struct gp_hold *out)
{
    const struct gp_op_row *row = &index->run->ops[op];

    (void)from;
    (void)to;
    *out = (struct gp_hold){.until = row->submit_end, .figure = GP_UNKNOWN, .on = GP_NO_OP};
    return row->submit_end != GP_UNKNOWN;
}
