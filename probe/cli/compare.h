/*
 * What the verb compare prints: two recordings cell by cell, or one beside another tool's trace of
 * the same runs. Text for people, JSON for programs.
 */
#ifndef GP_PROBE_CLI_COMPARE_H
#define GP_PROBE_CLI_COMPARE_H

#include "probe/cli/report.h"

/* The files of the command line. */
struct gp_compared {
    struct gp_report a, b;
    struct gp_report alone; /* the same cells with neither recorder beside the other */
    bool has_alone;
};

/* Prints the ratios b ÷ a of the cells that both have. gate: see gp_compare. 1: a cell is beyond
 * the gate; 0: none is; negative: the reader's errors, nothing is printed then. */
int gp_compare_cells(const struct gp_compared *files, double gate,
                     const struct gp_terminal *terminal, bool json, struct gp_error *err);

/* Prints how each cell of a (a recording) agrees with b (another tool's trace), and, with alone,
 * what recording cost either. GP_ENOTFOUND: the trace has nothing of a cell; GP_EINVAL: the
 * recording has no operations. */
int gp_compare_trace(const struct gp_compared *files, const struct gp_terminal *terminal, bool json,
                     struct gp_error *err);

#endif
