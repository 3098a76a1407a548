/* JSON: see json.h. */
#include "probe/cli/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "probe/memory.h"
#include "probe/record.h"

/* Figures have at most six digits that mean something. */
enum { REAL_DIGITS = 6 };

json_t *gp_json_need(json_t *value)
{
    if (value == NULL) {
        (void)fputs("gpuprobe: out of memory for the JSON\n", stderr);
        abort();
    }
    return value;
}

json_t *gp_json_text(const char *text)
{
    json_t *value = json_string(text);
    char *clean;

    if (value != NULL) {
        return value;
    }
    clean = gp_xcopy(text);
    for (char *at = clean; *at != '\0'; at++) {
        if ((unsigned char)*at >= 0x80) {
            *at = '?';
        }
    }
    value = gp_json_need(json_string(clean));
    gp_free(clean);
    return value;
}

json_t *gp_json_text_or_null(const char *text)
{
    return text != NULL && text[0] != '\0' ? gp_json_text(text) : json_null();
}

json_t *gp_json_whole(double value)
{
    return !isfinite(value) ? json_null() : json_integer((json_int_t)llround(value));
}

json_t *gp_json_ratio(double value)
{
    return !isfinite(value) ? json_null() : json_real(value);
}

json_t *gp_json_number(int64_t value)
{
    return value == GP_UNKNOWN ? json_null() : json_integer(value);
}

json_t *gp_json_params(const char *text)
{
    json_t *params = json_loads(text, 0, NULL);

    return params != NULL ? params : json_null();
}

json_t *gp_json_value(const struct gp_parameter *parameter, int64_t value)
{
    char text[GP_PARAMETER_BYTES_MAX];

    if (value != GP_AUTO && parameter->kind == GP_PARAMETER_WHOLE) {
        return gp_json_need(json_integer(value));
    }
    if (value != GP_AUTO && parameter->kind == GP_PARAMETER_TENTHS) {
        return gp_json_need(json_real((double)value / 10));
    }
    gp_parameter_write(parameter, value, text);
    return gp_json_text(text);
}

void gp_json_print(json_t *value)
{
    (void)json_dumpf(value, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(REAL_DIGITS));
    putchar('\n');
    json_decref(value);
}
