/*
 * Whether what ran was ordered as it had to be: the hazard clock over a recording. It believes only
 * what orders by itself, that is streams and events, so edges that are called elided or kept by a
 * stream are checked too. See invariants.h.
 *
 * Each operation has a vector clock: how many operations of every stream come before it for
 * certain. Those of operations that others wait for are kept, the rest is the stream's last one
 * (Flanagan and Freund, FastTrack, PLDI 2009, whose test per byte range is used here: a write is
 * compared with the last write and the reads since, a read with the last write).
 */
#include "probe/analysis/invariants.h"

#include <stdlib.h>
#include <string.h>

#include "probe/analysis/by_time.h"
#include "probe/memory.h"

static const uint64_t clock_bytes_max = UINT64_C(512) << 20;
static const uint64_t visits_max = 50000000;

static const char missing_text[] = "no stream and no event makes it wait for what it depends on";

/* Bytes of a buffer that no access divides. */
struct segment {
    int64_t begin, end;
    uint32_t writer;   /* the last one; GP_NO_OP none */
    uint32_t *readers; /* since then, the last of each stream */
    size_t capacity;
    uint32_t reader_count;
};

struct ordering {
    const struct gp_run_data *run;
    struct gp_violations *out;
    uint32_t streams;
    uint32_t *at;       /* by operation: its place on its stream, from 1 */
    uint32_t *clocks;   /* by stream: of its last operation */
    uint32_t *kept;     /* of operations that others wait for, one after the other */
    uint32_t *slot;     /* by operation: its place in kept; GP_NO_OP none */
    uint32_t *edges_at; /* by operation: its first edge, edges being by `to`; op_count + 1 */
    struct gp_moment *order;
    uint32_t order_count;
};

/* ---- set-up -------------------------------------------------------------------------------- */

static bool is_device_op(const struct gp_op_row *op)
{
    return op->kind != GP_OP_VALUE;
}

/* Operations in the order of submission; false when it is not known of one of them. */
static bool find_order(struct ordering *ordering)
{
    const struct gp_run_data *run = ordering->run;

    ordering->order = gp_xalloc(run->op_count + 1, sizeof ordering->order[0]);
    for (uint32_t i = 0; i < run->op_count; i++) {
        if (is_device_op(&run->ops[i])) {
            if (run->ops[i].submit_begin == GP_UNKNOWN) {
                return false;
            }
            ordering->order[ordering->order_count++] =
                (struct gp_moment){.at = run->ops[i].submit_begin, .op = i};
        }
    }
    gp_moments_sort(ordering->order, ordering->order_count);
    return true;
}

static void find_edges(struct ordering *ordering)
{
    const struct gp_run_data *run = ordering->run;

    ordering->edges_at = gp_xalloc(run->op_count + 1, sizeof ordering->edges_at[0]);
    for (uint32_t i = 0; i < run->edge_count; i++) {
        ordering->edges_at[run->edges[i].to + 1]++;
    }
    for (uint32_t i = 0; i < run->op_count; i++) {
        ordering->edges_at[i + 1] += ordering->edges_at[i];
    }
}

/* Room for the clocks of those that an event edge leaves; false when that is too much. */
static bool make_clocks(struct ordering *ordering)
{
    const struct gp_run_data *run = ordering->run;
    uint32_t count = 0;

    ordering->slot = gp_xalloc(run->op_count + 1, sizeof ordering->slot[0]);
    memset(ordering->slot, 0xff, (run->op_count + 1) * sizeof ordering->slot[0]);
    for (uint32_t i = 0; i < run->edge_count; i++) {
        uint32_t from = run->edges[i].from;

        if (run->edges[i].how == GP_HOW_EVENT && ordering->slot[from] == GP_NO_OP) {
            ordering->slot[from] = count++;
        }
    }
    if ((uint64_t)count * ordering->streams * sizeof(uint32_t) > clock_bytes_max) {
        return false;
    }
    ordering->kept = gp_xalloc((size_t)count * ordering->streams + 1, sizeof(uint32_t));
    ordering->at = gp_xalloc(run->op_count + 1, sizeof ordering->at[0]);
    ordering->clocks =
        gp_xalloc((size_t)ordering->streams * ordering->streams + 1, sizeof(uint32_t));
    return true;
}

