/* Spans onto lanes: see lanes.h. Spans of an owner are put in order of their begin and then, first
 * fit, on the highest lane that is free. */
#include "viewer/layout/lanes.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "probe/memory.h"

/* Whose lane a span belongs on, as an index below owner_count; GP_VIEW_NONE: none. */
typedef uint32_t owner_fn(const struct gp_view_spans *spans, uint32_t span);

static uint32_t stream_of(const struct gp_view_spans *spans, uint32_t span)
{
    return spans->stream[span];
}

static uint32_t engine_of(const struct gp_view_spans *spans, uint32_t span)
{
    return spans->engine[span] >= 0 ? (uint32_t)spans->engine[span] : GP_VIEW_NONE;
}

static uint32_t thread_of(const struct gp_view_spans *spans, uint32_t span)
{
    return spans->thread[span];
}

enum { OWNERS_MAX = 256, HELPERS_MAX = 7 };

static const struct group {
    enum gp_view_owner owner;
    enum gp_view_table table;
    owner_fn *owner_of;
} groups[] = {
    {GP_VIEW_STREAM, GP_VIEW_OPS, stream_of},
    {GP_VIEW_ENGINE, GP_VIEW_OPS, engine_of},
    {GP_VIEW_RANGE_THREAD, GP_VIEW_RANGES, thread_of},
    {GP_VIEW_CALL_THREAD, GP_VIEW_CALLS, thread_of},
};

/* ---- order --------------------------------------------------------------------------------- */

struct key {
    int64_t begin_ns, end_ns;
    uint32_t span;
};

/* At the same begin spans without duration come first, then longer before shorter ones: so the
 * former fit in between, and what encloses lies above what it encloses. */
static int compare_keys(const void *left, const void *right)
{
    const struct key *a = left, *b = right;
    bool is_a_empty = a->begin_ns == a->end_ns, is_b_empty = b->begin_ns == b->end_ns;

    if (a->begin_ns != b->begin_ns) {
        return a->begin_ns < b->begin_ns ? -1 : 1;
    }
    if (is_a_empty != is_b_empty) {
        return is_a_empty ? -1 : 1;
    }
    if (a->end_ns != b->end_ns) {
        return a->end_ns > b->end_ns ? -1 : 1;
    }
    return (a->span > b->span) - (a->span < b->span);
}

static struct key key_of(const struct gp_view_spans *spans, uint32_t span)
{
    return (struct key){spans->begin_ns[span], gp_view_end_ns(spans, span), span};
}

static bool is_sorted(const struct gp_view_spans *spans, const uint32_t *order, uint32_t count)
{
    struct key before = count > 0 ? key_of(spans, order[0]) : (struct key){0};

    for (uint32_t i = 1; i < count; i++) {
        struct key key = key_of(spans, order[i]);

        if (compare_keys(&before, &key) > 0) {
            return false;
        }
        before = key;
    }
    return true;
}

static void sort_spans(const struct gp_view_spans *spans, uint32_t *order, uint32_t count)
{
    struct key *keys;

    if (is_sorted(spans, order, count)) {
        return;
    }
    keys = gp_xalloc(count, sizeof *keys);
    for (uint32_t i = 0; i < count; i++) {
        keys[i] = key_of(spans, order[i]);
    }
    qsort(keys, count, sizeof *keys, compare_keys);
    for (uint32_t i = 0; i < count; i++) {
        order[i] = keys[i].span;
    }
    gp_free(keys);
}

/* ---- lanes --------------------------------------------------------------------------------- */

