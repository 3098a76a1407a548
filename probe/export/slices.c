/* Slices of a timeline: see slices.h. */
#include "probe/export/slices.h"

#include <stdlib.h>

#include "probe/memory.h"

static int compare(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int by_track_and_time(const void *a, const void *b)
{
    const struct gp_slice *x = a;
    const struct gp_slice *y = b;
    int order = compare(x->track, y->track);

    if (order == 0) {
        order = compare(x->begin, y->begin);
    }
    if (order == 0) {
        order = compare(y->end, x->end);
    }
    if (order == 0 && x->op != NULL) {
        order = compare(x->op->id, y->op->id);
    }
    if (order == 0 && x->op == NULL) {
        order = (x->range == NULL) - (y->range == NULL);
    }
    if (order == 0 && x->range != NULL) {
        order = compare(x->range->id, y->range->id);
    }
    return order;
}

uint32_t gp_slices_of_streams(const struct gp_export_options *options,
                              const struct gp_selection_rows *rows, struct gp_slice **out)
{
    struct gp_slice *slices = gp_xalloc(rows->op_count, sizeof *slices);
    uint32_t count = 0;

    for (uint32_t i = 0; i < rows->op_count; i++) {
        const struct gp_op_row *op = &rows->ops[i];

        if (gp_selection_takes_op(options, op)) {
            slices[count++] = (struct gp_slice){
                .begin = op->begin, .end = op->end, .op = op, .track = op->stream};
        }
    }
    qsort(slices, count, sizeof *slices, by_track_and_time);
    *out = slices;
    return count;
}

static int64_t last_moment(const struct gp_selection_rows *rows)
{
    int64_t last = 0;

    for (uint32_t i = 0; i < rows->op_count; i++) {
        last = rows->ops[i].end > last ? rows->ops[i].end : last;
    }
    for (uint32_t i = 0; i < rows->range_count; i++) {
        last = rows->ranges[i].begin > last ? rows->ranges[i].begin : last;
        last = rows->ranges[i].end > last ? rows->ranges[i].end : last;
    }
    return last;
}

uint32_t gp_slices_of_threads(const struct gp_export_options *options,
                              const struct gp_selection_rows *rows, struct gp_slice **out)
{
    struct gp_slice *slices =
        gp_xalloc((size_t)rows->range_count + rows->call_count, sizeof *slices);
    int64_t last = last_moment(rows);
    uint32_t count = 0;

    for (uint32_t i = 0; i < rows->range_count; i++) {
        const struct gp_range_row *range = &rows->ranges[i];

        if (gp_selection_takes_time(options, range->begin, range->end)) {
            slices[count++] = (struct gp_slice){.begin = range->begin,
                                                .end = range->end != GP_UNKNOWN ? range->end : last,
                                                .range = range,
                                                .track = range->thread};
        }
    }
    for (uint32_t i = 0; i < rows->call_count; i++) {
        const struct gp_selection_call *call = &rows->calls[i];

        if (gp_selection_takes_time(options, call->begin, call->end)) {
            slices[count++] = (struct gp_slice){
                .begin = call->begin, .end = call->end, .call = call, .track = call->thread};
        }
    }
    qsort(slices, count, sizeof *slices, by_track_and_time);
    *out = slices;
    return count;
}
