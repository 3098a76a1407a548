/*
 * The rules of the device on an ideal one (no latencies, no costs), as worked examples: copies,
 * events, host functions, default streams, queues; T12 … T18 of the collected propositions. One
 * unit of time is 1 ms.
 */
#include "rig.h"

static uint64_t units(double count)
{
    return (uint64_t)(count * 1e6);
}

/* Times are exact up to the ns that an ideal profile cannot make 0. */
#define assert_at(value, expected)                                                                 \
    rig_check_close(value, (int64_t)units(expected), #value, __FILE__, __LINE__)

static void rig_check_close(int64_t value, int64_t expected, const char *what, const char *file,
                            int line)
{
    if (value < expected - 200 || value > expected + 200) {
        print_error("%s is %lld, not %lld\n", what, (long long)value, (long long)expected);
        _fail(file, line);
    }
}

static const uint64_t GB = 1000000000;

/* T12: one engine for a direction, whatever asyncEngineCount says; first come, first served. */
static void test_copies_of_one_direction(void **state)
{
    static const char *const changes[] = {"h2d_rate 55000", NULL};
    struct rig rig;
    struct rig_transfer transfer;

    (void)state;
    rig_open_changed(&rig, "h200", true, changes, 8, 3);
    rig_open_transfer(&rig, &transfer, GB);
    for (uint32_t i = 0; i < 3; i++) {
        rig_copy(&rig, i, &transfer, GP_COPY_H2D, GB);
    }
    for (uint32_t i = 0; i < 3; i++) {
        assert_at(rig_sync_one(&rig, i), 1000.0 / 55 * (i + 1));
    }
    rig_close(&rig);
}

/* T13. */
static void test_copies_of_both_directions(void **state)
{
    static const char *const changes[] = {"h2d_rate 57500", "h2d_duplex_rate 50312",
                                          "d2h_rate 57500", "d2h_duplex_rate 50312", NULL};
    struct rig rig;
    struct rig_transfer transfer;

    (void)state;
    rig_open_changed(&rig, "h200", true, changes, 8, 2);
    rig_open_transfer(&rig, &transfer, GB);
    rig_copy(&rig, 0, &transfer, GP_COPY_H2D, GB);
    rig_copy(&rig, 1, &transfer, GP_COPY_D2H, GB);
    rig_assert_near(rig_sync_one(&rig, 0), 19.876e6, 1);
    rig_assert_near(rig_sync_one(&rig, 1), 19.876e6, 1);
    rig_close(&rig);
}

/* T14. */
static void test_legacy_default_stream(void **state)
{
    (void)state;
    for (int is_blocking = 0; is_blocking <= 1; is_blocking++) {
        struct rig rig;

        rig_open_changed(&rig, "h200", true, NULL, 8, 0);
        for (int i = 0; i < 2; i++) {
            (void)rig_stream(&rig, is_blocking ? GP_STREAM_BLOCKING : GP_STREAM_NON_BLOCKING, 0);
        }
        (void)rig_stream(&rig, GP_STREAM_NULL, 0);
        (void)rig_spin(&rig, rig.streams[0], 1, 32, units(1));
        (void)rig_spin(&rig, rig.streams[2], 1, 32, units(1));
        (void)rig_spin(&rig, rig.streams[1], 1, 32, units(1));
        rig_sync(&rig);
        for (uint32_t i = 0; i < 3; i++) {
            assert_at(rig_begin(&rig, i), is_blocking ? i : 0);
        }
        rig_close(&rig);
    }
}

/* T15: a wait is for the record made before it, and for none when there is none. */
static void test_wait_is_for_the_last_record(void **state)
{
    struct rig rig;
    struct gp_event *event;
    uint32_t first;
    uint32_t second;

    (void)state;
    rig_open_changed(&rig, "h200", true, NULL, 8, 3);
    event = rig_event(&rig, 0);
    rig_wait(&rig, 1, event);
    first = rig_spin(&rig, rig.streams[1], 1, 32, units(1));
    (void)rig_spin(&rig, rig.streams[0], 1, 32, units(1));
    rig_record(&rig, event, 0);
    rig_wait(&rig, 2, event);
    (void)rig_spin(&rig, rig.streams[0], 1, 32, units(5));
    rig_record(&rig, event, 0);
    second = rig_spin(&rig, rig.streams[2], 1, 32, units(1));
    rig_sync(&rig);
    assert_at(rig_begin(&rig, first), 0);
    assert_at(rig_begin(&rig, second), 1);
    rig_close(&rig);
}

/* T16: the latency across streams replaces the gap; others are not delayed. */
static void test_edge_across_streams(void **state)
{
    static const char *const changes[] = {"gap_kernel_kernel_ns 2000", NULL};
    struct rig rig;
    struct gp_event *event;
    uint32_t after;
    uint32_t other;

    (void)state;
    rig_open_changed(&rig, "h200", true, changes, 8, 3);
    event = rig_event(&rig, 0);
    (void)rig_spin(&rig, rig.streams[0], 1, 32, units(1));
    rig_record(&rig, event, 0);
    rig_wait(&rig, 1, event);
    after = rig_spin(&rig, rig.streams[1], 1, 32, units(1));
    other = rig_spin(&rig, rig.streams[2], 1, 32, units(1));
    rig_sync(&rig);
    assert_at(rig_begin(&rig, after), 1.002);
    assert_at(rig_begin(&rig, other), 0);
    rig_close(&rig);
}

static void count_call(void *user)
{
    ++*(int *)user;
}

/* T17: host functions of two streams run one after the other. */
static void test_host_functions(void **state)
{
    static const char *const changes[] = {"function_run_ns 500000", NULL};
    struct rig rig;
    struct gp_error err = {0};
    int calls = 0;

    (void)state;
    rig_open_changed(&rig, "h200", true, changes, 8, 2);
    for (int part = 0; part < 2; part++) {
        for (uint32_t i = 0; i < 2; i++) {
            (void)rig_spin(&rig, rig.streams[i], 1, 32, units(0.1));
            if (part == 0) {
                gp_assert_ok(gp_stream_host_function(rig.streams[i], count_call, &calls, &err),
                             err);
            }
        }
    }
    rig_sync(&rig);
    assert_int_equal(calls, 2);
    assert_at(rig_end(&rig, 2), 0.7);
    assert_at(rig_end(&rig, 3), 1.2);
    rig_close(&rig);
}

/* T18: a stream accepts so many launches; the next call returns when one is complete. */
static void test_launch_queue(void **state)
{
    static const char *const changes[] = {"queue_launches 1024", NULL};
    struct rig rig;

    (void)state;
    rig_open_changed(&rig, "h200", true, changes, 8, 1);
    for (int i = 0; i < 1024; i++) {
        (void)rig_spin(&rig, rig.streams[0], 1, 32, units(1));
    }
    assert_at(gp_device_clock_ns(rig.device), 0);
    (void)rig_spin(&rig, rig.streams[0], 1, 32, units(1));
    assert_at(gp_device_clock_ns(rig.device), 1);
    rig_sync(&rig);
    assert_at(gp_device_clock_ns(rig.device), 1025);
    rig_close(&rig);
}

/* What follows a copy over the bus does not hold the connection. */
static void test_write_after_a_copy(void **state)
{
    struct rig rig;
    struct rig_transfer transfer;
    struct gp_error err = {0};
    uint32_t other;

    (void)state;
    rig_open_changed(&rig, "h200", true, NULL, 1, 2);
    rig_open_transfer(&rig, &transfer, GB);
    rig_copy(&rig, 0, &transfer, GP_COPY_H2D, GB);
    gp_assert_ok(
        gp_stream_flag_write(rig.streams[0], (uint32_t *)(uintptr_t)transfer.pinned, 1, &err), err);
    other = rig_spin(&rig, rig.streams[1], 1, 32, units(1));
    rig_sync(&rig);
    assert_at(rig_begin(&rig, other), 0);
    rig_close(&rig);
}

/* With one async engine both directions share it. */
static void test_one_engine(void **state)
{
    static const char *const changes[] = {"async_engines 1", "h2d_rate 50000", "d2h_rate 50000",
                                          NULL};
    struct rig rig;
    struct rig_transfer transfer;

    (void)state;
    rig_open_changed(&rig, "h200", true, changes, 8, 2);
    rig_open_transfer(&rig, &transfer, GB);
    rig_copy(&rig, 0, &transfer, GP_COPY_H2D, GB);
    rig_copy(&rig, 1, &transfer, GP_COPY_D2H, GB);
    assert_at(rig_sync_one(&rig, 0), 20);
    assert_at(rig_sync_one(&rig, 1), 40);
    rig_close(&rig);
}

/* A thread's default stream is an ordinary blocking stream. */
static void test_per_thread_default_stream(void **state)
{
    struct rig rig;
    uint32_t own;
    uint32_t null;

    (void)state;
    rig_open_changed(&rig, "h200", true, NULL, 8, 1);
    own = rig_spin(&rig, rig_stream(&rig, GP_STREAM_PER_THREAD, 0), 1, 32, units(1));
    (void)rig_spin(&rig, rig.streams[0], 1, 32, units(1));
    null = rig_spin(&rig, rig_stream(&rig, GP_STREAM_NULL, 0), 1, 32, units(1));
    rig_sync(&rig);
    assert_at(rig_begin(&rig, own), 0);
    assert_at(rig_begin(&rig, 1), 0);
    assert_at(rig_begin(&rig, null), 1);
    rig_close(&rig);
}

/* Implicit synchronisation: freeing and allocating wait for the device; stream-ordered allocation
 * does not. */
static void test_implicit_synchronisation(void **state)
{
    static const char *const changes[] = {"alloc_synchronises 1", NULL};
    struct rig rig;
    struct gp_error err = {0};
    gp_addr first = 0;
    gp_addr second = 0;
    void *pinned = NULL;

    (void)state;
    rig_open_changed(&rig, "h200", true, changes, 8, 1);
    (void)rig_spin(&rig, rig.streams[0], 1, 32, units(1));
    gp_assert_ok(gp_device_mem_alloc(rig.device, 4096, &first, &err), err);
    assert_at(gp_device_clock_ns(rig.device), 1);
    rig_close(&rig);
    rig_open_changed(&rig, "h200", true, NULL, 8, 1);
    (void)rig_spin(&rig, rig.streams[0], 1, 32, units(1));
    gp_assert_ok(gp_stream_mem_alloc(rig.streams[0], 4096, &first, &err), err);
    gp_assert_ok(gp_stream_mem_free(rig.streams[0], first, &err), err);
    gp_assert_ok(gp_device_mem_alloc(rig.device, 4096, &second, &err), err);
    gp_assert_ok(gp_device_host_alloc(rig.device, 4096, &pinned, &err), err);
    assert_at(gp_device_clock_ns(rig.device), 0);
    gp_assert_ok(gp_device_mem_free(rig.device, second, &err), err);
    assert_at(gp_device_clock_ns(rig.device), 1);
    (void)rig_spin(&rig, rig.streams[0], 1, 32, units(1));
    gp_assert_ok(gp_device_host_free(rig.device, pinned, &err), err);
    assert_at(gp_device_clock_ns(rig.device), 2);
    rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_copies_of_one_direction),
        cmocka_unit_test(test_copies_of_both_directions),
        cmocka_unit_test(test_legacy_default_stream),
        cmocka_unit_test(test_wait_is_for_the_last_record),
        cmocka_unit_test(test_edge_across_streams),
        cmocka_unit_test(test_host_functions),
        cmocka_unit_test(test_launch_queue),
        cmocka_unit_test(test_write_after_a_copy),
        cmocka_unit_test(test_one_engine),
        cmocka_unit_test(test_per_thread_default_stream),
        cmocka_unit_test(test_implicit_synchronisation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
