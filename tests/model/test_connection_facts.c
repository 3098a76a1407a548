/*
 * The model with the H200 profile against what was measured on H200s: connections, gaps, limits,
 * copies, sharing. The expected figures are the measured ones, within 3 %.
 */
#include "rig.h"

enum { NEAR = 30 }; /* permille */

static const int64_t US = 1000, MS = 1000000;

enum mark { PLAIN, UNTIMED, TIMED, WRITE, HOST_FUNCTION, D2D, SET, H2D, H2D_TIMED };

static void do_nothing(void *user)
{
    (void)user;
}

struct swarm {
    struct rig rig;
    struct gp_event *events[2]; /* untimed, timed */
    uint32_t *flag;
    gp_addr device;
    void *pinned;
};

enum { MARK_BYTES = 65536 };

static void swarm_open(struct swarm *swarm, int32_t connections, uint32_t streams)
{
    struct gp_error err = {0};

    rig_open(&swarm->rig, "model:h200", connections, streams);
    gp_assert_ok(gp_event_create(swarm->rig.device, 0, &swarm->events[0], &err), err);
    gp_assert_ok(gp_event_create(swarm->rig.device, GP_EVENT_TIMED, &swarm->events[1], &err), err);
    gp_assert_ok(gp_device_host_alloc(swarm->rig.device, 64, (void **)&swarm->flag, &err), err);
    gp_assert_ok(gp_device_host_alloc(swarm->rig.device, MARK_BYTES, &swarm->pinned, &err), err);
    gp_assert_ok(
        gp_device_mem_alloc(swarm->rig.device, (uint64_t)2 * MARK_BYTES, &swarm->device, &err),
        err);
}

static void put_mark(struct swarm *swarm, struct gp_stream *stream, enum mark mark)
{
    struct gp_error err = {0};

    switch (mark) {
    case PLAIN:
        break;
    case UNTIMED:
    case TIMED:
        gp_assert_ok(gp_event_record(swarm->events[mark == TIMED], stream, &err), err);
        break;
    case WRITE:
        gp_assert_ok(gp_stream_flag_write(stream, swarm->flag, 1, &err), err);
        break;
    case HOST_FUNCTION:
        gp_assert_ok(gp_stream_host_function(stream, do_nothing, NULL, &err), err);
        break;
    case D2D:
        gp_assert_ok(gp_stream_copy(stream, GP_COPY_D2D, swarm->device, swarm->device + MARK_BYTES,
                                    MARK_BYTES, &err),
                     err);
        break;
    case SET:
        gp_assert_ok(gp_stream_set(stream, swarm->device, 0, MARK_BYTES, &err), err);
        break;
    case H2D:
    case H2D_TIMED:
        gp_assert_ok(gp_stream_copy(stream, GP_COPY_H2D, swarm->device,
                                    (uint64_t)(uintptr_t)swarm->pinned, MARK_BYTES, &err),
                     err);
        if (mark == H2D_TIMED) {
            gp_assert_ok(gp_event_record(swarm->events[1], stream, &err), err);
        }
        break;
    }
}

/* 32 streams × 4 spins of 1 ms, each followed by a mark; the makespan on the host's clock. */
static int64_t run_swarm(int32_t connections, bool is_depth, enum mark mark)
{
    enum { STREAMS = 32, ROUNDS = 4 };
    struct swarm swarm;
    int64_t begin_ns;
    int64_t makespan_ns;

    swarm_open(&swarm, connections, STREAMS);
    begin_ns = gp_device_clock_ns(swarm.rig.device);
    for (uint32_t i = 0; i < STREAMS * ROUNDS; i++) {
        struct gp_stream *stream = swarm.rig.streams[is_depth ? i / ROUNDS : i % STREAMS];

        (void)rig_spin(&swarm.rig, stream, 1, 32, (uint64_t)MS);
        put_mark(&swarm, stream, mark);
    }
    rig_sync(&swarm.rig);
    makespan_ns = gp_device_clock_ns(swarm.rig.device) - begin_ns;
    rig_close(&swarm.rig);
    return makespan_ns;
}

static void test_connections_breadth(void **state)
{
    (void)state;
    rig_assert_near(run_swarm(8, false, PLAIN), 4200 * US, NEAR);
    rig_assert_near(run_swarm(8, false, UNTIMED), 4200 * US, NEAR);
    rig_assert_near(run_swarm(8, false, TIMED), 16200 * US, NEAR);
    rig_assert_near(run_swarm(1, false, PLAIN), 4200 * US, NEAR);
    rig_assert_near(run_swarm(1, false, UNTIMED), 4200 * US, NEAR);
    rig_assert_near(run_swarm(1, false, TIMED), 128500 * US, NEAR);
    rig_assert_near(run_swarm(32, false, PLAIN), 4200 * US, NEAR);
    rig_assert_near(run_swarm(32, false, UNTIMED), 4200 * US, NEAR);
    rig_assert_near(run_swarm(32, false, TIMED), 4260 * US, NEAR);
}

