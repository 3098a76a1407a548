/*
 * How each claim of the scenarios is tested: which cells decide it, and by what rule. One const row
 * a claim; the sentence is the scenario's (scenario.h, struct gp_claim). Nothing here runs.
 */
#ifndef GP_PROBE_VERDICT_CLAIMS_H
#define GP_PROBE_VERDICT_CLAIMS_H

#include "probe/sweep/sweep.h"

enum { GP_CLAIM_SETTINGS_MAX = 4, GP_CLAIM_SIZES_MAX = 6 };

/* Which of a side's cells speaks for it: that of the smallest median makespan, or of the largest.
 */
enum gp_pick { GP_PICK_FASTEST, GP_PICK_SLOWEST };

/* What is compared: makespans of plain runs; traced runs ÷ their plain twins, of `over` alone; a
 * figure that the scenario measures; or the hazards of the schedule, of `over` alone. */
enum gp_quantity {
    GP_QUANTITY_MAKESPAN,
    GP_QUANTITY_PERTURBATION,
    GP_QUANTITY_MEASURE,
    GP_QUANTITY_HAZARDS,
};

/* Cells that differ in their pool size alone. Zero is the default of each. */
struct gp_claim_side {
    struct gp_setting settings[GP_CLAIM_SETTINGS_MAX]; /* beside the test's; name NULL: no more */
    const char *policy;                                /* NULL: round-robin */
    uint32_t streams[GP_CLAIM_SIZES_MAX]; /* ends with 0; none of a policy with a fixed size */
    enum gp_pick pick;
    enum gp_submit submit;
    enum gp_issue_order order;
    enum gp_completion completion;
    uint32_t connections; /* 0: as the environment says */
    enum gp_trace trace;  /* of a perturbation; a measure has stamps, the rest no traced runs */
};

struct gp_claim_test {
    const char *claim;                                 /* the id of one of the scenario's claims */
    const char *scenario;                              /* its name */
    const char *source;                                /* who says so */
    struct gp_setting settings[GP_CLAIM_SETTINGS_MAX]; /* of both sides; name NULL: no more */
    struct gp_claim_side over, under;                  /* the claim is about over ÷ under … */
    bool is_absolute;                                  /* … or about `over` alone */
    enum gp_quantity quantity;
    const char *measure; /* of GP_QUANTITY_MEASURE: its name */
    /* The claim holds when the quotient, or the figure, is at most or at least that; the other is
     * 0. Hazards are at most `at_most`. */
    double at_most, at_least;
};

extern const struct gp_claim_test gp_claim_tests[];
extern const size_t gp_claim_test_count;

/* The test of that claim; NULL when there is none. */
const struct gp_claim_test *gp_claim_test_find(const char *claim);

/* The claim's sentence, as people say it. Static. */
const char *gp_claim_sentence(const struct gp_claim_test *test);

/* The name of a side's policy; and how many sizes it has, at least 1: a policy of a fixed size has
 * one, whatever it is. */
const char *gp_claim_policy(const struct gp_claim_side *side);
uint32_t gp_claim_size_count(const struct gp_claim_side *side);

/* The trace that a side's cells need. */
enum gp_trace gp_claim_trace(const struct gp_claim_test *test, const struct gp_claim_side *side);

/* The numbers of connections that the tests want, ascending, each once; out has room for
 * GP_CONNECTIONS_MAX + 1. 0 is the environment's. Returns how many. */
uint32_t gp_claim_connections(const struct gp_claim_test *const *tests, uint32_t count,
                              uint32_t *out);

/* Tests, and the number of connections of which their cells are wanted. */
struct gp_claim_choice {
    const struct gp_claim_test *const *tests;
    uint32_t test_count;
    uint32_t connections;
};

/* Those cells, each once, as a plan for gp_sweep_run_plan; *count may be 0. *out is the caller's
 * (gp_free). GP_EINVAL: this device does not allow a scenario's values. */
int gp_claim_plan(const struct gp_claim_choice *choice, const struct gp_device_info *info,
                  struct gp_cell_plan **out, uint32_t *count, struct gp_error *err);

#endif
