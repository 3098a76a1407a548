/*
 * Small runs made by hand, for the tests of analysis: operations with begin and end in ns, and
 * nothing else known unless it is said.
 */
#ifndef GP_TESTS_ANALYSIS_HAND_H
#define GP_TESTS_ANALYSIS_HAND_H

#include "probe/analysis/run_data.h"

enum { HAND_OPS_MAX = 256, HAND_EDGES_MAX = 512, HAND_CALLS_MAX = 64, HAND_STREAMS_MAX = 160 };

struct hand {
    struct gp_run_data data; /* points into this struct */
    struct gp_device_row device;
    struct gp_cell_row cell;
    struct gp_op_row ops[HAND_OPS_MAX];
    struct gp_edge_row edges[HAND_EDGES_MAX];
    struct gp_call_row calls[HAND_CALLS_MAX];
    struct gp_stream_row streams[HAND_STREAMS_MAX];
};

/* An H200 with 8 connections and `streams` non-blocking streams. */
void hand_init(struct hand *hand, uint32_t streams);

/* Returns its id. Submitted at 0. */
uint32_t hand_op(struct hand *hand, enum gp_op_kind kind, uint32_t stream, int64_t begin,
                 int64_t end);

/* A kernel of `blocks` blocks of 1 024 threads, of which two fit on one of the 132 SMs. */
uint32_t hand_kernel(struct hand *hand, uint32_t stream, uint32_t blocks, int64_t begin,
                     int64_t end);

/* A copy through the engine of its direction (0 H2D, 1 D2H). */
uint32_t hand_copy(struct hand *hand, enum gp_op_kind kind, uint32_t stream, int64_t begin,
                   int64_t end);

/* The host's call for an operation. */
void hand_submit(struct hand *hand, uint32_t op, int64_t begin, int64_t end);

/* In any order; kept as recordings have them. */
void hand_edge(struct hand *hand, uint32_t from, uint32_t to);

/* Another call of the host; op GP_UNKNOWN none. */
void hand_call(struct hand *hand, const char *name, int64_t op, int64_t begin, int64_t end);

#endif
