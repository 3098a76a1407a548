/* Lanes: see lane.h. */
#include "core/device/model/lane.h"

#include <assert.h>
#include <string.h>

#include "core/memory.h"

static void lock(struct gp_lanes *lanes)
{
    (void)pthread_mutex_lock(&lanes->mutex);
}

static void unlock(struct gp_lanes *lanes)
{
    (void)pthread_mutex_unlock(&lanes->mutex);
}

static bool is_inside(const struct gp_lane *lane)
{
    return lane->state == GP_LANE_CALLING || lane->state == GP_LANE_PAUSED ||
           lane->state == GP_LANE_BLOCKED;
}

static void set_state(struct gp_lane *lane, enum gp_lane_state state)
{
    struct gp_lanes *lanes = lane->lanes;

    lanes->inside -= is_inside(lane) ? 1 : 0;
    lanes->paused -= lane->state == GP_LANE_PAUSED ? 1 : 0;
    lane->state = state;
    lanes->inside += is_inside(lane) ? 1 : 0;
    lanes->paused += lane->state == GP_LANE_PAUSED ? 1 : 0;
}

/* How far the device's time may go for this lane; INT64_MAX: as far as it likes. */
static int64_t horizon(const struct gp_lane *lane)
{
    switch (lane->state) {
    case GP_LANE_RUNNING:
    case GP_LANE_CALLING:
        return lane->clock_ns;
    case GP_LANE_PAUSED:
        return lane->until_ns;
    default:
        return INT64_MAX;
    }
}

/* The lane that is next: the smallest horizon, the lowest number of equals. NULL: all are blocked
 * or parked. */
static struct gp_lane *first_lane(const struct gp_lanes *lanes)
{
    struct gp_lane *first = NULL;

    for (uint32_t i = 0; i < lanes->slots; i++) {
        struct gp_lane *lane = lanes->lanes[i];

        if (lane != NULL && lane->state != GP_LANE_BLOCKED && lane->state != GP_LANE_PARKED &&
            (first == NULL || horizon(lane) < horizon(first))) {
            first = lane;
        }
    }
    return first;
}

static uint32_t count_state(const struct gp_lanes *lanes, enum gp_lane_state state)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < lanes->slots; i++) {
        count += lanes->lanes[i] != NULL && lanes->lanes[i]->state == state ? 1 : 0;
    }
    return count;
}

static void go_on(struct gp_lane *lane, int64_t at_ns, int result)
{
    if (lane->clock_ns < at_ns) {
        lane->clock_ns = at_ns;
    }
    lane->result = result;
    if (lane->state == GP_LANE_PAUSED) {
        /* Now, not when its thread gets to run: others may have gone on by then. */
        lane->seen = lane->lanes->sim->observations;
    }
    set_state(lane, GP_LANE_RUNNING);
    (void)pthread_cond_signal(&lane->wake);
}

static bool has_happened(const struct gp_sim *sim, const struct gp_lane *lane)
{
    if (sim->fault.code != 0) {
        return true;
    }
    switch (lane->wait) {
    case GP_WAIT_MARKER:
        return lane->marker->is_done;
    case GP_WAIT_STREAM:
        return lane->stream->completed >= lane->target;
    case GP_WAIT_QUEUE:
        return lane->stream->launches < sim->profile->queue_launches &&
               lane->stream->commands < sim->profile->queue_commands;
    case GP_WAIT_IDLE:
        return sim->busy_streams == 0;
    }
    return true;
}

/* Lanes whose wait is over go on. */
static void look_at_waiting(struct gp_lanes *lanes)
{
    const struct gp_sim *sim = lanes->sim;

    for (uint32_t i = 0; lanes->inside > 0 && i < lanes->slots; i++) {
        struct gp_lane *lane = lanes->lanes[i];

        if (lane == NULL) {
            continue;
        }
        if (lane->state == GP_LANE_BLOCKED && has_happened(sim, lane)) {
            go_on(lane, sim->now_ns + lane->return_ns, 0);
        } else if (lane->state == GP_LANE_PAUSED && lane->seen != sim->observations) {
            go_on(lane, sim->now_ns, 0);
        }
    }
}

static void step(struct gp_lanes *lanes)
{
    gp_sim_step(lanes->sim);
    look_at_waiting(lanes);
    if (lanes->sim->due_function != NULL && lanes->sim->fault.code != 0) {
        gp_sim_function_done(lanes->sim); /* as the driver: not called once the device is lost */
    } else if (lanes->sim->due_function != NULL) {
        lanes->host.clock_ns = lanes->sim->now_ns;
        lanes->is_calling = true;
        lanes->is_taken = false;
        (void)pthread_cond_signal(&lanes->host.wake);
    }
}

