/* One small run made by hand for each cause that neither the DAG nor a stream explains. */
#include "test.h"

#include <string.h>

#include "analysis/hand.h"
#include "probe/analysis/causes.h"

static struct hand hand;

/* The longest piece of an operation's wait. */
static void assert_main(uint32_t op, enum gp_cause cause, uint32_t on, int64_t figure)
{
    struct gp_causes causes;
    const struct gp_wait *wait;

    gp_causes_measure(&hand.data, &causes);
    wait = gp_causes_main(&causes, op);
    assert_non_null(wait);
    assert_string_equal(gp_cause_name(wait->cause), gp_cause_name(cause));
    assert_int_equal(wait->on, on);
    assert_int_equal(wait->figure, figure);
    gp_causes_finish(&causes);
}

static void assert_idle(enum gp_cause cause, int64_t idle_ns)
{
    struct gp_causes causes;

    gp_causes_measure(&hand.data, &causes);
    assert_int_equal(causes.totals[cause].idle_ns, idle_ns);
    gp_causes_finish(&causes);
}

/* Why these two did not run at the same time. */
static void assert_pair(uint32_t first, uint32_t second, enum gp_cause cause)
{
    struct gp_causes causes;
    struct gp_pair pair;

    gp_causes_measure(&hand.data, &causes);
    assert_true(gp_cause_pair(&causes, first, second, &pair));
    assert_string_equal(gp_cause_name(pair.wait.cause), gp_cause_name(cause));
    gp_causes_finish(&causes);
}

static void test_engine_busy(void **state)
{
    uint32_t a, b;

    (void)state;
    hand_init(&hand, 3);
    a = hand_copy(&hand, GP_OP_H2D, 0, 0, 80000);
    b = hand_copy(&hand, GP_OP_H2D, 1, 83000, 160000);
    assert_main(b, GP_CAUSE_ENGINE_BUSY, a, GP_UNKNOWN);
    assert_pair(a, b, GP_CAUSE_ENGINE_BUSY);
    /* A small one may pass, and the other direction has its own. */
    hand.ops[b].bytes = 4096;
    assert_main(b, GP_CAUSE_UNKNOWN, GP_NO_OP, GP_UNKNOWN);
    hand.ops[b].bytes = 1 << 20;
    hand.ops[b].engine = 1;
    assert_main(b, GP_CAUSE_UNKNOWN, GP_NO_OP, GP_UNKNOWN);
}

/* Other tools name no engine. */
static void test_engine_of_an_import(void **state)
{
    uint32_t a, b;

    (void)state;
    hand_init(&hand, 2);
    hand.device.kind = GP_ORIGIN_IMPORTED;
    a = hand_op(&hand, GP_OP_D2H, 0, 0, 80000);
    b = hand_op(&hand, GP_OP_D2H, 1, 81000, 160000);
    assert_main(b, GP_CAUSE_ENGINE_BUSY, a, GP_UNKNOWN);
}

/* 264 blocks of 1 024 threads are all that 132 SMs hold. */
static void test_sm_full(void **state)
{
    uint32_t a, b;

    (void)state;
    hand_init(&hand, 2);
    a = hand_kernel(&hand, 0, 264, 0, 100000);
    b = hand_kernel(&hand, 1, 1, 100000, 200000);
    assert_main(b, GP_CAUSE_SM_FULL, a, 264);
    /* With room for it there must be another reason. */
    hand.ops[a].grid[0] = 263;
    assert_main(b, GP_CAUSE_UNKNOWN, GP_NO_OP, GP_UNKNOWN);
    hand.device.sm_count = GP_UNKNOWN;
    hand.ops[a].grid[0] = 264;
    assert_main(b, GP_CAUSE_UNKNOWN, GP_NO_OP, GP_UNKNOWN);
}