static void sum_up(const struct gp_view_timeline *timeline, struct gp_view_lane *lane)
{
    const struct gp_view_spans *spans = gp_view_lane_spans(timeline, lane);
    uint32_t blocks = lane->count / GP_VIEW_BLOCK + 1;
    int64_t busy_ns = 0, waits_ns = 0;

    lane->busy_ns = gp_xalloc(blocks, sizeof *lane->busy_ns);
    if (spans->waiting_ns.count > 0) {
        lane->waits_ns = gp_xalloc(blocks, sizeof *lane->waits_ns);
    }
    for (uint32_t i = 0; i < lane->count; i++) {
        if (i % GP_VIEW_BLOCK == 0) {
            lane->busy_ns[i / GP_VIEW_BLOCK] = busy_ns;
            if (lane->waits_ns != NULL) {
                lane->waits_ns[i / GP_VIEW_BLOCK] = waits_ns;
            }
        }
        busy_ns += gp_view_narrow_get(&spans->duration_ns, lane->order[i]);
        waits_ns += gp_view_waiting_ns(spans, lane->order[i]);
    }
    if (lane->count % GP_VIEW_BLOCK == 0) {
        lane->busy_ns[blocks - 1] = busy_ns;
        if (lane->waits_ns != NULL) {
            lane->waits_ns[blocks - 1] = waits_ns;
        }
    }
}

/* The lane of each span in order; GP_VIEW_DEPTH_MAX where none is free. Returns how many lanes. */
static uint32_t choose_depths(const struct gp_view_spans *spans, const uint32_t *order,
                              uint32_t count, uint16_t *depths)
{
    int64_t free_ns[GP_VIEW_DEPTH_MAX];
    uint32_t used = 0;

    for (uint32_t i = 0; i < count; i++) {
        int64_t begin_ns = spans->begin_ns[order[i]];
        uint32_t depth = 0;

        while (depth < used && free_ns[depth] > begin_ns) {
            depth++;
        }
        depths[i] = (uint16_t)depth;
        if (depth < GP_VIEW_DEPTH_MAX) {
            used += depth == used;
            free_ns[depth] = gp_view_end_ns(spans, order[i]);
        }
    }
    return used;
}

/* The spans of one owner, which become its lanes. */
struct owner {
    struct gp_view_lane whole; /* what its lanes share, and the order of all */
    struct gp_view_lane *lanes;
    uint32_t lane_count, undrawn;
};

static void add_lane(struct owner *owner, const struct gp_view_timeline *timeline,
                     struct gp_view_lane lane)
{
    struct gp_view_lane *added = &owner->lanes[owner->lane_count++];

    *added = lane;
    sum_up(timeline, added);
    gp_view_pyramid_build(timeline, added);
}

/* Gives the order away or releases it. */
static void build_owner(struct owner *owner, const struct gp_view_timeline *timeline)
{
    const struct gp_view_lane *whole = &owner->whole;
    const struct gp_view_spans *spans = gp_view_lane_spans(timeline, whole);
    uint16_t *depths = gp_xalloc(whole->count, sizeof *depths);
    uint32_t used, placed = 0;

    sort_spans(spans, whole->order, whole->count);
    used = choose_depths(spans, whole->order, whole->count, depths);
    owner->lanes = gp_xalloc(used, sizeof *owner->lanes);
    if (used == 1) {
        add_lane(owner, timeline, *whole);
        gp_free(depths);
        return;
    }
    for (uint32_t depth = 0; depth < used; depth++) {
        struct gp_view_lane part = *whole;

        part.depth = depth;
        part.count = 0;
        for (uint32_t i = 0; i < whole->count; i++) {
            part.count += depths[i] == depth;
        }
        part.order = gp_xalloc(part.count, sizeof *part.order);
        part.count = 0;
        for (uint32_t i = 0; i < whole->count; i++) {
            if (depths[i] == depth) {
                part.order[part.count++] = whole->order[i];
            }
        }
        placed += part.count;
        add_lane(owner, timeline, part);
    }
    owner->undrawn = whole->owner != GP_VIEW_ENGINE ? whole->count - placed : 0;
    gp_free(whole->order);
    gp_free(depths);
}

/* ---- all owners ---------------------------------------------------------------------------- */

struct work {
    struct gp_view_timeline *timeline;
    struct owner owners[sizeof groups / sizeof *groups * OWNERS_MAX];
    uint32_t owner_count;
    atomic_uint_fast32_t next; /* that nobody builds yet */
};

