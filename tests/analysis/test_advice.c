/* Advice of small recordings made by hand. */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/hand.h"
#include "probe/analysis/advice.h"

static struct hand hand;
static struct gp_device_row device;
static struct gp_cell_row rows[4];
static struct gp_result cells[4];

/* A complete cell whose makespan is known to ±1 %, and nothing else. */
static void make_cell(uint32_t place, const char *policy, int32_t streams, double makespan_ns)
{
    rows[place] = (struct gp_cell_row){.id = place + 1,
                                       .scenario = "work",
                                       .params = "{}",
                                       .policy = policy,
                                       .streams = streams,
                                       .status = GP_STATUS_COMPLETE,
                                       .error = ""};
    cells[place] = (struct gp_result){
        .cell = &rows[place],
        .device = &device,
        .summary = {.makespan_ns = {makespan_ns, makespan_ns * 0.99, makespan_ns * 1.01},
                    .perturbation = {NAN, NAN, NAN},
                    .efficiency = NAN},
        .metrics = {.hazards = 0},
    };
}

/* Kernels of 100 µs on one stream that need nothing from each other. */
static void make_serial_run(uint32_t count)
{
    hand_init(&hand, 4);
    for (uint32_t i = 0; i < count; i++) {
        (void)hand_kernel(&hand, 0, 1, (int64_t)i * 100000, (int64_t)(i + 1) * 100000);
    }
    hand.data.run.makespan_ns = (int64_t)count * 100000;
}

static void advise_again(uint32_t count, uint32_t about, struct gp_advices *out)
{
    struct gp_causes causes;
    struct gp_what_if what_if;

    gp_causes_measure(&hand.data, &causes);
    gp_what_if_measure(&causes, &what_if);
    gp_advise(cells, count, about, &what_if, out);
    gp_causes_finish(&causes);
}

static void advise(uint32_t count, uint32_t about, struct gp_advices *out)
{
    out->count = 0;
    advise_again(count, about, out);
}

/* Three kernels for no reason on one stream: two thirds of the time at most. */
static void test_estimate(void **state)
{
    struct gp_advices advices;

    (void)state;
    make_cell(0, "round-robin", 1, 3e5);
    make_serial_run(3);
    advise(1, 0, &advices);
    assert_int_equal(advices.count, 1);
    assert_int_equal(advices.all[0].cause, GP_CAUSE_SAME_STREAM);
    assert_true(fabs(advices.all[0].gain - 2.0 / 3) < 1e-9);
    assert_int_equal(advices.all[0].sureness, GP_SURENESS_ESTIMATED);
    assert_int_equal(advices.all[0].experiment.streams_times, 2);
    assert_ptr_equal(advices.all[0].cell, &rows[0]);
    assert_non_null(strstr(advices.all[0].text, "work under round-robin with 1 stream"));
    assert_non_null(strstr(advices.all[0].text, "up to 67 % less time"));
}

/* Another program has no policy, and none of our options would show anything. */
static void test_imported(void **state)
{
    struct gp_advices advices;

    (void)state;
    make_cell(0, "imported", 1, 3e5);
    make_serial_run(3);
    device.kind = GP_ORIGIN_IMPORTED;
    advise(1, 0, &advices);
    device.kind = GP_ORIGIN_CUDA;
    assert_int_equal(advices.count, 1);
    assert_int_equal(advices.all[0].experiment.streams_times, 0);
    assert_non_null(strstr(advices.all[0].text, "For work as it is, try more streams"));
}

/* Of kernels that may have run at any time nothing is estimated. */
static void test_vague(void **state)
{
    struct gp_advices advices;

    (void)state;
    make_cell(0, "round-robin", 1, 3e5);
    make_serial_run(3);
    for (uint32_t i = 0; i < hand.data.op_count; i++) {
        hand.data.ops[i].begin_lo = hand.data.ops[i].end_lo = 0;
        hand.data.ops[i].begin_hi = hand.data.ops[i].end_hi = 300000;
    }
    advise(1, 0, &advices);
    assert_int_equal(advices.count, 0);
}

