/* Questions to one lane: see lane.h. */
#include "viewer/layout/lane.h"

#include <assert.h>
#include <math.h>

#include "probe/memory.h"

enum {
    FULL = UINT16_MAX, /* the whole of a piece */
    LOOKED_AT = 64,    /* spans of a folded piece among which its name is chosen */
};

/* The lane with its columns at hand. */
struct access {
    const struct gp_view_timeline *timeline;
    const struct gp_view_lane *lane;
    const struct gp_view_spans *spans;
};

static struct access open_lane(const struct gp_view_timeline *timeline,
                               const struct gp_view_lane *lane)
{
    return (struct access){timeline, lane, gp_view_lane_spans(timeline, lane)};
}

static int64_t begin_at(const struct access *at, uint32_t position)
{
    return at->spans->begin_ns[at->lane->order[position]];
}

static int64_t end_at(const struct access *at, uint32_t position)
{
    return gp_view_end_ns(at->spans, at->lane->order[position]);
}

/* The first position whose span begins at or after the moment. */
static uint32_t first_from(const struct access *at, int64_t from_ns)
{
    uint32_t low = 0, high = at->lane->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (begin_at(at, middle) < from_ns) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The same, when it is expected close after `position`. */
static uint32_t gallop_from(const struct access *at, uint32_t position, int64_t from_ns)
{
    uint32_t low = position, step = 1, high;

    while (low + step < at->lane->count && begin_at(at, low + step) < from_ns) {
        low += step;
        step = step < UINT32_MAX / 4 ? step * 2 : step;
    }
    high = low + step < at->lane->count ? low + step : at->lane->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (begin_at(at, middle) < from_ns) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

uint32_t gp_view_lane_seek(const struct gp_view_timeline *timeline, const struct gp_view_lane *lane,
                           int64_t at_ns)
{
    struct access at = open_lane(timeline, lane);
    uint32_t low = 0, high = lane->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (end_at(&at, middle) <= at_ns && begin_at(&at, middle) < at_ns) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

uint32_t gp_view_lane_position(const struct gp_view_timeline *timeline,
                               const struct gp_view_lane *lane, uint32_t span)
{
    struct access at = open_lane(timeline, lane);
    int64_t begin_ns = gp_view_begin_ns(at.spans, span);
    uint32_t low, high;

    if (begin_ns == GP_UNKNOWN) {
        return GP_VIEW_NONE;
    }
    low = first_from(&at, begin_ns);
    high = first_from(&at, begin_ns + 1);
    /* Those that begin together: without duration by index, and at most one with a duration. */
    if (high > low && lane->order[high - 1] == span) {
        return high - 1;
    }
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (lane->order[middle] == span) {
            return middle;
        }
        if (lane->order[middle] < span && end_at(&at, middle) == begin_ns) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return GP_VIEW_NONE;
}

static bool is_on(const struct gp_view_timeline *timeline, const struct gp_view_lane *lane,
                  enum gp_view_table table, uint32_t span)
{
    const struct gp_view_spans *spans = &timeline->tables[table];

    if (lane->table != table || lane->owner == GP_VIEW_ENGINE) {
        return false;
    }
    return lane->owner_index ==
               (table == GP_VIEW_OPS ? spans->stream[span] : spans->thread[span]) &&
           gp_view_lane_position(timeline, lane, span) != GP_VIEW_NONE;
}

uint32_t gp_view_lane_of(const struct gp_view_timeline *timeline, enum gp_view_table table,
                         uint32_t span)
{
    for (uint32_t i = 0; i < timeline->lane_count; i++) {
        if (is_on(timeline, &timeline->lanes[i], table, span)) {
            return i;
        }
    }
    return GP_VIEW_NONE;
}

/* ---- sums ---------------------------------------------------------------------------------- */

static int64_t busy_before(const struct access *at, uint32_t position)
{
    int64_t sum_ns = at->lane->busy_ns[position / GP_VIEW_BLOCK];

    for (uint32_t i = position - position % GP_VIEW_BLOCK; i < position; i++) {
        sum_ns += gp_view_narrow_get(&at->spans->duration_ns, at->lane->order[i]);
    }
    return sum_ns;
}

static int64_t waits_before(const struct access *at, uint32_t position)
{
    int64_t sum_ns;

    if (at->lane->waits_ns == NULL) {
        return 0;
    }
    sum_ns = at->lane->waits_ns[position / GP_VIEW_BLOCK];
    for (uint32_t i = position - position % GP_VIEW_BLOCK; i < position; i++) {
        sum_ns += gp_view_waiting_ns(at->spans, at->lane->order[i]);
    }
    return sum_ns;
}

void gp_view_lane_sum(const struct gp_view_timeline *timeline, const struct gp_view_lane *lane,
                      int64_t begin_ns, int64_t end_ns, struct gp_view_sums *out)
{
    struct access at = open_lane(timeline, lane);
    uint32_t first = gp_view_lane_seek(timeline, lane, begin_ns);
    uint32_t last = first_from(&at, end_ns);

    *out = (struct gp_view_sums){0};
    if (first >= last) {
        return;
    }
    out->count = last - first;
    out->busy_ns = busy_before(&at, last) - busy_before(&at, first);
    out->waiting_ns = waits_before(&at, last) - waits_before(&at, first);
    if (begin_at(&at, first) < begin_ns) {
        out->busy_ns -= begin_ns - begin_at(&at, first);
    }
    if (end_at(&at, last - 1) > end_ns) {
        out->busy_ns -= end_at(&at, last - 1) - end_ns;
    }
}

/* ---- pieces -------------------------------------------------------------------------------- */

static void add(struct gp_view_pieces *pieces, struct gp_view_piece piece)
{
    pieces->items =
        gp_xgrow(pieces->items, &pieces->capacity, pieces->count + 1, sizeof *pieces->items);
    pieces->items[pieces->count++] = piece;
}

static uint16_t share(int64_t part_ns, int64_t whole_ns)
{
    if (part_ns >= whole_ns) {
        return FULL;
    }
    return (uint16_t)ceil((double)part_ns / (double)whole_ns * FULL);
}

/* What the spans first … last − 1 have in common. */
struct fold {
    int64_t busy_ns;
    int64_t waiting_ns; /* of all but the first */
    int64_t longest_ns;
    uint32_t name; /* of the longest of the first LOOKED_AT */
};

static struct fold look_at(const struct access *at, uint32_t first, uint32_t last)
{
    struct fold fold = {.longest_ns = -1};
    uint32_t looked_at = last - first < LOOKED_AT ? last : first + LOOKED_AT;

    for (uint32_t i = first; i < looked_at; i++) {
        uint32_t span = at->lane->order[i];
        int64_t duration_ns = gp_view_narrow_get(&at->spans->duration_ns, span);

        fold.busy_ns += duration_ns;
        fold.waiting_ns += i > first ? gp_view_waiting_ns(at->spans, span) : 0;
        if (duration_ns > fold.longest_ns) {
            fold.longest_ns = duration_ns;
            fold.name = at->spans->name[span];
        }
    }
    if (looked_at < last) {
        fold.busy_ns += busy_before(at, last) - busy_before(at, looked_at);
        fold.waiting_ns += waits_before(at, last) - waits_before(at, looked_at);
    }
    return fold;
}

/* The spans first … last − 1 in one piece. */
static void add_fold(const struct access *at, uint32_t first, uint32_t last,
                     struct gp_view_pieces *out)
{
    struct fold fold = look_at(at, first, last);
    struct gp_view_piece piece = {.begin_ns = begin_at(at, first),
                                  .end_ns = end_at(at, last - 1),
                                  .span = GP_VIEW_NONE,
                                  .name = fold.name};
    int64_t length_ns = piece.end_ns - piece.begin_ns;
    int64_t free_ns = length_ns - fold.busy_ns;
    int64_t waiting_ns = fold.waiting_ns < free_ns ? fold.waiting_ns : free_ns;

    piece.busy = fold.busy_ns > 0 ? share(fold.busy_ns, length_ns) : length_ns > 0 ? 1 : FULL;
    piece.waiting = waiting_ns > 0 ? share(waiting_ns, length_ns) : 0;
    add(out, piece);
}

static void add_span(const struct access *at, uint32_t position, struct gp_view_pieces *out)
{
    uint32_t span = at->lane->order[position];

    add(out, (struct gp_view_piece){.begin_ns = begin_at(at, position),
                                    .end_ns = end_at(at, position),
                                    .span = span,
                                    .name = at->spans->name[span],
                                    .busy = FULL});
}

static void add_wait(const struct access *at, uint32_t position, struct gp_view_pieces *out)
{
    uint32_t span = at->lane->order[position];
    int64_t ready_ns = gp_view_lane_ready_ns(at->timeline, at->lane, position);
    int64_t begin_ns = begin_at(at, position);

    if (ready_ns < begin_ns) {
        add(out, (struct gp_view_piece){.begin_ns = ready_ns,
                                        .end_ns = begin_ns,
                                        .span = span,
                                        .name = at->spans->name[span],
                                        .waiting = FULL});
    }
}

/* Span by span; those that begin in the same 2^shift ns become one piece. */
static void query_spans(const struct access *at, int64_t begin_ns, int64_t end_ns, unsigned shift,
                        struct gp_view_pieces *out)
{
    uint32_t position = gp_view_lane_seek(at->timeline, at->lane, begin_ns);

    while (position < at->lane->count &&
           gp_view_lane_ready_ns(at->timeline, at->lane, position) < end_ns) {
        int64_t bin_end_ns = gp_view_bin_ns((begin_at(at, position) >> shift) + 1, shift);
        uint32_t next = gallop_from(at, position, bin_end_ns);

        /* The last of them may be a long one. */
        if (next - position > 1 && end_at(at, next - 1) > bin_end_ns) {
            next--;
        }
        add_wait(at, position, out);
        if (next - position > 1) {
            add_fold(at, position, next, out);
        } else {
            add_span(at, position, out);
            next = position + 1;
        }
        position = next;
    }
}

/* Where a full bin lies inside a span that is longer than two bins: the span's part up to the last
 * full bin, and the bin after that. */
static bool add_long(const struct access *at, int64_t bin, unsigned shift,
                     struct gp_view_pieces *out, int64_t *next)
{
    int64_t begin_ns = gp_view_bin_ns(bin, shift);
    uint32_t position = gp_view_lane_seek(at->timeline, at->lane, begin_ns);
    int64_t after;

    if (position == at->lane->count || begin_at(at, position) > begin_ns) {
        return false;
    }
    after = end_at(at, position) >> shift;
    if (after < bin + 2) {
        return false;
    }
    add_span(at, position, out);
    out->items[out->count - 1].begin_ns = begin_ns;
    out->items[out->count - 1].end_ns = gp_view_bin_ns(after, shift);
    *next = after;
    return true;
}

static void query_bins(const struct access *at, int64_t begin_ns, int64_t end_ns, uint32_t level,
                       struct gp_view_pieces *out)
{
    const struct gp_view_bins *bins = &at->lane->pyramid.levels[level];
    unsigned shift = at->lane->pyramid.shift + level;
    int64_t bin = begin_ns >> shift, last = (end_ns - 1) >> shift;
    int64_t next;

    bin = bin > bins->first ? bin : bins->first;
    last = last < bins->first + bins->count - 1 ? last : bins->first + bins->count - 1;
    for (; bin <= last; bin = next) {
        size_t i = (size_t)(bin - bins->first);

        next = bin + 1;
        if (bins->busy[i] == 0 && bins->waiting[i] == 0) {
            continue;
        }
        /* To look for the span is slow: only where it can be longer than two bins. */
        if (bins->by_name[i] == FULL && i + 1 < bins->count && bins->by_name[i + 1] == FULL &&
            bins->name[i + 1] == bins->name[i] && add_long(at, bin, shift, out, &next)) {
            continue;
        }
        add(out, (struct gp_view_piece){.begin_ns = gp_view_bin_ns(bin, shift),
                                        .end_ns = gp_view_bin_ns(next, shift),
                                        .span = GP_VIEW_NONE,
                                        .name = bins->name[i],
                                        .busy = bins->busy[i],
                                        .waiting = bins->waiting[i]});
    }
}

void gp_view_lane_query(const struct gp_view_timeline *timeline, const struct gp_view_lane *lane,
                        int64_t begin_ns, int64_t end_ns, double pixel_ns,
                        struct gp_view_pieces *out)
{
    struct access at = open_lane(timeline, lane);
    uint32_t level = gp_view_pyramid_level(&lane->pyramid, pixel_ns);
    unsigned shift = 0;

    assert(begin_ns < end_ns && pixel_ns > 0);
    out->count = 0;
    if (level == GP_VIEW_LEVELS_MAX && at.spans->weight != NULL) {
        level = 0;
    }
    if (level != GP_VIEW_LEVELS_MAX) {
        query_bins(&at, begin_ns, end_ns, level, out);
        return;
    }
    while (shift < 62 && (double)(INT64_C(2) << shift) <= pixel_ns) {
        shift++;
    }
    query_spans(&at, begin_ns, end_ns, shift, out);
}
