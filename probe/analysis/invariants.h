/*
 * What must hold in every recorded run, whatever was scheduled and on whatever device. What is
 * broken is a fault of a schedule, of the recorder or of the file, and never "just slow". Pure
 * functions over one run's rows; no I/O.
 *
 * Times are intervals, so only what is certain counts: that one operation began before another
 * ended is a violation when the latest begin lies before the earliest end, beyond the timer's tick.
 *
 *     a        |......-----------|..|        earliest end of a: end_lo
 *     b                  |..|-------         latest begin of b: begin_hi, before it: a violation
 */
#ifndef GP_PROBE_ANALYSIS_INVARIANTS_H
#define GP_PROBE_ANALYSIS_INVARIANTS_H

#include "probe/analysis/causes.h"

/* X(name, word). In the order in which they are checked. */
#define GP_INVARIANTS(X)                                                                           \
    X(DATA, "data")                                                                                \
    X(INTERVAL, "interval")                                                                        \
    X(INSIDE_RUN, "inside-run")                                                                    \
    X(SUBMITTED, "submitted")                                                                      \
    X(DEPENDENCY, "dependency")                                                                    \
    X(STREAM_ORDER, "stream-order")                                                                \
    X(ENGINE, "engine")                                                                            \
    X(ENGINE_RATE, "engine-rate")                                                                  \
    X(REFERENCE, "reference")                                                                      \
    X(RESIDENT, "resident")                                                                        \
    X(BLOCK, "block")                                                                              \
    X(BLOCK_ROOM, "block-room")                                                                    \
    X(HAZARD, "hazard")

enum gp_invariant {
#define X(name, word) GP_INVARIANT_##name,
    GP_INVARIANTS(X)
#undef X
        GP_INVARIANT_COUNT
};

struct gp_violation {
    enum gp_invariant what;
    uint32_t op;    /* GP_NO_OP: the run as a whole */
    uint32_t other; /* that came before it; GP_NO_OP none */
    int64_t by_ns;  /* by how much; GP_UNKNOWN: no time */
    /* hazard: the bytes that both use in no order; buffer NULL: not that */
    const char *buffer;
    int64_t offset, bytes;
    uint64_t block;   /* of op, its number + 1; 0: not one of its blocks */
    const char *text; /* what is wrong, a clause without the names; static */
};

enum { GP_VIOLATIONS_KEPT_MAX = 100 }; /* of each invariant */

struct gp_violations {
    struct gp_violation *rows; /* by invariant, then as found */
    uint32_t count;
    size_t capacity;
    uint64_t totals[GP_INVARIANT_COUNT];     /* found, kept or not */
    const char *skipped[GP_INVARIANT_COUNT]; /* why it was not checked, static; NULL: it was */
};

struct gp_invariant_rule {
    const char *summary; /* what must hold, one sentence without its full stop */
    /* Adds what is broken; a reason why it cannot be told from this run, or NULL. */
    const char *(*check)(const struct gp_run_data *run, struct gp_violations *out);
};

/* By invariant. */
extern const struct gp_invariant_rule gp_invariant_table[GP_INVARIANT_COUNT];

/* The list's word, static. */
const char *gp_invariant_name(enum gp_invariant what);

/* Checks a run against all of them. Texts in *out are static or the run's; *out is the caller's to
 * finish. */
void gp_invariants_check(const struct gp_run_data *run, struct gp_violations *out);
/* Takes a zeroed struct. */
void gp_violations_finish(struct gp_violations *violations);

/* For rules: counts a violation, and keeps it while there is room. */
void gp_violations_add(struct gp_violations *violations, const struct gp_violation *violation);

/* The rule `hazard`, in a file of its own (ordering.c), and `block` and `block-room`
 * (block_rules.c). */
const char *gp_ordering_check(const struct gp_run_data *run, struct gp_violations *out);
const char *gp_blocks_check(const struct gp_run_data *run, struct gp_violations *out);
const char *gp_block_room_check(const struct gp_run_data *run, struct gp_violations *out);

#endif
