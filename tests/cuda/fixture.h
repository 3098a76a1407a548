/*
 * What the tests of the CUDA device share, on the test driver and on a GPU: an open device with one
 * stream, and small work to give it.
 */
#ifndef GP_TESTS_CUDA_FIXTURE_H
#define GP_TESTS_CUDA_FIXTURE_H

#include "test.h"

#include "core/device/device.h"

enum { FIXTURE_COUNT = 1000 }; /* floats of a vector */

struct fixture {
    struct gp_device *device;
    struct gp_stream *stream;
    struct gp_error err;
    gp_addr a, b, c; /* vectors in device memory */
    float *host;     /* a pinned one */
};

/* cmocka setup and teardown: "cuda" with the clock kernel; everything of the fixture is freed. */
int fixture_open(void **state);
int fixture_close(void **state);

/* The same with a spec of one's own. */
int fixture_open_spec(void **state, const char *spec);

/* a = a · multiplier + multiplier, `iterations` times, on `stream`; about 2.3 ns an iteration. With
 * a multiplier of 1 that adds the iterations, with 0 it clears. */
int fixture_submit_fma(struct fixture *fixture, struct gp_stream *stream, uint32_t iterations,
                       float multiplier);

/* c = a + b on `stream`, stamped when stamp is not 0. */
int fixture_submit_add(struct fixture *fixture, struct gp_stream *stream, gp_addr stamp);

/* Fills a device vector from / reads it to the pinned one and waits. */
void fixture_upload(struct fixture *fixture, gp_addr to, float first, float step);
void fixture_download(struct fixture *fixture, gp_addr from);

/* Submits work to `stream` and comes back while it surely runs: `query` (with user) then said
 * GP_ENOTREADY. Fails the test when it never does. */
void fixture_make_busy(struct fixture *fixture, struct gp_stream *stream, int (*query)(void *user),
                       void *user);

/* The behaviours that hold on every driver, as a group. Returns the number of failures. */
int behaviours_run(void);
int behaviours_work_run(void);

#endif
