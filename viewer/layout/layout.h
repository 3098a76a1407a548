/*
 * Lays out what is seen of a timeline. Three frames, so that a moving pointer redraws nothing but
 * the last: the rows (strips and their labels), the overview (axis, concurrency, minimap: each of
 * its own), and what lies over the rows (selection, pointer, edges). Pure: no display, no file, the
 * same frame for the same input.
 */
#ifndef GP_VIEWER_LAYOUT_LAYOUT_H
#define GP_VIEWER_LAYOUT_LAYOUT_H

#include "viewer/layout/color.h"
#include "viewer/layout/frame.h"
#include "viewer/layout/links.h"
#include "viewer/layout/raster.h"
#include "viewer/layout/rows.h"
#include "viewer/layout/window.h"

/* Sizes in logical pixels; 0 is the default. */
struct gp_view_metrics {
    double header_width; /* 180 */
    double strip_height; /* 20 */
    double strip_gap;    /* 2 */
    double letter_width; /* 7: an estimate, for what fits */
    double ruler_height; /* 28 */
};

struct gp_view_scene {
    const struct gp_view_timeline *timeline;
    const struct gp_view_rows *rows;
    struct gp_view_window window;
    double width,
        height;    /* of the whole drawing, headers included; pixels left of it are headers */
    double scale;  /* device pixels in a logical one, ≥ 1; 0 is 1 */
    double scroll; /* how far the rows are scrolled down; pinned rows stay */
    enum gp_view_theme theme;
    const uint32_t *colors; /* of the timeline's names: gp_view_color_names */
    struct gp_view_metrics metrics;
    const uint8_t *matches; /* a flag for each name: matches are drawn, all else pale; NULL none */
    /* What lanes answered for the window, kept from one frame to the next: by rows and concurrency
     * together, by the minimap on its own. NULL: nothing is kept. */
    struct gp_view_asked *asked;
};

/* The rows that are seen: backgrounds, grid lines, headers, strips, labels of spans that have
 * room, regions; content_height. */
void gp_view_layout_rows(const struct gp_view_scene *scene, struct gp_view_frame *frame);

/* The time axis, beside the headers, ruler_height high. */
void gp_view_layout_ruler(const struct gp_view_scene *scene, struct gp_view_frame *frame);

/* A span that is chosen or under the pointer. span GP_VIEW_NONE: none. */
struct gp_view_pick {
    enum gp_view_table table;
    uint32_t span;
    uint32_t lane; /* that it was picked on */
};

struct gp_view_overlay {
    struct gp_view_pick selected, hovered;
    int64_t cursor_ns;                    /* GP_UNKNOWN none */
    int64_t range_begin_ns, range_end_ns; /* measured; GP_UNKNOWN none; in either order */
    const int64_t *marks_ns;
    uint32_t mark_count;
    const struct gp_view_link *links; /* links.h: edges of the selection */
    uint32_t link_count;
    bool has_focus; /* of the keyboard */
};

/* What lies over the rows, in their coordinates. */
void gp_view_layout_overlay(const struct gp_view_scene *scene,
                            const struct gp_view_overlay *overlay, struct gp_view_frame *frame);

/* The whole run beside the headers, scene->height high, each stream a line, with the window marked.
 * hits: a flag for each of hit_count equal parts of gp_view_window_all (search.h); NULL none. */
void gp_view_layout_minimap(const struct gp_view_scene *scene, const uint8_t *hits,
                            uint32_t hit_count, struct gp_view_frame *frame);

/* Where a span is drawn in the rows' frame; false when its row is not shown. The rectangle may lie
 * outside what is seen. */
bool gp_view_layout_find(const struct gp_view_scene *scene, struct gp_view_pick pick,
                         struct gp_view_rect *out);

/* The span at a place of the rows' frame: the one under it, its waiting included, or the nearest
 * within 4 logical pixels. span GP_VIEW_NONE: there is none. */
struct gp_view_pick gp_view_layout_pick(const struct gp_view_scene *scene,
                                        const struct gp_view_frame *frame, double x, double y);

#endif