static void finish(struct ordering *ordering)
{
    gp_free(ordering->at);
    gp_free(ordering->clocks);
    gp_free(ordering->kept);
    gp_free(ordering->slot);
    gp_free(ordering->edges_at);
    gp_free(ordering->order);
}

/* ---- clocks -------------------------------------------------------------------------------- */

static uint32_t *clock_of(const struct ordering *ordering, uint32_t stream)
{
    return ordering->clocks + (size_t)stream * ordering->streams;
}

static void join(const struct ordering *ordering, uint32_t *clock, const uint32_t *with)
{
    for (uint32_t i = 0; i < ordering->streams; i++) {
        clock[i] = with[i] > clock[i] ? with[i] : clock[i];
    }
}

/* The NULL stream waits for all blocking streams, and they for it (CUDA Driver API, "Stream
 * synchronization behavior"). */
static void join_null(struct ordering *ordering, uint32_t stream, uint32_t *clock)
{
    const struct gp_stream_row *rows = ordering->run->streams;

    for (uint32_t i = 0; i < ordering->streams; i++) {
        bool waits =
            rows[stream].flag == GP_STREAM_NULL
                ? rows[i].flag == GP_STREAM_BLOCKING || rows[i].flag == GP_STREAM_PER_THREAD
                : rows[i].flag == GP_STREAM_NULL && rows[stream].flag != GP_STREAM_NON_BLOCKING;

        if (waits && i != stream) {
            join(ordering, clock, clock_of(ordering, i));
        }
    }
}

/* The clock of `op`, which becomes its stream's. */
static const uint32_t *advance(struct ordering *ordering, uint32_t op)
{
    const struct gp_run_data *run = ordering->run;
    uint32_t stream = run->ops[op].stream;
    uint32_t *clock = clock_of(ordering, stream);

    join_null(ordering, stream, clock);
    for (uint32_t i = ordering->edges_at[op]; i < ordering->edges_at[op + 1]; i++) {
        const struct gp_edge_row *edge = &run->edges[i];

        if (edge->how == GP_HOW_EVENT) {
            join(ordering, clock,
                 ordering->kept + (size_t)ordering->slot[edge->from] * ordering->streams);
        }
    }
    ordering->at[op] = ++clock[stream];
    if (ordering->slot[op] != GP_NO_OP) {
        memcpy(ordering->kept + (size_t)ordering->slot[op] * ordering->streams, clock,
               ordering->streams * sizeof *clock);
    }
    return clock;
}

static bool is_before(const struct ordering *ordering, uint32_t earlier, const uint32_t *clock)
{
    uint32_t at = ordering->at[earlier];

    return at != 0 && clock[ordering->run->ops[earlier].stream] >= at;
}

/* Whether every edge is kept, whatever it is called. Values are no work, so nothing waits for them.
 */
static void check_edges(struct ordering *ordering, uint32_t op, const uint32_t *clock)
{
    const struct gp_run_data *run = ordering->run;

    for (uint32_t i = ordering->edges_at[op]; i < ordering->edges_at[op + 1]; i++) {
        uint32_t from = run->edges[i].from;

        if (is_device_op(&run->ops[from]) && !is_before(ordering, from, clock)) {
            gp_violations_add(ordering->out, &(struct gp_violation){
                                                 .what = GP_INVARIANT_HAZARD,
                                                 .op = op,
                                                 .other = from,
                                                 .by_ns = GP_UNKNOWN,
                                                 .text = missing_text,
                                             });
        }
    }
}

/* ---- bytes --------------------------------------------------------------------------------- */

