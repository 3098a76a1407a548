/* Where things lie in a scene: see place.h. */
#include "viewer/layout/place.h"

#include <assert.h>
#include <math.h>

#include "probe/memory.h"

static double default_to(double value, double otherwise)
{
    return value > 0 ? value : otherwise;
}

struct gp_view_place gp_view_place_of(const struct gp_view_scene *scene)
{
    struct gp_view_place place = {.scene = scene, .palette = gp_view_palette(scene->theme)};

    assert(scene->window.begin_ns < scene->window.end_ns);
    place.metrics = (struct gp_view_metrics){
        .header_width = default_to(scene->metrics.header_width, 180),
        .strip_height = default_to(scene->metrics.strip_height, 20),
        .strip_gap = default_to(scene->metrics.strip_gap, 2),
        .letter_width = default_to(scene->metrics.letter_width, 7),
        .ruler_height = default_to(scene->metrics.ruler_height, 28),
    };
    place.scale = default_to(scene->scale, 1);
    place.left = gp_view_place_snap(&place, place.metrics.header_width);
    place.columns = (uint32_t)fmax(floor((scene->width - place.left) * place.scale), 0);
    place.width = place.columns / place.scale;
    return place;
}

double gp_view_place_snap(const struct gp_view_place *place, double value)
{
    return round(value * place->scale) / place->scale;
}

double gp_view_place_x(const struct gp_view_place *place, int64_t at_ns)
{
    return place->left + gp_view_window_x(place->scene->window, place->width, at_ns);
}

struct gp_view_raster_style gp_view_place_style(const struct gp_view_place *place)
{
    return (struct gp_view_raster_style){
        .palette = place->palette,
        .colors = place->scene->colors,
        .matches = place->scene->matches,
        .hatch = (uint32_t)ceil(2 * place->scale),
    };
}

struct gp_view_row_place *gp_view_place_rows(const struct gp_view_place *place, uint32_t *count,
                                             double *content_height)
{
    uint32_t all_count;
    const struct gp_view_row *all = gp_view_rows_all(place->scene->rows, &all_count);
    const uint32_t *shown = gp_view_rows_shown(place->scene->rows, count);
    struct gp_view_row_place *rows = gp_xalloc(*count, sizeof *rows);
    double y = 0, pinned = 0;

    for (uint32_t i = 0; i < *count; i++) {
        const struct gp_view_row *row = &all[shown[i]];

        assert(shown[i] < all_count);
        rows[i].row = shown[i];
        rows[i].height =
            gp_view_row_strips(row) * place->metrics.strip_height + 2 * place->metrics.strip_gap;
        rows[i].y = row->is_pinned ? y : y - gp_view_place_snap(place, place->scene->scroll);
        rows[i].top = row->is_pinned ? 0 : pinned;
        y += rows[i].height;
        pinned = row->is_pinned ? y : pinned;
    }
    if (content_height != NULL) {
        *content_height = y;
    }
    return rows;
}

struct gp_view_rect gp_view_place_strip(const struct gp_view_place *place,
                                        const struct gp_view_row_place *row, uint32_t index)
{
    double y = row->y + place->metrics.strip_gap + index * place->metrics.strip_height;
    double top = gp_view_place_snap(place, y);

    /* Two strips of a row stay one device pixel apart. */
    return (struct gp_view_rect){place->left, top, place->width,
                                 gp_view_place_snap(place, y + place->metrics.strip_height) - top -
                                     1 / place->scale};
}
