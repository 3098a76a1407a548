/* Timelines for tests: see made.h. */
#include "viewer/made.h"

#include <assert.h>

#include "probe/memory.h"
#include "viewer/layout/fill.h"
#include "viewer/layout/lanes.h"

const char *const made_names[MADE_NAMES] = {"gemm", "copy in", "reduce", "copy out"};

static struct gp_op_outline outline_of(const struct made_op *op)
{
    return (struct gp_op_outline){
        .begin = op->begin,
        .end = op->end,
        .begin_lo = GP_UNKNOWN,
        .begin_hi = GP_UNKNOWN,
        .end_lo = GP_UNKNOWN,
        .end_hi = GP_UNKNOWN,
        .ready = op->ready,
        .name = op->name,
        .stream = op->stream,
        .engine = op->engine,
        .kind = op->engine >= 0 ? GP_OP_H2D : GP_OP_KERNEL,
        .source = GP_SOURCE_STAMP,
    };
}

struct gp_view_timeline *make_timeline(const struct made_op *ops, uint32_t count,
                                       uint32_t stream_count)
{
    const struct gp_run_row run = {.id = 7, .makespan_ns = 1000};
    const struct gp_device_row device = {.kind = GP_ORIGIN_MODEL, .name = "made"};
    struct gp_stream_row *streams = gp_xalloc(stream_count, sizeof *streams);
    struct gp_view_fill fill;
    struct gp_view_timeline *timeline;

    for (uint32_t i = 0; i < stream_count; i++) {
        streams[i] = (struct gp_stream_row){.id = i, .device = 1, .role = "", .name = "stream"};
    }
    timeline = gp_view_fill_begin(&fill,
                                  &(struct gp_view_head){.run = &run,
                                                         .device = &device,
                                                         .streams = streams,
                                                         .stream_count = stream_count,
                                                         .strings = made_names,
                                                         .string_count = MADE_NAMES},
                                  count);
    for (uint32_t i = 0; i < count; i++) {
        const struct gp_op_outline outline = outline_of(&ops[i]);

        gp_view_fill_ops(&fill, i, &outline, 1);
    }
    gp_view_fill_host(&fill, NULL, 0, NULL, 0);
    gp_view_fill_end(&fill);
    gp_view_lanes_build(timeline, 2);
    gp_free(streams);
    return timeline;
}

uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

struct made_op *make_random_ops(uint32_t count, uint32_t stream_count, int64_t longest,
                                uint64_t seed)
{
    struct made_op *ops = gp_xalloc(count, sizeof *ops);
    int64_t *free_ns = gp_xalloc(stream_count, sizeof *free_ns);

    assert(stream_count > 0);
    for (uint32_t i = 0; i < stream_count; i++) {
        free_ns[i] = -(int64_t)(next_random(&seed) % 1000);
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t stream = i % stream_count;
        uint64_t dice = next_random(&seed);
        int64_t pause = dice % 50 == 0 ? longest * 5 : (int64_t)(dice % 7 == 0 ? 0 : dice % 40);
        int64_t length = dice % 5 == 0 ? 0 : (int64_t)next_random(&seed) % (longest + 1);
        int64_t begin = free_ns[stream] + pause;

        ops[i] = (struct made_op){
            .stream = stream,
            .begin = begin,
            .end = begin + length,
            .name = (uint32_t)(next_random(&seed) % MADE_NAMES),
            .ready = dice % 3 == 0 ? begin - (int64_t)(next_random(&seed) % 60) : GP_UNKNOWN,
            .engine = dice % 7 == 0 ? (int32_t)(dice % 2) : -1,
        };
        free_ns[stream] = begin + length;
    }
    gp_free(free_ns);
    return ops;
}