/* No schedule goes below the bound: 10 % are left. */
static void test_bound(void **state)
{
    struct gp_advices advices;

    (void)state;
    make_cell(0, "round-robin", 1, 3e5);
    cells[0].summary.efficiency = 0.9;
    make_serial_run(3);
    advise(1, 0, &advices);
    assert_int_equal(advices.count, 1);
    assert_true(fabs(advices.all[0].gain - 0.1) < 1e-9);
    cells[0].summary.efficiency = 0.99;
    advise(1, 0, &advices);
    assert_int_equal(advices.count, 0);
}

/* What is no more than the interval, or than tracing costs, is not said. */
static void test_noise(void **state)
{
    struct gp_advices advices;

    (void)state;
    make_cell(0, "round-robin", 1, 3e5);
    cells[0].summary.efficiency = 0.9;
    cells[0].summary.makespan_ns.hi = 3.5e5;
    make_serial_run(3);
    advise(1, 0, &advices);
    assert_int_equal(advices.count, 0);
    make_cell(0, "round-robin", 1, 3e5);
    cells[0].summary.perturbation.median = 1.7;
    advise(1, 0, &advices);
    assert_int_equal(advices.count, 0);
}

/* The same streams twice were tried and are not better: they are not advised. */
static void test_tried(void **state)
{
    struct gp_advices advices;

    (void)state;
    make_cell(0, "round-robin", 1, 3e5);
    make_cell(1, "round-robin", 2, 3e5);
    make_serial_run(3);
    advise(2, 0, &advices);
    assert_int_equal(advices.count, 0);
}

/* The measured gain, and only beyond doubt. */
static void test_measured(void **state)
{
    struct gp_advices advices = {.count = 0};

    (void)state;
    make_cell(0, "single", 1, 4e5);
    make_cell(1, "round-robin", 4, 1e5);
    cells[1].summary.is_recommended = true;
    gp_advise(cells, 2, 1, NULL, &advices);
    assert_int_equal(advices.count, 1);
    assert_true(fabs(advices.all[0].gain - 0.75) < 1e-9);
    assert_true(advices.all[0].gain_lo < 0.75 && advices.all[0].gain_hi > 0.75);
    assert_int_equal(advices.all[0].sureness, GP_SURENESS_MEASURED);
    cells[0].summary.makespan_ns = (struct gp_figure){1.01e5, 0.98e5, 1.04e5};
    advices.count = 0;
    gp_advise(cells, 2, 1, NULL, &advices);
    assert_int_equal(advices.count, 0);
}

/* Where the order is wrong nothing is said of times, whichever cell shows it. */
static void test_hazards_alone(void **state)
{
    (void)state;
    for (uint32_t wrong = 0; wrong < 2; wrong++) {
        struct gp_advices advices = {.count = 0};

        make_cell(0, "single", 1, 4e5);
        make_cell(1, "round-robin", 4, 1e5);
        cells[1].summary.is_recommended = true;
        cells[wrong].metrics.hazards = 3;
        gp_advise(cells, 2, 1, NULL, &advices);
        assert_int_equal(advices.count, 1);
        assert_true(isnan(advices.all[0].gain));
        assert_non_null(strstr(advices.all[0].text, "3 pairs"));
        assert_ptr_equal(advices.all[0].cell, &rows[wrong]);
    }
}

/* Of eight groups whose best pool is better than one stream the one that gains most is named, with
 * its variant, and the others are counted. */
static void test_one_of_a_kind(void **state)
{
    static struct gp_cell_row kept[8][2];
    struct gp_advices advices = {.count = 0};

    (void)state;
    for (int i = 0; i < 8; i++) {
        make_cell(0, "single", 1, 1e6);
        make_cell(1, "round-robin", 4, 1e6 - 1e5 * (double)(1 + i * 3 % 8));
        memcpy(kept[i], rows, sizeof kept[i]);
        cells[0].cell = &kept[i][0];
        cells[1].cell = &kept[i][1];
        cells[1].summary.is_recommended = true;
        (void)snprintf(cells[1].variant, sizeof cells[1].variant, "us=%d", i);
        gp_advise(cells, 2, 1, NULL, &advices);
    }
    assert_int_equal(advices.count, 1);
    assert_true(fabs(advices.all[0].gain - 0.8) < 1e-9);
    assert_int_equal(advices.all[0].others, 7);
    assert_non_null(strstr(advices.all[0].text, "Run work (us=5) under round-robin with 4"));
}

