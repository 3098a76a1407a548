/*
 * A device that only writes down what it is asked, for tests of the exact sequence of calls and of
 * failures at each of them. One thread; allocates with malloc, so that core's memory hook is the
 * core's alone.
 */
#ifndef GP_TESTS_CORE_FAKE_DEVICE_H
#define GP_TESTS_CORE_FAKE_DEVICE_H

#include "core/device/device.h"

struct gp_fake {
    struct gp_device base;
    char *log; /* "launch s0 a; record s0 e2; …", for gp_fake_take_log */
    size_t log_bytes, log_capacity;
    uint32_t calls;        /* that could fail */
    uint32_t fail_at;      /* the fail_at-th fails, counted from 1; 0: none does */
    int fail_code;         /* with this */
    uint32_t not_ready;    /* so many queries say "not ready" first */
    int check_code;        /* what check returns */
    uint32_t checks;       /* how often it was called */
    uint32_t clock_reads;  /* how often the clock was read */
    int64_t now_ns;        /* each pause goes to its limit */
    uint32_t stream_count; /* made so far: the number of the next one */
    uint32_t event_count;  /* likewise */
    uint32_t live;         /* streams, events and memory blocks that exist */
    uint32_t syncs;        /* stream_sync calls */
    bool has_no_flags;     /* flag_write is GP_EUNSUPPORTED */
    bool is_silent;        /* writes nothing down (for benches) */
};

void gp_fake_init(struct gp_fake *fake);
/* Fails the test when something still lives. */
void gp_fake_finish(struct gp_fake *fake);

/* The log so far, which begins anew; valid until the next call on the device. */
const char *gp_fake_take_log(struct gp_fake *fake);

#endif
