/* One run seen by two recorders: see alignment.h. */
#include "probe/analysis/alignment.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "probe/analysis/alignment_find.h"
#include "probe/memory.h"

/* Nearer than this nobody can tell who was first: what either recorder promises. */
#define TOLERANCE_NS 2000.0

/* An operation of ours on their clock, with the one that it is in theirs. */
struct match {
    double begin, end; /* ours, mapped */
    double begin_lo, begin_hi, end_lo, end_hi;
    double their_begin, their_end;
    enum gp_op_kind kind;
};

struct work {
    struct gp_alignment_found found;
    const struct gp_alignment_side *ours, *theirs;
    struct match *matches;
    uint32_t match_count;
};

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The value below which that share of them lies; sorts. */
static double quantile(double *values, uint32_t count, double share)
{
    if (count == 0) {
        return NAN;
    }
    qsort(values, count, sizeof *values, compare_doubles);
    return values[(uint32_t)((double)(count - 1) * share + 0.5)];
}

/* ---- the line ------------------------------------------------------------------------------ */

struct point {
    double ours, theirs;
};

static double map(const struct gp_alignment *alignment, double ours)
{
    return alignment->offset_ns + (1 + alignment->drift) * ours;
}

/* Least squares over the points with weight; around their centre, so that nothing is lost. */
static void fit_line(const struct point *points, const bool *taken, uint32_t count,
                     struct gp_alignment *out)
{
    double x = 0, y = 0, xx = 0, xy = 0;
    uint32_t n = 0;

    for (uint32_t i = 0; i < count; i++) {
        if (taken[i]) {
            x += points[i].ours;
            y += points[i].theirs - points[i].ours;
            n++;
        }
    }
    x /= n;
    y /= n;
    for (uint32_t i = 0; i < count; i++) {
        if (taken[i]) {
            double dx = points[i].ours - x;

            xx += dx * dx;
            xy += dx * (points[i].theirs - points[i].ours - y);
        }
    }
    out->drift = xx > 0 ? xy / xx : 0;
    out->offset_ns = y - out->drift * x;
}

/* Fits, leaves out what lies far from the line (a host that was interrupted), and fits again. */
static void fit(const struct point *points, uint32_t count, struct gp_alignment *out)
{
    bool *taken = gp_xalloc(count, sizeof *taken);
    double *distances = gp_xalloc(count, sizeof *distances);

    memset(taken, 1, count);
    fit_line(points, taken, count, out);
    for (int round = 0; round < 3; round++) {
        double limit;

        for (uint32_t i = 0; i < count; i++) {
            distances[i] = fabs(points[i].theirs - map(out, points[i].ours));
        }
        /* Three times the median keeps half of the points at least. */
        limit = fmax(3 * quantile(distances, count, 0.5), 1);
        for (uint32_t i = 0; i < count; i++) {
            taken[i] = fabs(points[i].theirs - map(out, points[i].ours)) <= limit;
        }
        fit_line(points, taken, count, out);
    }
    for (uint32_t i = 0; i < count; i++) {
        distances[i] = fabs(points[i].theirs - map(out, points[i].ours));
    }
    out->residual_ns = quantile(distances, count, 0.95);
    out->anchors = count;
    gp_free(distances);
    gp_free(taken);
}

/* Both ends of every range; of a graph, the run's. */
static void fit_anchors(const struct work *work, struct gp_alignment *out)
{
    uint32_t count = work->found.ours.count;
    struct point *points = gp_xalloc((size_t)count * 2 + 2, sizeof *points);
    uint32_t n = 0;

    for (uint32_t i = 0; i < count; i++) {
        const struct gp_range_row *ours = work->found.ours.ranges[i];
        const struct gp_range_row *theirs = work->found.theirs.ranges[i];

        points[n++] = (struct point){(double)ours->begin, (double)theirs->begin};
        points[n++] = (struct point){(double)ours->end, (double)theirs->end};
    }
    if (count == 0) {
        points[n++] = (struct point){0, (double)work->found.begin};
    }
    fit(points, n, out);
    gp_free(points);
}