static void report(struct ordering *ordering, const struct gp_access_row *access, uint32_t other,
                   const struct segment *segment)
{
    const struct gp_violations *out = ordering->out;
    const struct gp_violation *last = out->count > 0 ? &out->rows[out->count - 1] : NULL;

    if (last != NULL && last->op == access->op && last->other == other &&
        last->what == GP_INVARIANT_HAZARD) {
        return;
    }
    gp_violations_add(ordering->out, &(struct gp_violation){
                                         .what = GP_INVARIANT_HAZARD,
                                         .op = access->op,
                                         .other = other,
                                         .by_ns = GP_UNKNOWN,
                                         .buffer = access->buffer,
                                         .offset = segment->begin,
                                         .bytes = segment->end - segment->begin,
                                         .text = "nothing orders it against another use of the "
                                                 "same bytes",
                                     });
}

static void add_reader(struct ordering *ordering, struct segment *segment, uint32_t op)
{
    uint32_t stream = ordering->run->ops[op].stream;

    for (uint32_t i = 0; i < segment->reader_count; i++) {
        if (ordering->run->ops[segment->readers[i]].stream == stream) {
            segment->readers[i] = op;
            return;
        }
    }
    segment->readers = gp_xgrow(segment->readers, &segment->capacity, segment->reader_count + 1,
                                sizeof segment->readers[0]);
    segment->readers[segment->reader_count++] = op;
}

static void use(struct ordering *ordering, const struct gp_access_row *access,
                const uint32_t *clock, struct segment *segment)
{
    if (segment->writer != GP_NO_OP && segment->writer != access->op &&
        !is_before(ordering, segment->writer, clock)) {
        report(ordering, access, segment->writer, segment);
    }
    if ((access->mode & GP_ACCESS_WRITE) != 0) {
        for (uint32_t i = 0; i < segment->reader_count; i++) {
            if (segment->readers[i] != access->op &&
                !is_before(ordering, segment->readers[i], clock)) {
                report(ordering, access, segment->readers[i], segment);
            }
        }
        segment->writer = access->op;
        segment->reader_count = 0;
    } else {
        add_reader(ordering, segment, access->op);
    }
}

/* An access with the segments that it covers. */
struct cover {
    const struct gp_access_row *access;
    uint32_t first, end; /* of the segments */
};

struct bytes {
    struct cover *covers; /* by operation */
    uint32_t *covers_at;  /* by operation; op_count + 1 */
    struct segment *segments;
    uint32_t segment_count;
};

static int compare_buffers(const char *left, const char *right)
{
    return left == right ? 0 : strcmp(left, right);
}

static int compare_ranges(const void *left, const void *right)
{
    const struct cover *a = left, *b = right;
    int order = compare_buffers(a->access->buffer, b->access->buffer);

    if (order != 0) {
        return order;
    }
    return (a->access->offset > b->access->offset) - (a->access->offset < b->access->offset);
}

static int compare_offsets(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

    return (a > b) - (a < b);
}

