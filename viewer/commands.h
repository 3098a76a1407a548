/*
 * What keys do in the timeline: one table, of which the bindings, the help and the screen reader's
 * actions are made. Knows no display: keys are texts.
 */
#ifndef GP_VIEWER_COMMANDS_H
#define GP_VIEWER_COMMANDS_H

#include <stddef.h>

#include "viewer/navigator.h"

enum gp_command_group {
    GP_COMMAND_LOOK,
    GP_COMMAND_SELECT,
    GP_COMMAND_MEASURE,
    GP_COMMAND_ROWS,
    GP_COMMAND_GROUP_COUNT
};

struct gp_command {
    const char *name;  /* of the action: "zoom-in" */
    const char *title; /* in the help; NULL: the one before it stands for it */
    const char *keys;  /* GTK's names, separated by blanks */
    enum gp_command_group group;
    /* Does it; row is the one that is meant (GP_VIEW_NONE: none). */
    void (*run)(struct gp_navigator *navigator, double amount, uint32_t row);
    double amount;
};

extern const struct gp_command gp_command_table[];
extern const size_t gp_command_count;

/* Static. */
const char *gp_command_group_title(enum gp_command_group group);

#endif
