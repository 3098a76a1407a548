/*
 * Threads that wait for one another: a mutex and those that sleep until somebody wakes them. While
 * they sleep they are parked (device.h), so that the model's time goes on without them. It knows
 * nothing of what is waited for.
 *
 * The lock is held for a few instructions only and never across a call on a device (park, unpark
 * and resume excepted, which wait for nobody), so host functions may take it too.
 */
#ifndef GP_CORE_SIGNAL_H
#define GP_CORE_SIGNAL_H

#include <pthread.h>

#include "core/device/device.h"

struct gp_sleeper;

/* Those that wait for the same, in the order in which they fell asleep. Zero it first. */
struct gp_sleepers {
    struct gp_sleeper *first, *last;
};

/* A lock, and who waits for what it guards; owners may have more lists of their own. */
struct gp_signal {
    struct gp_device *device;
    pthread_mutex_t mutex;
    struct gp_sleepers sleepers;
};

/* The device is borrowed. Nobody may sleep any more at finish. */
void gp_signal_init(struct gp_signal *signal, struct gp_device *device);
void gp_signal_finish(struct gp_signal *signal);

/* Any thread, also one of the device's own. */
void gp_signal_lock(struct gp_signal *signal);
void gp_signal_unlock(struct gp_signal *signal);

/* Sleeps until woken, for at most timeout_ns of real time (INT64_MAX: no limit); the lock is held
 * before and after, not meanwhile. False when the time ran out: on the model, whose own time must
 * not depend on ours, only once it is lost. */
bool gp_signal_wait(struct gp_signal *signal, struct gp_sleepers *sleepers, int64_t timeout_ns);

/* Wakes the one that has slept longest, or everybody; with the lock held. */
void gp_signal_wake_one(struct gp_signal *signal, struct gp_sleepers *sleepers);
void gp_signal_wake_all(struct gp_signal *signal, struct gp_sleepers *sleepers);

#endif
