/* Finding spans: see search.h. */
#include "viewer/layout/search.h"

#include <assert.h>
#include <string.h>

#include "probe/memory.h"
#include "viewer/layout/lane.h"
#include "viewer/layout/text.h"

uint32_t gp_view_search_names(const struct gp_view_timeline *timeline, const char *text,
                              uint8_t *matches)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < timeline->name_count; i++) {
        matches[i] = text[0] != '\0' && gp_view_text_contains(timeline->names[i], text);
        count += matches[i];
    }
    return count;
}

static void mark_hits(struct gp_view_window bounds, int64_t begin_ns, int64_t end_ns, uint8_t *hits,
                      uint32_t count)
{
    double first = gp_view_window_x(bounds, count, begin_ns);
    double last = gp_view_window_x(bounds, count, end_ns);
    uint32_t from = first <= 0 ? 0 : first < count ? (uint32_t)first : count;
    uint32_t to = last <= 0 ? 0 : last < count ? (uint32_t)last : count - 1;

    for (uint32_t i = from; i <= to; i++) {
        hits[i] = 1;
    }
}

uint64_t gp_view_search_hits(const struct gp_view_timeline *timeline, const uint8_t *matches,
                             struct gp_view_window bounds, uint8_t *hits, uint32_t count)
{
    uint64_t found = 0;

    if (hits != NULL) {
        memset(hits, 0, count);
    }
    for (int table = 0; table < GP_VIEW_TABLE_COUNT; table++) {
        const struct gp_view_spans *spans = &timeline->tables[table];

        for (uint32_t i = 0; i < spans->count; i++) {
            if (matches[spans->name[i]] == 0 || spans->begin_ns[i] == GP_UNKNOWN) {
                continue;
            }
            found++;
            if (hits != NULL) {
                mark_hits(bounds, spans->begin_ns[i], gp_view_end_ns(spans, i), hits, count);
            }
        }
    }
    return found;
}

/* Whether the search looks at a lane: it is shown, and not an engine's, whose operations are on
 * their streams too. */
static bool is_searched(const struct gp_view_timeline *timeline, const struct gp_view_rows *rows,
                        uint32_t lane)
{
    return timeline->lanes[lane].owner != GP_VIEW_ENGINE &&
           gp_view_rows_find(rows, lane) != GP_VIEW_NONE;
}

/* Spans in the order of a search: by begin, then by lane, then as on the lane. */
struct place {
    int64_t begin_ns;
    uint32_t lane, position;
};

static bool is_before(const struct place *a, const struct place *b)
{
    if (a->begin_ns != b->begin_ns) {
        return a->begin_ns < b->begin_ns;
    }
    return a->lane != b->lane ? a->lane < b->lane : a->position < b->position;
}

static struct place place_of(const struct gp_view_timeline *timeline, uint32_t lane,
                             uint32_t position)
{
    const struct gp_view_lane *at = &timeline->lanes[lane];

    return (struct place){gp_view_lane_spans(timeline, at)->begin_ns[at->order[position]], lane,
                          position};
}

/* The match on a lane next to `from` (not itself), or with from NULL the first or last one. False:
 * none. */
static bool find_on_lane(const struct gp_view_timeline *timeline, uint32_t lane,
                         const uint8_t *matches, const struct place *from, bool is_forward,
                         struct place *out)
{
    const struct gp_view_lane *at = &timeline->lanes[lane];
    const struct gp_view_spans *spans = gp_view_lane_spans(timeline, at);
    uint32_t low = 0, high = at->count;

