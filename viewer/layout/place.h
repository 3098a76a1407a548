/*
 * Where things lie in a scene: what the files that lay out share.
 */
#ifndef GP_VIEWER_LAYOUT_PLACE_H
#define GP_VIEWER_LAYOUT_PLACE_H

#include "viewer/layout/layout.h"
#include "viewer/layout/raster.h"

/* The scene with its defaults in place and what follows from them. */
struct gp_view_place {
    const struct gp_view_scene *scene;
    const struct gp_view_palette *palette;
    struct gp_view_metrics metrics;
    double scale;
    double left, width; /* of the strips */
    uint32_t columns;   /* the same in device pixels; 0: there is no room */
};

/* Borrows the scene. */
struct gp_view_place gp_view_place_of(const struct gp_view_scene *scene);

/* On the next device pixel. */
double gp_view_place_snap(const struct gp_view_place *place, double value);

/* The place of a moment; may lie outside the strips. */
double gp_view_place_x(const struct gp_view_place *place, int64_t at_ns);

/* Style of strips. */
struct gp_view_raster_style gp_view_place_style(const struct gp_view_place *place);

/* A shown row in the rows' frame. */
struct gp_view_row_place {
    uint32_t row;
    double y, height; /* uncut */
    double top;       /* what lies above is under the pinned rows: 0 for those */
};

/* All shown rows, from top to bottom, as an array of the caller's (gp_free); pinned ones ignore the
 * scroll. content_height: of all together; NULL: not asked for. */
struct gp_view_row_place *gp_view_place_rows(const struct gp_view_place *place, uint32_t *count,
                                             double *content_height);

/* Where strip `index` of a row lies, uncut. */
struct gp_view_rect gp_view_place_strip(const struct gp_view_place *place,
                                        const struct gp_view_row_place *row, uint32_t index);

#endif
