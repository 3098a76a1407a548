/*
 * The clock map of one traced run: brings device-clock and event times to the host clock. It knows
 * no operations and no recording.
 *
 * Host ↔ device by ping-pong samples before and after the run (device.h, clock_sample); event times
 * by anchor events whose device time is measured against stamped kernels just before and just after
 * the run. So an event that follows a kernel at once has that kernel's end stamp as its time. The
 * driver tells the time between two events the more coarsely the longer it is (4 µs at a minute),
 * so each event is held against the nearest of the anchors and of the event before it.
 */
#ifndef GP_PROBE_TIMING_CLOCK_H
#define GP_PROBE_TIMING_CLOCK_H

#include "core/device/device.h"

enum { GP_CLOCK_MARKS = 8 }; /* stamped kernels with an event each, per anchor */

enum { GP_CLOCK_OPENING, GP_CLOCK_CLOSING, GP_CLOCK_LAST, GP_CLOCK_ANCHORS_MAX };

/* An event whose device time is known; event NULL: none. */
struct gp_clock_anchor {
    struct gp_event *event;
    int64_t device_ns;
};

struct gp_clock {
    struct gp_device *device;
    struct gp_stream *stream;               /* helper stream, idle while anchoring */
    struct gp_event *marks[GP_CLOCK_MARKS]; /* timed; marks[0] is the anchor */
    struct gp_clock_sample before, after;
    int64_t anchor_device_ns;   /* device time of marks[0] */
    int64_t anchor_residual_ns; /* how much later than the soonest an event followed its mark */
    struct gp_event *closing[GP_CLOCK_MARKS];             /* the same just after the run */
    struct gp_clock_anchor anchors[GP_CLOCK_ANCHORS_MAX]; /* opening, closing, the last event */
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

/* Just after the run, on an idle device: the closing anchor and sample. The same arguments, whose
 * slots still hold what the opening marks wrote. */
int gp_clock_close(struct gp_clock *clock, const struct gp_kernel *mark, gp_addr slots,
                   struct gp_stamp *host, struct gp_error *err);

/* A device-clock time on the host clock: on the line through both samples. */
int64_t gp_clock_host_ns(const struct gp_clock *clock, int64_t device_ns);

/* Half the round trip of the worse sample: how far off host times may be. */
int64_t gp_clock_residual_ns(const struct gp_clock *clock);

/* The host time of a timed event recorded and complete since the anchor. Asked in about the order
 * in which they were recorded, events help those that come next. */
int gp_clock_event_ns(struct gp_clock *clock, struct gp_event *event, int64_t *out_ns,
                      struct gp_error *err);

#endif