static void collect_group(struct work *work, const struct group *group)
{
    struct gp_view_timeline *timeline = work->timeline;
    const struct gp_view_spans *spans = &timeline->tables[group->table];
    uint32_t counts[OWNERS_MAX] = {0};
    uint32_t *orders[OWNERS_MAX] = {0};

    for (uint32_t i = 0; i < spans->count; i++) {
        uint32_t owner = group->owner_of(spans, i);

        if (spans->begin_ns[i] != GP_UNKNOWN && owner != GP_VIEW_NONE) {
            assert(owner < OWNERS_MAX);
            counts[owner]++;
        } else if (group->owner != GP_VIEW_ENGINE) {
            timeline->undrawn++;
        }
    }
    for (uint32_t k = 0; k < OWNERS_MAX; k++) {
        orders[k] = counts[k] > 0 ? gp_xalloc(counts[k], sizeof *orders[k]) : NULL;
        counts[k] = 0;
    }
    for (uint32_t i = 0; i < spans->count; i++) {
        uint32_t owner = group->owner_of(spans, i);

        if (spans->begin_ns[i] != GP_UNKNOWN && owner != GP_VIEW_NONE) {
            orders[owner][counts[owner]++] = i;
        }
    }
    for (uint32_t k = 0; k < OWNERS_MAX; k++) {
        if (counts[k] > 0) {
            work->owners[work->owner_count++].whole = (struct gp_view_lane){.table = group->table,
                                                                            .owner = group->owner,
                                                                            .owner_index = k,
                                                                            .count = counts[k],
                                                                            .order = orders[k]};
        }
    }
}

static void *build_owners(void *argument)
{
    struct work *work = argument;
    uint32_t at;

    while ((at = (uint32_t)atomic_fetch_add(&work->next, 1)) < work->owner_count) {
        build_owner(&work->owners[at], work->timeline);
    }
    return NULL;
}

/* With helpers; one that cannot be started is missed, no more. */
static void build_all(struct work *work, uint32_t threads)
{
    pthread_t helpers[HELPERS_MAX];
    uint32_t started = 0;

    while (started + 1 < threads && started < HELPERS_MAX && started + 1 < work->owner_count &&
           pthread_create(&helpers[started], NULL, build_owners, work) == 0) {
        started++;
    }
    (void)build_owners(work);
    for (uint32_t i = 0; i < started; i++) {
        (void)pthread_join(helpers[i], NULL);
    }
}

/* Takes the lanes of an owner over. */
static void append(struct gp_view_timeline *timeline, size_t *capacity, struct owner *owner)
{
    for (uint32_t i = 0; i < owner->lane_count; i++) {
        const struct gp_view_lane *lane = &owner->lanes[i];
        int64_t begin_ns = gp_view_lane_ready_ns(timeline, lane, 0);
        int64_t end_ns =
            gp_view_end_ns(gp_view_lane_spans(timeline, lane), lane->order[lane->count - 1]);

        timeline->lanes = gp_xgrow(timeline->lanes, capacity, (size_t)timeline->lane_count + 1,
                                   sizeof *timeline->lanes);
        timeline->lanes[timeline->lane_count++] = *lane;
        timeline->begin_ns = begin_ns < timeline->begin_ns ? begin_ns : timeline->begin_ns;
        timeline->end_ns = end_ns > timeline->end_ns ? end_ns : timeline->end_ns;
    }
    timeline->undrawn += owner->undrawn;
    gp_free(owner->lanes);
}

void gp_view_lanes_build(struct gp_view_timeline *timeline, uint32_t threads)
{
    struct work *work = gp_xalloc(1, sizeof *work);
    size_t capacity = 0;

    assert(timeline->lanes == NULL);
    timeline->begin_ns = INT64_MAX;
    timeline->end_ns = INT64_MIN;
    timeline->undrawn = 0;
    work->timeline = timeline;
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        collect_group(work, &groups[i]);
    }
    build_all(work, threads);
    for (uint32_t i = 0; i < work->owner_count; i++) {
        append(timeline, &capacity, &work->owners[i]);
    }
    gp_free(work);
    if (timeline->lane_count == 0) {
        timeline->begin_ns = timeline->end_ns = 0;
    }
    timeline->end_ns += timeline->end_ns == timeline->begin_ns;
}
