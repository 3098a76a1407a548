/*
 * Says on stderr how far a sweep is: a line that is written over on a terminal, a line a run when
 * asked to be verbose, else nothing; and its warnings.
 */
#ifndef GP_PROBE_CLI_PROGRESS_H
#define GP_PROBE_CLI_PROGRESS_H

#include <stdint.h>

#include "probe/cli/terminal.h"
#include "probe/sweep/sweep.h"

struct gp_progress {
    const struct gp_terminal *terminal;
    bool quiet, verbose;
    int64_t drawn_ns; /* when the line was drawn last; 0 never */
};

/* Callbacks of gp_sweep_options; user is a struct gp_progress. */
void gp_progress_show(void *user, const struct gp_sweep_progress *at);
/* One warning, above the line. */
void gp_progress_message(void *user, const char *text);

/* Takes the line away. */
void gp_progress_clear(struct gp_progress *progress);

#endif
