/* The rows of a scene: see layout.h. */
#include "viewer/layout/layout.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

#include "probe/memory.h"
#include "viewer/layout/place.h"
#include "viewer/layout/ticks.h"

enum { REACH = 4 /* logical pixels around a span that still pick it */ };

/* ---- below the strips ---------------------------------------------------------------------- */

static void add_background(const struct gp_view_place *place, const struct gp_view_row_place *row,
                           bool is_odd, struct gp_view_frame *frame)
{
    double y = fmax(row->y, row->top);
    double height = row->y + row->height - y;

    gp_view_frame_rect(frame, (struct gp_view_rect){place->left, y, place->width, height},
                       is_odd ? place->palette->stripe : place->palette->background);
    gp_view_frame_rect(frame, (struct gp_view_rect){0, y, place->left, height},
                       place->palette->header);
}

static void add_grid(const struct gp_view_place *place, struct gp_view_frame *frame)
{
    const struct gp_view_window *window = &place->scene->window;
    struct gp_view_ticks ticks;

    gp_view_ticks_choose(window->begin_ns, window->end_ns,
                         (uint32_t)fmax(place->width / GP_VIEW_TICK_WIDTH, 2), &ticks);
    for (uint32_t i = 0; i < ticks.count; i++) {
        double x = gp_view_place_snap(
            place, gp_view_place_x(place, ticks.first_ns + (int64_t)i * ticks.step_ns));

        gp_view_frame_rect(frame,
                           (struct gp_view_rect){x, 0, 1 / place->scale, place->scene->height},
                           place->palette->grid);
    }
}

/* ---- one row ------------------------------------------------------------------------------- */

static void add_header(const struct gp_view_place *place, const struct gp_view_row_place *at,
                       const struct gp_view_row *row, struct gp_view_frame *frame)
{
    double x = 6 + 12.0 * row->level;
    struct gp_view_rect box = {0, fmax(at->y, at->top), place->left, at->height};
    struct gp_view_rect triangle = {x, at->y + place->metrics.strip_gap, 14,
                                    place->metrics.strip_height};

    box.height -= box.y - at->y;
    gp_view_frame_region(frame, &(struct gp_view_region){.kind = GP_VIEW_REGION_HEADER,
                                                         .rect = box,
                                                         .row = at->row,
                                                         .lane_first = row->lane_first,
                                                         .lane_count = row->lane_count});
    /* A text that the pinned rows would cut through is left out. */
    if (triangle.y < at->top) {
        return;
    }
    if (row->can_fold) {
        gp_view_frame_text(frame, triangle, place->palette->muted, GP_VIEW_CENTER,
                           row->is_folded ? "▸" : "▾");
        gp_view_frame_region(frame, &(struct gp_view_region){.kind = GP_VIEW_REGION_FOLD,
                                                             .rect = triangle,
                                                             .row = at->row});
    }
    gp_view_frame_text(
        frame, (struct gp_view_rect){x + 18, triangle.y, place->left - x - 22, triangle.height},
        row->lane_count > 0 ? place->palette->text : place->palette->muted, GP_VIEW_LEFT,
        row->label);
    if (row->level == 0) {
        frame->items[frame->item_count - 1].u.text.is_bold = true;
    }
}

/* Where a span's name may lie: past an edge that is known so badly that it is drawn soft, on which
 * no letter could be read, while what is left has room for it. */
static void find_room(const struct gp_view_place *place, const struct gp_view_spans *spans,
                      const struct gp_view_piece *piece, double *from, double *to)
{
    double least = 4 * place->metrics.letter_width, right = place->left + place->width;
    double certain_from = *from, certain_to = *to;

    if (spans->begin_late_ns.count > 0) {
        certain_from = gp_view_place_x(
            place, piece->begin_ns + gp_view_narrow_get(&spans->begin_late_ns, piece->span));
        certain_to = gp_view_place_x(
            place, piece->end_ns - gp_view_narrow_get(&spans->end_early_ns, piece->span));
    }
    certain_from = fmax(certain_from, place->left);
    certain_to = fmin(certain_to, right);
    if (certain_to - certain_from >= least) {
        *from = certain_from;
        *to = certain_to;
    } else {
        *from = fmax(*from, place->left);
        *to = fmin(*to, right);
    }
}

