/* What to do, as text for people and as JSON for programs. */
#ifndef GP_PROBE_CLI_ADVICE_PRINT_H
#define GP_PROBE_CLI_ADVICE_PRINT_H

#include <jansson.h>

#include "probe/analysis/advice.h"
#include "probe/cli/terminal.h"

/* On stdout, a numbered sentence each; prints nothing for none. */
void gp_advice_print(const struct gp_advices *advices, const struct gp_terminal *terminal);

/* A list with an object each. Never NULL. */
json_t *gp_advice_json(const struct gp_advices *advices);

#endif
