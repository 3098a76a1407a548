/*
 * Lanes: the host threads of a model device, each with its own virtual clock. Calls are admitted in
 * (virtual time, lane) order, after the device's events up to that time, so that what several
 * threads do repeats. It knows nothing of what a call does.
 *
 * A lane is running (its thread is in the caller's code, or in a call that was admitted), calling
 * (waits to be admitted), paused (waits for something to happen, at most until a time), blocked
 * (waits for the device) or parked (waits for another thread). Virtual time cannot pass a running
 * or calling lane. Whoever is inside and may not go on drives the simulation or waits; whoever
 * leaves wakes the one that is next.
 */
#ifndef GP_CORE_DEVICE_MODEL_LANE_H
#define GP_CORE_DEVICE_MODEL_LANE_H

#include <pthread.h>

#include "core/device/model/sim.h"

enum gp_lane_state {
    GP_LANE_RUNNING,
    GP_LANE_CALLING,
    GP_LANE_PAUSED,
    GP_LANE_BLOCKED,
    GP_LANE_PARKED,
};

enum gp_lane_wait {
    GP_WAIT_MARKER, /* the marker is done */
    GP_WAIT_STREAM, /* the stream has completed `target` operations */
    GP_WAIT_QUEUE,  /* the stream accepts another one */
    GP_WAIT_IDLE,   /* the device has nothing to do */
};

struct gp_lane {
    struct gp_lanes *lanes;
    uint32_t index;
    enum gp_lane_state state;
    int64_t clock_ns;
    int64_t until_ns; /* of a pause */
    enum gp_lane_wait wait;
    struct gp_sim_marker *marker;
    struct gp_sim_stream *stream;
    uint64_t target;
    int64_t return_ns;                    /* from what it waits for to its going on */
    int result;                           /* of a wait: 0 or GP_EDEADLOCK */
    uint64_t seen;                        /* observations at the last pause */
    struct gp_sim_stream *default_stream; /* its per-thread stream; NULL: not used yet */
    pthread_cond_t wake;
};

struct gp_lanes {
    struct gp_sim *sim;
    pthread_mutex_t mutex;
    pthread_key_t key; /* the thread's lane */
    struct gp_lane *lanes[GP_LANES_MAX];
    uint32_t slots;  /* lanes[i] is NULL from here on */
    uint32_t inside; /* calling, paused or blocked */
    uint32_t paused;
    bool is_free;  /* no order of lanes */
    bool is_stuck; /* a paused lane had nothing to wait for */
    bool has_key, has_mutex;
    int64_t lock_free_ns; /* the context's lock */
    /* The thread of the host functions. */
    struct gp_lane host;
    pthread_t thread;
    bool has_thread, must_quit, is_calling, is_taken;
    void *device; /* named in messages only */
};

/* No lane yet. sim is borrowed. GP_ENOMEM; finish is allowed after a failure. */
int gp_lanes_init(struct gp_lanes *lanes, struct gp_sim *sim, bool is_free, struct gp_error *err);
/* All other lanes are detached. */
void gp_lanes_finish(struct gp_lanes *lanes);

/* Makes the calling thread a lane, the lowest free number. GP_ESTATE: it is one already, there are
 * GP_LANES_MAX, or it runs a host function. */
int gp_lane_attach(struct gp_lanes *lanes, struct gp_error *err);
void gp_lane_detach(struct gp_lanes *lanes);

/* The thread's lane, admitted, with the lock held; gp_lane_leave follows. GP_ESTATE: the thread is
 * not attached or runs a host function; the lock is not held then. */
int gp_lane_enter(struct gp_lanes *lanes, struct gp_lane **out, struct gp_error *err);

/* acts: what the call did may matter to lanes that are paused. */
void gp_lane_leave(struct gp_lane *lane, bool acts);

/* The lane's time goes on by what a call costs; calls wait for one another's use of the context. */
void gp_lane_charge(struct gp_lane *lane, int64_t cost_ns);

/* Waits, inside a call; lane->wait and what belongs to it are set. The lane goes on return_ns after
 * it happened. 0 or GP_EDEADLOCK; also 0 when the device is lost. */
int gp_lane_block(struct gp_lane *lane, int64_t return_ns, struct gp_error *err);

/* Admits the lane again at its clock, after a block in the middle of a call. */
void gp_lane_readmit(struct gp_lane *lane);

/* The body of gp_device_pause. */
void gp_lane_pause(struct gp_lane *lane, int64_t until_ns);

/* The calling thread's lane no longer holds up time; NULL: it has none. Contract in device.h. */
struct gp_lane *gp_lane_park(struct gp_lanes *lanes);
/* The parked lane goes on at the waker's time. NULL allowed. */
void gp_lane_unpark(struct gp_lanes *lanes, struct gp_lane *lane);
/* Called by the woken thread, also when nobody unparked it. */
void gp_lane_resume(struct gp_lanes *lanes, struct gp_lane *lane);

/* The lane's clock; the device's time for a thread without one. */
int64_t gp_lane_clock(struct gp_lanes *lanes);

/* Starts the host functions' thread if there is none; with the lock held. */
int gp_lanes_start_thread(struct gp_lanes *lanes, struct gp_error *err);

#endif
