/* JSON, piece by piece: see json_text.h. */
#include "probe/export/json_text.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include <jansson.h>

#include "core/utf8.h"
#include "probe/record.h"

static void put_escaped(FILE *out, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;

    (void)putc('"', out);
    while (*at != '\0') {
        size_t length = gp_utf8_length((const char *)at);

        if (length == 0) {
            (void)fputs("\\ufffd", out);
            at++;
        } else if (*at == '"' || *at == '\\') {
            (void)fprintf(out, "\\%c", *at++);
        } else if (*at < 0x20 || *at == 0x7f) {
            (void)fprintf(out, "\\u%04x", *at++);
        } else {
            (void)fwrite(at, 1, length, out);
            at += length;
        }
    }
    (void)putc('"', out);
}

/* The comma before an item, and the member's name. */
static void start(struct gp_json_text *json, const char *name)
{
    if (json->depth > 0) {
        if (json->has_items[json->depth - 1]) {
            (void)putc(',', json->out);
        }
        json->has_items[json->depth - 1] = true;
    }
    if (name != NULL) {
        put_escaped(json->out, name);
        (void)putc(':', json->out);
    }
}

void gp_json_text_open(struct gp_json_text *json, const char *name, char bracket)
{
    start(json, name);
    /* A line for each of the items that there are many of. */
    if (name == NULL && json->depth > 0) {
        (void)putc('\n', json->out);
    }
    (void)putc(bracket, json->out);
    assert(json->depth < GP_JSON_DEPTH_MAX);
    json->has_items[json->depth++] = false;
}

void gp_json_text_close(struct gp_json_text *json, char bracket)
{
    assert(json->depth > 0);
    json->depth--;
    (void)putc(bracket, json->out);
    if (json->depth == 0) {
        (void)putc('\n', json->out);
    }
}

void gp_json_text_int(struct gp_json_text *json, const char *name, int64_t value)
{
    start(json, name);
    if (value == GP_UNKNOWN) {
        (void)fputs("null", json->out);
    } else {
        (void)fprintf(json->out, "%" PRId64, value);
    }
}

void gp_json_text_small(struct gp_json_text *json, const char *name, int32_t value)
{
    gp_json_text_int(json, name, value < 0 ? GP_UNKNOWN : value);
}

void gp_json_text_double(struct gp_json_text *json, const char *name, double value)
{
    start(json, name);
    if (isfinite(value)) {
        (void)fprintf(json->out, "%.17g", value);
    } else {
        (void)fputs("null", json->out);
    }
}

void gp_json_text_string(struct gp_json_text *json, const char *name, const char *text)
{
    start(json, name);
    if (text == NULL) {
        (void)fputs("null", json->out);
    } else {
        put_escaped(json->out, text);
    }
}

void gp_json_text_micros(struct gp_json_text *json, const char *name, int64_t ns)
{
    uint64_t size = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;

    start(json, name);
    (void)fprintf(json->out, "%s%" PRIu64 ".%03u", ns < 0 ? "-" : "", size / 1000,
                  (unsigned)(size % 1000));
}

void gp_json_text_raw(struct gp_json_text *json, const char *name, const char *text)
{
    json_t *value = text != NULL ? json_loads(text, 0, NULL) : NULL;
    char *dumped = value != NULL ? json_dumps(value, JSON_SORT_KEYS) : NULL;

    if (dumped == NULL) {
        gp_json_text_string(json, name, text);
    } else {
        start(json, name);
        (void)fputs(dumped, json->out);
    }
    free(dumped);
    json_decref(value);
}
