/* Values as JSON: see params.h. */
#include "probe/sweep/params.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "probe/memory.h"

/* Of one value: each character may be escaped, and its key, quotes and punctuation. */
enum { ENTRY_BYTES_MAX = 2 * GP_PARAMETER_BYTES_MAX + 256 };

/* The parameter that comes after `last` by name; -1 when there is none. */
static int find_next(const struct gp_parameter *parameters, const char *last)
{
    int next = -1;

    for (int i = 0; parameters[i].name != NULL; i++) {
        if (strcmp(parameters[i].name, last) > 0 &&
            (next < 0 || strcmp(parameters[i].name, parameters[next].name) < 0)) {
            next = i;
        }
    }
    return next;
}

/* Appends a text as JSON. It has no control characters (parameter.h). */
static size_t put_text(char *out, const char *text)
{
    char *at = out;

    *at++ = '"';
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\') {
            *at++ = '\\';
        }
        *at++ = *text;
    }
    *at++ = '"';
    return (size_t)(at - out);
}

char *gp_params_write(const struct gp_parameter *parameters, const int64_t *values)
{
    char *out = gp_xalloc(GP_PARAMETERS_MAX, ENTRY_BYTES_MAX);
    char value[GP_PARAMETER_BYTES_MAX];
    size_t used = 0;

    out[used++] = '{';
    for (int i = find_next(parameters, ""); i >= 0; i = find_next(parameters, parameters[i].name)) {
        bool is_number =
            parameters[i].kind == GP_PARAMETER_WHOLE || parameters[i].kind == GP_PARAMETER_TENTHS;

        assert(i < GP_PARAMETERS_MAX && strlen(parameters[i].name) < 128);
        gp_parameter_write(&parameters[i], values[i], value);
        if (used > 1) {
            out[used++] = ',';
        }
        used += put_text(out + used, parameters[i].name);
        out[used++] = ':';
        if (is_number) {
            used += (size_t)snprintf(out + used, sizeof value, "%s", value);
        } else {
            used += put_text(out + used, value);
        }
    }
    out[used++] = '}';
    out[used] = '\0';
    return out;
}
