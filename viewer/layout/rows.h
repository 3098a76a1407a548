/*
 * The tree of rows: which lanes are drawn, in which order, folded or not. It belongs to the window,
 * not to the timeline: the same timeline may be shown twice. One thread.
 *
 *     device                     all its streams in one strip
 *       stream 0                 folded: one strip for its lanes; unfolded: one for each
 *       stream 1
 *     engines
 *       engine 0
 *     ranges
 *       thread 0
 *     host calls
 *       thread 0
 */
#ifndef GP_VIEWER_LAYOUT_ROWS_H
#define GP_VIEWER_LAYOUT_ROWS_H

#include "viewer/layout/timeline.h"

enum gp_view_row_kind {
    GP_VIEW_ROW_DEVICE,
    GP_VIEW_ROW_STREAM,
    GP_VIEW_ROW_ENGINES,
    GP_VIEW_ROW_ENGINE,
    GP_VIEW_ROW_RANGES,
    GP_VIEW_ROW_RANGE_THREAD,
    GP_VIEW_ROW_CALLS,
    GP_VIEW_ROW_CALL_THREAD,
};

struct gp_view_row {
    enum gp_view_row_kind kind;
    uint32_t parent;                 /* index of the rows; GP_VIEW_NONE */
    uint32_t level;                  /* 0 outermost */
    uint32_t lane_first, lane_count; /* its lanes, those of its children included */
    bool is_leaf;                    /* of one stream, engine or thread */
    bool can_fold;                   /* it has rows below, or is a leaf of several lanes */
    bool is_folded;                  /* all in one strip */
    bool is_hidden, is_pinned;
    char label[160];
};

struct gp_view_rows;

/* All rows of the timeline, which must live as long. Ranges and host calls are folded. */
struct gp_view_rows *gp_view_rows_create(const struct gp_view_timeline *timeline);

/* NULL allowed. */
void gp_view_rows_destroy(struct gp_view_rows *rows);

/* All rows, parents before children, as they were made. Borrowed until the next change. */
const struct gp_view_row *gp_view_rows_all(const struct gp_view_rows *rows, uint32_t *count);

/* Indices of the rows to be drawn, from top to bottom: pinned ones first, which have left their
 * place, then the tree without what is hidden, folded away or does not match the filter. Borrowed
 * until the next change. */
const uint32_t *gp_view_rows_shown(const struct gp_view_rows *rows, uint32_t *count);

/* Strips of a row when drawn: 1, or one for each lane of an unfolded leaf. */
uint32_t gp_view_row_strips(const struct gp_view_row *row);

/* Changes of one row, and of every row that has something to fold. */
void gp_view_rows_fold(struct gp_view_rows *rows, uint32_t row, bool is_folded);
void gp_view_rows_fold_all(struct gp_view_rows *rows, bool is_folded);
void gp_view_rows_hide(struct gp_view_rows *rows, uint32_t row, bool is_hidden);
void gp_view_rows_unhide_all(struct gp_view_rows *rows);
void gp_view_rows_pin(struct gp_view_rows *rows, uint32_t row, bool is_pinned);

/* Moves a row among its siblings by `steps` places, up when negative, as far as there are any. */
void gp_view_rows_move(struct gp_view_rows *rows, uint32_t row, int steps);

/* Shows only rows whose label contains the text, regardless of ASCII case, with their parents and
 * children; NULL or "" all. */
void gp_view_rows_filter(struct gp_view_rows *rows, const char *text);

/* The shown row that a lane is drawn in: its own, or the folded one that holds it. GP_VIEW_NONE:
 * hidden or filtered away. */
uint32_t gp_view_rows_find(const struct gp_view_rows *rows, uint32_t lane);

#endif
