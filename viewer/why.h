/*
 * Why the operations of a run waited, as the window shows it: the sums by cause, and for each
 * operation what held it longest. Knows no display.
 */
#ifndef GP_VIEWER_WHY_H
#define GP_VIEWER_WHY_H

#include "probe/analysis/causes.h"
#include "viewer/layout/idle.h"

struct gp_why_total {
    enum gp_cause cause;
    struct gp_cause_total total;
};

struct gp_why {
    struct gp_why_total totals[GP_CAUSE_COUNT]; /* that held something, the longest first */
    uint32_t total_count;
    int64_t idle_ns; /* of all streams */
    uint8_t *causes; /* by operation: enum gp_cause, GP_CAUSE_COUNT: it did not wait */
    uint32_t *on;    /* by operation: what held it; GP_NO_OP: none is known */
    uint32_t op_count;
    struct gp_view_idle *idle; /* time in which nothing runs, ascending; NULL: there is none */
    uint32_t idle_count;
};

/* Reads the run and explains it. GP_EUNSUPPORTED: there is not the memory for it (room.h); else the
 * reader's errors; GP_EINTERRUPTED: given up as heed says. *out is the caller's. Slow: for a worker
 * thread. */
int gp_why_load(const char *path, int64_t cell, int64_t run, struct gp_heed heed,
                struct gp_why **out, struct gp_error *err);

/* NULL allowed. */
void gp_why_destroy(struct gp_why *why);

#endif
