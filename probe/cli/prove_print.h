/*
 * What experiments showed, read back from their recording. Internal to prove.
 */
#ifndef GP_PROBE_CLI_PROVE_PRINT_H
#define GP_PROBE_CLI_PROVE_PRINT_H

#include "probe/cli/prove.h"

/* Which cell of the recording is that of an experiment; cell 0 is as it was. */
uint32_t gp_prove_place(const struct gp_proof *proofs, uint32_t count, uint32_t which);

/* The new figures beside the old, as a table, or into `cell`. Prints errors. */
enum gp_exit gp_prove_print(const char *path, const struct gp_proof *proofs, uint32_t count,
                            const struct gp_terminal *terminal, json_t *cell);

/* Why causes that held somebody were not tried; nothing when all were. */
void gp_prove_print_untried(const struct gp_explained *explained, const struct gp_proof *proofs,
                            uint32_t count, const struct gp_terminal *terminal, json_t *cell);

/* That there is nothing to try, and why. */
void gp_prove_print_none(const struct gp_explained *explained, const struct gp_terminal *terminal,
                         json_t *cell);

#endif