/* ---- matching ------------------------------------------------------------------------------ */

static bool is_timed(const struct gp_op_row *op)
{
    return op->begin != GP_UNKNOWN && op->end != GP_UNKNOWN;
}

static int by_submit(const void *a, const void *b)
{
    const struct gp_op_row *x = *(const struct gp_op_row *const *)a;
    const struct gp_op_row *y = *(const struct gp_op_row *const *)b;

    return (x->submit_begin > y->submit_begin) - (x->submit_begin < y->submit_begin);
}

static int by_op_begin(const void *a, const void *b)
{
    const struct gp_op_row *x = *(const struct gp_op_row *const *)a;
    const struct gp_op_row *y = *(const struct gp_op_row *const *)b;

    return (x->begin > y->begin) - (x->begin < y->begin);
}

/* Operations with times, of one kind or (GP_OP_KIND_COUNT) all, submitted inside [begin, end]. */
static const struct gp_op_row **list_ops(const struct gp_alignment_side *side, enum gp_op_kind kind,
                                         int64_t begin, int64_t end, uint32_t *count)
{
    const struct gp_op_row **list = gp_xalloc(side->op_count, sizeof(struct gp_op_row *));

    *count = 0;
    for (uint32_t i = 0; i < side->op_count; i++) {
        const struct gp_op_row *op = &side->ops[i];

        if (is_timed(op) && op->submit_begin != GP_UNKNOWN && op->submit_begin >= begin &&
            op->submit_begin <= end && (kind == GP_OP_KIND_COUNT || op->kind == kind)) {
            list[(*count)++] = op;
        }
    }
    return list;
}

/* The end of an interval; the drawn value where there is none. */
static double map_known(const struct gp_alignment *alignment, int64_t value, int64_t drawn)
{
    return map(alignment, (double)(value != GP_UNKNOWN ? value : drawn));
}

static void add_match(struct work *work, const struct gp_alignment *alignment,
                      const struct gp_op_row *ours, const struct gp_op_row *theirs)
{
    work->matches[work->match_count++] = (struct match){
        .begin = map(alignment, (double)ours->begin),
        .end = map(alignment, (double)ours->end),
        .begin_lo = map_known(alignment, ours->begin_lo, ours->begin),
        .begin_hi = map_known(alignment, ours->begin_hi, ours->begin),
        .end_lo = map_known(alignment, ours->end_lo, ours->end),
        .end_hi = map_known(alignment, ours->end_hi, ours->end),
        .their_begin = (double)theirs->begin,
        .their_end = (double)theirs->end,
        .kind = ours->kind,
    };
}

/* The first operation of theirs that was submitted inside the range and is of the kind. */
static const struct gp_op_row *find_submitted(const struct gp_op_row **list, uint32_t count,
                                              const struct gp_range_row *range,
                                              enum gp_op_kind kind)
{
    uint32_t low = 0, high = count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (list[middle]->submit_begin < range->begin) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (; low < count && list[low]->submit_begin <= range->end; low++) {
        if (list[low]->kind == kind) {
            return list[low];
        }
    }
    return NULL;
}

/* The n-th range was the n-th operation that was submitted, on either side. */
static void match_by_range(struct work *work, const struct gp_alignment *alignment)
{
    uint32_t our_count, their_count;
    const struct gp_op_row **ours =
        list_ops(work->ours, GP_OP_KIND_COUNT, INT64_MIN, INT64_MAX, &our_count);
    const struct gp_op_row **theirs =
        list_ops(work->theirs, GP_OP_KIND_COUNT, work->found.begin, work->found.end, &their_count);

    qsort(ours, our_count, sizeof(struct gp_op_row *), by_submit);
    qsort(theirs, their_count, sizeof(struct gp_op_row *), by_submit);
    for (uint32_t i = 0, range = 0; i < our_count && range < work->found.ours.count; i++) {
        const struct gp_op_row *found;

        /* Values and what has no times have a range too. */
        while (range < work->found.ours.count &&
               work->found.ours.ranges[range]->begin < ours[i]->submit_begin) {
            range++;
        }
        if (range == work->found.ours.count) {
            break;
        }
        found =
            find_submitted(theirs, their_count, work->found.theirs.ranges[range], ours[i]->kind);
        if (found != NULL) {
            add_match(work, alignment, ours[i], found);
        }
    }
    gp_free(ours);
    gp_free(theirs);
}

