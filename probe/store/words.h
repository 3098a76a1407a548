/*
 * The words of the enumerated columns, one list each, from the enums' own X-macros.
 */
#ifndef GP_PROBE_STORE_WORDS_H
#define GP_PROBE_STORE_WORDS_H

enum gp_words {
    GP_WORDS_ORIGIN,
    GP_WORDS_SUBMIT,
    GP_WORDS_ORDER,
    GP_WORDS_STATUS,
    GP_WORDS_PASS,
    GP_WORDS_TRACE,
    GP_WORDS_SOURCE,
    GP_WORDS_OP_KIND,
    GP_WORDS_EDGE_KIND,
    GP_WORDS_EDGE_HOW,
    GP_WORDS_STREAM_FLAG,
    GP_WORDS_ACCESS,
    GP_WORDS_COMPLETION,
    GP_WORDS_CAUSE,
    GP_WORDS_CLOCK,
    GP_WORDS_VERDICT,
    GP_WORDS_COUNT
};

/* The word of an enum's value; "unknown" for a value that has none. Static. */
const char *gp_word(enum gp_words list, int value);

/* The value of a word, -1 when the list does not have it (NULL included). */
int gp_word_find(enum gp_words list, const char *word);

/* One more than the greatest value of the list. */
int gp_words_size(enum gp_words list);

/* What the list is of, for messages: "operation kind". Static. */
const char *gp_words_title(enum gp_words list);

#endif