/* Nothing will ever happen: every lane that waits for the device fails. */
static void fail_blocked(struct gp_lanes *lanes)
{
    for (uint32_t i = 0; i < lanes->slots; i++) {
        struct gp_lane *lane = lanes->lanes[i];

        if (lane != NULL && lane->state == GP_LANE_BLOCKED) {
            go_on(lane, lanes->sim->now_ns, GP_EDEADLOCK);
        }
    }
}

/* A paused lane is next and no event comes before its time. */
static void end_pause(struct gp_lane *lane)
{
    if (lane->until_ns < INT64_MAX) {
        go_on(lane, lane->until_ns, 0);
        return;
    }
    lane->lanes->is_stuck = true;
    go_on(lane, lane->clock_ns + lane->lanes->sim->profile->host_pause_ns, 0);
}

/* One turn of a lane that is inside and may not go on: the next event, or a wait for others. */
static void take_turn(struct gp_lane *self)
{
    struct gp_lanes *lanes = self->lanes;
    struct gp_lane *first = lanes->is_free ? self : first_lane(lanes);
    const int64_t next_ns = gp_sim_next_ns(lanes->sim);

    if (!lanes->is_calling) {
        if (next_ns < INT64_MAX && (first == NULL || next_ns <= horizon(first))) {
            step(lanes);
            return;
        }
        if (lanes->is_free && self->state == GP_LANE_BLOCKED) {
            first = first_lane(lanes);
        }
        if (first == NULL) {
            fail_blocked(lanes);
            return;
        }
        if (first->state == GP_LANE_PAUSED &&
            (first->until_ns < INT64_MAX || count_state(lanes, GP_LANE_RUNNING) == 0)) {
            end_pause(first);
            return;
        }
        if (first->state == GP_LANE_CALLING && first != self) {
            (void)pthread_cond_signal(&first->wake);
        }
    }
    (void)pthread_cond_wait(&self->wake, &lanes->mutex);
}

/* Wakes the lane that is to act now, if it is one that waits inside. */
static void kick(struct gp_lanes *lanes)
{
    struct gp_lane *first;
    bool any;

    if (lanes->is_calling) {
        return;
    }
    if (lanes->inside == 0) {
        (void)pthread_cond_signal(&lanes->host.wake);
        return;
    }
    first = first_lane(lanes);
    any = first == NULL || lanes->is_free || gp_sim_next_ns(lanes->sim) <= horizon(first);
    if (!any) {
        (void)pthread_cond_signal(&first->wake);
        return;
    }
    for (uint32_t i = 0; i < lanes->slots; i++) {
        if (lanes->lanes[i] != NULL && is_inside(lanes->lanes[i])) {
            (void)pthread_cond_signal(&lanes->lanes[i]->wake);
            if (!lanes->is_free) {
                return;
            }
        }
    }
}

/* ---- calls ------------------------------------------------------------------------------------
 */

void gp_lane_readmit(struct gp_lane *lane)
{
    struct gp_lanes *lanes = lane->lanes;

    set_state(lane, GP_LANE_CALLING);
    for (;;) {
        if (lanes->is_free && lane->clock_ns < lanes->sim->now_ns) {
            lane->clock_ns = lanes->sim->now_ns;
        }
        if (!lanes->is_calling && gp_sim_next_ns(lanes->sim) > lane->clock_ns &&
            (lanes->is_free || first_lane(lanes) == lane)) {
            break;
        }
        take_turn(lane);
    }
    set_state(lane, GP_LANE_RUNNING);
}

int gp_lane_enter(struct gp_lanes *lanes, struct gp_lane **out, struct gp_error *err)
{
    struct gp_lane *lane = pthread_getspecific(lanes->key);

    if (lane == NULL) {
        return gp_fail(err, GP_ESTATE, "this thread is not attached to the device");
    }
    if (lane == &lanes->host) {
        return gp_fail(err, GP_ESTATE, "a host function must not call the device");
    }
    lock(lanes);
    gp_lane_readmit(lane);
    *out = lane;
    return 0;
}

