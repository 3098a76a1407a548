/*
 * What the terminal can show: letters beyond ASCII, colour, a line that is written over. Decided
 * once from the locale and the environment. Nothing else of the program asks.
 */
#ifndef GP_PROBE_CLI_TERMINAL_H
#define GP_PROBE_CLI_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>

struct gp_terminal {
    bool utf8;        /* the locale's character set is UTF-8 */
    bool color;       /* stdout is a terminal that has colours and NO_COLOR is not set */
    bool redraw;      /* stderr is a terminal on which a line can be written over */
    uint32_t columns; /* of stdout, 40 to 200: COLUMNS, else the terminal's, else 100 */
};

/* Sets the character set's locale from the environment; numbers stay as in C. Once, at the start.
 */
void gp_terminal_init(struct gp_terminal *out);

/* Whether a byte of a text from outside may be printed: no control character. */
bool gp_terminal_is_safe(char byte);

/* How things are spelled: true typography where the locale has it. Static. */
const char *gp_terminal_times(const struct gp_terminal *terminal);  /* × */
const char *gp_terminal_dash(const struct gp_terminal *terminal);   /* –, of ranges */
const char *gp_terminal_marker(const struct gp_terminal *terminal); /* →, of the chosen row */

/* Control sequences, "" where there is no colour. Static. */
const char *gp_terminal_bold(const struct gp_terminal *terminal);
const char *gp_terminal_red(const struct gp_terminal *terminal);
const char *gp_terminal_plain(const struct gp_terminal *terminal);

#endif
