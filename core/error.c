/* Errors: see error.h. */
#include "core/error.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    const char *text;
} errors[] = {
#define X(name, text) {"GP_" #name, text},
    GP_ERRORS(X)
#undef X
};

static int is_known(int code)
{
    return code < 0 && code >= -(int)GP_ERROR_COUNT;
}

int gp_fail(struct gp_error *err, int code, const char *format, ...)
{
    va_list arguments;

    assert(code < 0);
    assert(format != NULL);
    if (err != NULL) {
        err->code = code;
        err->driver_code = 0;
        err->call[0] = '\0';
        va_start(arguments, format);
        (void)vsnprintf(err->text, sizeof err->text, format, arguments);
        va_end(arguments);
    }
    return code;
}

int gp_fail_context(struct gp_error *err, const char *format, ...)
{
    char text[sizeof err->text];
    va_list arguments;
    size_t length;

    if (err == NULL) {
        return GP_EINVAL;
    }
    assert(err->code < 0);
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    length = strlen(text);
    (void)snprintf(text + length, sizeof text - length, ": %s", err->text);
    memcpy(err->text, text, sizeof text);
    return err->code;
}

const char *gp_error_name(int code)
{
    return is_known(code) ? errors[-1 - code].name : "GP_E?";
}

const char *gp_error_text(int code)
{
    return is_known(code) ? errors[-1 - code].text : "unknown error";
}
