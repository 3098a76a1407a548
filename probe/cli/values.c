/* Values of options: see values.h. */
#include "probe/cli/values.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/nearest.h"

enum { LISTED_WORDS_MAX = 6, SECONDS_MAX = 86400 };

int gp_value_next(const char *option, const char **cursor, char item[GP_VALUE_ITEM_BYTES_MAX],
                  struct gp_error *err)
{
    const char *text = *cursor;
    size_t length;

    if (text == NULL) {
        return 0;
    }
    length = strcspn(text, ",");
    if (length == 0) {
        return gp_fail(err, GP_EINVAL, "%s: an empty item in its list", option);
    }
    if (length >= GP_VALUE_ITEM_BYTES_MAX) {
        return gp_fail(err, GP_EINVAL, "%s: '%.20s...' is longer than %d characters", option, text,
                       GP_VALUE_ITEM_BYTES_MAX - 1);
    }
    memcpy(item, text, length);
    item[length] = '\0';
    *cursor = text[length] == ',' ? text + length + 1 : NULL;
    return 1;
}

/* A whole number in decimal; *rest is what follows it. 0, or the reason why not. */
static const char *read_integer(const char *text, int64_t *out, const char **rest)
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

int gp_value_integer(const char *option, const char *text, int64_t min, int64_t max, int64_t *out,
                     struct gp_error *err)
{
    const char *rest = "";
    int64_t value = 0;

    assert(min <= max && out != NULL);
    if (read_integer(text, &value, &rest) != NULL || rest[0] != '\0' || value < min ||
        value > max) {
        return gp_fail(err, GP_EINVAL,
                       "%s: '%.40s' is not a whole number from %" PRId64 " to %" PRId64, option,
                       text, min, max);
    }
    *out = value;
    return 0;
}

int gp_value_unsigned(const char *option, const char *text, uint64_t *out, struct gp_error *err)
{
    char *end = NULL;
    unsigned long long value;

    errno = 0;
    value = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno == ERANGE) {
        return gp_fail(err, GP_EINVAL, "%s: '%.40s' is not a whole number from 0 to %" PRIu64,
                       option, text, UINT64_MAX);
    }
    *out = value;
    return 0;
}

int gp_value_seconds(const char *option, const char *text, int64_t *out_ns, struct gp_error *err)
{
    char *end = NULL;
    double seconds = strtod(text, &end);
    int64_t ns;

    if (strspn(text, "0123456789.") != strlen(text) || end == text || *end != '\0' ||
        !(seconds <= SECONDS_MAX)) {
        return gp_fail(err, GP_EINVAL, "%s: '%.40s' is not a number of seconds up to %d", option,
                       text, SECONDS_MAX);
    }
    ns = (int64_t)llround(seconds * 1e9);
    if (ns <= 0) {
        return gp_fail(err, GP_EINVAL, "%s: it must be more than 0 seconds", option);
    }
    *out_ns = ns;
    return 0;
}

int gp_value_unknown(const char *kind, const char *word, const char *const *known, size_t count,
                     struct gp_error *err)
{
    char list[200] = "";
    size_t used = 0;

    for (size_t i = 0; count <= LISTED_WORDS_MAX && i < count && used < sizeof list; i++) {
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s",
                                 i == 0 ? " (known: " : ", ", known[i]);
    }
    if (count == 0) {
        return gp_fail(err, GP_EINVAL, "unknown %s '%.40s': this build has none", kind, word);
    }
    return gp_fail(err, GP_EINVAL, "unknown %s '%.40s'; did you mean '%s'?%s%s", kind, word,
                   gp_nearest(word, known, count), list, list[0] != '\0' ? ")" : "");
}

int gp_value_word(const char *kind, const char *text, const char *const *words, size_t count,
                  size_t *out, struct gp_error *err)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(text, words[i]) == 0) {
            *out = i;
            return 0;
        }
    }
    return gp_value_unknown(kind, text, words, count, err);
}
