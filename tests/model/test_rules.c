/*
 * The rules of the device on an ideal one (no latencies, no costs), as worked examples: the block
 * scheduler, priorities, connections and sharing; T1 … T11 and T19 … T23 of the collected
 * propositions. One unit of time is 1 ms. Where a proposition was contradicted by measurements on
 * an H200, the measurement is tested and the comment says so.
 */
#include "rig.h"

#include <string.h>

static uint64_t units(double count)
{
    return (uint64_t)(count * 1e6);
}

static void wait_until(struct rig *rig, double at)
{
    while (gp_device_clock_ns(rig->device) < (int64_t)units(at)) {
        gp_device_pause(rig->device, (int64_t)units(at));
    }
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

static const char *const two_sms[] = {"sm_count 2", "sm_order 0-1", NULL};

/* T1 and T2: two blocks of 768 threads fit on each of 2 SMs; a second kernel waits until the first
 * is fully dispatched although there is room for it (head of line). */
static void test_head_of_line(void **state)
{
    struct rig rig;
    uint32_t first;
    uint32_t second;

    (void)state;
    rig_open_changed(&rig, "h200", true, two_sms, 8, 2);
    first = rig_spin(&rig, rig.streams[0], 6, 768, units(1));
    wait_until(&rig, 0.1);
    second = rig_spin(&rig, rig.streams[1], 2, 512, units(1));
    rig_sync(&rig);
    assert_at(rig_begin(&rig, first), 0);
    assert_at(rig_end(&rig, first), 2);
    assert_at(rig_begin(&rig, second), 1);
    assert_at(rig_end(&rig, second), 2);
    rig_close(&rig);
}

/* T6. */
static void test_same_sms_or_one_after_the_other(void **state)
{
    static const char *const changes[] = {"compute_major 12", "compute_minor 0", "sm_count 170",
                                          "sm_order 0-169", NULL};

    (void)state;
    for (uint32_t k = 1; k <= 2; k++) {
        struct rig rig;
        uint32_t first;
        uint32_t second;

        rig_open_changed(&rig, "h200", true, changes, 8, 2);
        first = rig_spin(&rig, rig.streams[0], 170 * k, 768, units(1));
        second = rig_spin(&rig, rig.streams[1], 170 * k, 768, units(1));
        rig_sync(&rig);
        assert_at(rig_end(&rig, first), 1);
        assert_at(rig_end(&rig, second), k);
        rig_close(&rig);
    }
}

/* T7, with connections leased in order of activation and a head that leaves when fully dispatched:
 * stream 9 shares the first stream's connection and starts behind its second kernel. */
static void test_ninth_stream(void **state)
{
    static const struct {
        int32_t connections;
        bool has_second;
        double begin;
    } cases[] = {{8, true, 1}, {32, true, 0}, {8, false, 0}};

    (void)state;
    for (size_t c = 0; c < 3; c++) {
        struct rig rig;
        uint32_t last;

        rig_open_changed(&rig, "h200", true, NULL, cases[c].connections, 9);
        for (uint32_t i = 0; i < 8; i++) {
            (void)rig_spin(&rig, rig.streams[i], 1, 32, units(1));
            if (cases[c].has_second) {
                (void)rig_spin(&rig, rig.streams[i], 1, 32, units(1));
            }
        }
        last = rig_spin(&rig, rig.streams[8], 1, 32, units(1));
        rig_sync(&rig);
        assert_at(rig_begin(&rig, last), cases[c].begin);
        rig_close(&rig);
    }
}

/* T8. */
static void test_resident_grids(void **state)
{
    static const struct {
        uint32_t streams;
        double end;
    } cases[] = {{128, 1}, {129, 2}, {144, 2}};

    (void)state;
    for (size_t c = 0; c < 3; c++) {
        struct rig rig;
        int64_t end_ns = 0;

        rig_open_changed(&rig, "h200", true, NULL, 32, cases[c].streams);
        for (uint32_t i = 0; i < cases[c].streams; i++) {
            (void)rig_spin(&rig, rig.streams[i], 1, 32, units(1));
        }
        rig_sync(&rig);
        for (uint32_t i = 0; i < cases[c].streams; i++) {
            end_ns = rig_end(&rig, i) > end_ns ? rig_end(&rig, i) : end_ns;
        }
        assert_at(end_ns, cases[c].end);
        rig_close(&rig);
    }
}

/* T9: a full wave that runs is not interrupted, with and without priority. */
static void test_priority_waits_for_blocks(void **state)
{
    (void)state;
    for (int32_t priority = 0; priority >= -5; priority -= 5) {
        struct rig rig;
        uint32_t high;

        rig_open_changed(&rig, "h200", true, two_sms, 8, 1);
        (void)rig_spin(&rig, rig.streams[0], 4, 1024, units(0.2));
        wait_until(&rig, 0.1);
        high =
            rig_spin(&rig, rig_stream(&rig, GP_STREAM_NON_BLOCKING, priority), 1, 32, units(0.2));
        rig_sync(&rig);
        assert_at(rig_begin(&rig, high), 0.2);
        rig_close(&rig);
    }
}

/* T10: it enters at the next block boundary; the lower one's blocks that were not assigned keep
 * their place. */
static void test_priority_cuts_in(void **state)
{
    struct rig rig;
    uint32_t low;
    uint32_t high;

    (void)state;
    rig_open_changed(&rig, "h200", true, two_sms, 8, 1);
    low = rig_spin(&rig, rig.streams[0], 5 * 4, 1024, units(1));
    wait_until(&rig, 1.5);
    high = rig_spin(&rig, rig_stream(&rig, GP_STREAM_NON_BLOCKING, -1), 4, 1024, units(1));
    rig_sync(&rig);
    assert_at(rig_begin(&rig, high), 2);
    assert_at(rig_end(&rig, high), 3);
    assert_at(rig_end(&rig, low), 6);
    rig_close(&rig);
}

/* T11: a kernel of higher priority that does not fit blocks one of lower priority that would. */
static void test_blocked_priority_blocks(void **state)
{
    struct rig rig;
    uint32_t high;
    uint32_t low;

    (void)state;
    rig_open_changed(&rig, "h200", true, two_sms, 8, 1);
    (void)rig_spin(&rig, rig.streams[0], 4, 640, units(1)); /* leaves 768 threads on each SM */
    high = rig_spin(&rig, rig_stream(&rig, GP_STREAM_NON_BLOCKING, -1), 1, 1024, units(1));
    low = rig_spin(&rig, rig_stream(&rig, GP_STREAM_NON_BLOCKING, 0), 1, 512, units(1));
    rig_sync(&rig);
    assert_at(rig_begin(&rig, high), 1);
    assert_at(rig_begin(&rig, low), 1);
    rig_close(&rig);
}

/* T19: two kernels that each get 940 GB/s alone share 1 133. */
static void test_memory_is_shared(void **state)
{
    static const char *const changes[] = {"memory_curve 85:940,170:1133", NULL};
    const struct gp_work work = {.read_bytes = 940000000 / 85}; /* 1 ms alone */
    struct rig rig;

    (void)state;
    for (uint32_t kernels = 1; kernels <= 2; kernels++) {
        rig_open_changed(&rig, "h200", true, changes, 8, 2);
        for (uint32_t i = 0; i < kernels; i++) {
            (void)rig_launch(&rig, rig.streams[i], 85, 512, &work);
        }
        rig_sync(&rig);
        for (uint32_t i = 0; i < kernels; i++) {
            rig_assert_near(rig_end(&rig, i), kernels == 1 ? 1e6 : 1e6 * 1880 / 1133, 5);
        }
        rig_close(&rig);
    }
}

/* T20: computing beside streaming costs neither. */
static void test_memory_beside_compute(void **state)
{
    const struct gp_work memory = {.read_bytes = 20000000};
    /* A quarter of an SM's issue slots for 1 ms. */
    const struct gp_work compute = {.issue = 1975000, .latency_cycles = 1975000};
    struct rig rig;
    uint32_t alone;
    uint32_t beside;
    uint32_t computing;

    (void)state;
    rig_open_changed(&rig, "h200", true, NULL, 8, 2);
    alone = rig_launch(&rig, rig.streams[0], 132, 512, &memory);
    rig_sync(&rig);
    computing = rig_launch(&rig, rig.streams[1], 132, 256, &compute);
    beside = rig_launch(&rig, rig.streams[0], 132, 512, &memory);
    rig_sync(&rig);
    rig_assert_near(rig_end(&rig, beside) - rig_begin(&rig, beside),
                    rig_end(&rig, alone) - rig_begin(&rig, alone), 30);
    rig_assert_near(rig_end(&rig, computing) - rig_begin(&rig, computing), 1e6, 5);
    rig_close(&rig);
}

/* T21. */
static void test_gaps_add_up(void **state)
{
    static const char *const changes[] = {"gap_kernel_kernel_ns 2000", NULL};
    struct rig rig;

    (void)state;
    rig_open_changed(&rig, "h200", true, changes, 8, 1);
    for (int i = 0; i < 100; i++) {
        (void)rig_spin(&rig, rig.streams[0], 1, 32, units(0.01));
    }
    rig_sync(&rig);
    assert_at(rig_end(&rig, 99), 1.198);
    rig_close(&rig);
}

/* T22: one block more than a wave. */
static void test_tail(void **state)
{
    static const char *const changes[] = {"sm_count 114", "sm_order 0-113", NULL};
    struct rig rig;
    uint32_t next;

    (void)state;
    rig_open_changed(&rig, "h200", true, changes, 8, 2);
    (void)rig_spin(&rig, rig.streams[0], 913, 256, units(1));
    next = rig_spin(&rig, rig.streams[1], 1, 32, units(1));
    rig_sync(&rig);
    assert_at(rig_end(&rig, 0), 2);
    assert_at(rig_begin(&rig, next), 1);
    rig_close(&rig);
}

/* A block that takes the place of another one begins a little later. */
static void test_turn(void **state)
{
    static const char *const changes[] = {"sm_count 2", "sm_order 0-1", "block_turn_ns 300000",
                                          NULL};
    struct rig rig;

    (void)state;
    rig_open_changed(&rig, "h200", true, changes, 8, 1);
    (void)rig_spin(&rig, rig.streams[0], 12, 1024, units(1));
    rig_sync(&rig);
    assert_at(rig_end(&rig, 0), 3.6);
    rig_close(&rig);
}

/* T23: with one connection kernels start in the order of launch. */
static void test_one_connection(void **state)
{
    struct rig rig;
    uint32_t other;

    (void)state;
    rig_open_changed(&rig, "h200", true, NULL, 1, 2);
    (void)rig_spin(&rig, rig.streams[0], 1, 32, units(1));
    (void)rig_spin(&rig, rig.streams[0], 1, 32, units(1));
    other = rig_spin(&rig, rig.streams[1], 1, 32, units(1));
    rig_sync(&rig);
    assert_at(rig_begin(&rig, other), 1);
    rig_close(&rig);
}

/* Blocks of 1 to 3 ms, 2 000 of each kernel on two SMs of one block each: the mean is what many of
 * them take, the same in each launch, and a higher priority enters long before a wave of the
 * longest would have ended. */
static void test_blocks_of_unequal_length(void **state)
{
    const struct gp_work uneven = {.spin_ns = 1000000, .spread_ns = 2000000};
    struct rig rig;
    struct gp_stream *high;
    uint32_t first, second, urgent;
    int64_t whole_ns;

    (void)state;
    rig_open_changed(&rig, "h200", true, two_sms, 8, 1);
    high = rig_stream(&rig, GP_STREAM_NON_BLOCKING, -1);
    first = rig_launch(&rig, rig.streams[0], 2000, 1024, &uneven);
    second = rig_launch(&rig, rig.streams[0], 2000, 1024, &uneven);
    rig_sync(&rig);
    whole_ns = rig_end(&rig, first) - rig_begin(&rig, first);
    assert_in_range(whole_ns, units(970), units(1030));
    assert_in_range(rig_end(&rig, second) - rig_begin(&rig, second), whole_ns - 2000000,
                    whole_ns + 2000000);
    first = rig_launch(&rig, rig.streams[0], 2000, 1024, &uneven);
    wait_until(&rig, (double)rig_end(&rig, second) / 1e6 + 100);
    urgent = rig_spin(&rig, high, 1, 1024, units(1));
    rig_sync(&rig);
    assert_true(rig_begin(&rig, urgent) - rig_end(&rig, second) < (int64_t)units(102));
    assert_true(rig_end(&rig, first) - rig_begin(&rig, first) > whole_ns);
    rig_close(&rig);
}

/* A part's kernels run on its SMs only (40 of 132, 80 blocks of 1 024 threads at once), and what
 * fills another part keeps nobody waiting; in a graph too. */
static void test_parts_of_the_sms(void **state)
{
    struct gp_stream *streams[2];
    struct gp_graph *graph = NULL;
    struct gp_error err = {0};
    struct gp_event *event;
    struct rig rig;
    uint32_t first;
    uint32_t second;

    (void)state;
    rig_open_changed(&rig, "h200", true, NULL, 8, 1);
    for (uint16_t i = 0; i < 2; i++) {
        gp_assert_ok(
            gp_stream_create_on(rig.device, (struct gp_sm_part){250, i}, 0, &streams[i], &err),
            err);
    }
    assert_int_equal(streams[0]->sm_count, 40);
    assert_int_equal(streams[1]->sm_count, 92);
    first = rig_spin(&rig, streams[1], 10 * 184, 1024, units(1));
    second = rig_spin(&rig, streams[0], 160, 1024, units(1));
    gp_assert_ok(gp_stream_sync(streams[0], &err), err);
    gp_assert_ok(gp_stream_sync(streams[1], &err), err);
    assert_at(rig_end(&rig, first) - rig_begin(&rig, first), 10);
    assert_at(rig_end(&rig, second) - rig_begin(&rig, first), 2);

    event = rig_event(&rig, 0);
    gp_assert_ok(gp_stream_capture_begin(streams[0], &err), err);
    first = rig_spin(&rig, streams[0], 160, 1024, units(1));
    gp_assert_ok(gp_event_record(event, streams[0], &err), err);
    gp_assert_ok(gp_stream_wait(streams[1], event, &err), err);
    second = rig_spin(&rig, streams[1], 185, 1024, units(1));
    gp_assert_ok(gp_event_record(event, streams[1], &err), err);
    gp_assert_ok(gp_stream_wait(streams[0], event, &err), err);
    gp_assert_ok(gp_stream_capture_end(streams[0], &graph, &err), err);
    gp_assert_ok(gp_graph_instantiate(graph, &err), err);
    gp_assert_ok(gp_graph_launch(graph, streams[0], &err), err);
    gp_assert_ok(gp_stream_sync(streams[0], &err), err);
    assert_at(rig_end(&rig, first) - rig_begin(&rig, first), 2);
    assert_at(rig_end(&rig, second) - rig_begin(&rig, second), 2);
    rig_close(&rig);
}

/* A split that leaves nothing, or on a device that is not to be split, is refused. */
static void test_parts_that_are_refused(void **state)
{
    static const char *const whole[] = {"sm_part_step 0", NULL};
    struct gp_stream *stream;
    struct gp_error err = {0};
    struct rig rig;

    (void)state;
    rig_open_changed(&rig, "h200", true, NULL, 8, 1);
    assert_int_equal(gp_stream_create_on(rig.device, (struct gp_sm_part){999, 0}, 0, &stream, &err),
                     GP_EUNSUPPORTED);
    assert_non_null(strstr(err.text, "cannot be split at 999 permille"));
    gp_assert_ok(gp_stream_create_on(rig.device, (struct gp_sm_part){0, 0}, 0, &stream, &err), err);
    assert_int_equal(stream->sm_count, 0);
    for (uint16_t i = 1; i <= 9; i++) {
        int code = gp_stream_create_on(rig.device, (struct gp_sm_part){(uint16_t)(i * 100), 0}, 0,
                                       &stream, &err);

        assert_int_equal(code, 0);
    }
    rig_close(&rig);
    rig_open_changed(&rig, "h200", true, whole, 8, 1);
    assert_int_equal(gp_stream_create_on(rig.device, (struct gp_sm_part){250, 1}, 0, &stream, &err),
                     GP_EUNSUPPORTED);
    assert_non_null(strstr(err.text, "its profile says that they are not to be split"));
    rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_head_of_line),
        cmocka_unit_test(test_same_sms_or_one_after_the_other),
        cmocka_unit_test(test_ninth_stream),
        cmocka_unit_test(test_resident_grids),
        cmocka_unit_test(test_priority_waits_for_blocks),
        cmocka_unit_test(test_priority_cuts_in),
        cmocka_unit_test(test_blocked_priority_blocks),
        cmocka_unit_test(test_memory_is_shared),
        cmocka_unit_test(test_memory_beside_compute),
        cmocka_unit_test(test_gaps_add_up),
        cmocka_unit_test(test_tail),
        cmocka_unit_test(test_turn),
        cmocka_unit_test(test_parts_of_the_sms),
        cmocka_unit_test(test_parts_that_are_refused),
        cmocka_unit_test(test_one_connection),
        cmocka_unit_test(test_blocks_of_unequal_length),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
