/* Statistics of a part of time: see range.h. */
#include "viewer/layout/range.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "probe/memory.h"
#include "viewer/layout/lane.h"

/* Of a job: names come after sums. */
static const double sums_share = 0.4, collected_share = 0.6;

enum { LOOK_EVERY = 1 << 16 /* spans */ };

/* The part of a lane that meets the range. */
struct part {
    const struct gp_view_lane *lane;
    uint32_t next, end; /* positions */
};

struct gp_view_range_query {
    const struct gp_view_timeline *timeline;
    int64_t begin_ns, end_ns;
    struct part *parts;
    uint32_t part_count;
    uint64_t span_count; /* of the parts */
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

struct gp_view_range_query *gp_view_range_ask(const struct gp_view_timeline *timeline,
                                              const struct gp_view_rows *rows, int64_t begin_ns,
                                              int64_t end_ns)
{
    struct gp_view_range_query *query = gp_xalloc(1, sizeof *query);

    assert(begin_ns < end_ns);
    query->timeline = timeline;
    query->begin_ns = begin_ns;
    query->end_ns = end_ns;
    query->parts = gp_xalloc(timeline->lane_count, sizeof *query->parts);
    for (uint32_t i = 0; i < timeline->lane_count; i++) {
        const struct gp_view_lane *lane = &timeline->lanes[i];
        struct part part = {lane, 0, 0};

        if (lane->owner != GP_VIEW_STREAM || gp_view_rows_find(rows, i) == GP_VIEW_NONE) {
            continue;
        }
        part.next = gp_view_lane_seek(timeline, lane, begin_ns);
        part.end = positions_before(timeline, lane, end_ns);
        if (part.next < part.end) {
            query->parts[query->part_count++] = part;
            query->span_count += part.end - part.next;
        }
    }
    return query;
}

void gp_view_range_finish(struct gp_view_range_query *query)
{
    if (query != NULL) {
        gp_free(query->parts);
        gp_free(query);
    }
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

/* One span of the walk: from when to when it adds to what runs. */
static void add_span(const struct gp_view_range_query *query, const struct part *part,
                     int64_t *reached_ns, struct gp_view_range *out)
{
    int64_t from_ns = begin_of(query->timeline, part);
    int64_t to_ns = gp_view_end_ns(gp_view_lane_spans(query->timeline, part->lane),
                                   part->lane->order[part->next]);

    if (from_ns - *reached_ns > out->longest_gap_ns) {
        out->longest_gap_ns = from_ns - *reached_ns;
    }
    from_ns = from_ns > *reached_ns ? from_ns : *reached_ns;
    to_ns = to_ns < query->end_ns ? to_ns : query->end_ns;
    if (to_ns >= *reached_ns) {
        out->running_ns += to_ns - from_ns;
        *reached_ns = to_ns;
    }
}

/* Time with something running, and the longest without, in one walk over all spans by begin. */
static bool walk(const struct gp_view_range_query *query, struct part *heap,
                 struct gp_view_job *job, struct gp_view_range *out)
{
    int64_t reached_ns = query->begin_ns;
    uint32_t count = query->part_count;
    bool goes_on = true;

    for (uint32_t i = count; i-- > 0;) {
        sink(query->timeline, heap, count, i);
    }
    for (uint64_t done = 0; count > 0 && goes_on; done++) {
        if (done % LOOK_EVERY == 0) {
            goes_on = gp_view_job_go_on(job, sums_share * (double)done / (double)query->span_count);
        }
        add_span(query, &heap[0], &reached_ns, out);
        if (++heap[0].next == heap[0].end) {
            heap[0] = heap[--count];
        }
        sink(query->timeline, heap, count, 0);
    }
    if (query->end_ns - reached_ns > out->longest_gap_ns) {
        out->longest_gap_ns = query->end_ns - reached_ns;
    }
    return goes_on;
}

bool gp_view_range_sum(const struct gp_view_range_query *query, struct gp_view_job *job,
                       struct gp_view_range *out)
{
    struct part *heap = gp_xalloc(query->part_count, sizeof *heap);
    bool is_done;

    *out = (struct gp_view_range){0};
    for (uint32_t i = 0; i < query->part_count; i++) {
        struct gp_view_sums sums;

        gp_view_lane_sum(query->timeline, query->parts[i].lane, query->begin_ns, query->end_ns,
                         &sums);
        out->count += sums.count;
        out->busy_ns += sums.busy_ns;
        out->waiting_ns += sums.waiting_ns;
        heap[i] = query->parts[i];
    }
    is_done = walk(query, heap, job, out);
    out->concurrency = out->running_ns > 0 ? (double)out->busy_ns / (double)out->running_ns : NAN;
    gp_free(heap);
    return is_done;
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
static int64_t *collect(const struct gp_view_range_query *query, uint64_t *first)
{
    const struct gp_view_timeline *timeline = query->timeline;
    int64_t *durations = gp_xalloc(query->span_count, sizeof *durations);

    for (uint32_t p = 0; p < query->part_count; p++) {
        const struct part *part = &query->parts[p];
        const struct gp_view_spans *spans = gp_view_lane_spans(timeline, part->lane);

        for (uint32_t i = part->next; i < part->end; i++) {
            first[spans->name[part->lane->order[i]] + 2]++;
        }
    }
    for (uint32_t i = 0; i < timeline->name_count; i++) {
        first[i + 2] += first[i + 1];
    }
    for (uint32_t p = 0; p < query->part_count; p++) {
        const struct part *part = &query->parts[p];
        const struct gp_view_spans *spans = gp_view_lane_spans(timeline, part->lane);

        for (uint32_t i = part->next; i < part->end; i++) {
            uint32_t span = part->lane->order[i];

            durations[first[spans->name[span] + 1]++] =
                gp_view_narrow_get(&spans->duration_ns, span);
        }
    }
    return durations;
}

/* False: given up. */
static bool describe_all(const struct gp_view_range_query *query, const uint64_t *first,
                         int64_t *durations, struct gp_view_job *job,
                         struct gp_view_name_range *names, uint32_t *count)
{
    for (uint32_t i = 0; i < query->timeline->name_count; i++) {
        double share = query->span_count > 0 ? (double)first[i] / (double)query->span_count : 1;

        if (!gp_view_job_go_on(job, collected_share + (1 - collected_share) * share)) {
            return false;
        }
        if (first[i + 1] > first[i]) {
            describe(&names[(*count)++], i, &durations[first[i]], first[i + 1] - first[i]);
        }
    }
    return true;
}

uint32_t gp_view_range_names(const struct gp_view_range_query *query, struct gp_view_job *job,
                             struct gp_view_name_range **out)
{
    uint32_t name_count = query->timeline->name_count, count = 0;
    uint64_t *first = gp_xalloc((size_t)name_count + 2, sizeof *first);
    int64_t *durations = collect(query, first);

    *out = gp_xalloc(name_count, sizeof **out);
    if (!describe_all(query, first, durations, job, *out, &count)) {
        count = 0;
    }
    if (count > 0) {
        qsort(*out, count, sizeof **out, compare_names);
    } else {
        gp_free(*out);
        *out = NULL;
    }
    gp_free(durations);
    gp_free(first);
    return count;
}
