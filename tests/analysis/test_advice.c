/* Advice of small recordings made by hand. */
#include "test.h"

#include <math.h>
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

static void advise(uint32_t count, uint32_t about, struct gp_advices *out)
{
    struct gp_causes causes;

    gp_causes_measure(&hand.data, &causes);
    out->count = 0;
    gp_advise(cells, count, about, &causes, out);
    gp_causes_finish(&causes);
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

/* Wrong order comes before any time. */
static void test_hazards_first(void **state)
{
    struct gp_advices advices = {.count = 0};

    (void)state;
    make_cell(0, "single", 1, 4e5);
    make_cell(1, "round-robin", 4, 1e5);
    cells[1].summary.is_recommended = true;
    cells[1].metrics.hazards = 3;
    gp_advise(cells, 2, 1, NULL, &advices);
    assert_int_equal(advices.count, 2);
    assert_true(isnan(advices.all[0].gain));
    assert_non_null(strstr(advices.all[0].text, "3 pairs"));
    assert_true(advices.all[1].gain > 0);
}

/* The best five of many groups, in order. */
static void test_five(void **state)
{
    struct gp_advices advices = {.count = 0};

    (void)state;
    for (int i = 0; i < 8; i++) {
        make_cell(0, "single", 1, 1e6);
        make_cell(1, "round-robin", 4, 1e6 - 1e5 * (double)(1 + i * 3 % 8));
        cells[1].summary.is_recommended = true;
        gp_advise(cells, 2, 1, NULL, &advices);
    }
    assert_int_equal(advices.count, GP_ADVICE_MAX);
    for (uint32_t i = 0; i < GP_ADVICE_MAX; i++) {
        assert_true(fabs(advices.all[i].gain - (0.8 - 0.1 * i)) < 1e-9);
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
        cmocka_unit_test(test_estimate),      cmocka_unit_test(test_imported),
        cmocka_unit_test(test_bound),         cmocka_unit_test(test_noise),
        cmocka_unit_test(test_tried),         cmocka_unit_test(test_measured),
        cmocka_unit_test(test_hazards_first), cmocka_unit_test(test_five),
        cmocka_unit_test(test_about),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
