/*
 * Several threads on one model device: whatever the real speed of the threads, the device sees
 * their calls in the same order; waiting threads let time go on; nothing hangs.
 */
#include "rig.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

enum { THREADS = 5, LAUNCHES = 60 };

struct crew;

struct worker {
    struct crew *crew;
    uint32_t index;
    pthread_t thread;
    uint64_t random;
    int64_t end_ns;
    uint32_t calls, called; /* of host functions */
};

/* Threads attach one after the other, in order, so that each has its number. */
struct crew {
    struct rig rig;
    struct worker workers[THREADS];
    pthread_mutex_t mutex;
    pthread_cond_t turn;
    uint32_t attached;
    uint64_t jitter; /* seed of real sleeps */
    void (*work)(struct worker *worker);
    struct gp_lane *parked;
    uint32_t flag;
};

static uint32_t draw(uint64_t *random, uint32_t below)
{
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*random >> 33) % below;
}

/* Real time passes, no virtual. */
static void dawdle(struct worker *worker)
{
    const struct timespec nap = {0, (long)draw(&worker->random, 200) * 1000};

    if (draw(&worker->random, 4) == 0) {
        (void)nanosleep(&nap, NULL);
    }
}

static void *run_worker(void *user)
{
    struct worker *worker = user;
    struct crew *crew = worker->crew;
    struct gp_error err = {0};

    (void)pthread_mutex_lock(&crew->mutex);
    while (crew->attached != worker->index) {
        (void)pthread_cond_wait(&crew->turn, &crew->mutex);
    }
    gp_assert_ok(gp_device_attach(crew->rig.device, &err), err);
    crew->attached++;
    (void)pthread_cond_broadcast(&crew->turn);
    while (crew->attached != THREADS) {
        (void)pthread_cond_wait(&crew->turn, &crew->mutex);
    }
    (void)pthread_mutex_unlock(&crew->mutex);
    crew->work(worker);
    worker->end_ns = gp_device_clock_ns(crew->rig.device);
    gp_device_detach(crew->rig.device);
    return NULL;
}

/* The main thread parks until all are done. */
static void run_crew(struct crew *crew, const char *spec, uint64_t jitter,
                     void (*work)(struct worker *worker))
{
    struct gp_lane *lane;

    memset(crew, 0, sizeof *crew);
    rig_open(&crew->rig, spec, 8, THREADS);
    crew->work = work;
    crew->rig.stamp_count = THREADS * LAUNCHES;
    (void)pthread_mutex_init(&crew->mutex, NULL);
    (void)pthread_cond_init(&crew->turn, NULL);
    lane = gp_device_park(crew->rig.device);
    for (uint32_t i = 0; i < THREADS; i++) {
        crew->workers[i] = (struct worker){.crew = crew, .index = i, .random = jitter * 97 + i};
        assert_int_equal(
            pthread_create(&crew->workers[i].thread, NULL, run_worker, &crew->workers[i]), 0);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        (void)pthread_join(crew->workers[i].thread, NULL);
    }
    gp_device_resume(crew->rig.device, lane);
    (void)pthread_mutex_destroy(&crew->mutex);
    (void)pthread_cond_destroy(&crew->turn);
}

/* Slots are each thread's own, so threads need not agree on them. */
static void launch(struct worker *worker, uint32_t n, uint64_t ns)
{
    struct rig rig = worker->crew->rig;

    rig.stamp_count = worker->index * LAUNCHES + n;
    (void)rig_spin(&rig, rig.streams[worker->index], 1 + n % 7, 64, ns);
}

static void count_call(void *user)
{
    ++*(uint32_t *)user;
}

/* Polls for an event of the stream. */
static void poll_event(struct worker *worker, struct gp_event *event)
{
    struct gp_device *device = worker->crew->rig.device;
    struct gp_error err = {0};

    gp_assert_ok(gp_event_record(event, worker->crew->rig.streams[worker->index], &err), err);
    while (gp_event_query(event, &err) == GP_ENOTREADY) {
        gp_device_pause(device, INT64_MAX);
    }
}

