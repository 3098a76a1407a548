/*
 * Parameters of scenarios: what a value may be, reading it from text and writing it as text. Every
 * value is one int64: a whole number, tenths of a number, the index of a word, or a text's address.
 */
#ifndef GP_SCENARIOS_PARAMETER_H
#define GP_SCENARIOS_PARAMETER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/error.h"

enum gp_parameter_kind {
    GP_PARAMETER_WHOLE,  /* read with K, M, G for 1024, 1024², 1024³ */
    GP_PARAMETER_TENTHS, /* 2.5 is 25 */
    GP_PARAMETER_WORD,   /* on|off and the like */
    GP_PARAMETER_TEXT,   /* anything, of the user's; see gp_parameter_text */
};

/* The value of a parameter that is still to be computed (gp_scenario_ops.adapt). */
#define GP_AUTO INT64_MIN

enum { GP_PARAMETERS_MAX = 16, GP_PARAMETER_WORDS_MAX = 16, GP_PARAMETER_BYTES_MAX = 512 };

/* A parameter that `--set KEY=VALUE` changes. */
struct gp_parameter {
    const char *name;
    const char *summary; /* with the unit */
    enum gp_parameter_kind kind;
    int64_t initial;          /* the default */
    int64_t min, max;         /* inclusive; of numbers */
    int64_t multiple;         /* of which it must be a multiple; 0: any */
    const char *const *words; /* of a word: what is allowed, at most GP_PARAMETER_WORDS_MAX; ends
                                 with NULL */
    bool adapts; /* may be `auto`: computed from the device, or from the other parameters */
};

/* A value of kind TEXT: the address of its characters, which belong to who set it and outlive the
 * value; 0, the default, is "". */
static inline const char *gp_parameter_text(int64_t value)
{
    return value != 0 ? (const char *)(intptr_t)value : "";
}

/* Reads a value of the parameter of `owner` (for messages); *out is in its range. Of kind TEXT it
 * is `text` itself. GP_EINVAL names both and says what is allowed. */
int gp_parameter_read(const char *owner, const struct gp_parameter *parameter, const char *text,
                      int64_t *out, struct gp_error *err);

/* Whether the value is in the parameter's range, one of its words, or GP_AUTO where that may be. */
bool gp_parameter_allows(const struct gp_parameter *parameter, int64_t value);

/* GP_EINVAL, as above, for a number that is not allowed. */
int gp_parameter_check(const char *owner, const struct gp_parameter *parameter, int64_t value,
                       struct gp_error *err);

/* The value as read takes it: "256", "2.5", "on", "auto". The value is allowed. */
void gp_parameter_write(const struct gp_parameter *parameter, int64_t value,
                        char out[GP_PARAMETER_BYTES_MAX]);

/* What is allowed: "64 to 1024, a multiple of 64", "on, off", "1 to 4096, or auto". */
void gp_parameter_range(const struct gp_parameter *parameter, char out[GP_PARAMETER_BYTES_MAX]);

#endif