/* Names of the spans that have room for some letters. */
static void add_labels(const struct gp_view_place *place, const struct gp_view_spans *spans,
                       const struct gp_view_pieces *pieces, const struct gp_view_rect *strip,
                       struct gp_view_frame *frame)
{
    const struct gp_view_scene *scene = place->scene;
    double least = 4 * place->metrics.letter_width;
    double least_ns =
        least / place->width * (double)(scene->window.end_ns - scene->window.begin_ns);

    for (size_t i = 0; i < pieces->count; i++) {
        const struct gp_view_piece *piece = &pieces->items[i];
        bool is_pale;
        double from, to;

        if (piece->span == GP_VIEW_NONE || piece->busy == 0 ||
            (double)(piece->end_ns - piece->begin_ns) < least_ns) {
            continue;
        }
        from = gp_view_place_x(place, piece->begin_ns);
        to = gp_view_place_x(place, piece->end_ns);
        find_room(place, spans, piece, &from, &to);
        if (to - from < least) {
            continue;
        }
        is_pale = scene->matches != NULL && scene->matches[piece->name] == 0;
        gp_view_frame_text(
            frame, (struct gp_view_rect){from + 3, strip->y, to - from - 6, strip->height},
            is_pale ? place->palette->muted : gp_view_color_on(scene->colors[piece->name]),
            GP_VIEW_LEFT, scene->timeline->names[piece->name]);
    }
}

/* Strip `index` of a row: one lane, or all of them when there is one strip for all. */
static void add_strip(const struct gp_view_place *place, const struct gp_view_row_place *at,
                      uint32_t index, struct gp_view_raster *raster, struct gp_view_frame *frame)
{
    const struct gp_view_timeline *timeline = place->scene->timeline;
    uint32_t row_count;
    const struct gp_view_row *row = &gp_view_rows_all(place->scene->rows, &row_count)[at->row];
    struct gp_view_rect rect = gp_view_place_strip(place, at, index);
    uint32_t lane_first = row->lane_first, lane_count = row->lane_count;
    bool is_whole = rect.y >= at->top;
    struct gp_view_raster_style style = gp_view_place_style(place);
    double cut = fmax(at->top - rect.y, 0);

    if (gp_view_row_strips(row) > 1) {
        lane_first += index;
        lane_count = 1;
    }
    if (rect.y + rect.height <= at->top || rect.y >= place->scene->height || lane_count == 0) {
        return;
    }
    rect.y += cut;
    rect.height -= cut;
    gp_view_raster_begin(raster, place->scene->window, place->columns);
    for (uint32_t i = 0; i < lane_count; i++) {
        gp_view_raster_add(raster, timeline, &timeline->lanes[lane_first + i]);
    }
    gp_view_raster_paint(
        raster, &style,
        gp_view_frame_strip(
            frame, &(struct gp_view_strip){
                       .rect = rect, .columns = place->columns, .lines = 1, .row = at->row}));
    gp_view_frame_region(frame, &(struct gp_view_region){.kind = GP_VIEW_REGION_STRIP,
                                                         .rect = rect,
                                                         .row = at->row,
                                                         .lane_first = lane_first,
                                                         .lane_count = lane_count});
    if (lane_count == 1 && is_whole) {
        add_labels(place, gp_view_lane_spans(timeline, &timeline->lanes[lane_first]),
                   raster->pieces, &rect, frame);
    }
}

static bool is_seen(const struct gp_view_place *place, const struct gp_view_row_place *row)
{
    return row->y + row->height > row->top && row->y < place->scene->height;
}

void gp_view_layout_rows(const struct gp_view_scene *scene, struct gp_view_frame *frame)
{
    struct gp_view_place place = gp_view_place_of(scene);
    struct gp_view_raster raster = {.asked = scene->asked};
    uint32_t count, all_count;
    const struct gp_view_row *all = gp_view_rows_all(scene->rows, &all_count);
    struct gp_view_row_place *rows;

    gp_view_frame_clear(frame);
    rows = gp_view_place_rows(&place, &count, &frame->content_height);
    for (uint32_t i = 0; i < count; i++) {
        if (is_seen(&place, &rows[i])) {
            add_background(&place, &rows[i], i % 2 == 1, frame);
        }
    }
    add_grid(&place, frame);
    gp_view_frame_lift(frame);
    for (uint32_t i = 0; i < count; i++) {
        const struct gp_view_row *row = &all[rows[i].row];

        if (!is_seen(&place, &rows[i])) {
            continue;
        }
        add_header(&place, &rows[i], row, frame);
        for (uint32_t k = 0; k < gp_view_row_strips(row) && place.columns > 0; k++) {
            add_strip(&place, &rows[i], k, &raster, frame);
        }
    }
    gp_view_raster_finish(&raster);
    gp_free(rows);
}

