/*
 * The witness of the reference pass: who says beside our recorder when operations began and ended.
 * One table of functions each; `--reference` takes their names. Internal to probe/sweep.
 */
#ifndef GP_PROBE_SWEEP_WITNESS_H
#define GP_PROBE_SWEEP_WITNESS_H

#include "probe/cupti/cupti.h"
#include "probe/sweep/sweep.h"

struct gp_witness;

struct gp_witness_ops {
    /* GP_EUNSUPPORTED, with the reason: not on this device, or not now. */
    int (*open)(struct gp_witness *witness, struct gp_error *err);
    void (*close)(struct gp_witness *witness);
    /* On an idle device: from now on it watches, or no longer; forgets what it saw. */
    int (*watch)(struct gp_witness *witness, bool on, struct gp_error *err);
    /* After a watched run and before anything else is done on the device: what it says, one an
     * operation. */
    int (*collect)(struct gp_witness *witness, const struct gp_schedule *schedule,
                   struct gp_work_times *times, struct gp_error *err);
};

struct gp_witness {
    const struct gp_witness_ops *ops;
    struct gp_device *device;
    char description[320]; /* what the recording says of it */
    struct gp_cupti *cupti;
    struct gp_work_times *log; /* the model's */
};

/* By its reference, which is not NONE. */
extern const struct gp_witness_ops *const gp_witness_table[GP_REFERENCE_COUNT];

#endif
