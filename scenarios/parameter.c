/* Values of parameters: see parameter.h. */
#include "scenarios/parameter.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/nearest.h"
#include "core/utf8.h"

static const char *const auto_word = "auto";

/* ---- writing ------------------------------------------------------------------------------- */

static void write_tenths(int64_t value, char *out, size_t bytes)
{
    int64_t size = value < 0 ? -value : value;

    (void)snprintf(out, bytes, "%s%" PRId64 ".%" PRId64, value < 0 ? "-" : "", size / 10,
                   size % 10);
}

void gp_parameter_write(const struct gp_parameter *parameter, int64_t value,
                        char out[GP_PARAMETER_BYTES_MAX])
{
    if (value == GP_AUTO) {
        (void)snprintf(out, GP_PARAMETER_BYTES_MAX, "%s", auto_word);
    } else if (parameter->kind == GP_PARAMETER_WORD) {
        (void)snprintf(out, GP_PARAMETER_BYTES_MAX, "%s", parameter->words[value]);
    } else if (parameter->kind == GP_PARAMETER_TEXT) {
        (void)snprintf(out, GP_PARAMETER_BYTES_MAX, "%s", gp_parameter_text(value));
    } else if (parameter->kind == GP_PARAMETER_TENTHS) {
        write_tenths(value, out, GP_PARAMETER_BYTES_MAX);
    } else {
        (void)snprintf(out, GP_PARAMETER_BYTES_MAX, "%" PRId64, value);
    }
}

static size_t count_words(const struct gp_parameter *parameter)
{
    size_t count = 0;

    while (parameter->words[count] != NULL) {
        count++;
    }
    assert(count >= 1 && count <= GP_PARAMETER_WORDS_MAX);
    return count;
}

void gp_parameter_range(const struct gp_parameter *parameter, char out[GP_PARAMETER_BYTES_MAX])
{
    char low[GP_PARAMETER_BYTES_MAX];
    char high[GP_PARAMETER_BYTES_MAX];
    size_t used = 0;

    if (parameter->kind == GP_PARAMETER_WORD) {
        for (size_t i = 0; i < count_words(parameter) && used < GP_PARAMETER_BYTES_MAX; i++) {
            used += (size_t)snprintf(out + used, GP_PARAMETER_BYTES_MAX - used, "%s%s",
                                     i > 0 ? ", " : "", parameter->words[i]);
        }
        return;
    }
    if (parameter->kind == GP_PARAMETER_TEXT) {
        (void)snprintf(out, GP_PARAMETER_BYTES_MAX, "a text of up to %d bytes of UTF-8",
                       GP_PARAMETER_BYTES_MAX - 1);
        return;
    }
    gp_parameter_write(parameter, parameter->min, low);
    gp_parameter_write(parameter, parameter->max, high);
    used = (size_t)snprintf(out, GP_PARAMETER_BYTES_MAX, "%s to %s", low, high);
    if (parameter->multiple > 1 && used < GP_PARAMETER_BYTES_MAX) {
        used += (size_t)snprintf(out + used, GP_PARAMETER_BYTES_MAX - used,
                                 ", a multiple of %" PRId64, parameter->multiple);
    }
    if (parameter->adapts && used < GP_PARAMETER_BYTES_MAX) {
        (void)snprintf(out + used, GP_PARAMETER_BYTES_MAX - used, ", or %s", auto_word);
    }
}

/* ---- checking ------------------------------------------------------------------------------ */

/* Characters that can be recorded and shown, and few enough of them. */
static bool is_text_allowed(const char *text)
{
    const char *at = text;

    while (*at != '\0') {
        size_t length = gp_utf8_length(at);

        if (length == 0 || (unsigned char)*at < ' ' || *at == 0x7f) {
            return false;
        }
        at += length;
    }
    return at - text < GP_PARAMETER_BYTES_MAX;
}

bool gp_parameter_allows(const struct gp_parameter *parameter, int64_t value)
{
    if (value == GP_AUTO) {
        return parameter->adapts;
    }
    if (parameter->kind == GP_PARAMETER_WORD) {
        return value >= 0 && (size_t)value < count_words(parameter);
    }
    if (parameter->kind == GP_PARAMETER_TEXT) {
        return is_text_allowed(gp_parameter_text(value));
    }
    return value >= parameter->min && value <= parameter->max &&
           (parameter->multiple == 0 || value % parameter->multiple == 0);
}

int gp_parameter_check(const char *owner, const struct gp_parameter *parameter, int64_t value,
                       struct gp_error *err)
{
    char text[GP_PARAMETER_BYTES_MAX];
    char range[GP_PARAMETER_BYTES_MAX];