/* ---- finding ------------------------------------------------------------------------------- */

bool gp_view_layout_find(const struct gp_view_scene *scene, struct gp_view_pick pick,
                         struct gp_view_rect *out)
{
    struct gp_view_place place = gp_view_place_of(scene);
    const struct gp_view_spans *spans = &scene->timeline->tables[pick.table];
    uint32_t count, all_count;
    const struct gp_view_row *all = gp_view_rows_all(scene->rows, &all_count);
    uint32_t row =
        pick.span != GP_VIEW_NONE ? gp_view_rows_find(scene->rows, pick.lane) : GP_VIEW_NONE;
    struct gp_view_row_place *rows = gp_view_place_rows(&place, &count, NULL);
    bool is_found = false;

    for (uint32_t i = 0; i < count && row != GP_VIEW_NONE && !is_found; i++) {
        uint32_t strip = gp_view_row_strips(&all[row]) > 1 ? pick.lane - all[row].lane_first : 0;

        if (rows[i].row == row) {
            is_found = true;
            *out = gp_view_place_strip(&place, &rows[i], strip);
            out->x = gp_view_place_x(&place, gp_view_begin_ns(spans, pick.span));
            out->width = gp_view_place_x(&place, gp_view_end_ns(spans, pick.span)) - out->x;
        }
    }
    gp_free(rows);
    return is_found;
}

/* How far a place lies from a span, in logical pixels: 0 inside it or inside its waiting. */
static double distance(const struct gp_view_place *place, const struct gp_view_lane *lane,
                       uint32_t position, double x)
{
    const struct gp_view_spans *spans = gp_view_lane_spans(place->scene->timeline, lane);
    double from =
        gp_view_place_x(place, gp_view_lane_ready_ns(place->scene->timeline, lane, position));
    double to = gp_view_place_x(place, gp_view_end_ns(spans, lane->order[position]));

    return x < from ? from - x : x >= to ? x - to : 0;
}

/* The span of a lane that is nearest to a place: the one at that moment, or the one before. */
static uint32_t nearest(const struct gp_view_place *place, const struct gp_view_lane *lane,
                        double x, double *reach)
{
    int64_t at_ns = gp_view_window_time(place->scene->window, place->width, x - place->left);
    uint32_t position = gp_view_lane_seek(place->scene->timeline, lane, at_ns);
    uint32_t found = GP_VIEW_NONE;

    for (uint32_t i = position > 0 ? position - 1 : 0; i < lane->count && i <= position; i++) {
        double away = distance(place, lane, i, x);

        if (away < *reach) {
            *reach = away;
            found = lane->order[i];
        }
    }
    return found;
}

struct gp_view_pick gp_view_layout_pick(const struct gp_view_scene *scene,
                                        const struct gp_view_frame *frame, double x, double y)
{
    struct gp_view_place place = gp_view_place_of(scene);
    const struct gp_view_region *region = gp_view_frame_at(frame, x, y);
    struct gp_view_pick pick = {GP_VIEW_OPS, GP_VIEW_NONE, GP_VIEW_NONE};
    double reach = REACH;

    if (region == NULL || region->kind != GP_VIEW_REGION_STRIP ||
        gp_view_is_sample(scene->timeline)) {
        return pick;
    }
    for (uint32_t i = 0; i < region->lane_count; i++) {
        const struct gp_view_lane *lane = &scene->timeline->lanes[region->lane_first + i];
        uint32_t span = nearest(&place, lane, x, &reach);

        if (span != GP_VIEW_NONE) {
            pick = (struct gp_view_pick){lane->table, span, region->lane_first + i};
        }
    }
    return pick;
}
