/*
 * The machine while it is measured: clocks, reasons for slowing down, power, and who else uses the
 * GPU, as NVML tells it. A run during which these changed does not count. Reads only; nothing of
 * the GPU is ever set.
 *
 * A sample costs about 0.15 ms of the calling thread and nothing on the GPU (measured on an H200,
 * driver 580; the first one 8 ms), so it is taken beside a run and never within its makespan.
 */
#ifndef GP_PROBE_MACHINE_MACHINE_H
#define GP_PROBE_MACHINE_MACHINE_H

#include "core/device/device.h"
#include "probe/record.h"

struct gp_machine;

enum { GP_MACHINE_TEXT_BYTES = 256 };

/* Reasons to slow down that spoil a comparison, as NVML's bit mask has them; `idle`, `clocks set by
 * the user` and the like are none. */
#define GP_THROTTLES(X)                                                                            \
    X(0x04, "power cap")                                                                           \
    X(0x08, "hardware slowdown")                                                                   \
    X(0x20, "thermal slowdown by software")                                                        \
    X(0x40, "thermal slowdown by hardware")                                                        \
    X(0x80, "power brake")

/* Opens what NVML knows of this device. GP_EUNSUPPORTED says why it knows nothing: no NVML, a
 * device without UUID, a device that NVML does not have. *out is the caller's; one thread at a
 * time. */
int gp_machine_create(const struct gp_device_info *info, struct gp_machine **out,
                      struct gp_error *err);
/* NULL allowed. */
void gp_machine_destroy(struct gp_machine *machine);

/* The state now; at and note are 0 and "", what is not told GP_UNKNOWN. `processes` leaves this
 * process out, which must have its context on the device. Cannot fail. */
void gp_machine_sample(struct gp_machine *machine, struct gp_state_row *out);

/* Whether a run between these two samples does not count, and why, into text: a clock that moved by
 * more than 2 % (unless the GPU was idle in one of them: its clock rests then), another reason to
 * slow down, processes that came or went. text is "" when nothing changed. */
bool gp_machine_changed(const struct gp_state_row *before, const struct gp_state_row *after,
                        char text[GP_MACHINE_TEXT_BYTES]);

/* The reasons of GP_THROTTLES in a mask, "power cap, power brake", into text; "" for none or
 * GP_UNKNOWN. */
void gp_machine_throttle_text(int64_t mask, char text[GP_MACHINE_TEXT_BYTES]);

#endif
