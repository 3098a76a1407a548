/*
 * Reads the values of options: numbers with a range, words of a list, comma lists. Every
 * failure is GP_EINVAL with a text that names the option, the value and what is allowed. Knows no
 * option.
 */
#ifndef GP_PROBE_CLI_VALUES_H
#define GP_PROBE_CLI_VALUES_H

#include <stddef.h>
#include <stdint.h>

#include "core/error.h"

enum { GP_VALUE_ITEM_BYTES_MAX = 64 }; /* one item of a list, with its NUL */

/* The next item of a comma list. *cursor starts at the whole text; NULL after the last item. 1:
 * item filled; 0: no more. An empty item and one that is too long fail. */
int gp_value_next(const char *option, const char **cursor, char item[GP_VALUE_ITEM_BYTES_MAX],
                  struct gp_error *err);

/* A whole decimal number in [min, max]. */
int gp_value_integer(const char *option, const char *text, int64_t min, int64_t max, int64_t *out,
                     struct gp_error *err);

/* Any number that fits uint64. */
int gp_value_unsigned(const char *option, const char *text, uint64_t *out, struct gp_error *err);

/* Seconds, with a fraction or not, more than 0 and at most a day; in ns. */
int gp_value_seconds(const char *option, const char *text, int64_t *out_ns, struct gp_error *err);

/* Fills err for a word that is none of the known ones: with the nearest, and with all of them while
 * they are few. kind is what it should have been ("policy"). Returns GP_EINVAL. */
int gp_value_unknown(const char *kind, const char *word, const char *const *known, size_t count,
                     struct gp_error *err);

/* The index of a word. */
int gp_value_word(const char *kind, const char *text, const char *const *words, size_t count,
                  size_t *out, struct gp_error *err);

#endif
