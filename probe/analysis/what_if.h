/*
 * How long a run would have taken if one cause had held nobody. An estimate: operations keep their
 * durations, though work that moves together may slow each other down, and what held nobody before
 * holds nobody now.
 *
 *     stream 0   |---a---|---b---|              b waited for a's stream only:
 *     stream 1                   |---c---|      c needs b
 *
 *     without same-stream:
 *     stream 0   |---a---|
 *                |---b---|
 *     stream 1           |---c---|
 */
#ifndef GP_PROBE_ANALYSIS_WHAT_IF_H
#define GP_PROBE_ANALYSIS_WHAT_IF_H

#include "probe/analysis/causes.h"

/* When the last operation would have ended, in ns of the run; no later than it did. 0: nothing ran.
 * In n log n. */
int64_t gp_what_if_without(const struct gp_causes *causes, enum gp_cause cause);

/* When the last operation ended; 0 nothing ran. */
int64_t gp_what_if_as_it_was(const struct gp_causes *causes);

#endif
