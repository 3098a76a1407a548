/* The tree of rows: see rows.h. Rows keep their index; `order` is the tree from top to bottom. */
#include "viewer/layout/rows.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "probe/memory.h"
#include "viewer/layout/text.h"

struct gp_view_rows {
    const struct gp_view_timeline *timeline;
    struct gp_view_row *rows;
    uint32_t *order, *shown;
    uint32_t count, shown_count;
    size_t capacity;
    char *filter;
};

/* ---- what is shown ------------------------------------------------------------------------- */

static bool matches(const struct gp_view_rows *rows, uint32_t row)
{
    return rows->filter == NULL || gp_view_text_contains(rows->rows[row].label, rows->filter);
}

/* A row is there for its own label, for that of a parent, or for that of a row below it. */
static bool passes_filter(const struct gp_view_rows *rows, uint32_t row)
{
    for (uint32_t at = row; at != GP_VIEW_NONE; at = rows->rows[at].parent) {
        if (matches(rows, at)) {
            return true;
        }
    }
    for (uint32_t i = 0; i < rows->count; i++) {
        for (uint32_t at = rows->rows[i].parent; at != GP_VIEW_NONE; at = rows->rows[at].parent) {
            if (at == row && matches(rows, i)) {
                return true;
            }
        }
    }
    return false;
}

static bool is_open(const struct gp_view_rows *rows, uint32_t row)
{
    if (rows->rows[row].is_hidden || rows->rows[row].is_pinned) {
        return false;
    }
    for (uint32_t at = rows->rows[row].parent; at != GP_VIEW_NONE; at = rows->rows[at].parent) {
        if (rows->rows[at].is_folded || rows->rows[at].is_hidden) {
            return false;
        }
    }
    return passes_filter(rows, row);
}

static void show(struct gp_view_rows *rows)
{
    rows->shown_count = 0;
    for (uint32_t i = 0; i < rows->count; i++) {
        if (rows->rows[rows->order[i]].is_pinned && !rows->rows[rows->order[i]].is_hidden) {
            rows->shown[rows->shown_count++] = rows->order[i];
        }
    }
    for (uint32_t i = 0; i < rows->count; i++) {
        if (is_open(rows, rows->order[i])) {
            rows->shown[rows->shown_count++] = rows->order[i];
        }
    }
}

/* ---- making -------------------------------------------------------------------------------- */

static uint32_t add_row(struct gp_view_rows *rows, enum gp_view_row_kind kind, uint32_t parent,
                        const char *label)
{
    struct gp_view_row *row;

    rows->rows = gp_xgrow(rows->rows, &rows->capacity, (size_t)rows->count + 1, sizeof *rows->rows);
    row = &rows->rows[rows->count];
    row->kind = kind;
    row->parent = parent;
    row->is_leaf = parent != GP_VIEW_NONE;
    row->level = parent == GP_VIEW_NONE ? 0 : rows->rows[parent].level + 1;
    (void)snprintf(row->label, sizeof row->label, "%s", label);
    return rows->count++;
}

/* Gives a leaf the lanes of its owner, which follow one another, and its parent all of them. */
static void take_lanes(struct gp_view_rows *rows, uint32_t row, enum gp_view_owner owner,
                       uint32_t owner_index)
{
    const struct gp_view_timeline *timeline = rows->timeline;
    struct gp_view_row *leaf = &rows->rows[row];
    struct gp_view_row *parent = &rows->rows[leaf->parent];

    for (uint32_t i = 0; i < timeline->lane_count; i++) {
        if (timeline->lanes[i].owner == owner && timeline->lanes[i].owner_index == owner_index) {
            leaf->lane_first = leaf->lane_count == 0 ? i : leaf->lane_first;
            leaf->lane_count++;
        }
    }
    leaf->can_fold = leaf->lane_count > 1;
    parent->can_fold = true;
    if (leaf->lane_count > 0) {
        parent->lane_first = parent->lane_count == 0 ? leaf->lane_first : parent->lane_first;
        parent->lane_count = leaf->lane_first + leaf->lane_count - parent->lane_first;
    }
}

