/* Bounds of small runs made by hand, computed by hand. */
#include "test.h"

#include <math.h>

#include "analysis/hand.h"
#include "probe/analysis/bounds.h"

static struct hand hand;

/* Bytes that take 1 ns; fewer may pass the engine. */
enum { UNIT = 64 * 1024 };

static void start(uint32_t streams)
{
    hand_init(&hand, streams);
    hand.data.run.makespan_ns = GP_UNKNOWN;
    hand.data.facts.h2d_rate = 1e9 * UNIT / 1.03; /* then UNIT bytes take 1 ns */
    hand.data.facts.d2h_rate = 1e9 * UNIT / 1.03;
}

static uint32_t copy(enum gp_op_kind kind, uint32_t stream, int64_t begin, int64_t end)
{
    uint32_t op = hand_copy(&hand, kind, stream, begin, end);

    hand.ops[op].bytes = UNIT * (end - begin);
    return op;
}

static struct gp_bounds measure(void)
{
    struct gp_floor floor = {0};
    struct gp_bounds bounds;

    assert_true(gp_floor_note(&floor, &hand.data));
    gp_bounds_measure(&floor, &bounds);
    gp_floor_finish(&floor);
    assert_null(floor.needs);
    return bounds;
}

static void assert_bound(const struct gp_bound *bound, double ns, enum gp_limit limit)
{
    assert_true(fabs(bound->ns - ns) < 1e-6);
    assert_string_equal(gp_limit_name(bound->limit), gp_limit_name(limit));
}

/* 10 + 20 + 30 on one stream with gaps of 5: the device needs the gaps, and 7 to begin. */
static void test_chain(void **state)
{
    struct gp_bounds bounds;

    (void)state;
    start(1);
    (void)hand_kernel(&hand, 0, 1, 7, 17);
    (void)hand_kernel(&hand, 0, 1, 22, 42);
    (void)hand_kernel(&hand, 0, 1, 47, 77);
    hand_edge(&hand, 0, 1);
    hand_edge(&hand, 1, 2);
    bounds = measure();
    assert_bound(&bounds.ideal, 60, GP_LIMIT_CHAIN);
    assert_bound(&bounds.device, 77, GP_LIMIT_CHAIN);
}

/* The longer arm of a fork, and a join: 10 + 50 + 10. */
static void test_fork(void **state)
{
    struct gp_bounds bounds;

    (void)state;
    start(2);
    (void)hand_kernel(&hand, 0, 1, 0, 10);
    (void)hand_kernel(&hand, 0, 1, 10, 30);
    (void)hand_kernel(&hand, 1, 1, 10, 60);
    (void)hand_kernel(&hand, 0, 1, 60, 70);
    hand_edge(&hand, 0, 1);
    hand_edge(&hand, 0, 2);
    hand_edge(&hand, 1, 3);
    hand_edge(&hand, 2, 3);
    bounds = measure();
    assert_bound(&bounds.ideal, 70, GP_LIMIT_CHAIN);
}

/* Independent kernels of one block: the longest of them. */
static void test_independent(void **state)
{
    struct gp_bounds bounds;

    (void)state;
    start(1);
    (void)hand_kernel(&hand, 0, 1, 0, 10);
    (void)hand_kernel(&hand, 0, 1, 10, 40);
    bounds = measure();
    assert_bound(&bounds.ideal, 30, GP_LIMIT_CHAIN);
}

/* Independent kernels that fill the SMs: their sum. */
static void test_sms(void **state)
{
    struct gp_bounds bounds;

    (void)state;
    start(2);
    (void)hand_kernel(&hand, 0, 264, 0, 100);
    (void)hand_kernel(&hand, 1, 264, 100, 200);
    (void)hand_kernel(&hand, 1, 132, 200, 300);
    bounds = measure();
    assert_bound(&bounds.ideal, 250, GP_LIMIT_SMS);
    hand.device.sm_count = GP_UNKNOWN;
    bounds = measure();
    assert_true(isnan(bounds.ideal.parts[GP_LIMIT_SMS]));
    assert_bound(&bounds.ideal, 100, GP_LIMIT_CHAIN);
}

