/*
 * How long operations are estimated to take, for policies and the issue order critical. One rule
 * from descriptors and byte counts, with the rates of no particular GPU, so that choices repeat on
 * every device. Good for saying which is longer, not for saying how long.
 */
#ifndef GP_CORE_ESTIMATE_H
#define GP_CORE_ESTIMATE_H

#include "core/dag.h"

/* What an event wait between two streams is estimated to cost. */
enum { GP_ESTIMATE_HOP_NS = 1500 };

struct gp_estimate {
    int64_t *ns;         /* per operation, ≥ 1 */
    int64_t *up;         /* the longest path from it to an end, itself included */
    int64_t *down;       /* the longest path to it, itself excluded */
    int64_t critical_ns; /* the longest path of all: the largest up */
};

/*
 * One operation. A kernel: 2 µs + the longest of issue (100 SMs × 4 instructions a cycle of
 * 1.5 GHz), waves (800 blocks at once) × the block's latency, bytes at 1 TB/s, and waves × spin
 * time; one that does not describe its work: 10 µs. A copy: 1.5 µs + bytes at 25 GB/s; on the
 * device, at 500 GB/s. Memset: 1.5 µs + bytes at 1 TB/s. A host function: 10 µs. A
 * value: 1 ns.
 */
int64_t gp_estimate_op_ns(const struct gp_dag_op *op);

/* All of a DAG; *out is the caller's. */
int gp_estimate_create(const struct gp_dag *dag, struct gp_estimate **out, struct gp_error *err);
void gp_estimate_destroy(struct gp_estimate *estimate);

#endif
