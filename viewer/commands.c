/* What keys do in the timeline: see commands.h. */
#include "viewer/commands.h"

static void zoom(struct gp_navigator *navigator, double amount, uint32_t row)
{
    (void)row;
    gp_navigator_zoom(navigator, amount);
}

static void pan(struct gp_navigator *navigator, double amount, uint32_t row)
{
    (void)row;
    gp_navigator_pan(navigator, amount);
}

static void show_all(struct gp_navigator *navigator, double amount, uint32_t row)
{
    (void)amount;
    (void)row;
    gp_navigator_show_all(navigator);
}

static void fit(struct gp_navigator *navigator, double amount, uint32_t row)
{
    (void)amount;
    (void)row;
    gp_navigator_fit(navigator);
}

static void undo(struct gp_navigator *navigator, double amount, uint32_t row)
{
    (void)amount;
    (void)row;
    gp_navigator_undo(navigator);
}

static void bookmark(struct gp_navigator *navigator, double amount, uint32_t row)
{
    (void)row;
    gp_navigator_bookmark(navigator, (unsigned)amount);
}

static void recall(struct gp_navigator *navigator, double amount, uint32_t row)
{
    (void)row;
    gp_navigator_recall(navigator, (unsigned)amount);
}

static void step_lane(struct gp_navigator *navigator, double amount, uint32_t row)
{
    (void)row;
    gp_navigator_step_lane(navigator, amount > 0);
}

static void step_row(struct gp_navigator *navigator, double amount, uint32_t row)
{
    (void)row;
    gp_navigator_step_row(navigator, amount > 0);
}

static void follow(struct gp_navigator *navigator, double amount, uint32_t row)
{
    (void)row;
    gp_navigator_follow(navigator, amount > 0);
}

static void step_hit(struct gp_navigator *navigator, double amount, uint32_t row)
{
    (void)row;
    gp_navigator_step_hit(navigator, amount > 0);
}

static void deselect(struct gp_navigator *navigator, double amount, uint32_t row)
{
    (void)amount;
    (void)row;
    gp_navigator_select(navigator, (struct gp_view_pick){GP_VIEW_OPS, GP_VIEW_NONE, GP_VIEW_NONE},
                        false);
}

static void measure(struct gp_navigator *navigator, double amount, uint32_t row)
{
    (void)amount;
    (void)row;
    gp_navigator_measure(navigator);
}

static void mark(struct gp_navigator *navigator, double amount, uint32_t row)
{
    (void)amount;
    (void)row;
    gp_navigator_mark(navigator);
}

static void clear(struct gp_navigator *navigator, double amount, uint32_t row)
{
    (void)amount;
    (void)row;
    gp_navigator_clear(navigator);
}

/* The row, or NULL when none is meant. */
static const struct gp_view_row *row_at(const struct gp_navigator *navigator, uint32_t row)
{
    uint32_t count;
    const struct gp_view_row *rows = gp_view_rows_all(navigator->rows, &count);

    return row < count ? &rows[row] : NULL;
}

static void fold(struct gp_navigator *navigator, double amount, uint32_t row)
{
    const struct gp_view_row *it = row_at(navigator, row);

    (void)amount;
    if (it != NULL) {
        gp_view_rows_fold(navigator->rows, row, !it->is_folded);
    }
}

static void fold_all(struct gp_navigator *navigator, double amount, uint32_t row)
{
    (void)row;
    gp_view_rows_fold_all(navigator->rows, amount > 0);
}

static void hide(struct gp_navigator *navigator, double amount, uint32_t row)
{
    (void)amount;
    if (row_at(navigator, row) != NULL) {
        gp_view_rows_hide(navigator->rows, row, true);
    }
}

static void unhide(struct gp_navigator *navigator, double amount, uint32_t row)
{
    (void)amount;
    (void)row;
    gp_view_rows_unhide_all(navigator->rows);
}

static void pin(struct gp_navigator *navigator, double amount, uint32_t row)
{
    const struct gp_view_row *it = row_at(navigator, row);

    (void)amount;
    if (it != NULL) {
        gp_view_rows_pin(navigator->rows, row, !it->is_pinned);
    }
}

static void move(struct gp_navigator *navigator, double amount, uint32_t row)
{
    if (row_at(navigator, row) != NULL) {
        gp_view_rows_move(navigator->rows, row, (int)amount);
    }
}

