/* When an experiment proves a cause, and when it only made the cell faster. */
#include "test.h"

#include <math.h>

#include "probe/analysis/proof.h"

static struct gp_burdens before, after;
static const struct gp_comparison faster = {.ratio = {0.5, 0.49, 0.51}, .answer = GP_ANSWER_FASTER};
static const struct gp_comparison same = {.ratio = {1, 0.99, 1.01}, .answer = GP_ANSWER_UNTOLD};
static const struct gp_comparison none = {.ratio = {NAN, NAN, NAN}, .answer = GP_ANSWER_UNTOLD};

/* It cost so much of the makespan, and was waited for as long. */
static struct gp_burden burden(int64_t ns)
{
    return (struct gp_burden){.cost_ns = ns, .waited_ns = ns};
}

/* A NULL stream that costs much, and a line that costs little. */
static int set_up(void **state)
{
    (void)state;
    for (int i = 0; i < GP_CAUSE_COUNT; i++) {
        before.of[i] = after.of[i] = burden(0);
    }
    before.makespan_ns = 40000000;
    after.makespan_ns = 20000000;
    before.of[GP_CAUSE_NULL_STREAM] = burden(22640000);
    before.of[GP_CAUSE_HEAD_OF_LINE] = burden(324000);
    return 0;
}

static void test_proven(void **state)
{
    enum gp_cause other = GP_CAUSE_COUNT;

    (void)state;
    assert_int_equal(gp_proof_judge(GP_CAUSE_NULL_STREAM, &faster, &before, &after, &other),
                     GP_PROVED_YES);
    assert_int_equal(other, GP_CAUSE_COUNT);
    assert_int_equal(gp_proof_judge(GP_CAUSE_NULL_STREAM, &same, &before, &after, &other),
                     GP_PROVED_NO);
    assert_int_equal(gp_proof_judge(GP_CAUSE_NULL_STREAM, &faster, &before, NULL, &other),
                     GP_PROVED_NO);
}

/* Another policy took the NULL stream away, and with it the line. */
static void test_confounded(void **state)
{
    enum gp_cause other = GP_CAUSE_COUNT;

    (void)state;
    assert_int_equal(gp_proof_judge(GP_CAUSE_HEAD_OF_LINE, &faster, &before, &after, &other),
                     GP_PROVED_CONFOUNDED);
    assert_int_equal(other, GP_CAUSE_NULL_STREAM);
    /* What nothing removes is no other explanation. */
    after.of[GP_CAUSE_NULL_STREAM] = before.of[GP_CAUSE_NULL_STREAM];
    before.of[GP_CAUSE_DEPENDENCY] = burden(500000);
    before.makespan_ns = after.makespan_ns + 400000;
    assert_int_equal(gp_proof_judge(GP_CAUSE_HEAD_OF_LINE, &faster, &before, &after, &other),
                     GP_PROVED_YES);
}

/* Faster, and it is waited for as long as before. */
static void test_still_there(void **state)
{
    enum gp_cause other = GP_CAUSE_COUNT;

    (void)state;
    after.of[GP_CAUSE_HEAD_OF_LINE] = before.of[GP_CAUSE_HEAD_OF_LINE];
    assert_int_equal(gp_proof_judge(GP_CAUSE_HEAD_OF_LINE, &faster, &before, &after, &other),
                     GP_PROVED_STILL_THERE);
    after.of[GP_CAUSE_HEAD_OF_LINE] = burden(320000);
    assert_int_equal(gp_proof_judge(GP_CAUSE_HEAD_OF_LINE, &faster, &before, &after, &other),
                     GP_PROVED_STILL_THERE);
    assert_int_equal(gp_proof_judge(GP_CAUSE_PRIORITY, &faster, &before, &after, &other),
                     GP_PROVED_STILL_THERE);
}

/* Behind work of their own stream operations wait while nothing is idle; four streams instead of
 * one are idle for the host four times as long, who is no slower than before. */
static void test_idle_time_does_not_count(void **state)
{
    enum gp_cause other = GP_CAUSE_COUNT;

    (void)state;
    before.of[GP_CAUSE_NULL_STREAM] = burden(0);
    before.of[GP_CAUSE_SAME_STREAM] = burden(60000000);
    after.of[GP_CAUSE_SAME_STREAM] = burden(8000000);
    before.of[GP_CAUSE_NOT_SUBMITTED] = (struct gp_burden){9000, 400000, 400000};
    after.of[GP_CAUSE_NOT_SUBMITTED] = (struct gp_burden){9000, 400000, 1600000};
    assert_int_equal(gp_proof_judge(GP_CAUSE_SAME_STREAM, &faster, &before, &after, &other),
                     GP_PROVED_YES);
    assert_int_equal(gp_proof_judge(GP_CAUSE_NOT_SUBMITTED, &faster, &before, &after, &other),
                     GP_PROVED_STILL_THERE);
}