/* Two directions: the longer one, alone; the device has both slower. */
static void test_engines(void **state)
{
    struct gp_bounds bounds;

    (void)state;
    start(3);
    (void)copy(GP_OP_H2D, 0, 0, 100);
    (void)copy(GP_OP_H2D, 1, 100, 200);
    (void)copy(GP_OP_D2H, 2, 0, 150);
    bounds = measure();
    assert_bound(&bounds.ideal, 200, GP_LIMIT_H2D);
    assert_bound(&bounds.device, 200, GP_LIMIT_H2D);
    /* Half as fast beside each other: all 150 units up take 300, of which 150 are lost to H2D. */
    hand.data.facts.h2d_duplex_rate = hand.data.facts.h2d_rate / 2;
    hand.data.facts.d2h_duplex_rate = hand.data.facts.d2h_rate / 2;
    bounds = measure();
    assert_bound(&bounds.device, 350, GP_LIMIT_H2D);
    hand.data.facts.h2d_rate = NAN;
    bounds = measure();
    assert_true(isnan(bounds.ideal.parts[GP_LIMIT_H2D]));
    assert_bound(&bounds.ideal, 150, GP_LIMIT_CHAIN);
}

/* Forty copies, each 3 ns longer than its bytes: those in the middle tell of it. */
static void test_set_up(void **state)
{
    struct gp_bounds bounds;

    (void)state;
    start(2);
    for (int64_t i = 0; i < 40; i++) {
        (void)copy(GP_OP_H2D, (uint32_t)(i % 2), 103 * i + 3, 103 * i + 103);
    }
    bounds = measure();
    assert_bound(&bounds.ideal, 4000, GP_LIMIT_H2D);
    assert_true(fabs(bounds.device.parts[GP_LIMIT_H2D] - (4000 + 3 * (40 - 32))) < 1e-6);
}

/* Where the set-up was measured alone: nine tenths of it for each copy, and no more than a percent
 * of doubt about the rate. What is small may pass the engine upwards, and not downwards. */
static void test_measured_set_up(void **state)
{
    struct gp_bounds bounds;

    (void)state;
    start(1);
    hand.data.facts.h2d_setup = 10;
    hand.data.facts.d2h_setup = 20;
    for (int64_t i = 0; i < 3; i++) {
        (void)copy(GP_OP_H2D, 0, 200 * i, 200 * i + 100);
    }
    hand.ops[2].bytes = UNIT - 1;
    (void)copy(GP_OP_D2H, 0, 600, 700);
    hand.ops[3].bytes = 4;
    bounds = measure();
    assert_true(fabs(bounds.device.parts[GP_LIMIT_H2D] - (200 * 1.03 / 1.01 + 2 * 9)) < 1e-6);
    assert_true(fabs(bounds.ideal.parts[GP_LIMIT_H2D] - 200 * 1.03 / 1.01) < 1e-6);
    assert_true(fabs(bounds.device.parts[GP_LIMIT_D2H] - 18) < 1e-3);
}

/* On one stream, or where each copy was submitted after the one before, the gaps are not the
 * engine's; nor is it what a copy of the other direction costs. */
