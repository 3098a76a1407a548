/*
 * Strict JSON written piece by piece, so that no export needs the whole of it in memory. Errors of
 * the file are the caller's, who asks ferror.
 */
#ifndef GP_PROBE_EXPORT_JSON_TEXT_H
#define GP_PROBE_EXPORT_JSON_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { GP_JSON_DEPTH_MAX = 16 };

struct gp_json_text {
    FILE *out;
    bool has_items[GP_JSON_DEPTH_MAX]; /* of the arrays and objects that are open */
    unsigned depth;
};

/* An object or array opens and closes. name: of the member; NULL inside an array and at the top. */
void gp_json_text_open(struct gp_json_text *json, const char *name, char bracket);
void gp_json_text_close(struct gp_json_text *json, char bracket);

/* GP_UNKNOWN is null. */
void gp_json_text_int(struct gp_json_text *json, const char *name, int64_t value);
/* -1 is null. */
void gp_json_text_small(struct gp_json_text *json, const char *name, int32_t value);
/* What is not finite is null. */
void gp_json_text_double(struct gp_json_text *json, const char *name, double value);
/* NULL is null. Any bytes: what is not UTF-8 becomes U+FFFD, control characters are escaped. */
void gp_json_text_string(struct gp_json_text *json, const char *name, const char *text);
/* Nanoseconds as microseconds with exactly three decimals. */
void gp_json_text_micros(struct gp_json_text *json, const char *name, int64_t ns);

/* Valid JSON as it is, from a recording that has checked nothing: a text when it is not valid. */
void gp_json_text_raw(struct gp_json_text *json, const char *name, const char *text);

#endif