static void launch_and_wait(struct worker *worker)
{
    struct gp_event *event = NULL;
    struct gp_device *device = worker->crew->rig.device;
    struct gp_stream *stream = worker->crew->rig.streams[worker->index];
    uint64_t choice = worker->index; /* the same in every run */
    struct gp_error err = {0};

    gp_assert_ok(gp_event_create(device, 0, &event, &err), err);
    for (uint32_t n = 0; n < LAUNCHES; n++) {
        dawdle(worker);
        launch(worker, n, 1000 + draw(&choice, 30000));
        switch (draw(&choice, 8)) {
        case 0:
            gp_assert_ok(gp_stream_sync(stream, &err), err);
            break;
        case 1:
            while (gp_stream_query(stream, &err) == GP_ENOTREADY) {
                gp_device_pause(device, INT64_MAX);
            }
            break;
        case 2:
            gp_device_pause(device, gp_device_clock_ns(device) + 5000);
            break;
        case 3:
            gp_assert_ok(gp_stream_host_function(stream, count_call, &worker->called, &err), err);
            worker->calls++;
            break;
        case 4:
            poll_event(worker, event);
            break;
        default:
            break;
        }
    }
    gp_assert_ok(gp_stream_sync(stream, &err), err);
    assert_int_equal(worker->called, worker->calls);
}

static void test_threads_repeat(void **state)
{
    static struct gp_stamp stamps[THREADS * LAUNCHES];
    static struct crew crew;
    int64_t ends_ns[THREADS];

    (void)state;
    for (uint64_t round = 0; round < 6; round++) {
        run_crew(&crew, "model:h200", round, launch_and_wait);
        for (uint32_t i = 0; i < THREADS; i++) {
            if (round == 0) {
                ends_ns[i] = crew.workers[i].end_ns;
            }
            assert_int_equal(crew.workers[i].end_ns, ends_ns[i]);
        }
        if (round == 0) {
            memcpy(stamps, crew.rig.stamps, sizeof stamps);
        }
        assert_memory_equal(crew.rig.stamps, stamps, sizeof stamps);
        rig_close(&crew.rig);
    }
}

/* Without lane order everything still completes; for the thread sanitizer. */
static void test_free_threads(void **state)
{
    static struct crew crew;

    (void)state;
    run_crew(&crew, "model:h200,free", 1, launch_and_wait);
    for (uint32_t i = 0; i < THREADS * LAUNCHES; i++) {
        assert_true(crew.rig.stamps[i].end >= crew.rig.stamps[i].begin + 900);
    }
    rig_close(&crew.rig);
}

/* The later a thread's number, the earlier it launches. */
static void launch_in_turn(struct worker *worker)
{
    struct gp_device *device = worker->crew->rig.device;
    const int64_t at_ns = INT64_C(1000000) * (THREADS - worker->index);
    struct gp_error err = {0};

    while (gp_device_clock_ns(device) < at_ns) {
        dawdle(worker);
        gp_device_pause(device, at_ns);
    }
    launch(worker, 0, 1000);
    gp_assert_ok(gp_stream_sync(worker->crew->rig.streams[worker->index], &err), err);
}

static void test_calls_are_admitted_by_time(void **state)
{
    static struct crew crew;

    (void)state;
    run_crew(&crew, "model:h200", 1, launch_in_turn);
    for (uint32_t i = 0; i < THREADS; i++) {
        const int64_t at_ns = INT64_C(1000000) * (THREADS - i);

        assert_in_range(rig_begin(&crew.rig, i * LAUNCHES), at_ns, at_ns + 10000);
    }
    rig_close(&crew.rig);
}

/* Calls of several threads use the context one after the other. */
static void launch_only(struct worker *worker)
{
    for (uint32_t n = 0; n < 20; n++) {
        launch(worker, n, 1000);
    }
}

static void test_one_lock_a_context(void **state)
{
    static struct crew crew;
    int64_t begin_ns;
    int64_t last_ns = 0;

    (void)state;
    run_crew(&crew, "model:h200", 1, launch_only);
    begin_ns = INT64_C(25000) * THREADS; /* what making the streams took */
    for (uint32_t i = 0; i < THREADS; i++) {
        last_ns = crew.workers[i].end_ns > last_ns ? crew.workers[i].end_ns : last_ns;
    }
    assert_true(last_ns - begin_ns > INT64_C(3600) * 20 * THREADS);
    rig_close(&crew.rig);
}

/* ---- parking -----------------------------------------------------------------------------------
 */

/* Thread 0 parks and waits for thread 1, which waits for the device first; the others end. */
static void wait_for_another(struct worker *worker)
{
    struct crew *crew = worker->crew;
    struct gp_device *device = crew->rig.device;
    struct gp_error err = {0};

    if (worker->index == 0) {
        (void)pthread_mutex_lock(&crew->mutex);
        crew->parked = gp_device_park(device);
        while (crew->flag == 0) {
            (void)pthread_cond_wait(&crew->turn, &crew->mutex);
        }
        (void)pthread_mutex_unlock(&crew->mutex);
        gp_device_resume(device, crew->parked);
    } else if (worker->index == 1) {
        launch(worker, 0, 5000000);
        gp_assert_ok(gp_stream_sync(crew->rig.streams[1], &err), err);
        (void)pthread_mutex_lock(&crew->mutex);
        while (crew->parked == NULL) {
            (void)pthread_mutex_unlock(&crew->mutex);
            dawdle(worker);
            (void)pthread_mutex_lock(&crew->mutex);
        }
        gp_device_unpark(device, crew->parked);
        crew->flag = 1;
        (void)pthread_cond_broadcast(&crew->turn);
        (void)pthread_mutex_unlock(&crew->mutex);
    }
}

