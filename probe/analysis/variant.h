/*
 * What tells the cells of one scenario apart: the parameters in which they differ. Part of
 * gp_results_load; knows nothing of times.
 */
#ifndef GP_PROBE_ANALYSIS_VARIANT_H
#define GP_PROBE_ANALYSIS_VARIANT_H

#include "probe/analysis/load.h"

/* Fills `variant` of all cells. */
void gp_variants_name(struct gp_results *results);

#endif
