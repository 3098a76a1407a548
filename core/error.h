/*
 * Errors: a code for the program, a text for the person. Every function of the library that can
 * fail returns 0 or a negative GP_E* and fills the struct gp_error it was given last. Nothing here
 * allocates; any thread may call anything.
 */
#ifndef GP_CORE_ERROR_H
#define GP_CORE_ERROR_H

#include <stdarg.h>

/* One list for codes, names and default texts. Codes are -1, -2, … in this order; append only. */
#define GP_ERRORS(X)                                                                               \
    X(EINVAL, "invalid argument")                                                                  \
    X(ENOMEM, "out of host memory")                                                                \
    X(ESTATE, "not allowed in this state")                                                         \
    X(EUNSUPPORTED, "not supported here")                                                          \
    X(ENODEVICE, "no such device")                                                                 \
    X(EDRIVER, "the driver refused the call")                                                      \
    X(EDEVICEMEM, "out of device memory")                                                          \
    X(EFAULT, "a fault on the device")                                                             \
    X(ENOTREADY, "not ready")                                                                      \
    X(EDEADLOCK, "every thread waits and nothing is pending")                                      \
    X(EPARSE, "cannot be read as what it should be")                                               \
    X(EIO, "input or output failed")                                                               \
    X(EEXISTS, "exists already")                                                                   \
    X(ENOTFOUND, "not found")                                                                      \
    X(EFORMAT, "not a recording, or damaged")                                                      \
    X(EVERIFY, "wrong data")                                                                       \
    X(EINTERRUPTED, "interrupted")

enum gp_error_index {
#define X(name, text) GP_INDEX_##name,
    GP_ERRORS(X)
#undef X
        GP_ERROR_COUNT
};

enum gp_error_code {
    GP_OK = 0,
#define X(name, text) GP_##name = -1 - GP_INDEX_##name,
    GP_ERRORS(X)
#undef X
};

/* Owned by the caller; zero-initialise before the first use. Overwritten by each failure. */
struct gp_error {
    int code;        /* 0 or a GP_E* */
    int driver_code; /* CUresult when the driver failed, else 0 */
    char call[48];   /* the driver call that failed ("cuMemAlloc_v2"), else "" */
    char text[480];  /* what, which, and what to do; one line, no newline */
};

/* Fills *err (NULL allowed) and returns code, so that a failure is one line. code < 0. */
int gp_fail(struct gp_error *err, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts "prefix: " before the text already in *err (NULL allowed), cutting the end when it is full.
 * For a caller that knows which file or operation it was. Returns err->code, GP_EINVAL for NULL. */
int gp_fail_context(struct gp_error *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* "GP_ENOMEM" and "out of host memory"; for a code not in the list "GP_E?" and "unknown error".
 * Static strings. */
const char *gp_error_name(int code);
const char *gp_error_text(int code);

#endif