static const char *const group_titles[GP_COMMAND_GROUP_COUNT] = {
    [GP_COMMAND_LOOK] = "Look",
    [GP_COMMAND_SELECT] = "Select and follow",
    [GP_COMMAND_MEASURE] = "Measure and mark",
    [GP_COMMAND_ROWS] = "Rows",
};

const char *gp_command_group_title(enum gp_command_group group)
{
    return group_titles[group];
}

const struct gp_command gp_command_table[] = {
    {"zoom-in", "Zoom in, about the pointer", "w plus equal KP_Add <Control>plus <Control>equal",
     GP_COMMAND_LOOK, zoom, 0.5},
    {"zoom-out", "Zoom out", "s minus KP_Subtract <Control>minus", GP_COMMAND_LOOK, zoom, 2},
    {"pan-left", "Earlier", "a <Control>Left", GP_COMMAND_LOOK, pan, -0.2},
    {"pan-right", "Later", "d <Control>Right", GP_COMMAND_LOOK, pan, 0.2},
    {"fit", "Fit what is measured or selected", "f", GP_COMMAND_LOOK, fit, 0},
    {"all", "Everything", "0 Home <Control>0", GP_COMMAND_LOOK, show_all, 0},
    {"undo", "Back to the window before", "BackSpace <Alt>Left", GP_COMMAND_LOOK, undo, 0},
    {"bookmark-1", "Keep this window as 1, 2 or 3", "<Control><Shift>1 <Control>exclam",
     GP_COMMAND_LOOK, bookmark, 0},
    {"bookmark-2", NULL, "<Control><Shift>2 <Control>at", GP_COMMAND_LOOK, bookmark, 1},
    {"bookmark-3", NULL, "<Control><Shift>3 <Control>numbersign", GP_COMMAND_LOOK, bookmark, 2},
    {"recall-1", "Back to window 1, 2 or 3", "<Control>1", GP_COMMAND_LOOK, recall, 0},
    {"recall-2", NULL, "<Control>2", GP_COMMAND_LOOK, recall, 1},
    {"recall-3", NULL, "<Control>3", GP_COMMAND_LOOK, recall, 2},
    {"next", "Next in this row", "Right period", GP_COMMAND_SELECT, step_lane, 1},
    {"previous", "Previous in this row", "Left comma", GP_COMMAND_SELECT, step_lane, -1},
    {"below", "Nearest in the row below", "Down", GP_COMMAND_SELECT, step_row, 1},
    {"above", "Nearest in the row above", "Up", GP_COMMAND_SELECT, step_row, -1},
    {"dependent", "What waits for it", "bracketright", GP_COMMAND_SELECT, follow, 1},
    {"dependency", "What it waits for", "bracketleft", GP_COMMAND_SELECT, follow, -1},
    {"next-hit", "Next hit of the search", "n", GP_COMMAND_SELECT, step_hit, 1},
    {"previous-hit", "Previous hit", "<Shift>n", GP_COMMAND_SELECT, step_hit, -1},
    {"deselect", "Select nothing", "Escape", GP_COMMAND_SELECT, deselect, 0},
    {"measure", "Measure what is selected", "m", GP_COMMAND_MEASURE, measure, 0},
    {"mark", "Mark at the pointer", "<Shift>m", GP_COMMAND_MEASURE, mark, 0},
    {"clear", "Remove measure and marks", "Delete", GP_COMMAND_MEASURE, clear, 0},
    {"fold", "Fold or unfold the row", "c", GP_COMMAND_ROWS, fold, 0},
    {"fold-all", "Fold all rows", "<Shift>c", GP_COMMAND_ROWS, fold_all, 1},
    {"unfold-all", "Unfold all rows", "<Shift>e", GP_COMMAND_ROWS, fold_all, 0},
    {"pin", "Pin the row to the top, or not", "p", GP_COMMAND_ROWS, pin, 0},
    {"hide", "Hide the row", "h", GP_COMMAND_ROWS, hide, 0},
    {"unhide", "Show all rows again", "<Shift>h", GP_COMMAND_ROWS, unhide, 0},
    {"row-up", "Move the row up", "<Alt>Up", GP_COMMAND_ROWS, move, -1},
    {"row-down", "Move the row down", "<Alt>Down", GP_COMMAND_ROWS, move, 1},
};

const size_t gp_command_count = sizeof gp_command_table / sizeof gp_command_table[0];
