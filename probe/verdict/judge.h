/*
 * Answers to claims, from a recording that has the cells that decide them. No device, no sweep.
 */
#ifndef GP_PROBE_VERDICT_JUDGE_H
#define GP_PROBE_VERDICT_JUDGE_H

#include "probe/store/reader.h"
#include "probe/verdict/claims.h"

/* Zero is none. */
struct gp_verdicts {
    struct gp_verdict_row *rows; /* in the order of the tests; evidence is owned */
    uint32_t count;
};

/* Judges each claim. missing: why cells with a number of connections of their own were not run;
 * NULL: they were. The evidence of each has: sentence, source, scenario, text (what was found, one
 * sentence), quantity, median, lo, hi, at_least, at_most, over and under (label, cell, streams,
 * median each); unknown figures are null. *out is to be finished in every case. Errors are the
 * reader's. */
int gp_verdicts_judge(struct gp_reader *reader, const struct gp_claim_test *const *tests,
                      uint32_t count, const char *missing, struct gp_verdicts *out,
                      struct gp_error *err);
void gp_verdicts_finish(struct gp_verdicts *verdicts);

#endif
