/* Bins of 2^k ns over a lane: see pyramid.h. The base is one walk over the spans in order; every
 * further level halves the one below. */
#include "viewer/layout/pyramid.h"

#include <assert.h>

#include "probe/memory.h"
#include "viewer/layout/timeline.h"

enum {
    SPANS_PER_BIN = 4,   /* on average at the base: the pyramid then takes 5 bytes a span */
    SAMPLE_PER_BIN = 32, /* of a sample: so many that their mean says something */
    NAMES_MAX = 8,       /* of one bin, that are told apart */
    SHARE_BITS = 46,     /* a share of a bin up to that long fits 64 bits while it is made */
};

/* One name in the bin at hand. */
struct tally {
    uint32_t name;
    int64_t ns;
};

struct builder {
    struct gp_view_bins *bins;
    unsigned shift;
    int64_t at; /* the bin at hand, counted from time 0 */
    int64_t busy_ns, waiting_ns;
    double weight; /* of the span at hand */
    struct tally names[NAMES_MAX];
    unsigned name_count;
};

/* Rounded up, so that something is never nothing. */
static uint16_t share(int64_t ns, unsigned shift, bool is_there)
{
    uint64_t part = (uint64_t)ns;
    uint64_t value;

    if (shift > SHARE_BITS) {
        part = (part >> (shift - SHARE_BITS)) + 1;
        shift = SHARE_BITS;
    }
    value = (part * UINT16_MAX + (UINT64_C(1) << shift) - 1) >> shift;
    if (value == 0 && is_there) {
        value = 1;
    }
    return value < UINT16_MAX ? (uint16_t)value : UINT16_MAX;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void flush(struct builder *builder)
{
    struct gp_view_bins *bins = builder->bins;
    size_t i = (size_t)(builder->at - bins->first);
    const struct tally *most = NULL;

    /* What is estimated may come out as more than there is room for. */
    builder->busy_ns = smaller(builder->busy_ns, INT64_C(1) << builder->shift);
    builder->waiting_ns = smaller(builder->waiting_ns, INT64_C(1) << builder->shift);
    for (unsigned k = 0; k < builder->name_count; k++) {
        if (most == NULL || builder->names[k].ns > most->ns) {
            most = &builder->names[k];
        }
    }
    assert(i < bins->count);
    bins->waiting[i] =
        builder->waiting_ns > 0 ? share(builder->waiting_ns, builder->shift, true) : 0;
    if (most != NULL) {
        bins->busy[i] = share(builder->busy_ns, builder->shift, true);
        bins->name[i] = most->name;
        bins->by_name[i] = share(smaller(most->ns, builder->busy_ns), builder->shift, true);
    }
    builder->busy_ns = builder->waiting_ns = 0;
    builder->name_count = 0;
}

/* With more names than fit, the smallest gives its place and its time to the new one: the names
 * that fill much of the bin stay. */
static void count_name(struct builder *builder, uint32_t name, int64_t ns)
{
    struct tally *least = &builder->names[0];

    for (unsigned k = 0; k < builder->name_count; k++) {
        if (builder->names[k].name == name) {
            builder->names[k].ns += ns;
            return;
        }
        least = builder->names[k].ns < least->ns ? &builder->names[k] : least;
    }
    if (builder->name_count < NAMES_MAX) {
        builder->names[builder->name_count++] = (struct tally){name, ns};
        return;
    }
    least->name = name;
    least->ns += ns;
}

/* Intervals come in ascending order and do not overlap. name GP_VIEW_NONE: waiting. */
static void add(struct builder *builder, int64_t begin_ns, int64_t end_ns, uint32_t name)
{
    int64_t at = begin_ns >> builder->shift;
    int64_t last = end_ns > begin_ns ? (end_ns - 1) >> builder->shift : at;

    for (; at <= last; at++) {
        int64_t from_ns =
            at == begin_ns >> builder->shift ? begin_ns : gp_view_bin_ns(at, builder->shift);
        int64_t to_ns = at == last ? end_ns : gp_view_bin_ns(at + 1, builder->shift);
        int64_t length_ns = (int64_t)((double)(to_ns - from_ns) * builder->weight);

        if (at != builder->at) {
            flush(builder);
            builder->at = at;
        }
        if (name == GP_VIEW_NONE) {
            builder->waiting_ns += length_ns;
        } else {
            builder->busy_ns += length_ns;
            count_name(builder, name, length_ns);
        }
    }
}

static void init_bins(struct gp_view_bins *bins, int64_t first, int64_t last)
{
    bins->first = first;
    bins->count = (uint32_t)(last - first + 1);
    bins->busy = gp_xalloc(bins->count, sizeof *bins->busy);
    bins->waiting = gp_xalloc(bins->count, sizeof *bins->waiting);
    bins->name = gp_xalloc(bins->count, sizeof *bins->name);
    bins->by_name = gp_xalloc(bins->count, sizeof *bins->by_name);
    for (uint32_t i = 0; i < bins->count; i++) {
        bins->name[i] = GP_VIEW_NONE;
    }
}

/* Of one level up: bin `to` of `above` out of the bins that it covers. */
static void halve(const struct gp_view_bins *bins, struct gp_view_bins *above)
{
    for (uint32_t i = 0; i < bins->count; i++) {
        uint32_t to = (uint32_t)(((bins->first + i) >> 1) - above->first);
        bool is_first = i == 0 || ((bins->first + i) & 1) == 0;
        uint32_t busy = bins->busy[i], waiting = bins->waiting[i], by_name = bins->by_name[i];

        if (!is_first && above->name[to] == bins->name[i]) {
            by_name += above->by_name[to];
        } else if (is_first || by_name > above->by_name[to]) {
            above->name[to] = bins->name[i];
        } else {
            by_name = above->by_name[to];
        }
        busy += is_first ? 0 : above->busy[to];
        waiting += is_first ? 0 : above->waiting[to];
        /* The second half comes later, or never: the sum is halved when it is complete. */
        if (is_first && i + 1 < bins->count && ((bins->first + i) & 1) == 0) {
            above->busy[to] = (uint16_t)busy;
            above->waiting[to] = (uint16_t)waiting;
            above->by_name[to] = (uint16_t)by_name;
        } else {
            above->busy[to] = (uint16_t)((busy + 1) / 2);
            above->waiting[to] = (uint16_t)((waiting + 1) / 2);
            above->by_name[to] = (uint16_t)((by_name + 1) / 2);
        }
    }
}

static unsigned choose_shift(uint32_t bins, int64_t begin_ns, int64_t end_ns)
{
    /* Two at least: no bin lies on both sides of 0. */
    int64_t bins_max = (int64_t)bins + 2;
    unsigned shift = 0;

    while ((end_ns >> shift) - (begin_ns >> shift) >= bins_max) {
        shift++;
    }
    return shift;
}

static void build_base(const struct gp_view_timeline *timeline, const struct gp_view_lane *lane,
                       struct gp_view_pyramid *pyramid)
{
    const struct gp_view_spans *spans = gp_view_lane_spans(timeline, lane);
    struct gp_view_bins *bins = &pyramid->levels[0];
    int64_t begin_ns = gp_view_lane_ready_ns(timeline, lane, 0);
    int64_t end_ns = gp_view_end_ns(spans, lane->order[lane->count - 1]);
    struct builder builder = {.bins = bins};

    pyramid->shift = choose_shift(
        lane->count / (spans->weight != NULL ? SAMPLE_PER_BIN : SPANS_PER_BIN), begin_ns, end_ns);
    init_bins(bins, begin_ns >> pyramid->shift, end_ns >> pyramid->shift);
    builder.shift = pyramid->shift;
    builder.at = bins->first;
    for (uint32_t i = 0; i < lane->count; i++) {
        uint32_t span = lane->order[i];
        int64_t ready_ns = gp_view_lane_ready_ns(timeline, lane, i);
        int64_t at_ns = spans->begin_ns[span];

        builder.weight = spans->weight != NULL ? spans->weight[span] : 1;
        if (ready_ns < at_ns) {
            add(&builder, ready_ns, at_ns, GP_VIEW_NONE);
        }
        add(&builder, at_ns, gp_view_end_ns(spans, span), spans->name[span]);
    }
    flush(&builder);
}

void gp_view_pyramid_build(const struct gp_view_timeline *timeline, struct gp_view_lane *lane)
{
    struct gp_view_pyramid *pyramid = &lane->pyramid;

    if (lane->count == 0) {
        return;
    }
    build_base(timeline, lane, pyramid);
    pyramid->level_count = 1;
    /* Two bins on both sides of 0 never become one. */
    while (pyramid->levels[pyramid->level_count - 1].count > 2) {
        const struct gp_view_bins *bins = &pyramid->levels[pyramid->level_count - 1];
        struct gp_view_bins *above = &pyramid->levels[pyramid->level_count++];

        assert(pyramid->level_count < GP_VIEW_LEVELS_MAX);
        init_bins(above, bins->first >> 1, (bins->first + bins->count - 1) >> 1);
        halve(bins, above);
    }
}

void gp_view_pyramid_finish(struct gp_view_pyramid *pyramid)
{
    for (uint32_t k = 0; k < pyramid->level_count; k++) {
        gp_free(pyramid->levels[k].busy);
        gp_free(pyramid->levels[k].waiting);
        gp_free(pyramid->levels[k].name);
        gp_free(pyramid->levels[k].by_name);
    }
    *pyramid = (struct gp_view_pyramid){0};
}

uint32_t gp_view_pyramid_level(const struct gp_view_pyramid *pyramid, double bin_ns)
{
    uint32_t level = GP_VIEW_LEVELS_MAX;
    double length_ns = (double)(UINT64_C(1) << pyramid->shift);

    for (uint32_t k = 0; k < pyramid->level_count && length_ns <= bin_ns; k++) {
        level = k;
        length_ns *= 2;
    }
    return level;
}

size_t gp_view_pyramid_bytes(const struct gp_view_pyramid *pyramid)
{
    size_t bytes = 0;

    for (uint32_t k = 0; k < pyramid->level_count; k++) {
        bytes += pyramid->levels[k].count * (3 * sizeof(uint16_t) + sizeof(uint32_t));
    }
    return bytes;
}
