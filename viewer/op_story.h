/*
 * All that is known of one operation, as lines of a name and a text: when it was submitted, what it
 * waited for, when and where it ran, how exactly that is known, and who chose its stream. Knows no
 * display.
 */
#ifndef GP_VIEWER_OP_STORY_H
#define GP_VIEWER_OP_STORY_H

#include "probe/record.h"
#include "viewer/layout/links.h"
#include "viewer/layout/timeline.h"

enum { GP_OP_STORY_LINES_MAX = 40, GP_OP_STORY_BYTES_MAX = 240 };

struct gp_op_story_line {
    const char *name; /* static */
    char text[GP_OP_STORY_BYTES_MAX];
    uint8_t column; /* 0 what, 1 when, 2 where and why */
};

struct gp_op_story {
    struct gp_op_story_line lines[GP_OP_STORY_LINES_MAX];
    size_t count;
};

/* edges NULL: not known. What is not known is left out. */
void gp_op_story_tell(const struct gp_view_timeline *timeline, const struct gp_view_edges *edges,
                      const struct gp_op_row *op, struct gp_op_story *out);

/* Adds what held the operation longest; GP_CAUSE_COUNT: nothing. `on` is the operation that did,
 * UINT32_MAX none. */
void gp_op_story_tell_cause(const struct gp_view_timeline *timeline, enum gp_cause cause,
                            uint32_t on, struct gp_op_story *out);

/* Of a range or a host call, which have no more than their times. */
void gp_op_story_tell_span(const struct gp_view_timeline *timeline, enum gp_view_table table,
                           uint32_t span, struct gp_op_story *out);

#endif