static void add_streams(struct gp_view_rows *rows)
{
    const struct gp_view_timeline *timeline = rows->timeline;
    char label[160];
    uint32_t parent;

    (void)snprintf(label, sizeof label, "%.120s%s",
                   timeline->device != NULL ? timeline->device : "device",
                   timeline->is_modelled ? " (modelled)" : "");
    parent = add_row(rows, GP_VIEW_ROW_DEVICE, GP_VIEW_NONE, label);
    for (uint32_t i = 0; i < timeline->stream_count; i++) {
        const struct gp_view_stream *stream = &timeline->streams[i];
        char name[104];

        if (stream->name[0] != '\0') {
            (void)snprintf(name, sizeof name, "%.100s", stream->name);
        } else {
            (void)snprintf(name, sizeof name, "stream %u", (unsigned)stream->id);
        }
        (void)snprintf(label, sizeof label, "%s%s%.40s", name, stream->role[0] != '\0' ? " · " : "",
                       stream->role);
        take_lanes(rows, add_row(rows, GP_VIEW_ROW_STREAM, parent, label), GP_VIEW_STREAM, i);
    }
}

static bool has_lanes(const struct gp_view_timeline *timeline, enum gp_view_owner owner,
                      uint32_t owner_index)
{
    for (uint32_t i = 0; i < timeline->lane_count; i++) {
        if (timeline->lanes[i].owner == owner && timeline->lanes[i].owner_index == owner_index) {
            return true;
        }
    }
    return false;
}

/* Groups whose children are numbered; those without lanes are left out. */
static const struct group {
    enum gp_view_owner owner;
    enum gp_view_row_kind kind, leaf_kind;
    const char *label, *leaf_label;
    bool is_folded;
} groups[] = {
    {GP_VIEW_ENGINE, GP_VIEW_ROW_ENGINES, GP_VIEW_ROW_ENGINE, "copy engines", "engine", false},
    {GP_VIEW_RANGE_THREAD, GP_VIEW_ROW_RANGES, GP_VIEW_ROW_RANGE_THREAD, "ranges (NVTX)", "thread",
     true},
    {GP_VIEW_CALL_THREAD, GP_VIEW_ROW_CALLS, GP_VIEW_ROW_CALL_THREAD, "host calls", "thread", true},
};

static void add_group(struct gp_view_rows *rows, const struct group *group)
{
    const struct gp_view_timeline *timeline = rows->timeline;
    uint32_t count = group->owner == GP_VIEW_ENGINE ? INT8_MAX + 1 : timeline->thread_count;
    uint32_t parent = GP_VIEW_NONE;
    char label[40];

    for (uint32_t i = 0; i < count; i++) {
        if (!has_lanes(timeline, group->owner, i)) {
            continue;
        }
        if (parent == GP_VIEW_NONE) {
            parent = add_row(rows, group->kind, GP_VIEW_NONE, group->label);
            rows->rows[parent].is_folded = group->is_folded;
        }
        (void)snprintf(label, sizeof label, "%s %u", group->leaf_label,
                       (unsigned)(group->owner == GP_VIEW_ENGINE ? i : timeline->threads[i]));
        take_lanes(rows, add_row(rows, group->leaf_kind, parent, label), group->owner, i);
    }
}

struct gp_view_rows *gp_view_rows_create(const struct gp_view_timeline *timeline)
{
    struct gp_view_rows *rows = gp_xalloc(1, sizeof *rows);

    rows->timeline = timeline;
    add_streams(rows);
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        add_group(rows, &groups[i]);
    }
    rows->order = gp_xalloc(rows->count, sizeof *rows->order);
    rows->shown = gp_xalloc(rows->count, sizeof *rows->shown);
    for (uint32_t i = 0; i < rows->count; i++) {
        rows->order[i] = i;
    }
    show(rows);
    return rows;
}

void gp_view_rows_destroy(struct gp_view_rows *rows)
{
    if (rows == NULL) {
        return;
    }
    gp_free(rows->rows);
    gp_free(rows->order);
    gp_free(rows->shown);
    gp_free(rows->filter);
    gp_free(rows);
}

/* ---- looking ------------------------------------------------------------------------------- */

const struct gp_view_row *gp_view_rows_all(const struct gp_view_rows *rows, uint32_t *count)
{
    *count = rows->count;
    return rows->rows;
}

const uint32_t *gp_view_rows_shown(const struct gp_view_rows *rows, uint32_t *count)
{
    *count = rows->shown_count;
    return rows->shown;
}

