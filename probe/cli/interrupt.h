/*
 * Ctrl-C: the first asks the run to stop after what is in hand, the second ends the program.
 */
#ifndef GP_PROBE_CLI_INTERRUPT_H
#define GP_PROBE_CLI_INTERRUPT_H

#include <signal.h>

/* Catches SIGINT and SIGTERM from now on; the flag becomes non-zero at the first, which also
 * restores the default action, so that the second one kills. */
volatile sig_atomic_t *gp_interrupt_catch(void);

#endif
