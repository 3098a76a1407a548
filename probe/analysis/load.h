/*
 * The summaries of a whole recording: what `show`, the run verb, --json and the viewer's matrix
 * print. Reads through the store's reader, one cell's operations at a time.
 */
#ifndef GP_PROBE_ANALYSIS_LOAD_H
#define GP_PROBE_ANALYSIS_LOAD_H

#include "probe/analysis/bounds.h"
#include "probe/analysis/summary.h"
#include "probe/store/reader.h"

/* A figure that the scenario computes of its runs. */
struct gp_measured {
    const char *name; /* borrowed from the reader */
    struct gp_figure figure;
};

enum { GP_VARIANT_BYTES_MAX = 64 };

/* Rows are borrowed from the reader, which must stay open as long. */
struct gp_result {
    const struct gp_cell_row *cell;
    const struct gp_device_row *device;
    struct gp_cell_summary summary; /* all unknown when nothing of it ran to its end */
    struct gp_cell_metrics metrics;
    struct gp_measured *measures; /* in recorded order */
    uint32_t measure_count;
    size_t measure_capacity;
    double *makespans_ns; /* of complete plain runs, in the order of their repeats */
    uint32_t makespan_count;
    int32_t verified;    /* over all its runs: 0 wins, then 1; -1 not checked */
    int64_t kept_run;    /* the traced run whose operations are kept; 0 none */
    enum gp_trace trace; /* how that one was timed; GP_TRACE_OFF: none is kept */
    /* "us=2, kernels=50": in what it differs from other cells of its scenario; "" in nothing. What
     * does not fit is left out. */
    char variant[GP_VARIANT_BYTES_MAX];
    const char *trace_note; /* what the recorder left out or spoils in it; NULL: none is kept */
};

struct gp_results {
    struct gp_result *cells; /* by cell id */
    uint32_t count;
};

/* Every cell; complete ones are compared with those of their device, scenario and parameters. *out
 * is the caller's to finish. Errors are the reader's, and leave nothing in *out. */
int gp_results_load(struct gp_reader *reader, struct gp_results *out, struct gp_error *err);

/* Whether two cells do the same work, on the same device and in the same way: they have the same
 * bounds. */
bool gp_results_same_work(const struct gp_result *a, const struct gp_result *b);

/* Fills the bounds of all cells that do the work of cells[first], from what was seen of their runs;
 * part of gp_results_load. */
void gp_results_bound(struct gp_results *results, uint32_t first, const struct gp_floor *floor);

/* Where the cells end that are compared with the one at `first`, which is the first of them: those
 * of one device and scenario with the same parameters. */
uint32_t gp_results_group(const struct gp_results *results, uint32_t first);

/* Takes a zeroed struct. */
void gp_results_finish(struct gp_results *results);

#endif
