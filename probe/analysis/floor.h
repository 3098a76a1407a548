/*
 * The least that was seen of a workload over its traced runs: what its bounds are made of. Pure
 * functions over the traced runs of cells that do the same work (one device, scenario, parameters
 * and submit mode), so that ids mean the same in all.
 */
#ifndef GP_PROBE_ANALYSIS_FLOOR_H
#define GP_PROBE_ANALYSIS_FLOOR_H

#include "probe/analysis/run_data.h"

enum {
    GP_SM_SHARES = 4,
    /* A set-up is told from so many copies one after another: when one alone ended is known to a
     * few µs. */
    GP_SET_UP_COPIES = 16,
};

/* What an operation needs at least. */
struct gp_need {
    enum gp_op_kind kind;
    int64_t shortest_ns;  /* seen */
    int64_t release_ns;   /* not wanted before */
    int64_t engine_bytes; /* that keep its copy engine busy; GP_UNKNOWN none */
    /* Of a kernel: what its blocks take of the device's warps, resident blocks, registers and
     * shared memory, in the mean over its time; 0 not known. */
    double sm_shares[GP_SM_SHARES];
};

/* The least seen over runs. Zeroed: no run yet. */
struct gp_floor {
    uint32_t op_count, edge_count;
    struct gp_need *needs; /* per operation */
    struct gp_edge_row *edges;
    struct gp_facts facts;
    struct gp_device_row device;
    int64_t gap_ns[GP_OP_KIND_COUNT][GP_OP_KIND_COUNT]; /* end to begin of who depends on it */
    double set_up_ns[2];                                /* of a copy, H2D and D2H */
    int64_t call_ns[GP_OP_KIND_COUNT];                  /* that submits */
    int64_t start_ns, finish_ns; /* from its release to a first begin; after the last end */
    int64_t kernels_ns;          /* in which some kernel ran: the SMs did it all in this */
    bool is_graph, knows_sms;
};

/* False when the run does other work than those before it, or not all of its times are known; it is
 * then left out. */
bool gp_floor_note(struct gp_floor *floor, const struct gp_run_data *run);
/* Takes a zeroed struct. */
void gp_floor_finish(struct gp_floor *floor);

#endif
