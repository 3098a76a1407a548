/* What a kernel's blocks made of the SMs: see block_use.h. */
#include "probe/analysis/block_use.h"

#include <math.h>
#include <stdlib.h>

#include "probe/analysis/by_time.h"
#include "probe/memory.h"

enum { BEGINS, ENDS };

/* The first block of operation `op` or of a later one. */
static uint32_t lower_bound(const struct gp_run_data *run, uint64_t op)
{
    uint32_t low = 0, high = run->block_count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (run->blocks[middle].op < op) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

const struct gp_block_row *gp_run_blocks(const struct gp_run_data *run, uint32_t op,
                                         uint32_t *count)
{
    uint32_t first = lower_bound(run, op);

    *count = lower_bound(run, (uint64_t)op + 1) - first;
    return *count > 0 ? run->blocks + first : NULL;
}

/* The most that overlap; one that begins when another ends does not. */
static uint32_t most_at_once(const struct gp_block_row *blocks, uint32_t count)
{
    struct gp_moment *moments = gp_xalloc(2 * (size_t)count, sizeof *moments);
    uint32_t now = 0, most = 0, used = 0;

    for (int what = ENDS; what >= BEGINS; what--) {
        for (uint32_t i = 0; i < count; i++) {
            if (blocks[i].end > blocks[i].begin) {
                moments[used++] = (struct gp_moment){what == ENDS ? blocks[i].end : blocks[i].begin,
                                                     i, (uint32_t)what};
            }
        }
    }
    gp_moments_sort(moments, used);
    for (uint32_t i = 0; i < used; i++) {
        now = moments[i].what == ENDS ? now - 1 : now + 1;
        most = now > most ? now : most;
    }
    gp_free(moments);
    /* Blocks shorter than the timer's tick. */
    return most > 0 ? most : 1;
}

static int by_sm_then_end(const void *a, const void *b)
{
    const struct gp_block_row *left = a, *right = b;

    if (left->sm != right->sm) {
        return left->sm < right->sm ? -1 : 1;
    }
    return (left->end > right->end) - (left->end < right->end);
}

static int by_time_taken(const void *a, const void *b)
{
    const struct gp_block_row *left = a, *right = b;
    int64_t left_ns = left->end - left->begin, right_ns = right->end - right->begin;

    return (left_ns > right_ns) - (left_ns < right_ns);
}

static void measure_sms(struct gp_block_row *sorted, struct gp_block_use *out)
{
    qsort(sorted, out->blocks, sizeof *sorted, by_sm_then_end);
    out->idle_from = INT64_MAX;
    for (uint32_t i = 0; i < out->blocks; i++) {
        if (i + 1 == out->blocks || sorted[i + 1].sm != sorted[i].sm) {
            out->sms++;
            out->idle_from = sorted[i].end < out->idle_from ? sorted[i].end : out->idle_from;
        }
    }
}

static void measure_lengths(struct gp_block_row *sorted, struct gp_block_use *out)
{
    const struct gp_block_row *middle = &sorted[out->blocks / 2];
    const struct gp_block_row *longest = &sorted[out->blocks - 1];

    qsort(sorted, out->blocks, sizeof *sorted, by_time_taken);
    out->median_ns = middle->end - middle->begin;
    out->longest_ns = longest->end - longest->begin;
    out->imbalance =
        out->median_ns > 0 ? (double)out->longest_ns / (double)out->median_ns : (double)NAN;
}

bool gp_block_use_measure(const struct gp_run_data *run, uint32_t op, struct gp_block_use *out)
{
    uint32_t count = 0;
    const struct gp_block_row *blocks = gp_run_blocks(run, op, &count);
    struct gp_block_row *sorted;

    *out = (struct gp_block_use){.blocks = count};
    if (count == 0) {
        return false;
    }
    sorted = gp_xalloc(count, sizeof *sorted);
    out->first_begin = INT64_MAX;
    out->last_begin = out->end = INT64_MIN;
    for (uint32_t i = 0; i < count; i++) {
        sorted[i] = blocks[i];
        out->first_begin = blocks[i].begin < out->first_begin ? blocks[i].begin : out->first_begin;
        out->last_begin = blocks[i].begin > out->last_begin ? blocks[i].begin : out->last_begin;
        out->end = blocks[i].end > out->end ? blocks[i].end : out->end;
    }
    out->at_once = most_at_once(blocks, count);
    out->waves = (count + out->at_once - 1) / out->at_once;
    measure_sms(sorted, out);
    measure_lengths(sorted, out);
    gp_free(sorted);
    return true;
}
