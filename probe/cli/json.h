/*
 * What the verbs' JSON has in common.
 */
#ifndef GP_PROBE_CLI_JSON_H
#define GP_PROBE_CLI_JSON_H

#include <jansson.h>

#include "scenarios/parameter.h"

/* value itself; ends the program with a message when it is NULL, that is out of memory. */
json_t *gp_json_need(json_t *value);

/* A text from outside (a path, a recording): bytes that are not UTF-8 become '?'. Never NULL. */
json_t *gp_json_text(const char *text);

/* The same, null for "" and NULL: where nothing to say is "". */
json_t *gp_json_text_or_null(const char *text);

/* Figures; what is unknown (NAN, GP_UNKNOWN) is null. whole: rounded. */
json_t *gp_json_whole(double value);
json_t *gp_json_ratio(double value);
json_t *gp_json_number(int64_t value);

/* A cell's parameters, from their JSON text; null when it is none. */
json_t *gp_json_params(const char *text);

/* A value of a parameter: a number, or a word as text. Never NULL. */
json_t *gp_json_value(const struct gp_parameter *parameter, int64_t value);

/* Prints on stdout, indented, names in the order in which they were added, and releases. */
void gp_json_print(json_t *value);

#endif
