/* Profiles: see profile.h. */
#include "core/device/model/profile.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "core/nearest.h"

static const struct gp_profile_parameter parameters[] = {
#define X(key, unit, min, max) {#key, unit, min, max},
    GP_PROFILE_NUMBERS(X)
#undef X
#define X(key, unit) {#key, unit, 0, 0},
        GP_PROFILE_CURVES(X)
#undef X
            {"sm_order", "SMs", 0, 0},
};

_Static_assert(sizeof parameters / sizeof parameters[0] == GP_PROFILE_KEY_COUNT, "one a key");

static const char *const provenances[] = {
#define X(name, word) word,
    GP_PROVENANCES(X)
#undef X
};

/* Embedded by profiles.S; each ends with a NUL. */
extern const char gp_profile_text_h200[];
extern const char gp_profile_text_generic[];

static const struct {
    const char *name;
    const char *text;
} builtins[] = {{"h200", gp_profile_text_h200}, {"generic", gp_profile_text_generic}};

enum { BUILTIN_COUNT = sizeof builtins / sizeof builtins[0] };

struct parser {
    struct gp_profile *out;
    struct gp_error *err;
    uint32_t line;
    bool given[GP_PROFILE_KEY_COUNT];
    bool has_version, has_name, has_models, has_base;
    uint32_t order_count;
};

const struct gp_profile_parameter *gp_profile_parameter(enum gp_profile_key key)
{
    assert((unsigned)key < GP_PROFILE_KEY_COUNT);
    return &parameters[key];
}

const char *gp_profile_builtin(const char *name)
{
    for (size_t i = 0; i < BUILTIN_COUNT; i++) {
        if (strcmp(name, builtins[i].name) == 0) {
            return builtins[i].text;
        }
    }
    return NULL;
}

const char *gp_profile_builtin_name(size_t index)
{
    return index < BUILTIN_COUNT ? builtins[index].name : NULL;
}

static int64_t *number_of(struct gp_profile *profile, enum gp_profile_key key)
{
    switch (key) {
#define X(name, unit, min, max)                                                                    \
    case GP_PROFILE_KEY_##name:                                                                    \
        return &profile->name;
        GP_PROFILE_NUMBERS(X)
#undef X
    default:
        return NULL;
    }
}

static struct gp_curve *curve_of(struct gp_profile *profile, enum gp_profile_key key)
{
    switch (key) {
#define X(name, unit)                                                                              \
    case GP_PROFILE_KEY_##name:                                                                    \
        return &profile->name;
        GP_PROFILE_CURVES(X)
#undef X
    default:
        return NULL;
    }
}

/* Reads a whole number without sign at *text and moves behind it. False: none, or too large. */
static bool read_number(const char **text, int64_t *out)
{
    int64_t value = 0;
    const char *at = *text;

    if (*at < '0' || *at > '9') {
        return false;
    }
    while (*at >= '0' && *at <= '9') {
        int64_t digit = *at - '0';

        if (value > (INT64_MAX - digit) / 10) {
            return false;
        }
        value = value * 10 + digit;
        at++;
    }
    *text = at;
    *out = value;
    return true;
}

/* Cuts the next word off *rest; "" at the end. */
static char *next_word(char **rest)
{
    char *word = *rest + strspn(*rest, " \t");
    char *end = word + strcspn(word, " \t");

    *rest = *end != '\0' ? end + 1 : end;
    *end = '\0';
    return word;
}

static int parse_number(struct parser *parser, enum gp_profile_key key, const char *text)
{
    const struct gp_profile_parameter *parameter = &parameters[key];
    int64_t value;
    const char *at = text;

    if (!read_number(&at, &value) || *at != '\0') {
        return gp_fail(parser->err, GP_EPARSE,
                       "profile line %u: %s is '%.40s', not a whole number of %s", parser->line,
                       parameter->key, text, parameter->unit);
    }
    if (value < parameter->min || value > parameter->max) {
        return gp_fail(parser->err, GP_EPARSE, "profile line %u: %s is %lld, not %lld to %lld %s",
                       parser->line, parameter->key, (long long)value, (long long)parameter->min,
                       (long long)parameter->max, parameter->unit);
    }
    *number_of(parser->out, key) = value;
    return 0;
}

