/* Where somebody is in a timeline: see navigator.h. */
#include "viewer/navigator.h"

#include <assert.h>
#include <string.h>

#include "probe/memory.h"
#include "viewer/layout/lane.h"

static const struct gp_view_pick nothing = {GP_VIEW_OPS, GP_VIEW_NONE, GP_VIEW_NONE};

void gp_navigator_init(struct gp_navigator *navigator, const struct gp_view_timeline *timeline)
{
    *navigator = (struct gp_navigator){
        .timeline = timeline,
        .rows = gp_view_rows_create(timeline),
        .bounds = gp_view_window_all(timeline->begin_ns, timeline->end_ns),
        .selected = nothing,
        .hovered = nothing,
        .cursor_ns = GP_UNKNOWN,
        .range_begin_ns = GP_UNKNOWN,
        .range_end_ns = GP_UNKNOWN,
    };
    navigator->window = navigator->bounds;
}

void gp_navigator_renew(struct gp_navigator *navigator, const struct gp_view_timeline *timeline)
{
    struct gp_navigator before = *navigator;
    bool is_all = before.window.begin_ns == before.bounds.begin_ns &&
                  before.window.end_ns == before.bounds.end_ns;

    gp_navigator_init(navigator, timeline);
    navigator->undo = before.undo;
    memcpy(navigator->marks_ns, before.marks_ns, sizeof navigator->marks_ns);
    navigator->mark_count = before.mark_count;
    memcpy(navigator->bookmarks, before.bookmarks, sizeof navigator->bookmarks);
    navigator->range_begin_ns = before.range_begin_ns;
    navigator->range_end_ns = before.range_end_ns;
    navigator->cursor_ns = before.cursor_ns;
    if (!is_all) {
        /* Where it still lies within the bounds. */
        navigator->window = gp_view_window_pan(before.window, navigator->bounds, 0);
    }
    gp_navigator_finish(&before);
}

void gp_navigator_finish(struct gp_navigator *navigator)
{
    gp_view_rows_destroy(navigator->rows);
    gp_free(navigator->matches);
    gp_free(navigator->hits);
    *navigator = (struct gp_navigator){0};
}

/* ---- the window ------------------------------------------------------------------------------ */

/* Where zooming holds on to. */
static int64_t centre(const struct gp_navigator *navigator)
{
    const struct gp_view_window *window = &navigator->window;

    if (navigator->cursor_ns >= window->begin_ns && navigator->cursor_ns <= window->end_ns) {
        return navigator->cursor_ns;
    }
    return window->begin_ns + (window->end_ns - window->begin_ns) / 2;
}

void gp_navigator_go(struct gp_navigator *navigator, struct gp_view_window window)
{
    gp_view_undo_push(&navigator->undo, navigator->window);
    navigator->window = window;
}

void gp_navigator_zoom(struct gp_navigator *navigator, double factor)
{
    gp_navigator_go(navigator, gp_view_window_zoom(navigator->window, navigator->bounds,
                                                   centre(navigator), factor));
}

void gp_navigator_pan(struct gp_navigator *navigator, double share)
{
    /* Moving is no step that one wants to take back. */
    navigator->window = gp_view_window_pan(navigator->window, navigator->bounds, share);
}

void gp_navigator_show_all(struct gp_navigator *navigator)
{
    gp_navigator_go(navigator, navigator->bounds);
}

void gp_navigator_fit(struct gp_navigator *navigator)
{
    int64_t begin = navigator->range_begin_ns, end = navigator->range_end_ns;

    if (begin == GP_UNKNOWN && !gp_navigator_selection(navigator, &begin, &end)) {
        return;
    }
    gp_navigator_go(navigator, gp_view_window_fit(navigator->bounds, begin, end));
}

void gp_navigator_undo(struct gp_navigator *navigator)
{
    (void)gp_view_undo_pop(&navigator->undo, &navigator->window);
}

void gp_navigator_bookmark(struct gp_navigator *navigator, unsigned number)
{
    assert(number < GP_BOOKMARKS_MAX);
    navigator->bookmarks[number] = navigator->window;
}

void gp_navigator_recall(struct gp_navigator *navigator, unsigned number)
{
    assert(number < GP_BOOKMARKS_MAX);
    if (navigator->bookmarks[number].end_ns > navigator->bookmarks[number].begin_ns) {
        gp_navigator_go(navigator, navigator->bookmarks[number]);
    }
}

