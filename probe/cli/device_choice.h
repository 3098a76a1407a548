/*
 * Opens the device that the user asked for: reads a profile file where one is named, and says why
 * `auto` did not find a GPU.
 */
#ifndef GP_PROBE_CLI_DEVICE_CHOICE_H
#define GP_PROBE_CLI_DEVICE_CHOICE_H

#include "core/device/device.h"

struct gp_chosen_device {
    struct gp_device *device; /* NULL: not open */
    char *profile;            /* text of the profile file, which the device borrows */
};

/* spec as for gp_device_open, with connections (0: as the environment says) for a model; *out is
 * zero before, and to be closed in every case. The caller is attached. Unless quiet, says on stderr
 * why the model stands in for a GPU that is not there. */
int gp_device_choose(const char *spec, uint32_t connections, bool quiet,
                     struct gp_chosen_device *out, struct gp_error *err);
void gp_device_unchoose(struct gp_chosen_device *chosen);

#endif