static void test_parked_thread_goes_on_at_the_wakers_time(void **state)
{
    static struct crew crew;

    (void)state;
    for (uint64_t round = 0; round < 3; round++) {
        run_crew(&crew, "model:h200", round, wait_for_another);
        assert_true(crew.workers[1].end_ns > 5000000);
        assert_int_equal(crew.workers[0].end_ns, crew.workers[1].end_ns);
        assert_true(crew.workers[2].end_ns < 1000000);
        rig_close(&crew.rig);
    }
}

struct call {
    struct gp_device *device;
    struct gp_lane *lane;
    pthread_mutex_t mutex;
    pthread_cond_t called;
    int count;
};

static void wake(void *user)
{
    struct call *call = user;

    (void)pthread_mutex_lock(&call->mutex);
    call->count++;
    gp_device_unpark(call->device, call->lane);
    (void)pthread_cond_signal(&call->called);
    (void)pthread_mutex_unlock(&call->mutex);
}

/* All threads are parked; a host function wakes the only one. */
static void test_host_function_wakes_a_parked_thread(void **state)
{
    struct rig rig;
    struct gp_error err = {0};
    struct call call = {0};
    int64_t ends_ns[3];

    (void)state;
    for (int round = 0; round < 3; round++) {
        rig_open(&rig, "model:h200", 8, 1);
        (void)pthread_mutex_init(&call.mutex, NULL);
        (void)pthread_cond_init(&call.called, NULL);
        call.device = rig.device;
        call.count = 0;
        (void)rig_spin(&rig, rig.streams[0], 1, 32, 3000000);
        gp_assert_ok(gp_stream_host_function(rig.streams[0], wake, &call, &err), err);
        (void)pthread_mutex_lock(&call.mutex);
        call.lane = gp_device_park(rig.device);
        while (call.count == 0) {
            (void)pthread_cond_wait(&call.called, &call.mutex);
        }
        (void)pthread_mutex_unlock(&call.mutex);
        gp_device_resume(rig.device, call.lane);
        ends_ns[round] = gp_device_clock_ns(rig.device);
        assert_in_range(ends_ns[round], 3000000, 3200000);
        assert_int_equal(ends_ns[round], ends_ns[0]);
        (void)pthread_mutex_destroy(&call.mutex);
        (void)pthread_cond_destroy(&call.called);
        rig_close(&rig);
    }
}

/* One thread polls for a word that only a parked one could write. */
static void poll_in_vain(struct worker *worker)
{
    struct crew *crew = worker->crew;
    struct gp_device *device = crew->rig.device;
    struct gp_error err = {0};

    if (worker->index == 0) {
        (void)pthread_mutex_lock(&crew->mutex);
        crew->parked = gp_device_park(device);
        while (crew->flag == 0) {
            (void)pthread_cond_wait(&crew->turn, &crew->mutex);
        }
        (void)pthread_mutex_unlock(&crew->mutex);
        gp_device_resume(device, crew->parked);
    } else if (worker->index == 1) {
        while (gp_device_check(device, &err) == 0) {
            gp_device_pause(device, INT64_MAX);
        }
        assert_non_null(strstr(err.text, "no other thread is at work"));
        (void)pthread_mutex_lock(&crew->mutex);
        gp_device_unpark(device, crew->parked);
        crew->flag = 1;
        (void)pthread_cond_broadcast(&crew->turn);
        (void)pthread_mutex_unlock(&crew->mutex);
    }
}

static void test_deadlock_of_threads_has_a_name(void **state)
{
    static struct crew crew;

    (void)state;
    run_crew(&crew, "model:h200", 1, poll_in_vain);
    rig_close(&crew.rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_repeat),
        cmocka_unit_test(test_free_threads),
        cmocka_unit_test(test_calls_are_admitted_by_time),
        cmocka_unit_test(test_one_lock_a_context),
        cmocka_unit_test(test_parked_thread_goes_on_at_the_wakers_time),
        cmocka_unit_test(test_host_function_wakes_a_parked_thread),
        cmocka_unit_test(test_deadlock_of_threads_has_a_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