static void test_no_set_up(void **state)
{
    struct gp_bounds bounds;

    (void)state;
    start(1);
    for (int64_t i = 0; i < 40; i++) {
        (void)copy(GP_OP_H2D, 0, 103 * i + 3, 103 * i + 103);
    }
    bounds = measure();
    assert_true(fabs(bounds.device.parts[GP_LIMIT_H2D] - 4000) < 1e-6);
    start(2);
    for (int64_t i = 0; i < 40; i++) {
        uint32_t op = copy(GP_OP_H2D, (uint32_t)(i % 2), 103 * i + 3, 103 * i + 103);

        hand_submit(&hand, op, 103 * i, 103 * i + 1);
    }
    bounds = measure();
    assert_true(fabs(bounds.device.parts[GP_LIMIT_H2D] - 4000) < 1e-6);
    start(4);
    hand.data.facts.h2d_duplex_rate = hand.data.facts.d2h_duplex_rate = 1e9 * UNIT / 1.25;
    for (int64_t i = 0; i < 40; i++) {
        (void)copy(GP_OP_H2D, (uint32_t)(i % 2), 125 * i, 125 * (i + 1));
        (void)copy(GP_OP_D2H, (uint32_t)(2 + i % 2), 125 * i, 125 * (i + 1));
        hand.ops[2 * i].bytes = hand.ops[2 * i + 1].bytes = INT64_C(100) * UNIT;
    }
    bounds = measure();
    assert_true(bounds.device.parts[GP_LIMIT_H2D] <= 125 * 40);
    assert_true(bounds.device.parts[GP_LIMIT_D2H] <= 125 * 40);
}

/* Four calls of 30 that submit kernels of 5. */
static void test_host(void **state)
{
    struct gp_bounds bounds;

    (void)state;
    start(4);
    for (uint32_t i = 0; i < 4; i++) {
        const int64_t at = INT64_C(40) * i;

        hand_submit(&hand, hand_kernel(&hand, i, 1, at + 35, at + 40), at, at + (i == 2 ? 30 : 40));
    }
    hand.data.run.makespan_ns = 170;
    bounds = measure();
    assert_bound(&bounds.ideal, 120, GP_LIMIT_HOST);
    assert_bound(&bounds.device, 120 + 10, GP_LIMIT_HOST);
    /* A graph is one call. */
    hand.cell.submit = GP_SUBMIT_GRAPH;
    bounds = measure();
    assert_bound(&bounds.ideal, 30, GP_LIMIT_HOST);
}

/* Work that arrives at 500 cannot end before. */
static void test_arrival(void **state)
{
    struct gp_bounds bounds;

    (void)state;
    start(1);
    (void)hand_kernel(&hand, 0, 1, 0, 10);
    hand.ops[hand_kernel(&hand, 0, 1, 520, 550)].release = 500;
    bounds = measure();
    assert_bound(&bounds.ideal, 530, GP_LIMIT_CHAIN);
    assert_bound(&bounds.device, 530, GP_LIMIT_CHAIN);
    /* When all arrives, what passes before the first arrival counts once: 15 from there to begin.
     */
    start(1);
    hand.ops[hand_kernel(&hand, 0, 1, 320, 330)].release = 300;
    hand.ops[hand_kernel(&hand, 0, 1, 515, 550)].release = 500;
    bounds = measure();
    assert_bound(&bounds.ideal, 535, GP_LIMIT_CHAIN);
    assert_bound(&bounds.device, 550, GP_LIMIT_CHAIN);
}

/* Kernels that fill the SMs and were only seen beside each other: longer than alone, and not longer
 * than both. */
static void test_sms_shared(void **state)
{
    struct gp_bounds bounds;

    (void)state;
    start(2);
    (void)hand_kernel(&hand, 0, 264, 0, 100);
    (void)hand_kernel(&hand, 1, 264, 80, 180);
    (void)hand_kernel(&hand, 0, 264, 200, 300);
    bounds = measure();
    assert_bound(&bounds.ideal, 280, GP_LIMIT_SMS);
}

