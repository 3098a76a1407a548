/*
 * The clock map of one traced run: brings device-clock and event times to the host clock. It knows
 * no operations and no recording.
 *
 * Host ↔ device by ping-pong samples before and after the run (device.h, clock_sample); event times
 * by an anchor event whose device time is measured against stamped kernels just before the run. So
 * an event that follows a kernel has no bias against that kernel's end stamp.
 */
#ifndef GP_PROBE_TIMING_CLOCK_H
#define GP_PROBE_TIMING_CLOCK_H

#include "core/device/device.h"

enum { GP_CLOCK_MARKS = 8 }; /* stamped kernels with an event each, per anchor */

struct gp_clock {
    struct gp_device *device;
    struct gp_stream *stream;               /* helper stream, idle while anchoring */
    struct gp_event *marks[GP_CLOCK_MARKS]; /* timed; marks[0] is the anchor */
    struct gp_clock_sample before, after;
    int64_t anchor_device_ns;   /* device time of marks[0] */
    int64_t anchor_residual_ns; /* largest deviation among the marks from their median */
};

/* `stream` is borrowed. */
int gp_clock_init(struct gp_clock *clock, struct gp_device *device, struct gp_stream *stream,
                  struct gp_error *err);
void gp_clock_finish(struct gp_clock *clock);

/* Just before a run, on an idle device: a ping-pong sample and the anchor. `mark` is a prepared
 * kernel that does nothing when all its arguments are zero; `slots` are GP_CLOCK_MARKS stamp slots
 * on the device, `host` their copy in pinned memory. Reading back is synchronous. */
int gp_clock_anchor(struct gp_clock *clock, const struct gp_kernel *mark, gp_addr slots,
                    struct gp_stamp *host, struct gp_error *err);

/* Just after the run, on an idle device: the closing sample. */
int gp_clock_close(struct gp_clock *clock, struct gp_error *err);

/* A device-clock time on the host clock: on the line through both samples. */
int64_t gp_clock_host_ns(const struct gp_clock *clock, int64_t device_ns);

/* Half the round trip of the worse sample: how far off host times may be. */
int64_t gp_clock_residual_ns(const struct gp_clock *clock);

/* The host time of a timed event recorded and complete since the anchor. */
int gp_clock_event_ns(const struct gp_clock *clock, struct gp_event *event, int64_t *out_ns,
                      struct gp_error *err);

#endif