static int parse_curve(struct parser *parser, enum gp_profile_key key, const char *text)
{
    struct gp_curve *curve = curve_of(parser->out, key);
    const int64_t x_max = INT64_C(1) << 32;
    const int64_t y_max = INT64_C(1) << 20;
    const char *at = text;

    curve->count = 0;
    for (;;) {
        int64_t x;
        int64_t y;

        if (!read_number(&at, &x) || *at++ != ':' || !read_number(&at, &y) || x > x_max ||
            y > y_max) {
            return gp_fail(parser->err, GP_EPARSE,
                           "profile line %u: %s is not a list of points like 1:50,2:100 (%s)",
                           parser->line, parameters[key].key, parameters[key].unit);
        }
        if (curve->count == GP_CURVE_POINTS_MAX) {
            return gp_fail(parser->err, GP_EPARSE, "profile line %u: %s has more than %d points",
                           parser->line, parameters[key].key, GP_CURVE_POINTS_MAX);
        }
        if (curve->count > 0 && x <= curve->x[curve->count - 1]) {
            return gp_fail(parser->err, GP_EPARSE,
                           "profile line %u: the points of %s do not ascend at %lld", parser->line,
                           parameters[key].key, (long long)x);
        }
        curve->x[curve->count] = x;
        curve->y[curve->count++] = y;
        if (*at == '\0') {
            return 0;
        }
        if (*at++ != ',') {
            return gp_fail(parser->err, GP_EPARSE, "profile line %u: %s: expected ',' or the end",
                           parser->line, parameters[key].key);
        }
    }
}

static int parse_order(struct parser *parser, const char *text)
{
    const char *at = text;

    parser->order_count = 0;
    for (;;) {
        int64_t first;
        int64_t last;

        if (!read_number(&at, &first)) {
            break;
        }
        last = first;
        if (*at == '-') {
            at++;
            if (!read_number(&at, &last)) {
                break;
            }
        }
        if (last < first || last >= GP_SMS_MAX ||
            parser->order_count + (uint64_t)(last - first) + 1 > GP_SMS_MAX) {
            break;
        }
        while (first <= last) {
            parser->out->sm_order[parser->order_count++] = (uint32_t)first++;
        }
        if (*at == '\0') {
            return 0;
        }
        if (*at++ != ',') {
            break;
        }
    }
    return gp_fail(parser->err, GP_EPARSE,
                   "profile line %u: sm_order is not a list of SMs like 4-7,0,1 (at most %d)",
                   parser->line, GP_SMS_MAX);
}

static int parse_value(struct parser *parser, enum gp_profile_key key, const char *text)
{
    if (key == GP_PROFILE_KEY_sm_order) {
        return parse_order(parser, text);
    }
    if (number_of(parser->out, key) != NULL) {
        return parse_number(parser, key, text);
    }
    return parse_curve(parser, key, text);
}

static int find_key(struct parser *parser, const char *word, enum gp_profile_key *out)
{
    const char *known[GP_PROFILE_KEY_COUNT];

    for (int i = 0; i < GP_PROFILE_KEY_COUNT; i++) {
        if (strcmp(word, parameters[i].key) == 0) {
            *out = (enum gp_profile_key)i;
            return 0;
        }
        known[i] = parameters[i].key;
    }
    return gp_fail(parser->err, GP_EPARSE,
                   "profile line %u: unknown key '%.60s'; did you mean '%s'?", parser->line, word,
                   gp_nearest(word, known, GP_PROFILE_KEY_COUNT));
}