/* The n-th of a kind to begin, where both have as many of it. */
static void match_by_order(struct work *work, const struct gp_alignment *alignment)
{
    for (unsigned kind = 0; kind < GP_OP_KIND_COUNT; kind++) {
        uint32_t our_count, their_count;
        const struct gp_op_row **ours =
            list_ops(work->ours, (enum gp_op_kind)kind, INT64_MIN, INT64_MAX, &our_count);
        const struct gp_op_row **theirs = list_ops(
            work->theirs, (enum gp_op_kind)kind, work->found.begin, work->found.end, &their_count);

        qsort(ours, our_count, sizeof(struct gp_op_row *), by_op_begin);
        qsort(theirs, their_count, sizeof(struct gp_op_row *), by_op_begin);
        for (uint32_t i = 0; i < our_count && our_count == their_count; i++) {
            if (ours[i]->source == GP_SOURCE_BOUNDED) {
                continue;
            }
            add_match(work, alignment, ours[i], theirs[i]);
        }
        gp_free(ours);
        gp_free(theirs);
    }
}

/* ---- figures ------------------------------------------------------------------------------- */

static struct gp_alignment_quantity measure(double *differences, uint32_t count)
{
    struct gp_alignment_quantity quantity = {.bias_ns = quantile(differences, count, 0.5)};

    for (uint32_t i = 0; i < count; i++) {
        differences[i] = fabs(differences[i] - quantity.bias_ns);
    }
    quantity.spread_ns = quantile(differences, count, 0.95);
    return quantity;
}

static bool is_inside(double value, double lo, double hi, double slack)
{
    return value >= lo - slack && value <= hi + slack;
}

static void measure_inside(const struct work *work, enum gp_op_kind kind, double slack,
                           struct gp_alignment_kind *out)
{
    uint32_t inside = 0;

    for (uint32_t i = 0; i < work->match_count; i++) {
        const struct match *match = &work->matches[i];

        if (match->kind == kind) {
            inside += is_inside(match->their_begin, match->begin_lo, match->begin_hi, slack);
            inside += is_inside(match->their_end, match->end_lo, match->end_hi, slack);
        }
    }
    out->inside = out->matched > 0 ? (double)inside / (2.0 * out->matched) : NAN;
}

static void measure_kind(const struct work *work, enum gp_op_kind kind,
                         struct gp_alignment_kind *out)
{
    double *begins = gp_xalloc(work->match_count, sizeof *begins);
    double *ends = gp_xalloc(work->match_count, sizeof *ends);
    double *durations = gp_xalloc(work->match_count, sizeof *durations);

    for (uint32_t i = 0; i < work->match_count; i++) {
        const struct match *match = &work->matches[i];

        if (match->kind == kind) {
            begins[out->matched] = match->begin - match->their_begin;
            ends[out->matched] = match->end - match->their_end;
            durations[out->matched] =
                (match->end - match->begin) - (match->their_end - match->their_begin);
            out->matched++;
        }
    }
    out->begin = measure(begins, out->matched);
    out->end = measure(ends, out->matched);
    out->duration = measure(durations, out->matched);
    gp_free(begins);
    gp_free(ends);
    gp_free(durations);
}

static int by_our_begin(const void *a, const void *b)
{
    const struct match *x = a, *y = b;

    return (x->begin > y->begin) - (x->begin < y->begin);
}

static double overlap(double begin, double end, double other_begin, double other_end)
{
    return fmin(end, other_end) - fmax(begin, other_begin);
}

