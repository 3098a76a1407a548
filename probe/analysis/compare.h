/*
 * Two recordings against each other, cell by cell: what became faster, what slower, and what cannot
 * be told.
 */
#ifndef GP_PROBE_ANALYSIS_COMPARE_H
#define GP_PROBE_ANALYSIS_COMPARE_H

#include "probe/analysis/load.h"

/* untold: there is no interval, or 1 lies inside it. */
#define GP_ANSWERS(X) X(UNTOLD, "cannot tell") X(FASTER, "faster") X(SLOWER, "slower")

enum gp_answer {
#define X(name, words) GP_ANSWER_##name,
    GP_ANSWERS(X)
#undef X
        GP_ANSWER_COUNT
};

/* The list's words, static. */
const char *gp_answer_name(enum gp_answer answer);

/* One recording, open. */
struct gp_side {
    struct gp_reader *reader;
    struct gp_results results;
};

struct gp_comparison {
    const struct gp_result *a, *b; /* borrowed; both are complete */
    struct gp_figure ratio;        /* makespan of b ÷ that of a */
    enum gp_answer answer;
    bool is_beyond; /* slower by more than the gate, with the whole interval */
};

struct gp_comparisons {
    struct gp_comparison *rows; /* in the order of a's cells */
    uint32_t count;
    uint32_t only_a, only_b; /* complete cells that the other one has not */
};

/* Fills the rest of a comparison whose a and b are set. The reader's errors. */
int gp_compare_pair(struct gp_reader *a, struct gp_reader *b, double gate,
                    struct gp_comparison *row, struct gp_error *err);

/* Matches complete cells by scenario, parameters, policy, streams, submit mode, issue order,
 * completion mode and connections; the devices may differ. gate: the part by which b may be slower,
 * 0.05 for 5 %; NAN none. *out is the caller's to finish; the reader's errors leave nothing in it.
 */
int gp_compare(const struct gp_side *a, const struct gp_side *b, double gate,
               struct gp_comparisons *out, struct gp_error *err);

/* Takes a zeroed struct. */
void gp_comparisons_finish(struct gp_comparisons *comparisons);

#endif
