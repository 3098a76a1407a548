/* Small runs made by hand: see hand.h. */
#include "analysis/hand.h"

#include <assert.h>
#include <math.h>
#include <string.h>

void hand_init(struct hand *hand, uint32_t streams)
{
    assert(streams <= HAND_STREAMS_MAX);
    memset(hand, 0, sizeof *hand);
    hand->device = (struct gp_device_row){
        .id = 1,
        .kind = GP_ORIGIN_CUDA,
        .name = "NVIDIA H200",
        .compute_major = 9,
        .sm_count = 132,
        .connections = 8,
    };
    hand->cell = (struct gp_cell_row){.id = 1, .device = 1, .streams = (int32_t)streams};
    hand->data = (struct gp_run_data){
        .device = &hand->device,
        .cell = &hand->cell,
        .ops = hand->ops,
        .edges = hand->edges,
        .streams = hand->streams,
        .calls = hand->calls,
        .stream_count = streams,
    };
#define X(name, scale) hand->data.facts.name = NAN;
    GP_FACTS(X)
#undef X
    for (uint32_t i = 0; i < streams; i++) {
        hand->streams[i] = (struct gp_stream_row){.id = i};
    }
}

uint32_t hand_op(struct hand *hand, enum gp_op_kind kind, uint32_t stream, int64_t begin,
                 int64_t end)
{
    uint32_t id = hand->data.op_count++;

    assert(id < HAND_OPS_MAX && stream < hand->data.stream_count);
    hand->ops[id] = (struct gp_op_row){
        .id = id,
        .chain = id,
        .stream = stream,
        .kind = kind,
        .name = "op",
        .begin = begin,
        .end = end,
        .begin_lo = begin,
        .begin_hi = begin,
        .end_lo = end,
        .end_hi = end,
        .ready = GP_UNKNOWN,
        .done = GP_UNKNOWN,
        .stamp_begin = GP_UNKNOWN,
        .stamp_end = GP_UNKNOWN,
        .bytes = GP_UNKNOWN,
        .smem = -1,
        .regs = -1,
        .engine = -1,
        .connection = -1,
    };
    return id;
}

uint32_t hand_kernel(struct hand *hand, uint32_t stream, uint32_t blocks, int64_t begin,
                     int64_t end)
{
    uint32_t id = hand_op(hand, GP_OP_KERNEL, stream, begin, end);
    struct gp_op_row *op = &hand->ops[id];

    op->grid[0] = blocks;
    op->grid[1] = op->grid[2] = 1;
    op->block[0] = 1024;
    op->block[1] = op->block[2] = 1;
    op->smem = 0;
    op->regs = 32;
    return id;
}

uint32_t hand_copy(struct hand *hand, enum gp_op_kind kind, uint32_t stream, int64_t begin,
                   int64_t end)
{
    uint32_t id = hand_op(hand, kind, stream, begin, end);

    hand->ops[id].engine = kind == GP_OP_H2D ? 0 : 1;
    hand->ops[id].bytes = 1 << 20;
    return id;
}

void hand_submit(struct hand *hand, uint32_t op, int64_t begin, int64_t end)
{
    hand->ops[op].submit_begin = begin;
    hand->ops[op].submit_end = end;
}

void hand_edge(struct hand *hand, uint32_t from, uint32_t to)
{
    uint32_t place = hand->data.edge_count++;

    assert(place < HAND_EDGES_MAX);
    while (place > 0 && (hand->edges[place - 1].to > to ||
                         (hand->edges[place - 1].to == to && hand->edges[place - 1].from > from))) {
        hand->edges[place] = hand->edges[place - 1];
        place--;
    }
    hand->edges[place] = (struct gp_edge_row){from, to, GP_EDGE_DATA, GP_HOW_EVENT};
}

void hand_call(struct hand *hand, const char *name, int64_t op, int64_t begin, int64_t end)
{
    assert(hand->data.call_count < HAND_CALLS_MAX);
    hand->calls[hand->data.call_count++] =
        (struct gp_call_row){.name = name, .op = op, .begin = begin, .end = end};
}
