/*
 * Properties of the model over random workloads: nothing begins before what it depends on, every
 * byte arrives, nothing is left behind, no SM is ever over its limits (asserted where blocks are
 * placed), and the same workload takes the same time again, whether bytes are moved or not.
 */
#include "rig.h"

#include <string.h>

#include "core/device/model/handles.h"

enum { STREAMS = 12, EVENTS = 20, STEPS = 1500, BUFFER = 96 << 10 };

struct workload {
    struct rig rig;
    uint64_t random;
    struct gp_event *events[EVENTS];
    /* What a stream's next kernel comes after: launches, as slots. */
    bool after[STREAMS][STEPS];
    bool recorded[EVENTS][STEPS];
    bool has_record[EVENTS];
    gp_addr device[STREAMS];
    unsigned char *pinned[STREAMS];
    unsigned char *back[STREAMS];
    /* What the device's buffers must hold when all is done. */
    unsigned char expected[STREAMS][BUFFER];
    int64_t end_ns;
    uint64_t calls;
};

static uint32_t draw(struct workload *workload, uint32_t below)
{
    workload->random =
        workload->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(workload->random >> 33) % below;
}

static void count_call(void *user)
{
    ++*(uint64_t *)user;
}

/* Everything that the kernel came after has ended before it began. */
static void check_order(struct workload *workload, uint32_t slot, const bool *after)
{
    for (uint32_t i = 0; i < slot; i++) {
        if (after[i]) {
            /* Stamps are of the timer's step. */
            assert_true(rig_begin(&workload->rig, slot) >= rig_end(&workload->rig, i));
        }
    }
}

static bool orders[STEPS][STEPS]; /* per launch, what it came after */

static void do_kernel(struct workload *workload, uint32_t s)
{
    struct rig *rig = &workload->rig;
    const struct gp_work work = {
        .issue = draw(workload, 20000),
        .latency_cycles = draw(workload, 20000),
        .read_bytes = draw(workload, 3) == 0 ? draw(workload, 100000) : 0,
        .spin_ns = draw(workload, 2) == 0 ? draw(workload, 40000) : 0,
    };
    uint32_t blocks = draw(workload, 4) == 0 ? 1 + draw(workload, 3000) : 1 + draw(workload, 40);
    uint32_t slot = rig_launch(rig, rig->streams[s], blocks, 32 * (1 + draw(workload, 32)), &work);

    memcpy(orders[slot], workload->after[s], sizeof orders[slot]);
    workload->after[s][slot] = true;
}

static void do_copy(struct workload *workload, uint32_t s)
{
    const uint32_t offset = draw(workload, BUFFER - 1);
    const uint32_t bytes = 1 + draw(workload, BUFFER - offset);
    const uint64_t host = (uint64_t)(uintptr_t)workload->pinned[s] + offset;
    struct gp_stream *stream = workload->rig.streams[s];
    struct gp_error err = {0};

    switch (draw(workload, 4)) {
    case 0:
        gp_assert_ok(
            gp_stream_set(stream, workload->device[s] + offset, (uint8_t)bytes, bytes, &err), err);
        memset(workload->expected[s] + offset, (uint8_t)bytes, bytes);
        break;
    case 1: {
        const uint32_t half = bytes / 2;

        if (half == 0) {
            return;
        }
        gp_assert_ok(gp_stream_copy(stream, GP_COPY_D2D, workload->device[s] + offset,
                                    workload->device[s] + offset + half, half, &err),
                     err);
        memcpy(workload->expected[s] + offset, workload->expected[s] + offset + half, half);
        break;
    }
    default:
        gp_assert_ok(
            gp_stream_copy(stream, GP_COPY_H2D, workload->device[s] + offset, host, bytes, &err),
            err);
        memcpy(workload->expected[s] + offset, workload->pinned[s] + offset, bytes);
        break;
    }
}

static void do_event(struct workload *workload, uint32_t s)
{
    const uint32_t e = draw(workload, EVENTS);

    if (draw(workload, 2) == 0) {
        rig_record(&workload->rig, workload->events[e], s);
        memcpy(workload->recorded[e], workload->after[s], sizeof workload->recorded[e]);
        workload->has_record[e] = true;
    } else {
        rig_wait(&workload->rig, s, workload->events[e]);
        for (uint32_t i = 0; workload->has_record[e] && i < STEPS; i++) {
            workload->after[s][i] = workload->after[s][i] || workload->recorded[e][i];
        }
    }
}

static void do_step(struct workload *workload)
{
    const uint32_t s = draw(workload, STREAMS);
    struct gp_error err = {0};

    switch (draw(workload, 16)) {
    case 0:
        gp_assert_ok(
            gp_stream_host_function(workload->rig.streams[s], count_call, &workload->calls, &err),
            err);
        break;
    case 1:
        if (draw(workload, 8) == 0) {
            (void)rig_sync_one(&workload->rig, s);
        }
        break;
    case 2:
    case 3:
    case 4:
        do_event(workload, s);
        break;
    case 5:
    case 6:
    case 7:
    case 8:
        do_copy(workload, s);
        break;
    default:
        do_kernel(workload, s);
        break;
    }
}

