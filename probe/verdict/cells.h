/*
 * The cells of a recording as verdicts need them: their makespans run by run, and a search for
 * those that a claim names. Internal to probe/verdict.
 */
#ifndef GP_PROBE_VERDICT_CELLS_H
#define GP_PROBE_VERDICT_CELLS_H

#include <jansson.h>

#include "probe/analysis/summary.h"
#include "probe/store/reader.h"
#include "probe/verdict/claims.h"

struct gp_judged_cell {
    const struct gp_cell_row *row;
    const struct gp_device_row *device;
    json_t *params;    /* NULL: not JSON */
    double *plain_ns;  /* makespans of complete plain runs */
    double *perturbed; /* of each traced run ÷ its plain twin */
    uint32_t plain_count, pair_count;
    enum gp_trace trace; /* of its traced runs; GP_TRACE_OFF none */
};

/* Rows are borrowed from the reader. */
struct gp_judged_cells {
    struct gp_judged_cell *cells;
    uint32_t count;
    struct gp_metric_row *metrics;
    uint32_t metric_count;
    int64_t first_device; /* where cells without a number of connections were run */
};

/* Reads them all; *out is to be finished in every case. */
int gp_judged_cells_load(struct gp_reader *reader, struct gp_judged_cells *out,
                         struct gp_error *err);
void gp_judged_cells_finish(struct gp_judged_cells *cells);

/* The cell of that side with its size `index`; NULL: it is not in the recording. */
const struct gp_judged_cell *gp_judged_cells_find(const struct gp_judged_cells *cells,
                                                  const struct gp_claim_test *test,
                                                  const struct gp_claim_side *side, uint32_t index);

/* A figure of a cell, by its name in the recording; NAN where there is none. */
struct gp_figure gp_judged_cells_metric(const struct gp_judged_cells *cells, int64_t cell,
                                        const char *name);

#endif