static void test_connections_depth(void **state)
{
    (void)state;
    rig_assert_near(run_swarm(8, true, PLAIN), 13200 * US, NEAR);
    rig_assert_near(run_swarm(32, true, PLAIN), 4700 * US, NEAR);
    rig_assert_near(run_swarm(1, true, PLAIN), 97000 * US, NEAR);
}

/* Whatever must wait for the stream's kernel holds like a timed record; copies over the bus and
 * timed records after them do not. */
static void test_connections_held(void **state)
{
    (void)state;
    rig_assert_near(run_swarm(8, false, WRITE), 16200 * US, NEAR);
    rig_assert_near(run_swarm(8, false, HOST_FUNCTION), 16200 * US, NEAR);
    rig_assert_near(run_swarm(8, false, D2D), 16200 * US, NEAR);
    rig_assert_near(run_swarm(8, false, SET), 16200 * US, NEAR);
    rig_assert_near(run_swarm(8, false, H2D), 4300 * US, NEAR);
    rig_assert_near(run_swarm(8, false, H2D_TIMED), 4300 * US, NEAR);
    rig_assert_near(run_swarm(1, false, WRITE), 128500 * US, NEAR);
    rig_assert_near(run_swarm(1, false, D2D), 128500 * US, NEAR);
    rig_assert_near(run_swarm(1, false, SET), 128500 * US, NEAR);
    rig_assert_near(run_swarm(1, false, H2D), 4300 * US, NEAR);
}

/* 32 spins of 200 µs of 8 blocks, round-robin over a pool. */
static void test_pool_of_spins(void **state)
{
    static const struct {
        uint32_t pool;
        int64_t us;
    } expected[] = {{1, 6450}, {2, 3240}, {4, 1640}, {8, 845}, {16, 475}, {32, 326}};

    (void)state;
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        struct rig rig;
        int64_t begin_ns;

        rig_open(&rig, "model:h200", 8, expected[i].pool);
        begin_ns = gp_device_clock_ns(rig.device);
        for (uint32_t k = 0; k < 32; k++) {
            (void)rig_spin(&rig, rig.streams[k % expected[i].pool], 8, 256, (uint64_t)(200 * US));
        }
        rig_sync(&rig);
        rig_assert_near(gp_device_clock_ns(rig.device) - begin_ns, expected[i].us * US, 100);
        rig_close(&rig);
    }
}

/* 100 × H2D 4 MiB, a kernel of 55 µs on 64 blocks, D2H 4 MiB. */
static void test_pool_of_copies(void **state)
{
    static const struct {
        uint32_t pool;
        int64_t us;
    } expected[] = {{1, 22300}, {2, 11700}, {4, 9150}, {8, 9070}};
    enum { BYTES = 4 << 20 };

    (void)state;
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        struct rig rig;
        struct gp_error err = {0};
        gp_addr address;
        void *pinned;
        int64_t begin_ns;

        rig_open(&rig, "model:h200", 8, expected[i].pool);
        gp_device_set_execute(rig.device, false);
        gp_assert_ok(gp_device_mem_alloc(rig.device, BYTES, &address, &err), err);
        gp_assert_ok(gp_device_host_alloc(rig.device, BYTES, &pinned, &err), err);
        begin_ns = gp_device_clock_ns(rig.device);
        for (uint32_t k = 0; k < 100; k++) {
            struct gp_stream *stream = rig.streams[k % expected[i].pool];
            uint64_t host = (uint64_t)(uintptr_t)pinned;

            gp_assert_ok(gp_stream_copy(stream, GP_COPY_H2D, address, host, BYTES, &err), err);
            (void)rig_spin(&rig, stream, 64, 256, (uint64_t)(55 * US));
            gp_assert_ok(gp_stream_copy(stream, GP_COPY_D2H, host, address, BYTES, &err), err);
        }
        rig_sync(&rig);
        rig_assert_near(gp_device_clock_ns(rig.device) - begin_ns, expected[i].us * US, 100);
        rig_close(&rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_connections_breadth), cmocka_unit_test(test_connections_depth),
        cmocka_unit_test(test_connections_held),    cmocka_unit_test(test_pool_of_spins),
        cmocka_unit_test(test_pool_of_copies),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
