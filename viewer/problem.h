/*
 * What the window says when something cannot be shown: what it is, and what to do. One table, so
 * that every kind of failure has both. Knows no display.
 */
#ifndef GP_VIEWER_PROBLEM_H
#define GP_VIEWER_PROBLEM_H

#include "core/error.h"

struct gp_problem {
    const char *title;  /* static */
    const char *advice; /* what to do; static */
    char text[480];     /* which file, what about it */
};

/* Of a recording that could not be opened or read. err->code is not 0. */
void gp_problem_of_file(const struct gp_error *err, struct gp_problem *out);

/* Of a cell whose operations could not be read: the rest of the recording may be fine. */
void gp_problem_of_cell(const struct gp_error *err, struct gp_problem *out);

#endif
