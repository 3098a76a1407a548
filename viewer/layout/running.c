/* How many operations run, in a frame of its own: see running.h. */
#include "viewer/layout/running.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "probe/memory.h"
#include "viewer/layout/idle.h"
#include "viewer/layout/lane.h"
#include "viewer/layout/place.h"

static const double idle_height = 6, line_height = 16, sample_size = 9, left_margin = 6;

/* Means of the pixels; *most is the largest. The caller's. */
static double *sum_running(const struct gp_view_place *place, double *most)
{
    const struct gp_view_timeline *timeline = place->scene->timeline;
    double *running = gp_xalloc(place->columns, sizeof *running);
    struct gp_view_raster raster = {.is_plain = true, .asked = place->scene->asked};

    *most = 0;
    for (uint32_t i = 0; i < timeline->lane_count; i++) {
        if (timeline->lanes[i].owner != GP_VIEW_STREAM) {
            continue;
        }
        gp_view_raster_begin(&raster, place->scene->window, place->columns);
        gp_view_raster_add(&raster, timeline, &timeline->lanes[i]);
        for (uint32_t k = 0; k < place->columns; k++) {
            running[k] += fmin(raster.pixels[k].busy, 1);
            *most = fmax(*most, running[k]);
        }
    }
    gp_view_raster_finish(&raster);
    return running;
}

/* Columns from the bottom, as high as their share of `most`. */
static void paint_running(const struct gp_view_place *place, const double *running, double most,
                          uint32_t lines, uint32_t *pixels)
{
    for (uint32_t k = 0; k < place->columns; k++) {
        double height = most > 0 ? running[k] / most * lines : 0;

        /* Something that runs is seen, however short. */
        height = running[k] > 0 ? fmax(height, 1) : 0;
        for (uint32_t line = 0; line < lines; line++) {
            double covered = fmin(fmax(height - line, 0), 1);

            pixels[(size_t)(lines - 1 - line) * place->columns + k] =
                gp_view_premultiply(place->palette->running, covered);
        }
    }
}

static void add_idle(const struct gp_view_place *place, const struct gp_view_idle *idle,
                     uint32_t count, struct gp_view_frame *frame)
{
    const uint32_t kinds = sizeof place->palette->idle / sizeof *place->palette->idle;
    double last = place->left;

    for (uint32_t i = 0; i < count; i++) {
        double from = fmax(gp_view_place_x(place, idle[i].begin_ns), last);
        double to = fmin(gp_view_place_x(place, idle[i].end_ns), place->left + place->width);

        /* Those within one pixel are drawn once. */
        if (to - from >= 0.5 / place->scale) {
            gp_view_frame_rect(frame,
                               (struct gp_view_rect){from, place->scene->height - idle_height,
                                                     to - from, idle_height},
                               place->palette->idle[idle[i].kind % kinds]);
            last = to;
        }
    }
}

/* What the colours along the bottom mean: those that there are and have room. */
static void add_legend(const struct gp_view_place *place, const struct gp_view_idle *idle,
                       uint32_t count, double y, struct gp_view_frame *frame)
{
    bool is_there[GP_VIEW_IDLE_KIND_COUNT] = {false};
    double x = left_margin;

    for (uint32_t i = 0; i < count; i++) {
        is_there[idle[i].kind] = true;
    }
    for (int i = GP_VIEW_IDLE_KIND_COUNT; i-- > 0;) {
        const char *word = gp_view_idle_word((enum gp_view_idle_kind)i);
        double text_x = x + sample_size + 3;
        double end = text_x + (double)strlen(word) * place->metrics.letter_width + 5;

        if (is_there[i] && end <= place->left) {
            gp_view_frame_rect(frame,
                               (struct gp_view_rect){x, y + (line_height - sample_size) / 2,
                                                     sample_size, sample_size},
                               place->palette->idle[i]);
            gp_view_frame_text(frame, (struct gp_view_rect){text_x, y, end - text_x, line_height},
                               place->palette->muted, GP_VIEW_LEFT, word);
            x = end;
        }
    }
}

uint32_t gp_view_running_at(const struct gp_view_timeline *timeline, int64_t at_ns)
{
    uint32_t running = 0;

    for (uint32_t i = 0; i < timeline->lane_count; i++) {
        const struct gp_view_lane *lane = &timeline->lanes[i];
        uint32_t position;

        if (lane->owner == GP_VIEW_STREAM) {
            position = gp_view_lane_seek(timeline, lane, at_ns);
            running +=
                position < lane->count && gp_view_begin_ns(gp_view_lane_spans(timeline, lane),
                                                           lane->order[position]) <= at_ns;
        }
    }
    return running;
}

void gp_view_layout_running(const struct gp_view_scene *scene, const struct gp_view_idle *idle,
                            uint32_t idle_count, struct gp_view_frame *frame)
{
    struct gp_view_place place = gp_view_place_of(scene);
    struct gp_view_rect whole = {place.left, 0, place.width, scene->height};
    uint32_t lines = (uint32_t)fmax(floor(scene->height * place.scale), 1);
    double most = 0;
    double *running;
    char text[64];

    gp_view_frame_clear(frame);
    frame->content_height = scene->height;
    gp_view_frame_rect(frame, (struct gp_view_rect){0, 0, place.left, scene->height},
                       place.palette->header);
    gp_view_frame_rect(frame, whole, place.palette->background);
    gp_view_frame_lift(frame);
    if (place.columns == 0) {
        return;
    }
    running = sum_running(&place, &most);
    /* Means of a pixel say 0.97 where 1 runs but for a gap. */
    most = fmax(ceil(most - 0.05), 0);
    whole.height = lines / place.scale;
    paint_running(&place, running, most, lines,
                  gp_view_frame_strip(frame, &(struct gp_view_strip){.rect = whole,
                                                                     .columns = place.columns,
                                                                     .lines = lines,
                                                                     .row = GP_VIEW_NONE}));
    gp_free(running);
    (void)snprintf(text, sizeof text, "running, up to %.0f%s", most,
                   idle_count > 0 ? "; idle for:" : "");
    gp_view_frame_text(frame,
                       (struct gp_view_rect){left_margin, 2, place.left - 10,
                                             scene->height - (idle_count > 0 ? line_height : 0)},
                       place.palette->text, GP_VIEW_LEFT, text);
    if (idle_count > 0) {
        add_legend(&place, idle, idle_count, scene->height - line_height - 2, frame);
    }
    add_idle(&place, idle, idle_count, frame);
    gp_view_frame_region(frame, &(struct gp_view_region){.kind = GP_VIEW_REGION_RUNNING,
                                                         .rect = whole,
                                                         .row = GP_VIEW_NONE});
}
