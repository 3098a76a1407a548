/* A sweep on the model device and its recording read back: what the sweep's tests share. */
#ifndef GP_TESTS_PROBE_TRIAL_H
#define GP_TESTS_PROBE_TRIAL_H

#include "test.h"

#include "probe/store/reader.h"
#include "probe/sweep/sweep.h"

/* `batch` of 24 small batches. */
extern const struct gp_setting trial_small_batch[4];

/* A sweep of one scenario over all that the tests vary. */
struct trial {
    struct gp_sweep_options options;
    struct gp_device *device;
    struct gp_reader *reader;
    const struct gp_cell_row *cells;
    uint32_t cell_count;
    char path[64];
    int code;
    struct gp_error err;
};

/* Opens the model and fills options: `single` and `round-robin` on 1 and 4 streams, to a file of
 * this process. */
void trial_start(struct trial *trial, const struct gp_scenario_ops *const *scenario);

/* Sweeps and closes the device; code and err say how it went. */
void trial_run(struct trial *trial);

/* Opens the recording. */
void trial_read_back(struct trial *trial);

/* A metric of a cell, which must be there. */
double trial_metric(struct trial *trial, int64_t cell, const char *name);

/* Closes and removes the recording. */
void trial_finish(struct trial *trial);

#endif