/* The last of a queue waits for all before it: that sum is no measure beside another cause's. */
static void test_waits_of_causes_are_not_compared(void **state)
{
    enum gp_cause other = GP_CAUSE_COUNT;

    (void)state;
    before.of[GP_CAUSE_SAME_STREAM] = (struct gp_burden){.waited_ns = 900000000};
    after.of[GP_CAUSE_SAME_STREAM] = (struct gp_burden){.waited_ns = 400000000};
    assert_int_equal(gp_proof_judge(GP_CAUSE_NULL_STREAM, &faster, &before, &after, &other),
                     GP_PROVED_YES);
}

/* What a model is certain of and nobody would notice. */
static void test_hardly(void **state)
{
    const struct gp_comparison hardly = {.ratio = {0.9996, 0.9996, 0.9996},
                                         .answer = GP_ANSWER_FASTER};
    enum gp_cause other = GP_CAUSE_COUNT;

    (void)state;
    assert_int_equal(gp_proof_judge(GP_CAUSE_NULL_STREAM, &hardly, &before, &after, &other),
                     GP_PROVED_HARDLY);
    assert_int_equal(gp_proof_judge(GP_CAUSE_SM_FULL, &hardly, &before, &after, &other),
                     GP_PROVED_AS_EXPECTED);
}

static void test_burdens(void **state)
{
    struct gp_causes causes = {0};
    struct gp_what_if what_if = {.causes = &causes, .as_it_was_ns = 100};
    struct gp_burdens burdens;

    (void)state;
    for (int i = 0; i < GP_CAUSE_COUNT; i++) {
        what_if.without_ns[i] = 100;
    }
    what_if.without_ns[GP_CAUSE_CONNECTION] = 40;
    causes.totals[GP_CAUSE_CONNECTION] = (struct gp_cause_total){.idle_ns = 7, .waited_ns = 90};
    gp_burdens_measure(&what_if, &burdens);
    assert_int_equal(burdens.makespan_ns, 100);
    assert_int_equal(burdens.of[GP_CAUSE_CONNECTION].cost_ns, 60);
    assert_int_equal(burdens.of[GP_CAUSE_CONNECTION].waited_ns, 90);
    assert_int_equal(burdens.of[GP_CAUSE_CONNECTION].idle_ns, 7);
    assert_int_equal(burdens.of[GP_CAUSE_UNKNOWN].cost_ns, 0);
}

/* Waited for less, and it had cost next to nothing. */
static void test_otherwise(void **state)
{
    enum gp_cause other = GP_CAUSE_COUNT;

    (void)state;
    before.of[GP_CAUSE_NULL_STREAM] = burden(0);
    assert_int_equal(gp_proof_judge(GP_CAUSE_HEAD_OF_LINE, &faster, &before, &after, &other),
                     GP_PROVED_OTHERWISE);
    assert_int_equal(other, GP_CAUSE_COUNT);
    before.of[GP_CAUSE_HEAD_OF_LINE] = burden(2000000);
    assert_int_equal(gp_proof_judge(GP_CAUSE_HEAD_OF_LINE, &faster, &before, &after, &other),
                     GP_PROVED_YES);
}

static void test_limit(void **state)
{
    enum gp_cause other = GP_CAUSE_COUNT;

    (void)state;
    assert_int_equal(gp_proof_judge(GP_CAUSE_SM_FULL, &same, &before, &after, &other),
                     GP_PROVED_AS_EXPECTED);
    assert_int_equal(gp_proof_judge(GP_CAUSE_SM_FULL, &faster, &before, &after, &other),
                     GP_PROVED_NO);
    assert_int_equal(gp_proof_judge(GP_CAUSE_SM_FULL, &none, &before, &after, &other),
                     GP_PROVED_NO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_proven, set_up),
        cmocka_unit_test_setup(test_confounded, set_up),
        cmocka_unit_test_setup(test_still_there, set_up),
        cmocka_unit_test_setup(test_idle_time_does_not_count, set_up),
        cmocka_unit_test_setup(test_waits_of_causes_are_not_compared, set_up),
        cmocka_unit_test_setup(test_otherwise, set_up),
        cmocka_unit_test_setup(test_hardly, set_up),
        cmocka_unit_test(test_burdens),
        cmocka_unit_test_setup(test_limit, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
