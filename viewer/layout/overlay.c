/* What lies over the rows: see layout.h. */
#include <math.h>
#include <stdio.h>

#include "probe/memory.h"
#include "viewer/layout/lane.h"
#include "viewer/layout/place.h"
#include "viewer/layout/ticks.h"

static const double label_width = 120;

static bool is_inside(const struct gp_view_place *place, double x)
{
    return x >= place->left && x <= place->left + place->width;
}

static double clamp_x(const struct gp_view_place *place, double x)
{
    return fmin(fmax(x, place->left), place->left + place->width);
}

/* The outline of a span, at least 3 wide and cut at the strips' ends. */
static void add_pick(const struct gp_view_place *place, struct gp_view_pick pick, uint32_t color,
                     double width, struct gp_view_frame *frame)
{
    struct gp_view_rect rect;
    double from, to;

    if (!gp_view_layout_find(place->scene, pick, &rect)) {
        return;
    }
    from = clamp_x(place, rect.x - fmax(3 - rect.width, 0) / 2);
    to = clamp_x(place, rect.x + fmax(rect.width, 3));
    if (to > from) {
        rect.x = from;
        rect.width = to - from;
        gp_view_frame_outline(frame, rect, color, width);
    }
}

static void add_moment(const struct gp_view_place *place, int64_t at_ns, uint32_t color,
                       bool is_dashed, struct gp_view_frame *frame)
{
    double x = at_ns == GP_UNKNOWN ? -1 : gp_view_place_x(place, at_ns);

    if (is_inside(place, x)) {
        /* In the middle of a device pixel, where a thin line is sharp. */
        x = gp_view_place_snap(place, x) + 0.5 / place->scale;
        gp_view_frame_line(frame, (struct gp_view_rect){x, 0, 0, place->scene->height}, color,
                           is_dashed);
    }
}

static void add_range(const struct gp_view_place *place, const struct gp_view_overlay *overlay,
                      struct gp_view_frame *frame)
{
    int64_t begin_ns = overlay->range_begin_ns, end_ns = overlay->range_end_ns;
    double from, to, x;
    char text[64];

    if (begin_ns == GP_UNKNOWN || end_ns == GP_UNKNOWN) {
        return;
    }
    if (begin_ns > end_ns) {
        begin_ns = overlay->range_end_ns;
        end_ns = overlay->range_begin_ns;
    }
    from = clamp_x(place, gp_view_place_x(place, begin_ns));
    to = clamp_x(place, gp_view_place_x(place, end_ns));
    if (to <= from) { /* elsewhere */
        return;
    }
    gp_view_frame_rect(frame, (struct gp_view_rect){from, 0, to - from, place->scene->height},
                       place->palette->range);
    add_moment(place, begin_ns, place->palette->selection, false, frame);
    add_moment(place, end_ns, place->palette->selection, false, frame);
    gp_view_format_time(end_ns - begin_ns, 0, text, sizeof text);
    /* In the middle of what is seen of it, beside the headers. */
    x = fmin((from + to) / 2 - label_width / 2, place->left + place->width - label_width);
    gp_view_frame_text(
        frame,
        (struct gp_view_rect){fmax(x, place->left), place->scene->height - 20, label_width, 18},
        place->palette->text, GP_VIEW_CENTER, text);
}

static void add_link(const struct gp_view_place *place, const struct gp_view_link *link,
                     struct gp_view_frame *frame)
{
    const struct gp_view_timeline *timeline = place->scene->timeline;
    struct gp_view_pick from = {GP_VIEW_OPS, link->from, 0};
    struct gp_view_pick to = {GP_VIEW_OPS, link->to, 0};
    struct gp_view_rect begin, end, line;

    from.lane = gp_view_lane_of(timeline, GP_VIEW_OPS, link->from);
    to.lane = gp_view_lane_of(timeline, GP_VIEW_OPS, link->to);
    if (from.lane == GP_VIEW_NONE || to.lane == GP_VIEW_NONE ||
        !gp_view_layout_find(place->scene, from, &begin) ||
        !gp_view_layout_find(place->scene, to, &end)) {
        return;
    }
    line.x = clamp_x(place, begin.x + begin.width);
    line.y = begin.y + begin.height / 2;
    line.width = clamp_x(place, end.x) - line.x;
    line.height = end.y + end.height / 2 - line.y;
    if (is_inside(place, begin.x + begin.width) || is_inside(place, end.x)) {
        gp_view_frame_bezier(frame, line,
                             link->is_missing ? place->palette->cursor : place->palette->edge);
    }
}

void gp_view_layout_overlay(const struct gp_view_scene *scene,
                            const struct gp_view_overlay *overlay, struct gp_view_frame *frame)
{
    struct gp_view_place place = gp_view_place_of(scene);

    gp_view_frame_clear(frame);
    add_range(&place, overlay, frame);
    for (uint32_t i = 0; i < overlay->link_count; i++) {
        add_link(&place, &overlay->links[i], frame);
    }
    add_pick(&place, overlay->hovered, place.palette->muted, 1, frame);
    add_pick(&place, overlay->selected, place.palette->selection, 2, frame);
    for (uint32_t i = 0; i < overlay->mark_count; i++) {
        add_moment(&place, overlay->marks_ns[i], place.palette->mark, true, frame);
    }
    add_moment(&place, overlay->cursor_ns, place.palette->cursor, false, frame);
    if (overlay->has_focus) {
        gp_view_frame_outline(frame, (struct gp_view_rect){0, 0, scene->width, scene->height},
                              place.palette->focus, 2);
    }
}
