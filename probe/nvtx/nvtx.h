/*
 * Emits the tool's ranges through NVTX, so that Nsight sees cells, runs, chains and operations
 * beside its own rows. Built with nvtx.c where the headers are, else with nvtx_none.c, in which
 * every call does nothing. It records nothing and knows no files.
 *
 * Cells, runs and operations are push/pop ranges; chains are start/end ranges, because with
 * breadth-first issue they interleave. One thread: the dispatching one.
 */
#ifndef GP_PROBE_NVTX_NVTX_H
#define GP_PROBE_NVTX_NVTX_H

#include <stdbool.h>

#include "core/sink.h"

struct gp_nvtx;

/* Whether this build can emit ranges at all. */
bool gp_nvtx_is_built_in(void);

/* Registers the domain and its categories. *out is the caller's. */
int gp_nvtx_create(struct gp_nvtx **out, struct gp_error *err);
/* NULL allowed. */
void gp_nvtx_destroy(struct gp_nvtx *nvtx);

/* Whether a tool listens. When none does, the functions below cost nothing and the sink is NULL. */
bool gp_nvtx_is_heard(const struct gp_nvtx *nvtx);

/* Makes ready for runs of this DAG (borrowed until the next prepare or destroy), so that the sink
 * allocates nothing. Outside any run. */
int gp_nvtx_prepare(struct gp_nvtx *nvtx, const struct gp_dag *dag, struct gp_error *err);

/* The sink of chains and operations, owned by nvtx; NULL when nobody listens. Of runs of a DAG that
 * was not prepared it emits nothing. */
struct gp_sink *gp_nvtx_sink(struct gp_nvtx *nvtx);

/* Ranges of the outer two levels; a run lies inside a cell. text is copied. run_end also closes
 * what a failed run left open. */
void gp_nvtx_cell_begin(struct gp_nvtx *nvtx, const char *text);
void gp_nvtx_cell_end(struct gp_nvtx *nvtx);
void gp_nvtx_run_begin(struct gp_nvtx *nvtx, const char *text);
void gp_nvtx_run_end(struct gp_nvtx *nvtx);

#endif