static uint32_t find_segment(const struct bytes *bytes, uint32_t first, int64_t offset)
{
    uint32_t low = first, high = bytes->segment_count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (bytes->segments[middle].begin < offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Cuts the bytes of one buffer, whose accesses are covers[0 … count − 1], into segments. */
static void cut_buffer(struct bytes *bytes, struct cover *covers, uint32_t count, int64_t *bounds,
                       uint64_t *visits)
{
    uint32_t first = bytes->segment_count;
    uint32_t bound_count = 0;

    for (uint32_t i = 0; i < count; i++) {
        bounds[bound_count++] = covers[i].access->offset;
        bounds[bound_count++] = covers[i].access->offset + covers[i].access->bytes;
    }
    qsort(bounds, bound_count, sizeof bounds[0], compare_offsets);
    for (uint32_t i = 1; i < bound_count; i++) {
        if (bounds[i] > bounds[i - 1]) {
            bytes->segments[bytes->segment_count++] =
                (struct segment){.begin = bounds[i - 1], .end = bounds[i], .writer = GP_NO_OP};
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct gp_access_row *access = covers[i].access;

        covers[i].first = find_segment(bytes, first, access->offset);
        covers[i].end = find_segment(bytes, first, access->offset + access->bytes);
        *visits += covers[i].end - covers[i].first;
    }
}

static int compare_cover_ops(const void *left, const void *right)
{
    const struct cover *a = left, *b = right;

    return (a->access->op > b->access->op) - (a->access->op < b->access->op);
}

/* False when there is too much to look at. */
static bool cut_bytes(const struct gp_run_data *run, struct bytes *bytes)
{
    int64_t *bounds = gp_xalloc(2 * (size_t)run->access_count + 1, sizeof *bounds);
    uint64_t visits = 0;
    uint32_t end;

    bytes->covers = gp_xalloc(run->access_count + 1, sizeof bytes->covers[0]);
    bytes->segments = gp_xalloc(2 * (size_t)run->access_count + 1, sizeof bytes->segments[0]);
    bytes->covers_at = gp_xalloc(run->op_count + 1, sizeof bytes->covers_at[0]);
    for (uint32_t i = 0; i < run->access_count; i++) {
        bytes->covers[i].access = &run->accesses[i];
        bytes->covers_at[run->accesses[i].op + 1]++;
    }
    for (uint32_t i = 0; i < run->op_count; i++) {
        bytes->covers_at[i + 1] += bytes->covers_at[i];
    }
    qsort(bytes->covers, run->access_count, sizeof bytes->covers[0], compare_ranges);
    for (uint32_t i = 0; i < run->access_count; i = end) {
        end = i + 1;
        while (end < run->access_count && compare_buffers(bytes->covers[end].access->buffer,
                                                          bytes->covers[i].access->buffer) == 0) {
            end++;
        }
        cut_buffer(bytes, &bytes->covers[i], end - i, bounds, &visits);
    }
    qsort(bytes->covers, run->access_count, sizeof bytes->covers[0], compare_cover_ops);
    gp_free(bounds);
    return visits <= visits_max;
}

static void finish_bytes(struct bytes *bytes)
{
    for (uint32_t i = 0; i < bytes->segment_count; i++) {
        gp_free(bytes->segments[i].readers);
    }
    gp_free(bytes->segments);
    gp_free(bytes->covers);
    gp_free(bytes->covers_at);
}

/* ---- the rule ------------------------------------------------------------------------------ */

static void walk(struct ordering *ordering, struct bytes *bytes)
{
    for (uint32_t i = 0; i < ordering->order_count; i++) {
        uint32_t op = ordering->order[i].op;
        const uint32_t *clock = advance(ordering, op);

        check_edges(ordering, op, clock);
        for (uint32_t k = bytes->covers_at[op]; k < bytes->covers_at[op + 1]; k++) {
            const struct cover *cover = &bytes->covers[k];

            for (uint32_t s = cover->first; s < cover->end; s++) {
                use(ordering, cover->access, clock, &bytes->segments[s]);
            }
        }
    }
}

/* Without an order of submission at least what the sweep found is said again. */
static void report_missing(const struct gp_run_data *run, struct gp_violations *out)
{
    for (uint32_t i = 0; i < run->edge_count; i++) {
        const struct gp_edge_row *edge = &run->edges[i];

        if (edge->how == GP_HOW_MISSING) {
            gp_violations_add(out, &(struct gp_violation){.what = GP_INVARIANT_HAZARD,
                                                          .op = edge->to,
                                                          .other = edge->from,
                                                          .by_ns = GP_UNKNOWN,
                                                          .text = missing_text});
        }
    }
}

const char *gp_ordering_check(const struct gp_run_data *run, struct gp_violations *out)
{
    struct ordering ordering = {.run = run, .out = out, .streams = run->stream_count};
    struct bytes bytes = {0};
    const char *reason = NULL;

    find_edges(&ordering);
    if (run->device->kind == GP_ORIGIN_IMPORTED) {
        reason = "an imported trace has not every wait";
    } else if (!find_order(&ordering)) {
        report_missing(run, out);
        reason = "in which order operations were submitted is not known";
    } else if (!make_clocks(&ordering) || !cut_bytes(run, &bytes)) {
        reason = "there is too much to compare";
    } else {
        walk(&ordering, &bytes);
    }
    finish_bytes(&bytes);
    finish(&ordering);
    return reason;
}