    /* low: the first that does not lie before `from`. */
    while (from != NULL && low < high) {
        uint32_t middle = low + (high - low) / 2;
        struct place place = place_of(timeline, lane, middle);

        if (is_before(&place, from)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (from != NULL && is_forward && lane == from->lane && low == from->position) {
        low++;
    }
    if (from == NULL && !is_forward) {
        low = at->count;
    }
    while (is_forward ? low < at->count : low > 0) {
        uint32_t position = is_forward ? low++ : --low;

        if (matches[spans->name[at->order[position]]] != 0) {
            *out = place_of(timeline, lane, position);
            return true;
        }
    }
    return false;
}

static bool find(const struct gp_view_timeline *timeline, const struct gp_view_rows *rows,
                 const uint8_t *matches, const struct place *from, bool is_forward,
                 struct place *out)
{
    bool is_found = false;

    for (uint32_t i = 0; i < timeline->lane_count; i++) {
        struct place place;

        if (!is_searched(timeline, rows, i) ||
            !find_on_lane(timeline, i, matches, from, is_forward, &place)) {
            continue;
        }
        if (!is_found || (is_forward ? is_before(&place, out) : is_before(out, &place))) {
            *out = place;
        }
        is_found = true;
    }
    return is_found;
}

static const struct gp_view_pick nothing = {GP_VIEW_OPS, GP_VIEW_NONE, GP_VIEW_NONE};

static struct gp_view_pick pick_of(const struct gp_view_timeline *timeline, uint32_t lane,
                                   uint32_t position)
{
    const struct gp_view_lane *at = &timeline->lanes[lane];

    return (struct gp_view_pick){at->table, at->order[position], lane};
}

struct gp_view_pick gp_view_search_step(const struct gp_view_timeline *timeline,
                                        const struct gp_view_rows *rows, const uint8_t *matches,
                                        struct gp_view_pick from, bool is_forward)
{
    struct place at = {0}, found;
    bool has_from = false;

    /* From an engine's lane the same operation is looked for on its stream's. */
    if (from.span != GP_VIEW_NONE) {
        at.lane = gp_view_lane_of(timeline, from.table, from.span);
        has_from = at.lane != GP_VIEW_NONE;
    }
    if (has_from) {
        at = place_of(timeline, at.lane,
                      gp_view_lane_position(timeline, &timeline->lanes[at.lane], from.span));
        if (find(timeline, rows, matches, &at, is_forward, &found)) {
            return pick_of(timeline, found.lane, found.position);
        }
    }
    return find(timeline, rows, matches, NULL, is_forward, &found)
               ? pick_of(timeline, found.lane, found.position)
               : nothing;
}

struct gp_view_pick gp_view_step_lane(const struct gp_view_timeline *timeline,
                                      struct gp_view_pick from, bool is_forward)
{
    uint32_t position =
        from.span == GP_VIEW_NONE
            ? GP_VIEW_NONE
            : gp_view_lane_position(timeline, &timeline->lanes[from.lane], from.span);

    if (position == GP_VIEW_NONE ||
        (is_forward ? position + 1 == timeline->lanes[from.lane].count : position == 0)) {
        return from;
    }
    return pick_of(timeline, from.lane, is_forward ? position + 1 : position - 1);
}

/* The span of a lane that is nearest to a moment. */
static uint32_t nearest(const struct gp_view_timeline *timeline, const struct gp_view_lane *lane,
                        int64_t at_ns)
{
    const struct gp_view_spans *spans = gp_view_lane_spans(timeline, lane);
    uint32_t position = gp_view_lane_seek(timeline, lane, at_ns);
    int64_t after_ns, before_ns;

    if (position == lane->count) {
        return position - 1;
    }
    after_ns = spans->begin_ns[lane->order[position]] - at_ns;
    if (position == 0 || after_ns <= 0) {
        return position;
    }
    before_ns = at_ns - gp_view_end_ns(spans, lane->order[position - 1]);
    return before_ns < after_ns ? position - 1 : position;
}

struct gp_view_pick gp_view_step_row(const struct gp_view_timeline *timeline,
                                     const struct gp_view_rows *rows, struct gp_view_pick from,
                                     bool is_down)
{
    uint32_t shown_count, all_count, at = 0, lane = from.lane;
    const uint32_t *shown = gp_view_rows_shown(rows, &shown_count);
    const struct gp_view_row *all = gp_view_rows_all(rows, &all_count);
    uint32_t row = from.span == GP_VIEW_NONE ? GP_VIEW_NONE : gp_view_rows_find(rows, lane);
    const struct gp_view_spans *spans;
    int64_t middle_ns;

    if (row == GP_VIEW_NONE) {
        return from;
    }
    spans = &timeline->tables[from.table];
    middle_ns =
        gp_view_begin_ns(spans, from.span) + gp_view_narrow_get(&spans->duration_ns, from.span) / 2;
    /* Another strip of the same row comes first. */
    if (gp_view_row_strips(&all[row]) > 1 &&
        (is_down ? lane + 1 < all[row].lane_first + all[row].lane_count
                 : lane > all[row].lane_first)) {
        lane = is_down ? lane + 1 : lane - 1;
        return pick_of(timeline, lane, nearest(timeline, &timeline->lanes[lane], middle_ns));
    }
    while (shown[at] != row) {
        at++;
    }
    while (is_down ? ++at < shown_count : at-- > 0) {
        const struct gp_view_row *next = &all[shown[at]];

        /* Rows of rows repeat what the rows below them show. */
        if (next->lane_count > 0 && (next->is_leaf || next->is_folded)) {
            lane = is_down ? next->lane_first : next->lane_first + gp_view_row_strips(next) - 1;
            return pick_of(timeline, lane, nearest(timeline, &timeline->lanes[lane], middle_ns));
        }
    }
    return from;
}

/* What a moment is drawn to. */
struct snap {
    int64_t at_ns, best_ns, away_ns;
};

static void try_edge(struct snap *snap, int64_t edge_ns)
{
    int64_t away_ns = edge_ns > snap->at_ns ? edge_ns - snap->at_ns : snap->at_ns - edge_ns;

    if (away_ns < snap->away_ns || (away_ns == snap->away_ns && snap->best_ns == snap->at_ns)) {
        snap->away_ns = away_ns;
        snap->best_ns = edge_ns;
    }
}

int64_t gp_view_snap(const struct gp_view_timeline *timeline, const struct gp_view_rows *rows,
                     int64_t at_ns, int64_t reach_ns)
{
    struct snap snap = {at_ns, at_ns, reach_ns};

    for (uint32_t i = 0; i < timeline->lane_count; i++) {
        const struct gp_view_lane *lane = &timeline->lanes[i];
        const struct gp_view_spans *spans = gp_view_lane_spans(timeline, lane);
        uint32_t position = gp_view_lane_seek(timeline, lane, at_ns);

        if (gp_view_rows_find(rows, i) == GP_VIEW_NONE) {
            continue;
        }
        /* The span there or after it, and the one before. */
        for (uint32_t k = position > 0 ? position - 1 : 0; k <= position && k < lane->count; k++) {
            try_edge(&snap, gp_view_begin_ns(spans, lane->order[k]));
            try_edge(&snap, gp_view_end_ns(spans, lane->order[k]));
        }
    }
    return snap.best_ns;
}
