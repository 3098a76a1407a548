/* Statistics of a part of time: see range.h. */
#include "viewer/layout/range.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "probe/memory.h"
#include "viewer/layout/lane.h"

/* The part of a lane that meets the range. */
struct part {
    const struct gp_view_lane *lane;
    uint32_t next, end; /* positions */
};

static uint32_t positions_before(const struct gp_view_timeline *timeline,
                                 const struct gp_view_lane *lane, int64_t end_ns)
{
    const struct gp_view_spans *spans = gp_view_lane_spans(timeline, lane);
    uint32_t position = gp_view_lane_seek(timeline, lane, end_ns);

    /* The one there ends after the range; it may begin in it. */
    return position < lane->count && spans->begin_ns[lane->order[position]] < end_ns ? position + 1
                                                                                     : position;
}

/* Of the streams' lanes that are shown; the caller's. */
static struct part *make_parts(const struct gp_view_timeline *timeline,
                               const struct gp_view_rows *rows, int64_t begin_ns, int64_t end_ns,
                               uint32_t *count)
{
    struct part *parts = gp_xalloc(timeline->lane_count, sizeof *parts);

    *count = 0;
    for (uint32_t i = 0; i < timeline->lane_count; i++) {
        const struct gp_view_lane *lane = &timeline->lanes[i];
        struct part part = {lane, 0, 0};

        if (lane->owner != GP_VIEW_STREAM || gp_view_rows_find(rows, i) == GP_VIEW_NONE) {
            continue;
        }
        part.next = gp_view_lane_seek(timeline, lane, begin_ns);
        part.end = positions_before(timeline, lane, end_ns);
        if (part.next < part.end) {
            parts[(*count)++] = part;
        }
    }
    return parts;
}

static int64_t begin_of(const struct gp_view_timeline *timeline, const struct part *part)
{
    return gp_view_lane_spans(timeline, part->lane)->begin_ns[part->lane->order[part->next]];
}

/* Restores the heap (least begin first) after the part at `at` has moved on. */
static void sink(const struct gp_view_timeline *timeline, struct part *heap, uint32_t count,
                 uint32_t at)
{
    for (;;) {
        struct part moved = heap[at];
        uint32_t least = at;

        for (uint32_t child = 2 * at + 1; child <= 2 * at + 2 && child < count; child++) {
            if (begin_of(timeline, &heap[child]) < begin_of(timeline, &heap[least])) {
                least = child;
            }
        }
        if (least == at) {
            return;
        }
        heap[at] = heap[least];
        heap[least] = moved;
        at = least;
    }
}

/* Time with something running, and the longest without, in one walk over all spans by begin. */
static void walk(const struct gp_view_timeline *timeline, struct part *heap, uint32_t count,
                 int64_t begin_ns, int64_t end_ns, struct gp_view_range *out)
{
    int64_t reached_ns = begin_ns;

    for (uint32_t i = count; i-- > 0;) {
        sink(timeline, heap, count, i);
    }
    while (count > 0) {
        const struct gp_view_lane *lane = heap[0].lane;
        int64_t from_ns = begin_of(timeline, &heap[0]);
        int64_t to_ns =
            gp_view_end_ns(gp_view_lane_spans(timeline, lane), lane->order[heap[0].next]);

        if (from_ns - reached_ns > out->longest_gap_ns) {
            out->longest_gap_ns = from_ns - reached_ns;
        }
        from_ns = from_ns > reached_ns ? from_ns : reached_ns;
        to_ns = to_ns < end_ns ? to_ns : end_ns;
        if (to_ns >= reached_ns) {
            out->running_ns += to_ns - from_ns;
            reached_ns = to_ns;
        }
        if (++heap[0].next == heap[0].end) {
            heap[0] = heap[--count];
        }
        sink(timeline, heap, count, 0);
    }
    if (end_ns - reached_ns > out->longest_gap_ns) {
        out->longest_gap_ns = end_ns - reached_ns;
    }
}