    if (gp_parameter_allows(parameter, value)) {
        return 0;
    }
    assert(value != GP_AUTO && parameter->kind != GP_PARAMETER_WORD);
    gp_parameter_range(parameter, range);
    if (parameter->kind == GP_PARAMETER_TEXT) {
        return gp_fail(err, GP_EINVAL, "%s: %s is not allowed; allowed is %s", owner,
                       parameter->name, range);
    }
    gp_parameter_write(parameter, value, text);
    return gp_fail(err, GP_EINVAL, "%s: %s is %s, allowed is %s", owner, parameter->name, text,
                   range);
}

/* ---- reading ------------------------------------------------------------------------------- */

/* How far a suffix shifts; -1 when it is none. */
static int suffix_shift(const char *suffix)
{
    static const char letters[] = "KMG";
    static const char small_letters[] = "kmg";

    if (suffix[0] == '\0') {
        return 0;
    }
    for (int i = 0; i < 3 && suffix[1] == '\0'; i++) {
        if (suffix[0] == letters[i] || suffix[0] == small_letters[i]) {
            return 10 * (i + 1);
        }
    }
    return -1;
}

/* A whole number and *rest, what follows it. 0, or the reason why not. */
static const char *read_number(const char *text, int64_t *out, const char **rest)
{
    char *end = NULL;
    long long value;

    /* strtoll would also take leading blanks and a plus. */
    if (text[0] != '-' && (text[0] < '0' || text[0] > '9')) {
        return "is not a whole number";
    }
    errno = 0;
    value = strtoll(text, &end, 10);
    if (end == text || end[-1] < '0' || end[-1] > '9') {
        return "is not a whole number";
    }
    if (errno == ERANGE) {
        return "is too large";
    }
    *out = value;
    *rest = end;
    return NULL;
}

static const char *read_whole(const char *text, int64_t *out)
{
    const char *rest = "";
    const char *reason = read_number(text, out, &rest);
    int shift;

    if (reason != NULL) {
        return reason;
    }
    shift = suffix_shift(rest);
    if (shift < 0) {
        return "is not a whole number; after it only K, M or G may follow (1024, 1024^2, 1024^3)";
    }
    if (*out > INT64_MAX >> shift || *out < -(INT64_MAX >> shift)) {
        return "is too large";
    }
    *out *= (int64_t)1 << shift;
    return NULL;
}

/* With one digit after the point, or none and no point. */
static const char *read_tenths(const char *text, int64_t *out)
{
    const char *rest = "";
    const char *reason = read_number(text, out, &rest);
    bool has_digit = rest[0] == '.' && rest[1] >= '0' && rest[1] <= '9' && rest[2] == '\0';

    if (reason == NULL && rest[0] != '\0' && !has_digit) {
        reason = "is not a number with at most one digit after the point";
    }
    if (reason == NULL && (*out > INT64_MAX / 16 || *out < -(INT64_MAX / 16))) {
        reason = "is too large";
    }
    if (reason == NULL) {
        int64_t tenth = has_digit ? rest[1] - '0' : 0;

        *out = *out * 10 + (text[0] == '-' ? -tenth : tenth);
    }
    return reason;
}

static int read_word(const char *owner, const struct gp_parameter *parameter, const char *text,
                     int64_t *out, struct gp_error *err)
{
    size_t count = count_words(parameter);
    char range[GP_PARAMETER_BYTES_MAX];

    for (size_t i = 0; i < count; i++) {
        if (strcmp(parameter->words[i], text) == 0) {
            *out = (int64_t)i;
            return 0;
        }
    }
    gp_parameter_range(parameter, range);
    return gp_fail(err, GP_EINVAL, "%s: %s is '%.40s', allowed are %s; did you mean '%s'?", owner,
                   parameter->name, text, range, gp_nearest(text, parameter->words, count));
}

int gp_parameter_read(const char *owner, const struct gp_parameter *parameter, const char *text,
                      int64_t *out, struct gp_error *err)
{
    char range[GP_PARAMETER_BYTES_MAX];
    const char *reason;
    int64_t value = 0;

    assert(parameter->name != NULL && text != NULL && out != NULL);
    if (parameter->kind == GP_PARAMETER_WORD) {
        return read_word(owner, parameter, text, out, err);
    }
    if (parameter->adapts && strcmp(text, auto_word) == 0) {
        *out = GP_AUTO;
        return 0;
    }
    if (parameter->kind == GP_PARAMETER_TEXT) {
        *out = (int64_t)(intptr_t)text;
        return gp_parameter_check(owner, parameter, *out, err);
    }
    reason = parameter->kind == GP_PARAMETER_TENTHS ? read_tenths(text, &value)
                                                    : read_whole(text, &value);
    if (reason != NULL) {
        gp_parameter_range(parameter, range);
        return gp_fail(err, GP_EINVAL, "%s: %s: '%.40s' %s; allowed is %s", owner, parameter->name,
                       text, reason, range);
    }
    *out = value;
    return gp_parameter_check(owner, parameter, value, err);
}
