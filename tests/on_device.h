/*
 * For tests that run on a device which their first argument names: opening it with a stream, and
 * saying why not.
 */
#ifndef GP_TESTS_ON_DEVICE_H
#define GP_TESTS_ON_DEVICE_H

#include <stdio.h>

#include "core/device/device.h"
#include "test.h"

/* 0; GP_TEST_SKIPPED: there is no such device; 1: it failed. Says the reason. options as of
 * gp_device_open. */
static inline int gp_test_open(const char *spec, const struct gp_device_options *options,
                               struct gp_device **device, struct gp_stream **stream)
{
    struct gp_error err = {0};
    int code = gp_device_open(spec, options, device, &err);

    if (code == GP_ENODEVICE) {
        print_message("skipped: %s\n", err.text);
        return GP_TEST_SKIPPED;
    }
    if (code != 0 || gp_stream_create(*device, GP_STREAM_NON_BLOCKING, 0, stream, &err) != 0) {
        (void)fprintf(stderr, "%s: %s\n", spec, err.text);
        gp_device_close(*device);
        return 1;
    }
    return 0;
}

static inline void gp_test_close(struct gp_device *device, struct gp_stream *stream)
{
    (void)gp_stream_destroy(stream, NULL);
    gp_device_close(device);
}

#endif