uint32_t gp_view_row_strips(const struct gp_view_row *row)
{
    return row->is_leaf && !row->is_folded && row->lane_count > 1 ? row->lane_count : 1;
}

uint32_t gp_view_rows_find(const struct gp_view_rows *rows, uint32_t lane)
{
    uint32_t found = GP_VIEW_NONE;

    for (uint32_t i = 0; i < rows->shown_count; i++) {
        const struct gp_view_row *row = &rows->rows[rows->shown[i]];

        if (lane >= row->lane_first && lane - row->lane_first < row->lane_count &&
            (found == GP_VIEW_NONE || (row->is_leaf && !rows->rows[found].is_leaf))) {
            found = rows->shown[i];
        }
    }
    return found;
}

/* ---- changing ------------------------------------------------------------------------------ */

void gp_view_rows_fold(struct gp_view_rows *rows, uint32_t row, bool is_folded)
{
    assert(row < rows->count);
    rows->rows[row].is_folded = is_folded && rows->rows[row].can_fold;
    show(rows);
}

void gp_view_rows_fold_all(struct gp_view_rows *rows, bool is_folded)
{
    for (uint32_t i = 0; i < rows->count; i++) {
        rows->rows[i].is_folded = is_folded && rows->rows[i].can_fold;
    }
    show(rows);
}

void gp_view_rows_hide(struct gp_view_rows *rows, uint32_t row, bool is_hidden)
{
    assert(row < rows->count);
    rows->rows[row].is_hidden = is_hidden;
    show(rows);
}

void gp_view_rows_unhide_all(struct gp_view_rows *rows)
{
    for (uint32_t i = 0; i < rows->count; i++) {
        rows->rows[i].is_hidden = false;
    }
    show(rows);
}

void gp_view_rows_pin(struct gp_view_rows *rows, uint32_t row, bool is_pinned)
{
    assert(row < rows->count);
    rows->rows[row].is_pinned = is_pinned;
    show(rows);
}

/* Rows of the subtree at a place of the order. */
static uint32_t subtree(const struct gp_view_rows *rows, uint32_t place)
{
    uint32_t level = rows->rows[rows->order[place]].level;
    uint32_t size = 1;

    while (place + size < rows->count && rows->rows[rows->order[place + size]].level > level) {
        size++;
    }
    return size;
}

/* Swaps the subtrees at `place` and right after it. */
static void swap_with_next(struct gp_view_rows *rows, uint32_t place)
{
    uint32_t first = subtree(rows, place);
    uint32_t second = subtree(rows, place + first);
    uint32_t *kept = gp_xalloc(first, sizeof *kept);

    memcpy(kept, &rows->order[place], first * sizeof *kept);
    memmove(&rows->order[place], &rows->order[place + first], second * sizeof *kept);
    memcpy(&rows->order[place + second], kept, first * sizeof *kept);
    gp_free(kept);
}

/* The sibling before or after the one at `place`; GP_VIEW_NONE: it is the first or last. */
static uint32_t sibling(const struct gp_view_rows *rows, uint32_t place, bool is_after)
{
    uint32_t parent = rows->rows[rows->order[place]].parent;

    if (is_after) {
        uint32_t next = place + subtree(rows, place);

        return next < rows->count && rows->rows[rows->order[next]].parent == parent ? next
                                                                                    : GP_VIEW_NONE;
    }
    while (place-- > 0 && rows->order[place] != parent) {
        if (rows->rows[rows->order[place]].parent == parent) {
            return place;
        }
    }
    return GP_VIEW_NONE;
}

void gp_view_rows_move(struct gp_view_rows *rows, uint32_t row, int steps)
{
    uint32_t place = 0;

    assert(row < rows->count);
    while (rows->order[place] != row) {
        place++;
    }
    for (; steps != 0; steps += steps < 0 ? 1 : -1) {
        uint32_t other = sibling(rows, place, steps > 0);

        if (other == GP_VIEW_NONE) {
            break;
        }
        if (steps > 0) {
            uint32_t size = subtree(rows, other);

            swap_with_next(rows, place);
            place += size;
        } else {
            swap_with_next(rows, other);
            place = other;
        }
    }
    show(rows);
}

void gp_view_rows_filter(struct gp_view_rows *rows, const char *text)
{
    gp_free(rows->filter);
    rows->filter = text != NULL && text[0] != '\0' ? gp_xcopy(text) : NULL;
    show(rows);
}
