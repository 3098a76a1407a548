/* What lies beside the rows, each in a frame of its own: the axis and the minimap. See layout.h. */
#include <math.h>
#include <string.h>

#include "probe/memory.h"
#include "viewer/layout/place.h"
#include "viewer/layout/ticks.h"

/* ---- the axis ------------------------------------------------------------------------------ */

static void add_tick(const struct gp_view_place *place, int64_t at_ns, double height,
                     struct gp_view_frame *frame)
{
    double x = gp_view_place_snap(place, gp_view_place_x(place, at_ns));

    gp_view_frame_rect(
        frame,
        (struct gp_view_rect){x, place->metrics.ruler_height - height, 1 / place->scale, height},
        place->palette->muted);
}

void gp_view_layout_ruler(const struct gp_view_scene *scene, struct gp_view_frame *frame)
{
    struct gp_view_place place = gp_view_place_of(scene);
    struct gp_view_rect whole = {place.left, 0, place.width, place.metrics.ruler_height};
    struct gp_view_ticks ticks;
    char text[64];

    gp_view_frame_clear(frame);
    frame->content_height = whole.height;
    gp_view_frame_rect(frame, (struct gp_view_rect){0, 0, scene->width, whole.height},
                       place.palette->header);
    gp_view_ticks_choose(scene->window.begin_ns, scene->window.end_ns,
                         (uint32_t)fmax(place.width / GP_VIEW_TICK_WIDTH, 2), &ticks);
    for (int64_t i = -1; i < (int64_t)ticks.count; i++) {
        int64_t at_ns = ticks.first_ns + i * ticks.step_ns;

        for (uint32_t k = 1; k < ticks.minor; k++) {
            int64_t between_ns = at_ns + ticks.step_ns / ticks.minor * k;

            if (between_ns >= scene->window.begin_ns && between_ns <= scene->window.end_ns) {
                add_tick(&place, between_ns, 4, frame);
            }
        }
        if (i >= 0) {
            double x = gp_view_place_x(&place, at_ns);

            add_tick(&place, at_ns, 9, frame);
            gp_view_format_time(at_ns, ticks.step_ns, text, sizeof text);
            /* Half a time would be another one. */
            if (x + 3 + (double)strlen(text) * place.metrics.letter_width <=
                place.left + place.width) {
                gp_view_frame_text(
                    frame,
                    (struct gp_view_rect){x + 3, 1, GP_VIEW_TICK_WIDTH - 6, whole.height - 10},
                    place.palette->text, GP_VIEW_LEFT, text);
            }
        }
    }
    gp_view_frame_region(
        frame,
        &(struct gp_view_region){.kind = GP_VIEW_REGION_RULER, .rect = whole, .row = GP_VIEW_NONE});
}

/* ---- the minimap --------------------------------------------------------------------------- */

static void add_hits(const struct gp_view_place *place, const uint8_t *hits, uint32_t hit_count,
                     struct gp_view_frame *frame)
{
    for (uint32_t i = 0; i < hit_count; i++) {
        uint32_t first = i;

        if (hits[i] == 0) {
            continue;
        }
        while (i + 1 < hit_count && hits[i + 1] != 0) {
            i++;
        }
        gp_view_frame_rect(
            frame,
            (struct gp_view_rect){place->left + place->width * first / hit_count, 0,
                                  fmax(place->width * (i + 1 - first) / hit_count, 1.5), 5},
            place->palette->match);
    }
}

/* What is outside of the window is dimmed, its ends are lines. */
static void add_window(const struct gp_view_place *place, struct gp_view_window all,
                       struct gp_view_frame *frame)
{
    const struct gp_view_window *window = &place->scene->window;
    double height = place->scene->height, right = place->left + place->width;
    double from =
        fmax(place->left + gp_view_window_x(all, place->width, window->begin_ns), place->left);
    double to = fmin(place->left + gp_view_window_x(all, place->width, window->end_ns), right);
    uint32_t dim = (place->palette->background & 0xffffff) | 0xa0000000;

    gp_view_frame_rect(frame, (struct gp_view_rect){place->left, 0, from - place->left, height},
                       dim);
    gp_view_frame_rect(frame, (struct gp_view_rect){to, 0, right - to, height}, dim);
    gp_view_frame_outline(frame, (struct gp_view_rect){from, 0, fmax(to - from, 2), height},
                          place->palette->selection, 1);
}

/* One line for each stream that has something. */
static uint32_t count_streams(const struct gp_view_timeline *timeline)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < timeline->lane_count; i++) {
        count += timeline->lanes[i].owner == GP_VIEW_STREAM && timeline->lanes[i].depth == 0;
    }
    return count;
}

static void add_streams(const struct gp_view_place *place, struct gp_view_window all,
                        struct gp_view_frame *frame)
{
    const struct gp_view_timeline *timeline = place->scene->timeline;
    struct gp_view_raster_style style = gp_view_place_style(place);
    struct gp_view_raster raster = {.asked = place->scene->asked};
    uint32_t lines = count_streams(timeline), line = 0;
    uint32_t *pixels;

    if (lines == 0) {
        return;
    }
    pixels = gp_view_frame_strip(
        frame, &(struct gp_view_strip){.rect = {place->left, 0, place->width, place->scene->height},
                                       .columns = place->columns,
                                       .lines = lines,
                                       .row = GP_VIEW_NONE});
    for (uint32_t i = 0; i < timeline->lane_count; i++) {
        bool is_last = i + 1 == timeline->lane_count || timeline->lanes[i + 1].depth == 0;

        if (timeline->lanes[i].owner != GP_VIEW_STREAM) {
            break;
        }
        if (timeline->lanes[i].depth == 0) {
            gp_view_raster_begin(&raster, all, place->columns);
        }
        gp_view_raster_add(&raster, timeline, &timeline->lanes[i]);
        if (is_last) {
            gp_view_raster_paint(&raster, &style, pixels + (size_t)place->columns * line++);
        }
    }
    gp_view_raster_finish(&raster);
}

void gp_view_layout_minimap(const struct gp_view_scene *scene, const uint8_t *hits,
                            uint32_t hit_count, struct gp_view_frame *frame)
{
    struct gp_view_place place = gp_view_place_of(scene);
    struct gp_view_window all =
        gp_view_window_all(scene->timeline->begin_ns, scene->timeline->end_ns);
    struct gp_view_rect whole = {place.left, 0, place.width, scene->height};

    gp_view_frame_clear(frame);
    frame->content_height = scene->height;
    gp_view_frame_rect(frame, (struct gp_view_rect){0, 0, place.left, scene->height},
                       place.palette->header);
    gp_view_frame_rect(frame, whole, place.palette->background);
    gp_view_frame_lift(frame);
    gp_view_frame_text(frame, (struct gp_view_rect){6, 0, place.left - 10, scene->height},
                       place.palette->text, GP_VIEW_LEFT,
                       gp_view_is_sample(scene->timeline) ? "a sample, still loading"
                                                          : "the whole run");
    if (place.columns > 0) {
        add_streams(&place, all, frame);
    }
    add_window(&place, all, frame);
    if (hits != NULL) {
        add_hits(&place, hits, hit_count, frame);
    }
    gp_view_frame_region(frame, &(struct gp_view_region){.kind = GP_VIEW_REGION_MINIMAP,
                                                         .rect = whole,
                                                         .row = GP_VIEW_NONE});
}