/* ---- the selection --------------------------------------------------------------------------- */

bool gp_navigator_times(const struct gp_navigator *navigator, struct gp_view_pick pick,
                        int64_t *ready_ns, int64_t *begin_ns, int64_t *end_ns)
{
    const struct gp_view_spans *spans = &navigator->timeline->tables[pick.table];

    if (pick.span >= spans->count || gp_view_begin_ns(spans, pick.span) == GP_UNKNOWN) {
        return false;
    }
    *begin_ns = gp_view_begin_ns(spans, pick.span);
    *end_ns = gp_view_end_ns(spans, pick.span);
    *ready_ns = *begin_ns - gp_view_waiting_ns(spans, pick.span);
    return true;
}

bool gp_navigator_selection(const struct gp_navigator *navigator, int64_t *begin_ns,
                            int64_t *end_ns)
{
    int64_t ready;

    return gp_navigator_times(navigator, navigator->selected, &ready, begin_ns, end_ns);
}

void gp_navigator_select(struct gp_navigator *navigator, struct gp_view_pick pick, bool is_revealed)
{
    int64_t ready, begin, end;

    navigator->selected = gp_view_is_sample(navigator->timeline) ? nothing : pick;
    navigator->link_count = 0;
    if (!gp_navigator_times(navigator, navigator->selected, &ready, &begin, &end)) {
        return;
    }
    if (pick.table == GP_VIEW_OPS && navigator->edges != NULL) {
        navigator->link_count = gp_view_links_find(navigator->edges, pick.span, GP_LINK_DEPTH,
                                                   navigator->links, GP_VIEW_LINKS_MAX);
    }
    if (is_revealed) {
        navigator->window = gp_view_window_reveal(navigator->window, navigator->bounds, begin, end);
    }
}

void gp_navigator_select_op(struct gp_navigator *navigator, uint32_t op)
{
    struct gp_view_pick pick = {GP_VIEW_OPS, op,
                                gp_view_lane_of(navigator->timeline, GP_VIEW_OPS, op)};

    gp_navigator_select(navigator, pick, true);
}

/* The first span that is seen, to begin with when nothing is selected. */
static struct gp_view_pick first_seen(const struct gp_navigator *navigator)
{
    const struct gp_view_timeline *timeline = navigator->timeline;

    for (uint32_t i = 0; i < timeline->lane_count; i++) {
        const struct gp_view_lane *lane = &timeline->lanes[i];
        uint32_t position = gp_view_lane_seek(timeline, lane, navigator->window.begin_ns);

        if (position < lane->count && gp_view_rows_find(navigator->rows, i) != GP_VIEW_NONE) {
            return (struct gp_view_pick){lane->table, lane->order[position], i};
        }
    }
    return nothing;
}

static bool has_selection(const struct gp_navigator *navigator)
{
    return navigator->selected.span != GP_VIEW_NONE && navigator->selected.lane != GP_VIEW_NONE;
}

void gp_navigator_step_lane(struct gp_navigator *navigator, bool is_forward)
{
    struct gp_view_pick next = first_seen(navigator);

    if (has_selection(navigator)) {
        next = gp_view_step_lane(navigator->timeline, navigator->selected, is_forward);
    }
    gp_navigator_select(navigator, next, true);
}

void gp_navigator_step_row(struct gp_navigator *navigator, bool is_down)
{
    struct gp_view_pick next = first_seen(navigator);

    if (has_selection(navigator)) {
        next = gp_view_step_row(navigator->timeline, navigator->rows, navigator->selected, is_down);
    }
    if (next.span != GP_VIEW_NONE) {
        gp_navigator_select(navigator, next, true);
    }
}

