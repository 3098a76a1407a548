/*
 * What analysis knows of a device beyond its row: rates and limits, from the recording's
 * calibrations and, for a modelled device, from its profile. Nothing is assumed: what is in neither
 * is not known.
 */
#ifndef GP_PROBE_ANALYSIS_FACTS_H
#define GP_PROBE_ANALYSIS_FACTS_H

#include <stdbool.h>

#include "probe/record.h"

/* X(name, what the profile's number is multiplied with). Names are those of calibrations and of
 * profiles. Rates in bytes a second, times in ns. */
#define GP_FACTS(X)                                                                                \
    X(h2d_rate, 1e6)                                                                               \
    X(h2d_duplex_rate, 1e6)                                                                        \
    X(d2h_rate, 1e6)                                                                               \
    X(d2h_duplex_rate, 1e6)                                                                        \
    X(h2d_setup, 1)                                                                                \
    X(d2h_setup, 1)                                                                                \
    X(h2d_waits_from, 1)                                                                           \
    X(d2h_waits_from, 1)                                                                           \
    X(copy_timed_ns, 1)                                                                            \
    X(copy_duplex_setup_ns, 1)                                                                     \
    X(grids_resident, 1)                                                                           \
    X(queue_launches, 1)                                                                           \
    X(event_timed_ns, 1)                                                                           \
    X(gap_kernel_kernel_ns, 1)                                                                     \
    X(host_launch_ns, 1)

struct gp_facts {
#define X(name, scale) double name; /* NAN unknown */
    GP_FACTS(X)
#undef X
};

/* Whether a copy between host and device certainly went through its engine: small ones may pass it.
 * Where no size is known from which on they wait, as in other tools' traces, an H200's is taken: 64
 * KiB up (32 KiB did too), any down. A copy of unknown size is taken for a large one. */
bool gp_facts_waits(const struct gp_facts *facts, const struct gp_op_row *copy);

/* What a copy takes of its engine beside its bytes, in ns; direction: 0 H2D, 1 D2H. NAN: it was not
 * measured alone. */
double gp_facts_copy_set_up(const struct gp_facts *facts, int direction);

/* The highest rate that copies may have on `device`, in bytes a second; NAN unknown. A rate that
 * was measured may be beaten a little; more where the set-up, and an event, are in it. */
double gp_facts_copy_rate_max(const struct gp_facts *facts, const struct gp_device_row *device,
                              int direction);
/* How many kernels may be on the device at once: measured, or what CUDA documents of its compute
 * capability. 0: not known. */
int64_t gp_facts_grids(const struct gp_facts *facts, const struct gp_device_row *device);

/* Of `device`, whose calibrations are among `rows`. The profile knows what it models, so it wins
 * over a calibration, which is measured. */
void gp_facts_collect(const struct gp_device_row *device, const struct gp_calibration_row *rows,
                      uint32_t count, struct gp_facts *out);

#endif
