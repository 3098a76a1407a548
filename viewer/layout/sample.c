/* Blocks of operations, spread over a run: see sample.h. */
#include "viewer/layout/sample.h"

#include <assert.h>
#include <stdatomic.h>
#include <string.h>

#include "probe/memory.h"
#include "viewer/layout/lanes.h"

enum { ROWS = GP_VIEW_SAMPLE_ROWS, BLOCKS = GP_VIEW_SAMPLE_BLOCKS };

_Static_assert((int64_t)ROWS *BLOCKS <= GP_VIEW_SAMPLE_FROM, "blocks do not overlap");

struct gp_view_sample {
    uint32_t op_count;
    struct gp_op_outline *outlines; /* block after block, ROWS each */
    atomic_uint counts[BLOCKS];     /* operations of each block; 0: it is empty */
};

struct gp_view_sample *gp_view_sample_create(uint32_t op_count)
{
    struct gp_view_sample *sample = gp_xalloc(1, sizeof *sample);

    assert(op_count >= GP_VIEW_SAMPLE_FROM);
    sample->op_count = op_count;
    sample->outlines = gp_xalloc((size_t)ROWS * BLOCKS, sizeof *sample->outlines);
    return sample;
}

void gp_view_sample_destroy(struct gp_view_sample *sample)
{
    if (sample != NULL) {
        gp_free(sample->outlines);
        gp_free(sample);
    }
}

uint32_t gp_view_sample_first(const struct gp_view_sample *sample, uint32_t block)
{
    assert(block < BLOCKS);
    return (uint32_t)((uint64_t)(sample->op_count - ROWS) * block / (BLOCKS - 1));
}

void gp_view_sample_put(struct gp_view_sample *sample, uint32_t first,
                        const struct gp_op_outline *outlines, uint32_t count)
{
    /* The block that holds `first`, or one close to it. */
    uint32_t block = (uint32_t)((uint64_t)first * (BLOCKS - 1) / (sample->op_count - ROWS));

    for (; block < BLOCKS; block++) {
        uint32_t begin = gp_view_sample_first(sample, block);
        uint32_t there = begin < first + count ? first + count - begin : 0;

        if (there == 0) {
            return;
        }
        if (begin >= first && atomic_load(&sample->counts[block]) == 0) {
            there = there < ROWS ? there : ROWS;
            memcpy(&sample->outlines[(size_t)block * ROWS], &outlines[begin - first],
                   there * sizeof *outlines);
            atomic_store(&sample->counts[block], there);
        }
    }
}

/* The blocks that are there: which, and how many operations of each. */
struct chosen {
    uint32_t block, count;
};

static uint32_t choose(const struct gp_view_sample *sample, struct chosen *chosen)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < BLOCKS; i++) {
        uint32_t there = atomic_load(&sample->counts[i]);

        if (there > 0) {
            chosen[count++] = (struct chosen){i, there};
        }
    }
    return count;
}

/* The operation up to which chosen block i stands for the run: half the way to the next one. */
static uint32_t reach(const struct gp_view_sample *sample, const struct chosen *chosen,
                      uint32_t count, uint32_t i)
{
    uint64_t end = (uint64_t)gp_view_sample_first(sample, chosen[i].block) + chosen[i].count;

    return i + 1 < count ? (uint32_t)((end + gp_view_sample_first(sample, chosen[i + 1].block)) / 2)
                         : sample->op_count;
}

struct gp_view_timeline *gp_view_sample_make(const struct gp_view_sample *sample,
                                             const struct gp_view_head *head)
{
    struct chosen *chosen = gp_xalloc(BLOCKS, sizeof *chosen);
    uint32_t block_count = choose(sample, chosen), op_count = 0, from = 0, at = 0;
    struct gp_view_fill fill;
    struct gp_view_timeline *timeline;
    float *weight;

    assert(block_count > 0);
    for (uint32_t i = 0; i < block_count; i++) {
        op_count += chosen[i].count;
    }
    timeline = gp_view_fill_begin(&fill, head, op_count);
    weight = gp_xalloc(op_count, sizeof *weight);
    for (uint32_t i = 0; i < block_count; i++) {
        uint32_t to = reach(sample, chosen, block_count, i);

        gp_view_fill_ops(&fill, at, &sample->outlines[(size_t)chosen[i].block * ROWS],
                         chosen[i].count);
        for (uint32_t k = 0; k < chosen[i].count; k++) {
            weight[at++] = (float)(to - from) / (float)chosen[i].count;
        }
        from = to;
    }
    timeline->tables[GP_VIEW_OPS].weight = weight;
    gp_view_fill_host(&fill, NULL, 0, NULL, 0);
    gp_view_fill_end(&fill);
    gp_view_lanes_build(timeline, 1);
    gp_free(chosen);
    return timeline;
}
