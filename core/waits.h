/*
 * Waits: which cross-stream edges of a schedule need an event, and which are implied by the others.
 * Private to core.
 */
#ifndef GP_CORE_WAITS_H
#define GP_CORE_WAITS_H

#include "core/schedule.h"

/*
 * Fills schedule->hows and waits_elided from its choices, for operations submitted in the order of
 * `issue`. An edge gets a wait only if neither the order of its stream, nor an earlier wait of that
 * stream, nor another wait at the same place implies it, directly or through other streams.
 */
int gp_waits_derive(struct gp_schedule *schedule, const uint32_t *issue, struct gp_error *err);

#endif
