/*
 * What to do about it: a few sentences, each with what it would gain and how sure that is. Pure
 * functions over summaries and causes; gp_advice_load reads the runs that they need.
 *
 * What is advised was measured here (another cell of the recording has it), or estimated: the run
 * played again without the cause (what_if.h), held against the device bound. What is no more than
 * the intervals is not said, and what was tried in this recording and did not help neither. Of work
 * that went wrong in a cell, for a dependency is missing or its data are not the reference's,
 * nothing is estimated: that comes first, and what else would be faster may only be wrong sooner.
 * Of each kind of remedy (take the best pool, more streams, pinned memory, …) there is one
 * sentence, about the cell that it gains most.
 */
#ifndef GP_PROBE_ANALYSIS_ADVICE_H
#define GP_PROBE_ANALYSIS_ADVICE_H

#include "probe/analysis/load.h"
#include "probe/analysis/what_if.h"

/* How sure. measured, on a model modelled: another cell of the recording shows it; estimated: what
 * held is seen in the recording; guessed: it is derived from how devices work. */
#define GP_SURENESSES(X)                                                                           \
    X(MEASURED, "measured")                                                                        \
    X(MODELLED, "modelled") X(ESTIMATED, "estimated") X(GUESSED, "guessed")

enum gp_sureness {
#define X(name, word) GP_SURENESS_##name,
    GP_SURENESSES(X)
#undef X
        GP_SURENESS_COUNT
};

/* The list's word, static. */
const char *gp_sureness_name(enum gp_sureness sureness);

enum { GP_ADVICE_MAX = 5, GP_ADVICE_BYTES_MAX = 512 };

struct gp_advice {
    char text[GP_ADVICE_BYTES_MAX]; /* one sentence, which says gain and sureness too; ASCII but for
                                       names of the recording */
    double gain;             /* part of the makespan that goes away, at most when estimated; NAN:
                                it is not about time (wrong data) */
    double gain_lo, gain_hi; /* of a measured gain; else NAN */
    enum gp_sureness sureness;
    enum gp_cause cause;             /* GP_CAUSE_COUNT: none */
    struct gp_experiment experiment; /* that would show it; zeroed: none */
    const struct gp_cell_row *cell;  /* of which it speaks; borrowed */
    uint32_t others;                 /* cells that it was left out for, as they gain less */
};

/* The most valuable first. */
struct gp_advices {
    struct gp_advice all[GP_ADVICE_MAX];
    uint32_t count; /* 0: there is nothing to say */
};

/* Adds what the cells of one scenario (same device and parameters) say. what_if: of the kept run of
 * cells[about]; NULL: what only its causes can tell is left out. Where any of them lacks a
 * dependency that is all that is said. The least valuable make room. */
void gp_advise(const struct gp_result *cells, uint32_t count, uint32_t about,
               const struct gp_what_if *what_if, struct gp_advices *out);

/* Which of those cells advice is about: the recommended one, or the first that is complete; `count`
 * when there is none. */
uint32_t gp_advice_about(const struct gp_result *cells, uint32_t count);

/* Of a whole recording; texts say how many others there are. The reader's errors. */
int gp_advice_load(struct gp_reader *reader, const struct gp_results *results,
                   struct gp_advices *out, struct gp_error *err);

#endif
