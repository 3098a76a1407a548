/*
 * What the timeline's files share: drawing is in timeline.c, pointer and keys in timeline_input.c.
 */
#ifndef GP_VIEWER_TIMELINE_INTERNAL_H
#define GP_VIEWER_TIMELINE_INTERNAL_H

#include "viewer/timeline.h"

/* The parts of the widget from top to bottom; each has a frame of its own. */
enum gp_timeline_area {
    GP_AREA_MINIMAP,
    GP_AREA_RULER,
    GP_AREA_RUNNING,
    GP_AREA_ROWS,
    GP_AREA_COUNT
};

enum { GP_HEADER_WIDTH = 180 };

/* What a drag of the pointer does. */
enum gp_timeline_drag { GP_DRAG_NONE, GP_DRAG_PRESSED, GP_DRAG_RANGE, GP_DRAG_BRUSH, GP_DRAG_PAN };

struct _GpTimeline {
    GtkWidget parent;
    struct gp_navigator *navigator; /* NULL: nothing is shown */
    char *title;
    uint32_t *colors; /* of the timeline's names, for the theme */
    enum gp_view_theme theme;
    struct gp_view_frame frames[GP_AREA_COUNT], overlay, card;
    GskRenderNode *nodes[GP_AREA_COUNT];       /* NULL: to be laid out again */
    guint64 layout_count;                      /* of areas since it was made; for tests */
    struct gp_view_asked asked[GP_AREA_COUNT]; /* by the first area that shows the window */
    GtkAdjustment *adjustment;
    guint fit_source;            /* of the scroll bar; 0: it fits */
    double pointer_x, pointer_y; /* the last place of the pointer; x < 0: it is elsewhere */
    enum gp_timeline_drag drag;
    double drag_x, drag_y;
    struct gp_view_window drag_window; /* as it was when the drag began */
    enum gp_view_grip grip;            /* of the minimap's box, then */
    const char *cursor;                /* its name; NULL: the usual one */
    double pinch_scale;
};

/* Where an area begins, and how high it is. */
double gp_timeline_top(GpTimeline *self, enum gp_timeline_area area);
double gp_timeline_height(GpTimeline *self, enum gp_timeline_area area);

/* The area at a height of the widget; GP_AREA_COUNT: none. */
enum gp_timeline_area gp_timeline_area_at(GpTimeline *self, double y);

/* The width beside the row heads. */
double gp_timeline_strip_width(GpTimeline *self);

/* What the layout is told; for one area. */
struct gp_view_scene gp_timeline_scene(GpTimeline *self, enum gp_timeline_area area);

/* Something was changed by keys or pointer: draws it and tells who listens. */
void gp_timeline_moved(GpTimeline *self);

/* What is under the pointer, which is inside, as it is drawn now. */
void gp_timeline_find_pointed(GpTimeline *self);

/* Only what lies over the rows is drawn again. */
void gp_timeline_pointed(GpTimeline *self);

/* The class's keys and actions, and an instance's controllers. */
void gp_timeline_bind(GtkWidgetClass *widget_class);
void gp_timeline_listen(GpTimeline *self);

#endif
