/*
 * What a painter is given: strips of pixels, a display list on top of them, and regions that answer
 * the pointer. Made by layout.h, painted by somebody who knows a display or a file; nothing here
 * does. A frame is reused: each layout empties and refills it.
 *
 * Coordinates are logical pixels from the upper left; edges that should be sharp lie on device
 * pixels (multiples of 1/scale).
 */
#ifndef GP_VIEWER_LAYOUT_FRAME_H
#define GP_VIEWER_LAYOUT_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gp_view_rect {
    double x, y, width, height;
};

/* A picture of columns × lines device pixels, stretched over its rectangle without smoothing. Lines
 * is 1 where all lines are alike. columns is exactly rect.width × scale. */
struct gp_view_strip {
    struct gp_view_rect rect;
    uint32_t columns, lines;
    size_t first; /* of the frame's pixels */
    uint32_t row; /* index of the rows; GP_VIEW_NONE: the strip of concurrency or the minimap */
};

enum gp_view_item_kind {
    GP_VIEW_RECT,
    GP_VIEW_OUTLINE,
    GP_VIEW_LINE,
    GP_VIEW_TEXT,
    GP_VIEW_BEZIER
};

enum gp_view_align { GP_VIEW_LEFT, GP_VIEW_CENTER, GP_VIEW_RIGHT };

struct gp_view_item {
    enum gp_view_item_kind kind;
    uint32_t color; /* 0xAARRGGBB */
    /* Rect, outline and text: its box (text is centred vertically, shortened with an ellipsis).
     * Line and bezier: from (x, y) to (x + width, y + height). */
    struct gp_view_rect rect;
    union {
        struct {
            double width;
            bool is_dashed;
        } line; /* outline, line, bezier */
        struct {
            double x1, y1, x2, y2;
        } control; /* bezier, drawn 1.5 wide */
        struct {
            size_t first; /* of the frame's texts, ends with NUL */
            enum gp_view_align align;
            bool is_bold;
        } text;
    } u;
};

enum gp_view_region_kind {
    GP_VIEW_REGION_HEADER,  /* label of a row */
    GP_VIEW_REGION_FOLD,    /* its triangle */
    GP_VIEW_REGION_STRIP,   /* lanes lane_first … of a row */
    GP_VIEW_REGION_RULER,   /* the time axis */
    GP_VIEW_REGION_RUNNING, /* the strip of concurrency */
    GP_VIEW_REGION_MINIMAP,
};

struct gp_view_region {
    enum gp_view_region_kind kind;
    struct gp_view_rect rect;
    uint32_t row; /* index of the rows; GP_VIEW_NONE */
    uint32_t lane_first, lane_count;
};

struct gp_view_frame {
    struct gp_view_strip *strips;
    uint32_t *pixels; /* premultiplied 0xAARRGGBB in the machine's order: cairo's ARGB32 */
    /* In order; the first under_count of them lie below the strips, the rest above. */
    struct gp_view_item *items;
    size_t under_count;
    char *texts;
    struct gp_view_region *regions;
    size_t strip_count, pixel_count, item_count, text_count, region_count;
    size_t strip_capacity, pixel_capacity, item_capacity, text_capacity, region_capacity;
    double content_height; /* of all rows, for scrolling */
};

/* Takes a zeroed struct. */
void gp_view_frame_finish(struct gp_view_frame *frame);

/* Keeps the memory. */
void gp_view_frame_clear(struct gp_view_frame *frame);

/* What is added from now on lies above the strips. */
void gp_view_frame_lift(struct gp_view_frame *frame);

/* Additions of who lays out. Texts are copied; the strip's pixels come back zeroed and are good
 * until the next strip. */
void gp_view_frame_rect(struct gp_view_frame *frame, struct gp_view_rect rect, uint32_t color);
void gp_view_frame_outline(struct gp_view_frame *frame, struct gp_view_rect rect, uint32_t color,
                           double width);
void gp_view_frame_line(struct gp_view_frame *frame, struct gp_view_rect line, uint32_t color,
                        bool is_dashed);
void gp_view_frame_text(struct gp_view_frame *frame, struct gp_view_rect box, uint32_t color,
                        enum gp_view_align align, const char *text);
void gp_view_frame_bezier(struct gp_view_frame *frame, struct gp_view_rect line, uint32_t color);
uint32_t *gp_view_frame_strip(struct gp_view_frame *frame, const struct gp_view_strip *strip);
void gp_view_frame_region(struct gp_view_frame *frame, const struct gp_view_region *region);

/* The last region at a place; NULL none. Borrowed. */
const struct gp_view_region *gp_view_frame_at(const struct gp_view_frame *frame, double x,
                                              double y);

#endif