/* Four waves, of which the last one's SMs became free one after the other, as on a real device. */
static void test_sm_full_in_the_last_wave(void **state)
{
    uint32_t a, b;

    (void)state;
    hand_init(&hand, 2);
    a = hand_kernel(&hand, 0, 4 * 264, 0, 400000);
    b = hand_kernel(&hand, 1, 4 * 264, 350000, 780000);
    assert_main(b, GP_CAUSE_SM_FULL, a, 264);
    /* Not when it begins after all of them. */
    hand.ops[b].begin = hand.ops[b].begin_lo = hand.ops[b].begin_hi = 500000;
    assert_main(b, GP_CAUSE_UNKNOWN, GP_NO_OP, GP_UNKNOWN);
}

/* Two waves of blocks of 768 threads leave 512 threads of each SM free, and the small kernel still
 * begins only when the second wave has its SMs. */
static void test_head_of_line(void **state)
{
    uint32_t a, b;

    (void)state;
    hand_init(&hand, 2);
    a = hand_kernel(&hand, 0, 396, 0, 200000);
    hand.ops[a].block[0] = 768;
    b = hand_kernel(&hand, 1, 132, 100000, 200000);
    hand.ops[b].block[0] = 512;
    assert_main(b, GP_CAUSE_HEAD_OF_LINE, a, GP_UNKNOWN);
    assert_pair(a, b, GP_CAUSE_HEAD_OF_LINE);
}

/* Small kernels begin one after the other behind the same kernel: the first of them had its SM at
 * once, so the second did not wait behind it. */
static void test_no_line(void **state)
{
    uint32_t a, b, c;

    (void)state;
    hand_init(&hand, 3);
    hand.streams[0].flag = GP_STREAM_NULL;
    hand.streams[1].flag = hand.streams[2].flag = GP_STREAM_BLOCKING;
    hand.streams[1].priority = -5;
    a = hand_kernel(&hand, 0, 1, 1, 100000);
    hand_submit(&hand, a, 0, 1);
    b = hand_kernel(&hand, 1, 1, 102000, 200000);
    hand_submit(&hand, b, 1, 2);
    c = hand_kernel(&hand, 2, 1, 104000, 200000);
    hand_submit(&hand, c, 2, 3);
    assert_main(c, GP_CAUSE_NULL_STREAM, a, GP_UNKNOWN);
    assert_pair(a, c, GP_CAUSE_NULL_STREAM);
    assert_idle(GP_CAUSE_HEAD_OF_LINE, 0);
    assert_idle(GP_CAUSE_PRIORITY, 0);
}

/* A takes all shared memory but 1 KiB an SM, and B needs 200. C, which would fit beside A, comes
 * after B all the same, although B has all its SMs at once when it begins. */
static void test_line_of_one_wave(void **state)
{
    uint32_t a, b, c;

    (void)state;
    hand_init(&hand, 3);
    a = hand_kernel(&hand, 0, 132, 0, 100000);
    b = hand_kernel(&hand, 1, 132, 101000, 200000);
    hand_submit(&hand, b, 1, 2);
    c = hand_kernel(&hand, 2, 1, 102000, 200000);
    hand_submit(&hand, c, 2, 3);
    hand.ops[a].smem = 226 * 1024;
    hand.ops[b].smem = 200 * 1024;
    hand.ops[c].smem = 1024;
    hand.ops[a].block[0] = hand.ops[b].block[0] = hand.ops[c].block[0] = 256;
    assert_main(b, GP_CAUSE_SM_FULL, a, 132);
    assert_main(c, GP_CAUSE_HEAD_OF_LINE, b, GP_UNKNOWN);
}

/* The urgent one comes later and goes first. */
static void test_priority(void **state)
{
    uint32_t urgent, other;

    (void)state;
    hand_init(&hand, 3);
    hand.streams[1].priority = -5;
    urgent = hand_kernel(&hand, 1, 1320, 50000, 550000);
    hand_submit(&hand, urgent, 30000, 34000);
    other = hand_kernel(&hand, 0, 264, 450000, 650000);
    hand_submit(&hand, other, 10000, 14000);
    assert_main(other, GP_CAUSE_PRIORITY, urgent, GP_UNKNOWN);
}

