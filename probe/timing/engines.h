/*
 * What the copy engines of a device can do, measured at start-up and never assumed: the rate per
 * direction, what a copy and an event after it take beside that, whether copies of one direction
 * exclude each other, and how small ones are that pass the engine. Times are slopes over many
 * copies, so that nothing which happens once is in them, and no recorder runs meanwhile.
 */
#ifndef GP_PROBE_TIMING_ENGINES_H
#define GP_PROBE_TIMING_ENGINES_H

#include <stdbool.h>

#include "core/device/device.h"

enum { GP_DIRECTION_H2D, GP_DIRECTION_D2H, GP_DIRECTION_COUNT };

/* Classes of size with a set-up of their own: copies from so many bytes on, the first also smaller
 * ones. */
#define GP_COPY_SIZES(X) X(SMALL, "small", 131072) X(LARGE, "large", 1048576)

enum gp_copy_size {
#define X(name, word, from_bytes) GP_COPY_##name,
    GP_COPY_SIZES(X)
#undef X
        GP_COPY_SIZE_COUNT
};

/* The class of a copy. */
enum gp_copy_size gp_copy_size_of(int64_t bytes);

struct gp_engine {
    double bytes_per_second;        /* alone, pinned memory: more time for more bytes */
    double duplex_bytes_per_second; /* while the other direction is busy, without the set-up */
    bool exclusive;                 /* two copies on two streams came one after the other */
    int64_t waits_from_bytes; /* copies of so many bytes and more wait while it is busy; smaller
                                 ones may pass it. A power of two (an H200: uploads 32 KiB) */
    int64_t setup_ns[GP_COPY_SIZE_COUNT];       /* what a copy takes there beside its bytes */
    int64_t setup_least_ns[GP_COPY_SIZE_COUNT]; /* of that, what lies between the copy before it
                                                   and its own begin */
    int64_t event_ns;                           /* what a timed event after a copy takes there */
    int64_t event_loaded_ns;                    /* likewise, while the other direction is busy */
    int64_t marks_ns; /* what a watching recorder puts between a copy and that event; else 0 */
    int64_t start_ns; /* from the end of a copy of the other direction to the begin of one
                         that waited for it, beside the set-up */
};

struct gp_engines {
    struct gp_engine directions[GP_DIRECTION_COUNT];
};

/* Copies about 5 GiB in all on the three streams it makes; the device must be idle. GP_EDEVICEMEM
 * when there is no room for its buffers (48 MiB on each side). */
int gp_engines_measure(struct gp_device *device, struct gp_engines *out, struct gp_error *err);

/* The same while a recorder watches, from what was measured `plain`, without it, and `watched`: its
 * own marks stand before and after each copy. So an event after a copy is late by one of them more,
 * and the rest of what they take need not come before the begin. */
void gp_engines_watched(const struct gp_engines *plain, const struct gp_engines *watched,
                        struct gp_engines *out);

#endif
