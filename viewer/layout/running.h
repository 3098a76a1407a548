/*
 * How many operations run over time, and what the device waits for while none does.
 */
#ifndef GP_VIEWER_LAYOUT_RUNNING_H
#define GP_VIEWER_LAYOUT_RUNNING_H

#include "viewer/layout/layout.h"

/* Time without an operation; kind is an index of the palette's idle colours (idle.h). */
struct gp_view_idle {
    int64_t begin_ns, end_ns;
    uint8_t kind;
};

/* How many operations run at a moment. */
uint32_t gp_view_running_at(const struct gp_view_timeline *timeline, int64_t at_ns);

/* A strip of width × height beside the headers: the mean number of running operations a pixel, the
 * most that were seen as its scale, and idle times along the bottom, which the header
 * explains. idle ascending, count 0: none known. */
void gp_view_layout_running(const struct gp_view_scene *scene, const struct gp_view_idle *idle,
                            uint32_t idle_count, struct gp_view_frame *frame);

#endif