/* Each with the first after it that surely began later. */
static void measure_order(const struct work *work, struct gp_alignment *out)
{
    for (uint32_t i = 0; i < work->match_count; i++) {
        const struct match *match = &work->matches[i];
        uint32_t next = i + 1;

        while (next < work->match_count &&
               work->matches[next].begin_lo - match->begin_hi <= out->tolerance_ns) {
            next++;
        }
        if (next < work->match_count) {
            out->order_pairs++;
            out->order_same += work->matches[next].their_begin > match->their_begin ? 1 : 0;
        }
    }
}

static void measure_pair(const struct match *a, const struct match *b, struct gp_alignment *out)
{
    double tolerance = out->tolerance_ns;
    double least = overlap(a->begin_hi, a->end_lo, b->begin_hi, b->end_lo);
    double most = overlap(a->begin_lo, a->end_hi, b->begin_lo, b->end_hi);
    double theirs = overlap(a->their_begin, a->their_end, b->their_begin, b->their_end);
    bool surely = least > tolerance;
    bool never = most < -tolerance;

    if ((surely && fabs(theirs) > tolerance) || (never && theirs > tolerance)) {
        out->overlap_pairs++;
        out->overlap_same += surely && theirs > 0;
    }
}

static void measure_overlap(const struct work *work, struct gp_alignment *out)
{
    for (uint32_t i = 0; i < work->match_count; i++) {
        const struct match *a = &work->matches[i];

        /* Later ones begin later still; theirs lie near. */
        for (uint32_t k = i + 1;
             k < work->match_count && work->matches[k].begin <= a->end_hi + 100 * out->tolerance_ns;
             k++) {
            measure_pair(a, &work->matches[k], out);
        }
    }
}

static void count_ops(const struct work *work, struct gp_alignment *out)
{
    for (uint32_t i = 0; i < work->ours->op_count; i++) {
        out->kinds[work->ours->ops[i].kind].ours++;
    }
    for (uint32_t i = 0; i < work->theirs->op_count; i++) {
        const struct gp_op_row *op = &work->theirs->ops[i];

        if (op->submit_begin != GP_UNKNOWN && op->submit_begin >= work->found.begin &&
            op->submit_begin <= work->found.end) {
            out->kinds[op->kind].theirs++;
        }
    }
}

static void measure_all(struct work *work, struct gp_alignment *out)
{
    work->matches = gp_xalloc(work->ours->op_count, sizeof *work->matches);
    fit_anchors(work, out);
    if (out->by_order) {
        match_by_order(work, out);
    } else {
        match_by_range(work, out);
    }
    qsort(work->matches, work->match_count, sizeof *work->matches, by_our_begin);
    count_ops(work, out);
    for (unsigned kind = 0; kind < GP_OP_KIND_COUNT; kind++) {
        measure_kind(work, (enum gp_op_kind)kind, &out->kinds[kind]);
        measure_inside(work, (enum gp_op_kind)kind, out->residual_ns, &out->kinds[kind]);
    }
    measure_order(work, out);
    measure_overlap(work, out);
}

int gp_alignment_make(const struct gp_alignment_side *ours, const struct gp_alignment_side *theirs,
                      struct gp_alignment *out, struct gp_error *err)
{
    struct work work = {.ours = ours, .theirs = theirs};
    int code = 0;

    assert(out != NULL);
    *out = (struct gp_alignment){.tolerance_ns = TOLERANCE_NS};
    if (gp_alignment_search(ours, theirs, &work.found)) {
        out->by_order = work.found.place.by_order;
        measure_all(&work, out);
    } else {
        code = gp_fail(err, GP_ENOTFOUND,
                       "the trace has no NVTX range of a traced run with these %u operations (was "
                       "it recorded with --trace cuda,nvtx?)",
                       ours->op_count);
    }
    gp_free(work.matches);
    gp_alignment_found_finish(&work.found);
    return code;
}
