/*
 * The nearest known word to a mistyped one, for messages.
 */
#ifndef GP_CORE_NEAREST_H
#define GP_CORE_NEAREST_H

#include <stddef.h>

/* The word of `known` with the smallest edit distance to `word` (Damerau–Levenshtein, transposition
 * of neighbours counts 1; the beginning of a word is 1 away from it), the first of equals; "" when
 * count is 0. Borrowed from `known`. Words are compared up to 63 bytes. */
const char *gp_nearest(const char *word, const char *const *known, size_t count);

#endif