static int parse_provenance(struct parser *parser, enum gp_profile_key key, const char *word)
{
    for (int i = 0; i < GP_PROVENANCE_COUNT; i++) {
        if (strcmp(word, provenances[i]) == 0) {
            parser->out->provenance[key] = (enum gp_provenance)i;
            return 0;
        }
    }
    return gp_fail(parser->err, GP_EPARSE,
                   "profile line %u: provenance of %s is '%.40s', not measured, published or "
                   "assumed",
                   parser->line, parameters[key].key, word);
}

/* One `key value unit provenance source…` line. */
static int parse_parameter(struct parser *parser, const char *word, char *rest)
{
    enum gp_profile_key key = GP_PROFILE_KEY_COUNT;
    const char *text;
    const char *unit;
    size_t length;
    int code = find_key(parser, word, &key);

    if (code != 0) {
        return code;
    }
    if (parser->given[key]) {
        return gp_fail(parser->err, GP_EPARSE, "profile line %u: %s is given twice", parser->line,
                       word);
    }
    parser->given[key] = true;
    text = next_word(&rest);
    code = parse_value(parser, key, text);
    if (code != 0) {
        return code;
    }
    unit = next_word(&rest);
    if (strcmp(unit, parameters[key].unit) != 0) {
        return gp_fail(parser->err, GP_EPARSE, "profile line %u: the unit of %s is %s, not '%.40s'",
                       parser->line, word, parameters[key].unit, unit);
    }
    code = parse_provenance(parser, key, next_word(&rest));
    if (code != 0) {
        return code;
    }
    rest += strspn(rest, " \t");
    length = strlen(rest);
    if (length == 0 || length >= GP_PROFILE_SOURCE_BYTES_MAX) {
        return gp_fail(parser->err, GP_EPARSE,
                       "profile line %u: %s needs a source of 1 to %d characters", parser->line,
                       word, GP_PROFILE_SOURCE_BYTES_MAX - 1);
    }
    memcpy(parser->out->source[key], rest, length + 1);
    return 0;
}

static int parse_text(struct parser *parser, const char *text);

/* Starts from a built-in profile. */
static int parse_base(struct parser *parser, const char *name)
{
    const char *text = gp_profile_builtin(name);
    struct parser base = {.out = parser->out, .err = parser->err};
    char own_name[sizeof parser->out->name];
    char own_models[sizeof parser->out->models];
    int code;

    if (text == NULL || parser->has_base) {
        return gp_fail(parser->err, GP_EPARSE,
                       parser->has_base ? "profile line %u: a second base '%.40s'"
                                        : "profile line %u: no built-in profile '%.40s'",
                       parser->line, name);
    }
    for (int i = 0; i < GP_PROFILE_KEY_COUNT; i++) {
        if (parser->given[i]) {
            return gp_fail(parser->err, GP_EPARSE, "profile line %u: base must come before %s",
                           parser->line, parameters[i].key);
        }
    }
    memcpy(own_name, parser->out->name, sizeof own_name);
    memcpy(own_models, parser->out->models, sizeof own_models);
    code = parse_text(&base, text);
    if (code != 0) {
        return gp_fail_context(parser->err, "base %s", name);
    }
    memcpy(parser->out->name, own_name, sizeof own_name);
    memcpy(parser->out->models, own_models, sizeof own_models);
    parser->order_count = base.order_count;
    parser->has_base = true;
    return 0;
}

static int copy_text(struct parser *parser, char *to, size_t bytes, const char *from)
{
    size_t length = strlen(from);

    if (length == 0 || length >= bytes) {
        return gp_fail(parser->err, GP_EPARSE,
                       "profile line %u: expected a text of 1 to %zu characters", parser->line,
                       bytes - 1);
    }
    memcpy(to, from, length + 1);
    return 0;
}