static void test_grid_limit(void **state)
{
    (void)state;
    hand_init(&hand, 129);
    for (uint32_t i = 0; i < 128; i++) {
        (void)hand_kernel(&hand, i, 1, 10, 100000 + i);
    }
    (void)hand_kernel(&hand, 128, 1, 100001, 200000);
    hand.device.connections = GP_UNKNOWN;
    assert_main(128, GP_CAUSE_GRID_LIMIT, 0, 128);
    hand.data.facts.grids_resident = 200;
    assert_main(128, GP_CAUSE_UNKNOWN, GP_NO_OP, GP_UNKNOWN);
}

/* Two kernels in turn on each of nine streams, eight connections: what is first on the ninth is
 * behind the second kernel of the stream that has the same connection. */
static void ninth_stream(int64_t begin)
{
    hand_init(&hand, 9);
    for (uint32_t i = 0; i < 8; i++) {
        hand_submit(&hand, hand_kernel(&hand, i, 1, 100, 100000), INT64_C(2) * i,
                    INT64_C(2) * i + 1);
        hand_submit(&hand, hand_kernel(&hand, i, 1, 101000, 200000), INT64_C(2) * i + 1,
                    INT64_C(2) * i + 2);
    }
    hand_submit(&hand, hand_kernel(&hand, 8, 1, begin, 300000), 20, 21);
}

static void test_connection(void **state)
{
    (void)state;
    ninth_stream(101000);
    assert_main(16, GP_CAUSE_CONNECTION, 1, GP_UNKNOWN);
    hand.device.connections = 9;
    assert_main(16, GP_CAUSE_UNKNOWN, GP_NO_OP, GP_UNKNOWN);
    /* It began while it would have been held: then it was not. */
    ninth_stream(60000);
    assert_main(16, GP_CAUSE_UNKNOWN, GP_NO_OP, GP_UNKNOWN);
}

static void test_timed_event(void **state)
{
    (void)state;
    ninth_stream(200000);
    hand_call(&hand, "timed record", 1, 3, 4);
    assert_main(16, GP_CAUSE_TIMED_EVENT, 1, GP_UNKNOWN);
    /* Of one kernel each: only the event waits in the connection. */
    hand_init(&hand, 9);
    for (uint32_t i = 0; i < 8; i++) {
        hand_submit(&hand, hand_kernel(&hand, i, 1, 100, 100000), INT64_C(2) * i,
                    INT64_C(2) * i + 1);
        hand_call(&hand, "timed record", i, INT64_C(2) * i + 1, INT64_C(2) * i + 2);
    }
    hand_submit(&hand, hand_kernel(&hand, 8, 1, 101000, 200000), 20, 21);
    assert_main(8, GP_CAUSE_TIMED_EVENT, 0, GP_UNKNOWN);
}

static void test_null_stream(void **state)
{
    uint32_t a, b;

    (void)state;
    hand_init(&hand, 2);
    hand.streams[0].flag = GP_STREAM_NULL;
    hand.streams[1].flag = GP_STREAM_BLOCKING;
    a = hand_op(&hand, GP_OP_KERNEL, 0, 0, 100000);
    hand_submit(&hand, a, 0, 1);
    b = hand_op(&hand, GP_OP_KERNEL, 1, 101000, 200000);
    hand_submit(&hand, b, 1, 2);
    assert_main(b, GP_CAUSE_NULL_STREAM, a, GP_UNKNOWN);
    hand.streams[1].flag = GP_STREAM_NON_BLOCKING;
    assert_main(b, GP_CAUSE_UNKNOWN, GP_NO_OP, GP_UNKNOWN);
    /* The other way round. */
    hand.streams[1].flag = GP_STREAM_NULL;
    hand.streams[0].flag = GP_STREAM_BLOCKING;
    assert_main(b, GP_CAUSE_NULL_STREAM, a, GP_UNKNOWN);
}

