/*
 * The reference pass: after everything else, every complete cell is run again while a witness
 * watches, with the recorder of the traced runs, so that both are compared within one run. It comes
 * last because CUPTI does not leave a process once it was there. Internal to probe/sweep.
 */
#ifndef GP_PROBE_SWEEP_REFERENCE_H
#define GP_PROBE_SWEEP_REFERENCE_H

#include "probe/sweep/cell.h"

/* Runs `count` cells of a plan whose outcomes are in the bench: pairs of an unwatched plain run,
 * which is not recorded, and a watched one; keeps the operations of the one of median makespan and
 * records what watching costs as the cells' metric reference_perturbation. Without a witness
 * nothing is run, the user is told why, and the recording's key `reference` says it. 0 also then.
 */
int gp_reference_run(struct gp_bench *bench, const struct gp_cell_plan *plan, uint32_t count,
                     struct gp_sweep_progress *progress, struct gp_error *err);

#endif