void gp_lane_leave(struct gp_lane *lane, bool acts)
{
    struct gp_lanes *lanes = lane->lanes;

    if (acts) {
        lanes->is_stuck = false;
        for (uint32_t i = 0; lanes->paused > 0 && i < lanes->slots; i++) {
            if (lanes->lanes[i] != NULL && lanes->lanes[i]->state == GP_LANE_PAUSED) {
                go_on(lanes->lanes[i], lane->clock_ns, 0);
            }
        }
    }
    if (lanes->inside > 0) {
        kick(lanes);
    }
    unlock(lanes);
}

void gp_lane_charge(struct gp_lane *lane, int64_t cost_ns)
{
    struct gp_lanes *lanes = lane->lanes;

    if (lane->clock_ns < lanes->lock_free_ns) {
        lane->clock_ns = lanes->lock_free_ns;
    }
    lanes->lock_free_ns = lane->clock_ns + cost_ns * lanes->sim->profile->host_lock_permille / 1000;
    lane->clock_ns += cost_ns;
}

int gp_lane_block(struct gp_lane *lane, int64_t return_ns, struct gp_error *err)
{
    struct gp_lanes *lanes = lane->lanes;

    if (has_happened(lanes->sim, lane)) {
        return 0;
    }
    lane->return_ns = return_ns;
    set_state(lane, GP_LANE_BLOCKED);
    while (lane->state == GP_LANE_BLOCKED) {
        take_turn(lane);
    }
    if (lane->result != 0) {
        return gp_fail(err, GP_EDEADLOCK,
                       "deadlock: this thread waits for the device, every other one waits too, and "
                       "nothing is pending");
    }
    return 0;
}

void gp_lane_pause(struct gp_lane *lane, int64_t until_ns)
{
    struct gp_lanes *lanes = lane->lanes;
    const struct gp_sim *sim = lanes->sim;

    if (lane->seen == sim->observations && until_ns > lane->clock_ns) {
        lane->until_ns = until_ns;
        set_state(lane, GP_LANE_PAUSED);
        while (lane->state == GP_LANE_PAUSED) {
            take_turn(lane);
        }
    } else {
        lane->clock_ns += sim->profile->host_pause_ns;
        lane->seen = sim->observations;
    }
}

/* ---- attaching and parking ---------------------------------------------------------------------
 */

int gp_lane_attach(struct gp_lanes *lanes, struct gp_error *err)
{
    struct gp_lane *lane;
    uint32_t index = 0;
    int64_t clock_ns;

    if (pthread_getspecific(lanes->key) != NULL) {
        return gp_fail(err, GP_ESTATE, "this thread is attached to the device already");
    }
    lane = gp_alloc(1, sizeof *lane);
    if (lane == NULL) {
        return gp_fail(err, GP_ENOMEM, "no memory to attach a thread");
    }
    lock(lanes);
    clock_ns = lanes->sim->now_ns;
    while (index < GP_LANES_MAX && lanes->lanes[index] != NULL) {
        index++;
    }
    if (index == GP_LANES_MAX || pthread_setspecific(lanes->key, lane) != 0) {
        unlock(lanes);
        gp_free(lane);
        return gp_fail(err, GP_ESTATE, "no more than %d threads can be attached", GP_LANES_MAX);
    }
    /* A thread begins after whatever made it begin. */
    for (uint32_t i = 0; i < lanes->slots; i++) {
        if (lanes->lanes[i] != NULL && lanes->lanes[i]->clock_ns > clock_ns) {
            clock_ns = lanes->lanes[i]->clock_ns;
        }
    }
    lane->lanes = lanes;
    lane->index = index;
    lane->clock_ns = clock_ns;
    lane->seen = lanes->sim->observations;
    (void)pthread_cond_init(&lane->wake, NULL);
    lanes->lanes[index] = lane;
    lanes->slots = index >= lanes->slots ? index + 1 : lanes->slots;
    unlock(lanes);
    return 0;
}

void gp_lane_detach(struct gp_lanes *lanes)
{
    struct gp_lane *lane = pthread_getspecific(lanes->key);

    if (lane == NULL || lane == &lanes->host) {
        return;
    }
    lock(lanes);
    (void)pthread_setspecific(lanes->key, NULL);
    if (lane->default_stream != NULL) {
        gp_sim_stream_destroy(lanes->sim, lane->default_stream);
    }
    lanes->lanes[lane->index] = NULL;
    while (lanes->slots > 0 && lanes->lanes[lanes->slots - 1] == NULL) {
        lanes->slots--;
    }
    kick(lanes);
    unlock(lanes);
    (void)pthread_cond_destroy(&lane->wake);
    gp_free(lane);
}

struct gp_lane *gp_lane_park(struct gp_lanes *lanes)
{
    struct gp_lane *lane = pthread_getspecific(lanes->key);