/* The copy's call holds the thread that then submits the kernel. */
static void test_pageable(void **state)
{
    uint32_t a, b;

    (void)state;
    hand_init(&hand, 2);
    a = hand_copy(&hand, GP_OP_H2D, 0, 5000, 1000000);
    hand_submit(&hand, a, 0, 990000);
    b = hand_op(&hand, GP_OP_KERNEL, 1, 1000000, 1100000);
    hand_submit(&hand, b, 990000, 994000);
    assert_main(b, GP_CAUSE_PAGEABLE, a, GP_UNKNOWN);
    hand_submit(&hand, a, 0, 3000);
    assert_main(b, GP_CAUSE_NOT_SUBMITTED, GP_NO_OP, GP_UNKNOWN);
}

static void test_implicit_sync(void **state)
{
    uint32_t a, b;

    (void)state;
    hand_init(&hand, 2);
    a = hand_op(&hand, GP_OP_KERNEL, 0, 5000, 500000);
    hand_submit(&hand, a, 0, 4000);
    b = hand_op(&hand, GP_OP_KERNEL, 1, 510000, 600000);
    hand_submit(&hand, b, 504000, 508000);
    hand_call(&hand, "cuMemAlloc_v2", GP_UNKNOWN, 4000, 503000);
    assert_main(b, GP_CAUSE_IMPLICIT_SYNC, GP_NO_OP, GP_UNKNOWN);
    hand.calls[0].name = "cuMemAllocAsync";
    assert_main(b, GP_CAUSE_NOT_SUBMITTED, GP_NO_OP, GP_UNKNOWN);
    /* Code is loaded at its first use: the call is long, once. */
    hand.ops[b].name = "other";
    hand_submit(&hand, b, 4000, 508000);
    assert_main(b, GP_CAUSE_IMPLICIT_SYNC, b, GP_UNKNOWN);
    hand.ops[b].name = hand.ops[a].name;
    assert_main(b, GP_CAUSE_NOT_SUBMITTED, GP_NO_OP, GP_UNKNOWN);
}

/* A free that waits for the kernel before it, and one in stream order. */
static void test_a_free_that_waits(void **state)
{
    uint32_t a, b, c;

    (void)state;
    hand_init(&hand, 2);
    a = hand_op(&hand, GP_OP_KERNEL, 0, 5000, 500000);
    hand_submit(&hand, a, 0, 4000);
    b = hand_op(&hand, GP_OP_FREE, 0, 500000, 500000);
    hand_submit(&hand, b, 4000, 503000);
    c = hand_op(&hand, GP_OP_KERNEL, 1, 510000, 600000);
    hand_submit(&hand, c, 504000, 508000);
    assert_main(c, GP_CAUSE_IMPLICIT_SYNC, b, GP_UNKNOWN);
    hand_submit(&hand, b, 4000, 4500);
    assert_main(c, GP_CAUSE_NOT_SUBMITTED, GP_NO_OP, GP_UNKNOWN);
}

/* Twenty launches fill the queue; the next call returns when one has ended, and what another stream
 * is given after it comes late. */
static void test_launch_queue(void **state)
{
    uint32_t late, other;

    (void)state;
    hand_init(&hand, 2);
    hand.data.facts.queue_launches = 20;
    for (uint32_t i = 0; i < 20; i++) {
        uint32_t op = hand_kernel(&hand, 0, 1, 100000 * i + 5000, 100000 * i + 100000);

        hand_submit(&hand, op, INT64_C(10) * i, INT64_C(10) * i + 10);
    }
    late = hand_kernel(&hand, 0, 1, 2005000, 2100000);
    hand_submit(&hand, late, 300, 100000);
    other = hand_kernel(&hand, 1, 1, 105000, 200000);
    hand_submit(&hand, other, 100000, 104000);
    assert_main(other, GP_CAUSE_LAUNCH_QUEUE, late, GP_UNKNOWN);
    hand.data.facts.queue_launches = 100;
    assert_main(other, GP_CAUSE_NOT_SUBMITTED, GP_NO_OP, GP_UNKNOWN);
}

