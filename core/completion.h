/*
 * Completion: how the host learns that a stream's work is done. A mark is set in a stream behind
 * the work submitted so far; later it is looked at, or waited for in the way of its mode. It knows
 * no schedules and no futures.
 *
 *   event-poll       an untimed event, queried in a loop
 *   host-func        a function behind the work, on a thread of the device, wakes the waiter
 *   flag             the stream writes a word of pinned memory, which is read in a loop
 *   blocking-event   the waiter sleeps in the driver until the event is complete
 *   spin-then-block  as event-poll for 20 µs, then as blocking-event
 *
 * Measured on H200s (tests/bench/bench_device.c), one thread, a mark behind every kernel, medians:
 * 2 000 small kernels on 8 streams, two machines: flag 9.9 and 10.2 ms, event-poll 10.8 and 11.5,
 * host-func 23.6 and 16.6, without marks 7.4 and 8.1; 256 of 50 µs on 32 streams: with 8
 * connections event-poll 1.49 ms, flag 1.73, host-func 2.39, without marks 1.13; with 32
 * connections 1.76, 1.48, 2.44 and 1.20. At the end of a run, where a stream has one mark, none can
 * be told from another: `batch` on 8 streams takes 3.19 to 3.30 ms in all five. event-poll is the
 * default as it needs nothing of the driver and its untimed event, unlike a written flag, does not
 * hold a hardware connection until the kernel before it is complete; flag is the one to choose for
 * many short futures on few streams.
 */
#ifndef GP_CORE_COMPLETION_H
#define GP_CORE_COMPLETION_H

#include <stdatomic.h>

#include "core/signal.h"

/* The words of cell.completion; the first is the default. */
#define GP_COMPLETIONS(X)                                                                          \
    X(EVENT_POLL, "event-poll")                                                                    \
    X(HOST_FUNC, "host-func")                                                                      \
    X(FLAG, "flag")                                                                                \
    X(BLOCKING_EVENT, "blocking-event")                                                            \
    X(SPIN_THEN_BLOCK, "spin-then-block")

enum gp_completion {
#define X(name, word) GP_COMPLETION_##name,
    GP_COMPLETIONS(X)
#undef X
        GP_COMPLETION_COUNT
};

/* The list's word, static. */
const char *gp_completion_name(enum gp_completion completion);

/* A waiter that saw no progress for that long asks the device whether it still works. */
enum { GP_PATIENCE_NS = 1000000 };

struct gp_mark {
    struct gp_device *device;
    enum gp_completion mode;
    struct gp_event *event; /* of the modes with one */
    uint32_t *flag;         /* flag: a word of pinned memory, the owner's */
    _Atomic uint32_t word;  /* host-func: what the function writes */
    uint32_t turn;          /* what flag or word hold when the mark is reached */
    /* host-func: the function takes the signal's lock, writes the word, and calls `reached`, which
     * the owner may set; without that it wakes all sleepers. */
    struct gp_signal *signal;
    void (*reached)(struct gp_mark *mark);
    void *user;
};

/* flag and signal, for the modes that need them, are borrowed and outlive the mark. What the device
 * cannot do is found by gp_mark_set: GP_EUNSUPPORTED. */
int gp_mark_init(struct gp_mark *mark, struct gp_device *device, enum gp_completion mode,
                 uint32_t *flag, struct gp_signal *signal, struct gp_error *err);
/* Not while it is set and not reached, unless the device is lost. A zeroed mark is allowed. */
void gp_mark_finish(struct gp_mark *mark);

/* Behind all work submitted to the stream so far. The mark's last setting is reached. */
int gp_mark_set(struct gp_mark *mark, struct gp_stream *stream, struct gp_error *err);

/* 0 reached or never set; GP_ENOTREADY not yet (err untouched); else the device's failure. */
int gp_mark_query(struct gp_mark *mark, struct gp_error *err);

/* Waits until all of them, of one mode and device, at most GP_STREAMS_MAX, are reached. On a
 * failure *at is the mark that showed it. Called on an attached thread; allocates nothing. */
int gp_marks_wait(struct gp_mark *const *marks, uint32_t count, uint32_t *at, struct gp_error *err);

#endif
