/*
 * A paragraph that is put together word by word and printed between the terminal's edges. What
 * comes from a recording may hold anything: control characters become '?'.
 */
#ifndef GP_PROBE_CLI_WORDS_H
#define GP_PROBE_CLI_WORDS_H

#include <stddef.h>

#include "probe/cli/terminal.h"

enum { GP_WORDS_BYTES_MAX = 4096 };

/* Zeroed: nothing said. */
struct gp_words {
    char text[GP_WORDS_BYTES_MAX];
    size_t used;
};

/* Adds to it; what is too long is cut off. */
void gp_words_say(struct gp_words *words, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Prints it on stdout after `indent` blanks, further lines after `hang`, none longer than the
 * terminal's columns, nor than 100 letters, but for longer words; then says nothing any more. */
void gp_words_print(struct gp_words *words, const struct gp_terminal *terminal, uint32_t indent,
                    uint32_t hang);

#endif
