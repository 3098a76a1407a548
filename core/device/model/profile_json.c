/* A profile as JSON text: see profile.h. Knows nothing of what the numbers mean. */
#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/device/model/profile.h"
#include "core/memory.h"

struct writer {
    char *text;
    size_t length, capacity;
    int failed;
};

static void reserve(struct writer *writer, size_t more)
{
    size_t capacity = writer->capacity;
    void *block = writer->text;

    while (capacity < writer->length + more + 1) {
        capacity = capacity * 2 + 1024;
    }
    if (capacity != writer->capacity && !writer->failed) {
        if (gp_realloc(&block, writer->capacity, capacity, 1) != 0) {
            writer->failed = 1;
            return;
        }
        writer->text = block;
        writer->capacity = capacity;
    }
}

static void put(struct writer *writer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void put(struct writer *writer, const char *format, ...)
{
    char part[128];
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(part, sizeof part, format, arguments);
    va_end(arguments);
    assert(length >= 0 && (size_t)length < sizeof part);
    reserve(writer, (size_t)length);
    if (!writer->failed) {
        memcpy(writer->text + writer->length, part, (size_t)length + 1);
        writer->length += (size_t)length;
    }
}

static void put_string(struct writer *writer, const char *text)
{
    put(writer, "\"");
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\') {
            put(writer, "\\%c", *text);
        } else if ((unsigned char)*text < 0x20) {
            put(writer, "\\u%04x", (unsigned)(unsigned char)*text);
        } else {
            put(writer, "%c", *text);
        }
    }
    put(writer, "\"");
}

static void put_curve(struct writer *writer, const struct gp_curve *curve)
{
    put(writer, "[");
    for (uint32_t i = 0; i < curve->count; i++) {
        put(writer, "%s[%" PRId64 ", %" PRId64 "]", i > 0 ? ", " : "", curve->x[i], curve->y[i]);
    }
    put(writer, "]");
}

static void put_value(struct writer *writer, const struct gp_profile *profile,
                      enum gp_profile_key key)
{
    switch (key) {
#define X(name, unit, min, max)                                                                    \
    case GP_PROFILE_KEY_##name:                                                                    \
        put(writer, "%" PRId64, profile->name);                                                    \
        break;
        GP_PROFILE_NUMBERS(X)
#undef X
#define X(name, unit)                                                                              \
    case GP_PROFILE_KEY_##name:                                                                    \
        put_curve(writer, &profile->name);                                                         \
        break;
        GP_PROFILE_CURVES(X)
#undef X
    case GP_PROFILE_KEY_sm_order:
    case GP_PROFILE_KEY_COUNT:
        put(writer, "[");
        for (int64_t i = 0; i < profile->sm_count; i++) {
            put(writer, "%s%u", i > 0 ? ", " : "", profile->sm_order[i]);
        }
        put(writer, "]");
        break;
    }
}

int gp_profile_json(const struct gp_profile *profile, char **out, struct gp_error *err)
{
    static const char *const words[] = {
#define X(name, word) word,
        GP_PROVENANCES(X)
#undef X
    };
    struct writer writer = {0};

    put(&writer, "{\"name\": ");
    put_string(&writer, profile->name);
    put(&writer, ", \"models\": ");
    put_string(&writer, profile->models);
    put(&writer, ", \"parameters\": {");
    for (int i = 0; i < GP_PROFILE_KEY_COUNT; i++) {
        const struct gp_profile_parameter *parameter = gp_profile_parameter((enum gp_profile_key)i);

        put(&writer, "%s\"%s\": {\"value\": ", i > 0 ? ", " : "", parameter->key);
        put_value(&writer, profile, (enum gp_profile_key)i);
        put(&writer, ", \"unit\": \"%s\", \"provenance\": \"%s\", \"source\": ", parameter->unit,
            words[profile->provenance[i]]);
        put_string(&writer, profile->source[i]);
        put(&writer, "}");
    }
    put(&writer, "}}");
    if (writer.failed) {
        gp_free(writer.text);
        return gp_fail(err, GP_ENOMEM, "no memory for the profile's JSON text");
    }
    *out = writer.text;
    return 0;
}
