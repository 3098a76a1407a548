/*
 * Watches the machine around each run of a sweep, so that runs during which it changed do not
 * count. On the model there is nothing to watch. Internal to probe/sweep.
 */
#ifndef GP_PROBE_SWEEP_WATCH_H
#define GP_PROBE_SWEEP_WATCH_H

#include "probe/machine/machine.h"
#include "probe/sweep/sweep.h"

struct gp_watch {
    struct gp_machine *machine; /* NULL: nothing to see */
    struct gp_device *device;
    struct gp_state_row states[2]; /* before and after the run; at is the device's host clock */
    char note[GP_MACHINE_TEXT_BYTES];
};

/* Tells through options->message, once, when there is nothing to see on a GPU, or when other
 * processes use it already. Cannot fail. */
void gp_watch_init(struct gp_watch *watch, struct gp_device *device,
                   const struct gp_sweep_options *options);
/* Takes a zeroed struct. */
void gp_watch_finish(struct gp_watch *watch);

/* Right before the first and right after the last call of a run. */
void gp_watch_begin(struct gp_watch *watch);
void gp_watch_end(struct gp_watch *watch);

/* Puts the states into the run's rows, their times from the run's begin at epoch_ns, and makes the
 * run `disturbed` when the machine changed. Rows are borrowed until the next begin. Returns whether
 * it changed; watch->note says how. */
bool gp_watch_record(struct gp_watch *watch, int64_t epoch_ns, struct gp_run_rows *rows);

#endif
