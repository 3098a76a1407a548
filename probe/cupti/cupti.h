/*
 * CUPTI as a reference: another tool's word on when each operation of a run began and ended. It is
 * optional (libcupti is opened at run time), it slows what it watches, and before Blackwell it is
 * itself an estimate; so its times stand beside ours and never in their place.
 *
 * One session a process at a time, because CUPTI's callbacks bring no pointer of ours. One thread
 * at a time uses it; CUPTI's own thread hands buffers back.
 */
#ifndef GP_PROBE_CUPTI_CUPTI_H
#define GP_PROBE_CUPTI_CUPTI_H

#include "core/schedule.h"
#include "probe/cupti/records.h"

struct gp_cupti;

/* Loads libcupti, takes CUPTI for this process and sets aside touched memory for its records, which
 * will be on the host clock of device cuda. Nothing is watched yet. GP_EUNSUPPORTED: there is no
 * CUPTI, another tool has it, or this process has a session; says what to do. *out is the
 * caller's. */
int gp_cupti_create(struct gp_cupti **out, struct gp_error *err);

/* Ends the session; NULL allowed. CUPTI stays loaded and idle. */
void gp_cupti_destroy(struct gp_cupti *cupti);

/* Its version and where it was found, for doctor and notes; borrowed. */
const char *gp_cupti_path(const struct gp_cupti *cupti);
uint32_t gp_cupti_version(const struct gp_cupti *cupti);

/* Starts or stops watching; the device is idle. What was recorded before is forgotten. */
int gp_cupti_watch(struct gp_cupti *cupti, bool on, struct gp_error *err);

/* After a watched run that one thread submitted, on an idle device and before anything else is done
 * on it: fills times, one an operation of the schedule, and forgets the records. GP_EUNSUPPORTED:
 * records were lost for want of memory, or do not fit the run. */
int gp_cupti_collect(struct gp_cupti *cupti, const struct gp_schedule *schedule,
                     struct gp_work_times *times, struct gp_error *err);

/* The same for count operations of these kinds, in the order in which they were submitted. */
int gp_cupti_collect_kinds(struct gp_cupti *cupti, const enum gp_op_kind *kinds, uint32_t count,
                           struct gp_work_times *times, struct gp_error *err);

#endif
