/* Sleeping and waking: see signal.h. */
#include "core/signal.h"

#include <assert.h>
#include <time.h>

/* A thread that sleeps; on its own stack. */
struct gp_sleeper {
    struct gp_sleeper *next;
    struct gp_lane *lane;
    pthread_cond_t wake;
    bool is_woken;
};

void gp_signal_init(struct gp_signal *signal, struct gp_device *device)
{
    assert(signal != NULL && device != NULL);
    *signal = (struct gp_signal){.device = device};
    (void)pthread_mutex_init(&signal->mutex, NULL);
}

void gp_signal_finish(struct gp_signal *signal)
{
    assert(signal->sleepers.first == NULL);
    (void)pthread_mutex_destroy(&signal->mutex);
}

void gp_signal_lock(struct gp_signal *signal)
{
    (void)pthread_mutex_lock(&signal->mutex);
}

void gp_signal_unlock(struct gp_signal *signal)
{
    (void)pthread_mutex_unlock(&signal->mutex);
}

/* Takes the sleeper out of the list, wherever it is. */
static void forget(struct gp_sleepers *sleepers, const struct gp_sleeper *sleeper)
{
    struct gp_sleeper **link = &sleepers->first;
    struct gp_sleeper *previous = NULL;

    while (*link != sleeper) {
        previous = *link;
        link = &previous->next;
    }
    *link = sleeper->next;
    if (sleepers->last == sleeper) {
        sleepers->last = previous;
    }
}

static struct timespec deadline(int64_t timeout_ns)
{
    struct timespec at = {0};

    (void)clock_gettime(CLOCK_MONOTONIC, &at);
    at.tv_sec += (time_t)(timeout_ns / 1000000000);
    at.tv_nsec += (long)(timeout_ns % 1000000000);
    if (at.tv_nsec >= 1000000000) {
        at.tv_sec++;
        at.tv_nsec -= 1000000000;
    }
    return at;
}

static void init_condition(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;

    (void)pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    (void)pthread_cond_init(condition, &attributes);
    (void)pthread_condattr_destroy(&attributes);
}

bool gp_signal_wait(struct gp_signal *signal, struct gp_sleepers *sleepers, int64_t timeout_ns)
{
    struct gp_sleeper self = {0};
    struct timespec until = {0};
    bool is_late = false;

    init_condition(&self.wake);
    if (timeout_ns < INT64_MAX) {
        until = deadline(timeout_ns);
    }
    if (sleepers->last != NULL) {
        sleepers->last->next = &self;
    } else {
        sleepers->first = &self;
    }
    sleepers->last = &self;
    self.lane = gp_device_park(signal->device);
    while (!self.is_woken && !is_late) {
        if (timeout_ns == INT64_MAX) {
            (void)pthread_cond_wait(&self.wake, &signal->mutex);
        } else {
            is_late = pthread_cond_timedwait(&self.wake, &signal->mutex, &until) != 0 &&
                      (self.lane == NULL || gp_device_is_lost(signal->device));
            until = deadline(timeout_ns);
        }
    }
    if (!self.is_woken) {
        forget(sleepers, &self);
    }
    gp_device_resume(signal->device, self.lane);
    (void)pthread_cond_destroy(&self.wake);
    return self.is_woken;
}

void gp_signal_wake_one(struct gp_signal *signal, struct gp_sleepers *sleepers)
{
    struct gp_sleeper *sleeper = sleepers->first;

    if (sleeper != NULL) {
        sleepers->first = sleeper->next;
        if (sleepers->first == NULL) {
            sleepers->last = NULL;
        }
        sleeper->is_woken = true;
        gp_device_unpark(signal->device, sleeper->lane);
        (void)pthread_cond_signal(&sleeper->wake);
    }
}

void gp_signal_wake_all(struct gp_signal *signal, struct gp_sleepers *sleepers)
{
    while (sleepers->first != NULL) {
        gp_signal_wake_one(signal, sleepers);
    }
}