void gp_view_range_sum(const struct gp_view_timeline *timeline, const struct gp_view_rows *rows,
                       int64_t begin_ns, int64_t end_ns, struct gp_view_range *out)
{
    uint32_t count;
    struct part *parts;

    assert(begin_ns < end_ns);
    *out = (struct gp_view_range){0};
    parts = make_parts(timeline, rows, begin_ns, end_ns, &count);
    for (uint32_t i = 0; i < count; i++) {
        struct gp_view_sums sums;

        gp_view_lane_sum(timeline, parts[i].lane, begin_ns, end_ns, &sums);
        out->count += sums.count;
        out->busy_ns += sums.busy_ns;
        out->waiting_ns += sums.waiting_ns;
    }
    walk(timeline, parts, count, begin_ns, end_ns, out);
    out->concurrency = out->running_ns > 0 ? (double)out->busy_ns / (double)out->running_ns : NAN;
    gp_free(parts);
}

/* ---- by name ------------------------------------------------------------------------------- */

static int compare_durations(const void *left, const void *right)
{
    const int64_t *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

/* The longest total first; then by name, so that it repeats. */
static int compare_names(const void *left, const void *right)
{
    const struct gp_view_name_range *a = left, *b = right;

    if (a->total_ns != b->total_ns) {
        return a->total_ns > b->total_ns ? -1 : 1;
    }
    return (a->name > b->name) - (a->name < b->name);
}

/* The value that `share` of the sorted ones do not exceed. */
static int64_t percentile(const int64_t *sorted, uint64_t count, double share)
{
    uint64_t rank = (uint64_t)ceil(share * (double)count);

    return sorted[rank > 0 ? rank - 1 : 0];
}

static void describe(struct gp_view_name_range *range, uint32_t name, int64_t *durations,
                     uint64_t count)
{
    qsort(durations, count, sizeof *durations, compare_durations);
    *range = (struct gp_view_name_range){.name = name,
                                         .count = count,
                                         .min_ns = durations[0],
                                         .max_ns = durations[count - 1],
                                         .p50_ns = percentile(durations, count, 0.5),
                                         .p95_ns = percentile(durations, count, 0.95)};
    for (uint64_t i = 0; i < count; i++) {
        range->total_ns += durations[i];
    }
}

/* Durations of all spans of the parts, those of name i from first[i] on; the caller's. */
static int64_t *collect(const struct gp_view_timeline *timeline, const struct part *parts,
                        uint32_t part_count, uint64_t *first)
{
    int64_t *durations;

    for (uint32_t p = 0; p < part_count; p++) {
        const struct gp_view_spans *spans = gp_view_lane_spans(timeline, parts[p].lane);

        for (uint32_t i = parts[p].next; i < parts[p].end; i++) {
            first[spans->name[parts[p].lane->order[i]] + 2]++;
        }
    }
    for (uint32_t i = 0; i < timeline->name_count; i++) {
        first[i + 2] += first[i + 1];
    }
    durations = gp_xalloc(first[timeline->name_count + 1], sizeof *durations);
    for (uint32_t p = 0; p < part_count; p++) {
        const struct gp_view_spans *spans = gp_view_lane_spans(timeline, parts[p].lane);

        for (uint32_t i = parts[p].next; i < parts[p].end; i++) {
            uint32_t span = parts[p].lane->order[i];

            durations[first[spans->name[span] + 1]++] =
                gp_view_narrow_get(&spans->duration_ns, span);
        }
    }
    return durations;
}

uint32_t gp_view_range_names(const struct gp_view_timeline *timeline,
                             const struct gp_view_rows *rows, int64_t begin_ns, int64_t end_ns,
                             struct gp_view_name_range **out)
{
    uint64_t *first = gp_xalloc((size_t)timeline->name_count + 2, sizeof *first);
    uint32_t part_count, count = 0;
    struct part *parts;
    int64_t *durations;

    assert(begin_ns < end_ns);
    parts = make_parts(timeline, rows, begin_ns, end_ns, &part_count);
    durations = collect(timeline, parts, part_count, first);
    *out = gp_xalloc(timeline->name_count, sizeof **out);
    for (uint32_t i = 0; i < timeline->name_count; i++) {
        if (first[i + 1] > first[i]) {
            describe(&(*out)[count++], i, &durations[first[i]], first[i + 1] - first[i]);
        }
    }
    qsort(*out, count, sizeof **out, compare_names);
    gp_free(parts);
    gp_free(durations);
    gp_free(first);
    if (count == 0) {
        gp_free(*out);
        *out = NULL;
    }
    return count;
}
