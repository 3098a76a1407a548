/*
 * Answers to claims, as `verdict` and `show` print them: read back from the recording. No SQL here.
 */
#ifndef GP_PROBE_CLI_CLAIMS_PRINT_H
#define GP_PROBE_CLI_CLAIMS_PRINT_H

#include <jansson.h>

#include "probe/cli/terminal.h"
#include "probe/store/reader.h"

/* Prints each on stdout: the answer, the claim, what was found; then how many of each answer.
 * Nothing when there are none. */
void gp_claims_print(struct gp_reader *reader, const struct gp_verdict_row *verdicts,
                     uint32_t count, const struct gp_terminal *terminal);

/* The list of --json: claim, answer, connections and what the evidence has. Never NULL. */
json_t *gp_claims_json(struct gp_reader *reader, const struct gp_verdict_row *verdicts,
                       uint32_t count);

#endif
