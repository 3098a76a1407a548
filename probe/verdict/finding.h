/*
 * What was found of one claim, on its way to a sentence and to JSON. Internal to probe/verdict.
 */
#ifndef GP_PROBE_VERDICT_FINDING_H
#define GP_PROBE_VERDICT_FINDING_H

#include "probe/verdict/cells.h"

enum { GP_REASON_BYTES_MAX = 320, GP_FINDING_BYTES_MAX = 1024 };

/* One side: the cell that speaks for it, and its figure. */
struct gp_finding_side {
    const struct gp_claim_side *side;
    const struct gp_judged_cell *cell; /* NULL: none */
    const double *values;              /* its runs', borrowed; NULL: only the figure is known */
    uint32_t value_count;
    struct gp_figure figure;
};

struct gp_finding {
    const struct gp_claim_test *test;
    struct gp_finding_side over, under;
    struct gp_figure figure; /* what is held against the limit */
    enum gp_verdict answer;
    char reason[GP_REASON_BYTES_MAX]; /* of GP_VERDICT_UNKNOWN */
};

/* What is compared, as recorded: "makespan_ns", "perturbation", "hazards" or the measure. */
const char *gp_finding_quantity(const struct gp_claim_test *test);

/* One sentence, ASCII, without its full stop: the figures, and what the claim needs; or why it
 * cannot be told. */
void gp_finding_say(const struct gp_finding *finding, char out[GP_FINDING_BYTES_MAX]);

/* The evidence as JSON text; the caller's (gp_free). */
char *gp_finding_json(const struct gp_finding *finding);

#endif
