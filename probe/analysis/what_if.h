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

struct gp_what_if {
    const struct gp_causes *causes; /* borrowed */
    int64_t as_it_was_ns;           /* when the last operation ended; 0: nothing ran */
    /* When it would have ended without the cause, in ns of the run; no later than it did, and just
     * then for a cause that held nobody. */
    int64_t without_ns[GP_CAUSE_COUNT];
};

/* For every cause, in n · causes. *out keeps `causes`, which must stay as long, and needs no
 * release. */
void gp_what_if_measure(const struct gp_causes *causes, struct gp_what_if *out);

/* No run of that work is shorter than its ideal bound, whatever holds nobody: lifts what is below
 * it to it, but to no more than it was. but_host_ns: the bound without what the host's calls take,
 * which goes away with what keeps the host. NAN: not known, nothing is lifted. */
void gp_what_if_bound(struct gp_what_if *what_if, double bound_ns, double but_host_ns);

#endif