/* Events around each kernel cost the device 1.5 µs, of a gap of three. */
static void test_recorder(void **state)
{
    struct gp_causes causes;

    (void)state;
    hand_init(&hand, 1);
    hand.data.facts.event_timed_ns = 1500;
    (void)hand_op(&hand, GP_OP_KERNEL, 0, 0, 10000);
    (void)hand_op(&hand, GP_OP_KERNEL, 0, 13000, 20000);
    hand_edge(&hand, 0, 1);
    hand_call(&hand, "timed record", 0, 1, 2);
    gp_causes_measure(&hand.data, &causes);
    assert_int_equal(causes.totals[GP_CAUSE_RECORDER].idle_ns, 1500);
    assert_int_equal(causes.totals[GP_CAUSE_DEPENDENCY].idle_ns, 1500);
    gp_causes_finish(&causes);
}

/* One kernel uses shared memory and one does not; both would fit, and they take turns. */
static void test_carve_out(void **state)
{
    uint32_t a, b;

    (void)state;
    hand_init(&hand, 2);
    a = hand_kernel(&hand, 0, 10, 0, 100000);
    b = hand_kernel(&hand, 1, 10, 101000, 200000);
    hand.ops[a].smem = 100 * 1024;
    hand.ops[b].smem = 0;
    assert_main(b, GP_CAUSE_CARVE_OUT, a, GP_UNKNOWN);
    hand.ops[a].smem = 0;
    assert_main(b, GP_CAUSE_UNKNOWN, GP_NO_OP, GP_UNKNOWN);
}

static void test_machine(void **state)
{
    struct gp_state_row machine = {.at = 0, .throttle = 0x4, .processes = 0, .note = ""};

    (void)state;
    hand_init(&hand, 1);
    (void)hand_op(&hand, GP_OP_KERNEL, 0, 500000, 600000);
    hand.data.states = &machine;
    hand.data.state_count = 1;
    assert_main(0, GP_CAUSE_THROTTLE, GP_NO_OP, 4);
    /* Idle clocks are no throttling. */
    machine.throttle = 0x1;
    assert_main(0, GP_CAUSE_UNKNOWN, GP_NO_OP, GP_UNKNOWN);
    machine.processes = 2;
    assert_main(0, GP_CAUSE_TIME_SLICE, GP_NO_OP, 2);
    hand.ops[0].begin = 90000;
    hand.ops[0].begin_lo = 90000;
    assert_main(0, GP_CAUSE_UNKNOWN, GP_NO_OP, GP_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_engine_busy),       cmocka_unit_test(test_engine_of_an_import),
        cmocka_unit_test(test_sm_full),           cmocka_unit_test(test_sm_full_in_the_last_wave),
        cmocka_unit_test(test_head_of_line),      cmocka_unit_test(test_no_line),
        cmocka_unit_test(test_line_of_one_wave),  cmocka_unit_test(test_priority),
        cmocka_unit_test(test_grid_limit),        cmocka_unit_test(test_connection),
        cmocka_unit_test(test_timed_event),       cmocka_unit_test(test_null_stream),
        cmocka_unit_test(test_pageable),          cmocka_unit_test(test_implicit_sync),
        cmocka_unit_test(test_a_free_that_waits), cmocka_unit_test(test_launch_queue),
        cmocka_unit_test(test_recorder),          cmocka_unit_test(test_carve_out),
        cmocka_unit_test(test_machine),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