static int parse_line(struct parser *parser, char *line)
{
    char *rest = line;
    const char *word = next_word(&rest);

    rest += strspn(rest, " \t");
    if (*word == '\0') {
        return 0;
    }
    if (!parser->has_version) {
        parser->has_version = true;
        if (strcmp(word, "gpuprobe-profile") != 0 || strcmp(rest, "1") != 0) {
            return gp_fail(parser->err, GP_EPARSE,
                           "profile line %u: a profile begins with 'gpuprobe-profile 1'",
                           parser->line);
        }
        return 0;
    }
    if (strcmp(word, "name") == 0 && !parser->has_name) {
        parser->has_name = true;
        return copy_text(parser, parser->out->name, sizeof parser->out->name, rest);
    }
    if (strcmp(word, "models") == 0 && !parser->has_models) {
        parser->has_models = true;
        return copy_text(parser, parser->out->models, sizeof parser->out->models, rest);
    }
    if (strcmp(word, "base") == 0) {
        return parse_base(parser, rest);
    }
    return parse_parameter(parser, word, rest);
}

static int check_order(struct parser *parser)
{
    bool seen[GP_SMS_MAX] = {false};
    const struct gp_profile *profile = parser->out;

    if (parser->order_count != profile->sm_count) {
        return gp_fail(parser->err, GP_EPARSE, "profile: sm_order lists %u SMs, sm_count is %lld",
                       parser->order_count, (long long)profile->sm_count);
    }
    for (uint32_t i = 0; i < parser->order_count; i++) {
        uint32_t sm = profile->sm_order[i];

        if (sm >= profile->sm_count || seen[sm]) {
            return gp_fail(parser->err, GP_EPARSE,
                           "profile: sm_order must list each of 0 to %lld once; it has %u %s",
                           (long long)profile->sm_count - 1, sm,
                           sm < profile->sm_count ? "twice" : "too");
        }
        seen[sm] = true;
    }
    return 0;
}

static int check_whole(struct parser *parser)
{
    if (!parser->has_version || !parser->has_name || !parser->has_models) {
        return gp_fail(parser->err, GP_EPARSE, "profile: no line '%s'",
                       !parser->has_version ? "gpuprobe-profile 1"
                       : !parser->has_name  ? "name …"
                                            : "models …");
    }
    for (int i = 0; i < GP_PROFILE_KEY_COUNT && !parser->has_base; i++) {
        if (!parser->given[i]) {
            return gp_fail(parser->err, GP_EPARSE,
                           "profile: no line for %s (%s), and no base that has it",
                           parameters[i].key, parameters[i].unit);
        }
    }
    if (parser->out->memory_curve.x[0] < 1 || parser->out->memory_curve.x[0] > 1024 ||
        parser->out->memory_curve.y[0] < parser->out->memory_curve.x[0]) {
        return gp_fail(
            parser->err, GP_EPARSE,
            "profile: memory_curve must begin with 1 to 1024 blocks of at least 1 GB/s each");
    }
    return check_order(parser);
}

static int parse_text(struct parser *parser, const char *text)
{
    char line[GP_PROFILE_LINE_BYTES_MAX];

    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        size_t kept;
        int code;

        parser->line++;
        if (length >= sizeof line) {
            return gp_fail(parser->err, GP_EPARSE, "profile line %u: longer than %zu bytes",
                           parser->line, sizeof line - 1);
        }
        memcpy(line, text, length);
        line[length] = '\0';
        kept = strcspn(line, "#\r");
        while (kept > 0 && (line[kept - 1] == ' ' || line[kept - 1] == '\t')) {
            kept--;
        }
        line[kept] = '\0';
        code = parse_line(parser, line);
        if (code != 0) {
            return code;
        }
        text += length + (text[length] == '\n' ? 1 : 0);
    }
    return check_whole(parser);
}

int gp_profile_parse(const char *text, struct gp_profile *out, struct gp_error *err)
{
    struct parser parser = {.out = out, .err = err};

    assert(text != NULL && out != NULL);
    memset(out, 0, sizeof *out);
    if (memchr(text, '\0', GP_PROFILE_BYTES_MAX) == NULL) {
        return gp_fail(err, GP_EPARSE, "profile: longer than %d bytes", GP_PROFILE_BYTES_MAX);
    }
    return parse_text(&parser, text);
}
