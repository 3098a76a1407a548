/*
 * Tokens of JSON text of any size, from a reader of bytes: one buffer, no tree. Every token is
 * where JSON (RFC 8259) has it; but a text may break off anywhere, as traces of processes that died
 * do, and NaN and Infinity are words, because some write them. Pure but for the reader it calls.
 */
#ifndef GP_PROBE_IMPORT_JSON_SCAN_H
#define GP_PROBE_IMPORT_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/error.h"

enum {
    GP_JSON_SCAN_BYTES = 1 << 16,
    GP_JSON_TEXT_BYTES_MAX = 1 << 14, /* longer texts are cut */
    GP_JSON_DEPTH_MAX = 512,
};

enum gp_json_token {
    GP_JSON_END, /* of the text */
    GP_JSON_OPEN_OBJECT,
    GP_JSON_CLOSE_OBJECT,
    GP_JSON_OPEN_ARRAY,
    GP_JSON_CLOSE_ARRAY,
    GP_JSON_NAME, /* of a member */
    GP_JSON_STRING,
    GP_JSON_NUMBER,
    GP_JSON_WORD, /* true, false, null, NaN, Infinity, -Infinity */
};

/* Bytes into buffer, 0 at the end, negative GP_E… with *err set. */
typedef long gp_json_read_fn(void *user, char *buffer, size_t bytes, struct gp_error *err);

/* Zeroed but for read and user: before the first token. */
struct gp_json_scan {
    gp_json_read_fn *read;
    void *user;
    char buffer[GP_JSON_SCAN_BYTES];
    size_t at, count;
    int state; /* what may come next */
    unsigned depth;
    bool is_object[GP_JSON_DEPTH_MAX];
    char text[GP_JSON_TEXT_BYTES_MAX + 8]; /* of the last name, string, number or word; no NUL */
    size_t length;
};

/* Reads the next token and returns it, its text in scan->text (bytes of strings as they are,
 * escapes as UTF-8); negative: GP_EFORMAT, or the reader's. A text that breaks off is GP_JSON_END.
 */
int gp_json_scan_next(struct gp_json_scan *scan, struct gp_error *err);

/* Passes over the rest of the value that began with `token`. 0, or negative as above. */
int gp_json_scan_skip(struct gp_json_scan *scan, int token, struct gp_error *err);

#endif