void gp_navigator_follow(struct gp_navigator *navigator, bool is_forward)
{
    const struct gp_view_spans *ops = &navigator->timeline->tables[GP_VIEW_OPS];
    uint32_t count, best = GP_VIEW_NONE;
    const uint32_t *others;

    if (navigator->edges == NULL || navigator->selected.table != GP_VIEW_OPS ||
        navigator->selected.span == GP_VIEW_NONE) {
        return;
    }
    others = is_forward ? gp_view_edges_after(navigator->edges, navigator->selected.span, &count)
                        : gp_view_edges_before(navigator->edges, navigator->selected.span, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (gp_view_begin_ns(ops, others[i]) == GP_UNKNOWN) {
            continue;
        }
        if (best == GP_VIEW_NONE ||
            (is_forward ? gp_view_begin_ns(ops, others[i]) < gp_view_begin_ns(ops, best)
                        : gp_view_end_ns(ops, others[i]) > gp_view_end_ns(ops, best))) {
            best = others[i];
        }
    }
    if (best != GP_VIEW_NONE) {
        gp_navigator_select_op(navigator, best);
    }
}

/* ---- measuring and marking ---------------------------------------------------------------------
 */

int64_t gp_navigator_snap(const struct gp_navigator *navigator, int64_t at_ns, double reach_pixels,
                          double width)
{
    double pixel = (double)(navigator->window.end_ns - navigator->window.begin_ns) / width;

    return gp_view_snap(navigator->timeline, navigator->rows, at_ns,
                        (int64_t)(pixel * reach_pixels));
}

void gp_navigator_measure(struct gp_navigator *navigator)
{
    int64_t begin, end;

    if (gp_navigator_selection(navigator, &begin, &end)) {
        navigator->range_begin_ns = begin;
        navigator->range_end_ns = end;
    }
}

void gp_navigator_mark(struct gp_navigator *navigator)
{
    int64_t at = navigator->cursor_ns, end;
    uint32_t place = 0;

    if (at == GP_UNKNOWN && !gp_navigator_selection(navigator, &at, &end)) {
        return;
    }
    while (place < navigator->mark_count && navigator->marks_ns[place] < at) {
        place++;
    }
    if (place < navigator->mark_count && navigator->marks_ns[place] == at) {
        navigator->mark_count--;
        memmove(&navigator->marks_ns[place], &navigator->marks_ns[place + 1],
                (navigator->mark_count - place) * sizeof navigator->marks_ns[0]);
    } else if (navigator->mark_count < GP_MARKS_MAX) {
        memmove(&navigator->marks_ns[place + 1], &navigator->marks_ns[place],
                (navigator->mark_count - place) * sizeof navigator->marks_ns[0]);
        navigator->marks_ns[place] = at;
        navigator->mark_count++;
    }
}

void gp_navigator_clear(struct gp_navigator *navigator)
{
    navigator->range_begin_ns = GP_UNKNOWN;
    navigator->range_end_ns = GP_UNKNOWN;
    navigator->mark_count = 0;
}

/* ---- searching ---------------------------------------------------------------------------------
 */

void gp_navigator_search(struct gp_navigator *navigator, const char *text)
{
    gp_free(navigator->matches);
    gp_free(navigator->hits);
    navigator->matches = NULL;
    navigator->hits = NULL;
    navigator->hit_count = 0;
    if (text[0] == '\0') {
        return;
    }
    navigator->matches = gp_xalloc(navigator->timeline->name_count, 1);
    navigator->hits = gp_xalloc(GP_HITS_MAX, 1);
    (void)gp_view_search_names(navigator->timeline, text, navigator->matches);
    navigator->hit_count = gp_view_search_hits(navigator->timeline, navigator->matches,
                                               navigator->bounds, navigator->hits, GP_HITS_MAX);
}

void gp_navigator_step_hit(struct gp_navigator *navigator, bool is_forward)
{
    struct gp_view_pick next;

    if (navigator->matches == NULL) {
        return;
    }
    next = gp_view_search_step(navigator->timeline, navigator->rows, navigator->matches,
                               navigator->selected, is_forward);
    if (next.span != GP_VIEW_NONE) {
        gp_navigator_select(navigator, next, true);
    }
}

/* ---- for who draws
 * ------------------------------------------------------------------------------- */

struct gp_view_overlay gp_navigator_overlay(const struct gp_navigator *navigator)
{
    return (struct gp_view_overlay){
        .selected = navigator->selected,
        .hovered = navigator->hovered,
        .cursor_ns = navigator->cursor_ns,
        .range_begin_ns = navigator->range_begin_ns,
        .range_end_ns = navigator->range_end_ns,
        .marks_ns = navigator->marks_ns,
        .mark_count = navigator->mark_count,
        .links = navigator->links,
        .link_count = navigator->link_count,
    };
}