/* No more kernels run at once than the device holds, though each takes little of it. */
static void test_grids(void **state)
{
    enum { KERNELS = 60 };
    struct gp_bounds bounds;

    (void)state;
    start(4);
    hand.data.facts.grids_resident = 4;
    for (uint32_t i = 0; i < KERNELS; i++) {
        int64_t begin = 100 * (int64_t)(i / 4);

        (void)hand_kernel(&hand, i % 4, 1, begin, begin + 100);
    }
    bounds = measure();
    assert_bound(&bounds.ideal, 1500, GP_LIMIT_GRIDS);
    assert_bound(&bounds.device, 1500, GP_LIMIT_GRIDS);
    /* Of a device nobody measured, what CUDA documents. */
    hand.data.facts.grids_resident = NAN;
    bounds = measure();
    assert_true(fabs(bounds.ideal.parts[GP_LIMIT_GRIDS] - 100.0 * KERNELS / 128) < 1e-6);
    hand.device.compute_major = GP_UNKNOWN;
    bounds = measure();
    assert_true(isnan(bounds.ideal.parts[GP_LIMIT_GRIDS]));
}

/* A plain run beats what traced runs told. */
static void test_lowered(void **state)
{
    struct gp_bounds bounds;

    (void)state;
    start(1);
    (void)hand_kernel(&hand, 0, 1, 0, 1000);
    bounds = measure();
    gp_bounds_lower(&bounds, 1000);
    assert_true(bounds.lowered_ns == 0);
    gp_bounds_lower(&bounds, 980);
    assert_true(bounds.lowered_ns == 20);
    assert_bound(&bounds.ideal, 980, GP_LIMIT_CHAIN);
    assert_bound(&bounds.device, 980, GP_LIMIT_CHAIN);
    assert_true(bounds.device.parts[GP_LIMIT_CHAIN] == 980);
    gp_bounds_lower(&bounds, 900);
    assert_true(isnan(bounds.device.ns));
    assert_true(isnan(bounds.ideal.ns));
    assert_true(isnan(bounds.device.parts[GP_LIMIT_CHAIN]));
}

/* Of several runs the least counts; other work is refused. */
static void test_several_runs(void **state)
{
    struct gp_floor floor = {0};
    struct gp_bounds bounds;

    (void)state;
    start(2);
    (void)hand_kernel(&hand, 0, 1, 10, 110);
    (void)hand_kernel(&hand, 0, 1, 120, 150);
    hand_edge(&hand, 0, 1);
    assert_true(gp_floor_note(&floor, &hand.data));
    hand.ops[0].begin = 50;
    hand.ops[1].end = 180;
    assert_true(gp_floor_note(&floor, &hand.data));
    gp_bounds_measure(&floor, &bounds);
    assert_bound(&bounds.ideal, 60 + 30, GP_LIMIT_CHAIN);
    assert_bound(&bounds.device, 10 + 60 + 10 + 30, GP_LIMIT_CHAIN);
    hand.ops[1].kind = GP_OP_MEMSET;
    assert_false(gp_floor_note(&floor, &hand.data));
    hand.ops[1].kind = GP_OP_KERNEL;
    hand.ops[1].end = GP_UNKNOWN;
    assert_false(gp_floor_note(&floor, &hand.data));
    gp_floor_finish(&floor);
}

/* Nothing that can be recorded is nothing to bound. */
static void test_nothing(void **state)
{
    struct gp_floor floor = {0};

    (void)state;
    start(1);
    assert_false(gp_floor_note(&floor, &hand.data));
    gp_floor_finish(&floor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chain),           cmocka_unit_test(test_fork),
        cmocka_unit_test(test_independent),     cmocka_unit_test(test_sms),
        cmocka_unit_test(test_engines),         cmocka_unit_test(test_set_up),
        cmocka_unit_test(test_no_set_up),       cmocka_unit_test(test_host),
        cmocka_unit_test(test_arrival),         cmocka_unit_test(test_several_runs),
        cmocka_unit_test(test_nothing),         cmocka_unit_test(test_sms_shared),
        cmocka_unit_test(test_grids),           cmocka_unit_test(test_lowered),
        cmocka_unit_test(test_measured_set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