static void open_workload(struct workload *workload, uint64_t seed, bool is_executing)
{
    struct gp_error err = {0};

    memset(workload, 0, sizeof *workload);
    workload->random = seed;
    rig_open(&workload->rig, "model:h200", (int32_t)(1 + seed % 12), 0);
    for (uint32_t s = 0; s < STREAMS; s++) {
        (void)rig_stream(&workload->rig, s % 4 == 3 ? GP_STREAM_BLOCKING : GP_STREAM_NON_BLOCKING,
                         -(int32_t)(s % 7));
        gp_assert_ok(gp_device_mem_alloc(workload->rig.device, BUFFER, &workload->device[s], &err),
                     err);
        gp_assert_ok(
            gp_device_host_alloc(workload->rig.device, BUFFER, (void **)&workload->pinned[s], &err),
            err);
        gp_assert_ok(
            gp_device_host_alloc(workload->rig.device, BUFFER, (void **)&workload->back[s], &err),
            err);
        for (uint32_t i = 0; i < BUFFER; i++) {
            workload->pinned[s][i] = (unsigned char)draw(workload, 256);
        }
    }
    for (uint32_t e = 0; e < EVENTS; e++) {
        workload->events[e] = rig_event(&workload->rig, e % 2 == 0 ? 0 : GP_EVENT_TIMED);
    }
    gp_device_set_execute(workload->rig.device, is_executing);
}

/* The device is as it was before the first call. */
static void check_nothing_left(const struct workload *workload)
{
    const struct gp_sim *sim = &gp_model_of(workload->rig.device)->sim;
    static const struct gp_sm_used nothing;

    assert_int_equal(sim->busy_streams, 0);
    assert_int_equal(sim->ops.in_use, 0);
    assert_int_equal(sim->cohorts.in_use, 0);
    assert_int_equal(sim->grids, 0);
    assert_int_equal(sim->flow_count, 0);
    for (uint32_t i = 0; i < sim->sms.count; i++) {
        assert_memory_equal(&sim->sms.used[i], &nothing, sizeof nothing);
        assert_null(sim->on_sm[i]);
    }
    for (uint32_t i = 0; i < sim->connection_count; i++) {
        assert_int_equal(sim->leases[i], 0);
        assert_null(sim->connections[i].head);
    }
    assert_null(sim->front.queue.head);
    assert_null(sim->grid_queue.head);
    assert_null(sim->engines[0].current);
    assert_null(sim->engines[1].current);
}

static void run(struct workload *workload, uint64_t seed, bool is_executing)
{
    struct gp_error err = {0};

    open_workload(workload, seed, is_executing);
    for (int i = 0; i < STEPS; i++) {
        do_step(workload);
    }
    for (uint32_t s = 0; s < STREAMS; s++) {
        gp_assert_ok(gp_stream_copy(workload->rig.streams[s], GP_COPY_D2H,
                                    (uint64_t)(uintptr_t)workload->back[s], workload->device[s],
                                    BUFFER, &err),
                     err);
    }
    rig_sync(&workload->rig);
    workload->end_ns = gp_device_clock_ns(workload->rig.device);
    /* Events become visible a little later than streams. */
    gp_device_pause(workload->rig.device, workload->end_ns + 100000);
    check_nothing_left(workload);
}

static void test_random_workloads(void **state)
{
    static struct workload workload;
    static struct gp_stamp stamps[STEPS];

    (void)state;
    for (uint64_t seed = 1; seed <= 24; seed++) {
        int64_t end_ns;
        uint32_t launches;

        run(&workload, seed, true);
        launches = workload.rig.stamp_count;
        for (uint32_t slot = 0; slot < launches; slot++) {
            check_order(&workload, slot, orders[slot]);
        }
        for (uint32_t s = 0; s < STREAMS; s++) {
            assert_memory_equal(workload.back[s], workload.expected[s], BUFFER);
        }
        end_ns = workload.end_ns;
        memcpy(stamps, workload.rig.stamps, launches * sizeof stamps[0]);
        rig_close(&workload.rig);
        for (int again = 0; again < 2; again++) {
            run(&workload, seed, again == 0);
            assert_int_equal(workload.end_ns, end_ns);
            assert_memory_equal(workload.rig.stamps, stamps, launches * sizeof stamps[0]);
            rig_close(&workload.rig);
        }
    }
}

/* What the model holds follows what is in flight, not what has been. */
static void test_memory_is_bounded(void **state)
{
    struct rig rig;
    const struct gp_sim *sim;
    const void *chunks = NULL;

    (void)state;
    rig_open(&rig, "model:h200", 8, 4);
    sim = &gp_model_of(rig.device)->sim;
    for (uint32_t i = 0; i < 20000; i++) {
        (void)rig_spin(&rig, rig.streams[i % 4], 1, 32, 5000);
        if (i == 10000) {
            chunks = sim->ops.chunks;
        }
        rig.stamp_count = 0;
    }
    assert_ptr_equal(sim->ops.chunks, chunks);
    rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_workloads),
        cmocka_unit_test(test_memory_is_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
