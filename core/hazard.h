/*
 * The hazard clock: do the steps of a schedule order every two operations that use the same bytes?
 * Looks at declared ranges and at what really orders (streams, records, waits), not at the edges of
 * the DAG, so it also finds edges that the DAG lacks.
 */
#ifndef GP_CORE_HAZARD_H
#define GP_CORE_HAZARD_H

#include "core/schedule.h"

#define GP_HAZARD_KINDS(X)                                                                         \
    X(RAW, "read after write")                                                                     \
    X(WAR, "write after read")                                                                     \
    X(WAW, "write after write")

enum gp_hazard_kind {
#define X(name, word) GP_HAZARD_##name,
    GP_HAZARD_KINDS(X)
#undef X
        GP_HAZARD_KIND_COUNT
};

/* Static. */
const char *gp_hazard_kind_name(enum gp_hazard_kind kind);

/* Two operations that use the same bytes in no order; the edge from → to is missing. */
struct gp_hazard {
    enum gp_hazard_kind kind;
    uint32_t from, to; /* issued earlier, issued later */
    const struct gp_buffer *buffer;
    uint64_t offset, bytes; /* encloses all that both use */
};

struct gp_hazard_report {
    struct gp_hazard *hazards; /* in issue order of `to` */
    uint32_t hazard_count;
    bool is_cut; /* there are more than GP_HAZARDS_MAX */
    /* Steps that are waits and could each be left out: nothing would be unordered. Only looked for
     * when there is no hazard, and for the first waits_examined waits: the work grows with waits ×
     * steps. Two of them may lean on each other. */
    uint32_t *unneeded;
    uint32_t unneeded_count;
    uint32_t waits_examined, wait_count;
};

/* *out is the caller's and borrows the schedule. At least one hazard of every byte range that has
 * any is found: of operations after a hazard on the same bytes, only the nearest are compared. */
int gp_hazard_find(const struct gp_schedule *schedule, struct gp_hazard_report **out,
                   struct gp_error *err);
void gp_hazard_report_destroy(struct gp_hazard_report *report);

/* One line that names both operations, their streams, the buffer, the range and what is missing. */
void gp_hazard_describe(const struct gp_schedule *schedule, const struct gp_hazard *hazard,
                        char *out, size_t bytes);

#endif