/* More streams, for whichever reason, is one remedy; the order does not matter. */
static void test_kinds(void **state)
{
    struct gp_advices advices = {.count = 0};

    (void)state;
    make_cell(0, "single", 1, 1e6);
    make_cell(1, "round-robin", 1, 3e5);
    cells[1].summary.is_recommended = true;
    make_serial_run(3);
    advise(2, 1, &advices);
    /* The pool that was measured, and more streams than any that was. */
    assert_int_equal(advices.count, 2);
    assert_int_equal(advices.all[0].cause, GP_CAUSE_COUNT);
    assert_int_equal(advices.all[1].cause, GP_CAUSE_SAME_STREAM);
    assert_non_null(strstr(advices.all[1].text, "work under round-robin with 1 stream"));
    /* The same cell again, as of another cause, is no other cell. */
    advise_again(2, 1, &advices);
    assert_int_equal(advices.count, 2);
    assert_int_equal(advices.all[1].others, 0);
}

/* Two kernels of 100 us that took turns for one reason each, told by `reason`. */
static void make_turns(int reason)
{
    uint32_t a, b;

    hand_init(&hand, 2);
    if (reason == 0) {
        hand.streams[0].flag = GP_STREAM_NULL;
        hand.streams[1].flag = GP_STREAM_BLOCKING;
    }
    a = hand_kernel(&hand, 0, 10, 0, 100000);
    hand.ops[a].smem = reason == 1 ? 100 * 1024 : 0;
    if (reason == 2) {
        /* A copy of pageable memory keeps the host until just before. */
        hand_submit(&hand, hand_copy(&hand, GP_OP_H2D, 0, 0, 99000), 0, 98000);
    }
    if (reason == 3) {
        hand_call(&hand, "cuMemAlloc_v2", GP_UNKNOWN, 1000, 98000);
    }
    b = hand_kernel(&hand, 1, 10, 101000, 200000);
    if (reason >= 2) {
        hand_submit(&hand, b, 98000, 100000);
    }
    hand.data.run.makespan_ns = 200000;
}

/* At most five, the best first; the sixth, which gains least, came before them. */
static void test_five(void **state)
{
    struct gp_advices advices = {.count = 0};

    (void)state;
    make_cell(0, "single", 1, 1e6);
    make_cell(1, "blocking", 4, 9.5e5);
    cells[0].summary.makespan_ns.lo = cells[0].summary.makespan_ns.hi = 1e6;
    cells[1].summary.makespan_ns.lo = cells[1].summary.makespan_ns.hi = 9.5e5;
    cells[1].summary.is_recommended = true;
    gp_advise(cells, 2, 1, NULL, &advices);
    assert_int_equal(advices.count, 1);
    for (int reason = 0; reason < 4; reason++) {
        make_turns(reason);
        advise_again(2, 1, &advices);
        assert_int_equal(advices.count, 2 + reason);
    }
    make_serial_run(3);
    advise_again(2, 1, &advices);
    assert_int_equal(advices.count, GP_ADVICE_MAX);
    for (uint32_t i = 0; i < GP_ADVICE_MAX; i++) {
        assert_int_not_equal(advices.all[i].cause, GP_CAUSE_COUNT);
        assert_true(i == 0 || advices.all[i].gain <= advices.all[i - 1].gain);
    }
}

static void test_about(void **state)
{
    (void)state;
    make_cell(0, "single", 1, 4e5);
    make_cell(1, "round-robin", 4, 1e5);
    rows[0].status = GP_STATUS_FAILED;
    assert_int_equal(gp_advice_about(cells, 2), 1);
    rows[1].status = GP_STATUS_FAILED;
    assert_int_equal(gp_advice_about(cells, 2), 2);
    rows[0].status = rows[1].status = GP_STATUS_COMPLETE;
    assert_int_equal(gp_advice_about(cells, 2), 0);
    cells[1].summary.is_recommended = true;
    assert_int_equal(gp_advice_about(cells, 2), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_estimate), cmocka_unit_test(test_imported),
        cmocka_unit_test(test_bound),    cmocka_unit_test(test_vague),
        cmocka_unit_test(test_noise),    cmocka_unit_test(test_tried),
        cmocka_unit_test(test_measured), cmocka_unit_test(test_hazards_alone),
        cmocka_unit_test(test_five),     cmocka_unit_test(test_one_of_a_kind),
        cmocka_unit_test(test_kinds),    cmocka_unit_test(test_about),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
