/*
 * Futures: work that was scheduled and is not awaited yet. Idle, then Executing, then Complete or
 * Failed. The first poll submits, later ones look. It knows no threads but the context's, which
 * look after futures that have a waker.
 *
 * A future is used by one thread at a time, attached to the device.
 */
#ifndef GP_CORE_FUTURE_H
#define GP_CORE_FUTURE_H

#include "core/context.h"

enum gp_future_state {
    GP_FUTURE_IDLE,      /* nothing is submitted */
    GP_FUTURE_EXECUTING, /* submitted */
    GP_FUTURE_COMPLETE,  /* a poll said so */
    GP_FUTURE_FAILED,    /* likewise */
};

/* Called once for each poll that was given it and found the future not ready, on any thread, with a
 * lock of the context held: it may note and signal, and must call neither the device nor a future.
 * Never called after the future was dropped. */
struct gp_waker {
    void (*wake)(void *user);
    void *user;
};

/* Releases what was kept for a future. */
typedef void gp_release_fn(void *user);

/* 0: complete. GP_ENOTREADY: not yet (err untouched); the waker, which replaces that of the poll
 * before, will be called when it is worth polling again. NULL: nobody is told, and polls look for
 * themselves, with gp_device_pause between them. Anything else: failed, with the device's or the
 * dispatch's words; what had been submitted is done by then, unless the device is lost. A poll
 * after either is GP_ESTATE. */
int gp_future_poll(struct gp_future *future, const struct gp_waker *waker, struct gp_error *err);

/* Polls until it is not GP_ENOTREADY, waiting as the context's completion mode says. */
int gp_future_wait(struct gp_future *future, struct gp_error *err);

/* As the last poll left it. */
enum gp_future_state gp_future_state(const struct gp_future *future);

/* The function is called once, when the future is dropped and its work is
 * done: for buffers, or a DAG. Last come, first released. GP_ENOMEM: nothing is kept. */
int gp_future_keep(struct gp_future *future, gp_release_fn *release, void *user,
                   struct gp_error *err);

/* Ends the caller's use of it; NULL allowed. Work in flight is not cancelled and not waited for:
 * events and what is kept are parked in the context until a sweep finds it done. What is idle or
 * done is released at once. */
void gp_future_drop(struct gp_future *future);

#endif
