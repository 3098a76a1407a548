/*
 * The experiments that causes suggest, run: the cell as it was and changed, side by side in one
 * recording, and what became of its makespan and of the cause.
 */
#ifndef GP_PROBE_CLI_PROVE_H
#define GP_PROBE_CLI_PROVE_H

#include "probe/cli/explain.h"
#include "probe/cli/verbs.h"

enum { GP_PROOFS_MAX = 6 };

/* An experiment that a cell's causes suggest. */
struct gp_proof {
    enum gp_cause cause;
    const struct gp_experiment *experiment; /* the cause's */
    int64_t estimated_ns;                   /* when the last operation would end without it */
};

/* Of the causes that cost something, those whose experiment changes something of the cell. Returns
 * how many; the one that promises most first, and limits, of which it is to be shown that nothing
 * helps, last. */
uint32_t gp_prove_choose(const struct gp_explained *explained, struct gp_proof out[GP_PROOFS_MAX]);

/* Why `cause`, which held somebody, is not among those chosen; half a sentence. NULL: it is. */
const char *gp_prove_why_not(const struct gp_explained *explained, const struct gp_proof *proofs,
                             uint32_t count, enum gp_cause cause);

/* Runs them on the device of the options, or on the kind that was recorded, and prints the new
 * figures beside the old, and why other causes were not tried; with `cell` adds them to it as
 * "proofs" and "not_tried" instead. The process has one thread and no device open. Prints errors.
 */
enum gp_exit gp_prove_run(const struct gp_cli *cli, const struct gp_options *options,
                          const struct gp_explained *explained, json_t *cell);

#endif