    if (lane == NULL || lane == &lanes->host) {
        return NULL;
    }
    lock(lanes);
    set_state(lane, GP_LANE_PARKED);
    kick(lanes);
    unlock(lanes);
    return lane;
}

void gp_lane_unpark(struct gp_lanes *lanes, struct gp_lane *lane)
{
    const struct gp_lane *waker = pthread_getspecific(lanes->key);

    if (lane == NULL) {
        return;
    }
    lock(lanes);
    if (lane->state == GP_LANE_PARKED) {
        if (waker != NULL && waker->clock_ns > lane->clock_ns) {
            lane->clock_ns = waker->clock_ns;
        }
        if (lanes->sim->now_ns > lane->clock_ns) {
            lane->clock_ns = lanes->sim->now_ns;
        }
        set_state(lane, GP_LANE_RUNNING);
    }
    unlock(lanes);
}

void gp_lane_resume(struct gp_lanes *lanes, struct gp_lane *lane)
{
    gp_lane_unpark(lanes, lane);
}

int64_t gp_lane_clock(struct gp_lanes *lanes)
{
    struct gp_lane *lane = pthread_getspecific(lanes->key);
    int64_t clock_ns;

    lock(lanes);
    if (lane == NULL) {
        clock_ns = lanes->sim->now_ns;
    } else {
        lane->clock_ns += lane != &lanes->host ? lanes->sim->profile->host_clock_ns : 0;
        clock_ns = lane->clock_ns;
    }
    unlock(lanes);
    return clock_ns;
}

/* ---- the host functions' thread ----------------------------------------------------------------
 */

static void call_function(struct gp_lanes *lanes)
{
    struct gp_sim_op *op = lanes->sim->due_function;

    lanes->is_taken = true;
    unlock(lanes);
    op->function(op->user);
    lock(lanes);
    gp_sim_function_done(lanes->sim);
    lanes->is_calling = false;
    kick(lanes);
}

/* Every thread waits for another one, so only a host function can wake one of them. */
static bool must_drive(const struct gp_lanes *lanes)
{
    return lanes->inside == 0 && !lanes->is_calling && gp_sim_next_ns(lanes->sim) < INT64_MAX &&
           count_state(lanes, GP_LANE_RUNNING) == 0 && count_state(lanes, GP_LANE_PARKED) > 0;
}

static void *run_thread(void *user)
{
    struct gp_lanes *lanes = user;

    lock(lanes);
    (void)pthread_setspecific(lanes->key, &lanes->host);
    while (!lanes->must_quit) {
        if (lanes->is_calling && !lanes->is_taken) {
            call_function(lanes);
        } else if (must_drive(lanes)) {
            step(lanes);
        } else {
            (void)pthread_cond_wait(&lanes->host.wake, &lanes->mutex);
        }
    }
    unlock(lanes);
    return NULL;
}

int gp_lanes_start_thread(struct gp_lanes *lanes, struct gp_error *err)
{
    if (!lanes->has_thread) {
        if (pthread_create(&lanes->thread, NULL, run_thread, lanes) != 0) {
            return gp_fail(err, GP_ENOMEM, "no thread for host functions can be made");
        }
        lanes->has_thread = true;
    }
    return 0;
}

int gp_lanes_init(struct gp_lanes *lanes, struct gp_sim *sim, bool is_free, struct gp_error *err)
{
    memset(lanes, 0, sizeof *lanes);
    lanes->sim = sim;
    lanes->is_free = is_free;
    lanes->host.lanes = lanes;
    if (pthread_key_create(&lanes->key, NULL) != 0) {
        return gp_fail(err, GP_ENOMEM, "no thread-specific key is left for a model device");
    }
    (void)pthread_mutex_init(&lanes->mutex, NULL);
    (void)pthread_cond_init(&lanes->host.wake, NULL);
    lanes->has_key = true;
    return 0;
}

void gp_lanes_finish(struct gp_lanes *lanes)
{
    if (!lanes->has_key) {
        return;
    }
    if (lanes->has_thread) {
        lock(lanes);
        lanes->must_quit = true;
        (void)pthread_cond_signal(&lanes->host.wake);
        unlock(lanes);
        (void)pthread_join(lanes->thread, NULL);
    }
    (void)pthread_cond_destroy(&lanes->host.wake);
    (void)pthread_mutex_destroy(&lanes->mutex);
    (void)pthread_key_delete(lanes->key);
    lanes->has_key = false;
}
