/* Runs played again without a cause: small ones by hand, and what holds for any. */
#include "test.h"

#include <math.h>

#include "analysis/hand.h"
#include "analysis/random_run.h"
#include "core/random.h"
#include "probe/analysis/what_if.h"

static struct hand hand;

static int64_t without(enum gp_cause cause)
{
    struct gp_causes causes;
    struct gp_what_if what_if;

    gp_causes_measure(&hand.data, &causes);
    gp_what_if_measure(&causes, &what_if);
    gp_causes_finish(&causes);
    return what_if.without_ns[cause];
}

/* The picture of what_if.h, 10 each. */
static void test_same_stream(void **state)
{
    (void)state;
    hand_init(&hand, 2);
    (void)hand_kernel(&hand, 0, 1, 0, 10);
    (void)hand_kernel(&hand, 0, 1, 10, 20);
    (void)hand_kernel(&hand, 1, 1, 20, 30);
    hand_edge(&hand, 1, 2);
    assert_int_equal(without(GP_CAUSE_SAME_STREAM), 20);
    assert_int_equal(without(GP_CAUSE_DEPENDENCY), 20);
    assert_int_equal(without(GP_CAUSE_ENGINE_BUSY), 30);
}

/* What takes over is what held it less: the engine. */
static void test_next_cause(void **state)
{
    (void)state;
    hand_init(&hand, 2);
    (void)hand_copy(&hand, GP_OP_D2H, 1, 0, 80000);
    (void)hand_kernel(&hand, 0, 1, 0, 100000);
    (void)hand_copy(&hand, GP_OP_D2H, 0, 103000, 150000);
    /* The 3 µs between are what the stream's order cost too. */
    assert_int_equal(without(GP_CAUSE_SAME_STREAM), 80000 + 47000);
}

/* Nothing runs before it arrives, however fast the host. */
static void test_arrival(void **state)
{
    (void)state;
    hand_init(&hand, 1);
    hand_submit(&hand, hand_kernel(&hand, 0, 1, 514000, 600000), 506000, 510000);
    hand.ops[0].release = 500000;
    assert_int_equal(without(GP_CAUSE_NOT_SUBMITTED), 586000);
}

/* The host launches one operation after the other, 15 µs each; without that they all begin. */
static void test_host(void **state)
{
    (void)state;
    hand_init(&hand, 3);
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t op = hand_kernel(&hand, i, 1, 15000 * (int64_t)(i + 1) + 4000,
                                  15000 * (int64_t)(i + 1) + 14000);

        hand_submit(&hand, op, 15000 * (int64_t)i, 15000 * (int64_t)(i + 1));
    }
    assert_int_equal(without(GP_CAUSE_NOT_SUBMITTED), 10000);
}

/* A pageable copy keeps the host 100 µs; the kernel behind it on another stream waits for that. */
static void test_pageable(void **state)
{
    uint32_t copy, kernel;

    (void)state;
    hand_init(&hand, 2);
    copy = hand_copy(&hand, GP_OP_H2D, 0, 5000, 100000);
    hand_submit(&hand, copy, 0, 100000);
    kernel = hand_kernel(&hand, 1, 1, 108000, 208000);
    hand_submit(&hand, kernel, 100000, 104000);
    assert_int_equal(without(GP_CAUSE_PAGEABLE), 108000);
    assert_int_equal(without(GP_CAUSE_SAME_STREAM), 208000);
}

/* Three kernels of 100 ns in a row: without the stream they all take 100, and the bound says 150.
 */
static void test_no_less_than_the_bound(void **state)
{
    struct gp_causes causes;
    struct gp_what_if what_if;

    (void)state;
    hand_init(&hand, 1);
    for (int64_t i = 0; i < 3; i++) {
        (void)hand_kernel(&hand, 0, 1, i * 100, i * 100 + 100);
    }
    gp_causes_measure(&hand.data, &causes);
    gp_what_if_measure(&causes, &what_if);
    assert_int_equal(what_if.without_ns[GP_CAUSE_SAME_STREAM], 100);
    gp_what_if_bound(&what_if, NAN, NAN);
    assert_int_equal(what_if.without_ns[GP_CAUSE_SAME_STREAM], 100);
    what_if.without_ns[GP_CAUSE_NOT_SUBMITTED] = 20;
    gp_what_if_bound(&what_if, 150, 60);
    assert_int_equal(what_if.without_ns[GP_CAUSE_SAME_STREAM], 150);
    assert_int_equal(what_if.without_ns[GP_CAUSE_NOT_SUBMITTED], 60);
    assert_int_equal(what_if.without_ns[GP_CAUSE_UNKNOWN], 300);
    gp_what_if_bound(&what_if, 500, 500);
    assert_int_equal(what_if.without_ns[GP_CAUSE_SAME_STREAM], 300);
    gp_causes_finish(&causes);
}

/* Taking a cause away makes nothing later, and one that held nobody changes nothing. */
static void test_any_run(void **state)
{
    struct gp_random random = {21};

    (void)state;
    for (int round = 0; round < 200; round++) {
        struct gp_causes causes;
        struct gp_what_if what_if;

        random_run(&hand, &random);
        gp_causes_measure(&hand.data, &causes);
        gp_what_if_measure(&causes, &what_if);
        for (int cause = 0; cause < GP_CAUSE_COUNT; cause++) {
            assert_true(what_if.without_ns[cause] <= what_if.as_it_was_ns);
            assert_true(what_if.without_ns[cause] >= 0);
            assert_true(causes.totals[cause].ops > 0 ||
                        what_if.without_ns[cause] == what_if.as_it_was_ns);
        }
        gp_causes_finish(&causes);
    }
}

static void test_nothing(void **state)
{
    (void)state;
    hand_init(&hand, 1);
    assert_int_equal(without(GP_CAUSE_DEPENDENCY), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_stream), cmocka_unit_test(test_next_cause),
        cmocka_unit_test(test_arrival),     cmocka_unit_test(test_host),
        cmocka_unit_test(test_pageable),    cmocka_unit_test(test_any_run),
        cmocka_unit_test(test_nothing),     cmocka_unit_test(test_no_less_than_the_bound),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
