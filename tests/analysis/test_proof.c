/* When an experiment proves a cause, and when it only made the cell faster. */
#include "test.h"

#include <math.h>

#include "probe/analysis/proof.h"

static struct gp_cause_total before[GP_CAUSE_COUNT], after[GP_CAUSE_COUNT];
static const struct gp_comparison faster = {.ratio = {0.5, 0.49, 0.51}, .answer = GP_ANSWER_FASTER};
static const struct gp_comparison same = {.ratio = {1, 0.99, 1.01}, .answer = GP_ANSWER_UNTOLD};
static const struct gp_comparison none = {.ratio = {NAN, NAN, NAN}, .answer = GP_ANSWER_UNTOLD};

/* A NULL stream that costs much, and a line that costs little. */
static int set_up(void **state)
{
    (void)state;
    for (int i = 0; i < GP_CAUSE_COUNT; i++) {
        before[i] = after[i] = (struct gp_cause_total){.worst_op = GP_NO_OP};
    }
    before[GP_CAUSE_NULL_STREAM].idle_ns = 22640000;
    before[GP_CAUSE_HEAD_OF_LINE].idle_ns = 324000;
    return 0;
}

static void test_proven(void **state)
{
    enum gp_cause other = GP_CAUSE_COUNT;

    (void)state;
    assert_int_equal(gp_proof_judge(GP_CAUSE_NULL_STREAM, &faster, before, after, &other),
                     GP_PROVED_YES);
    assert_int_equal(other, GP_CAUSE_COUNT);
    assert_int_equal(gp_proof_judge(GP_CAUSE_NULL_STREAM, &same, before, after, &other),
                     GP_PROVED_NO);
    assert_int_equal(gp_proof_judge(GP_CAUSE_NULL_STREAM, &faster, before, NULL, &other),
                     GP_PROVED_NO);
}

/* Another policy took the NULL stream away, and with it the line. */
static void test_confounded(void **state)
{
    enum gp_cause other = GP_CAUSE_COUNT;

    (void)state;
    assert_int_equal(gp_proof_judge(GP_CAUSE_HEAD_OF_LINE, &faster, before, after, &other),
                     GP_PROVED_CONFOUNDED);
    assert_int_equal(other, GP_CAUSE_NULL_STREAM);
    /* What nothing removes is no other explanation. */
    after[GP_CAUSE_NULL_STREAM] = before[GP_CAUSE_NULL_STREAM];
    before[GP_CAUSE_DEPENDENCY].idle_ns = 500000;
    assert_int_equal(gp_proof_judge(GP_CAUSE_HEAD_OF_LINE, &faster, before, after, &other),
                     GP_PROVED_YES);
}

/* Faster, and streams are as idle for it as before. */
static void test_still_there(void **state)
{
    enum gp_cause other = GP_CAUSE_COUNT;

    (void)state;
    after[GP_CAUSE_HEAD_OF_LINE].idle_ns = before[GP_CAUSE_HEAD_OF_LINE].idle_ns;
    assert_int_equal(gp_proof_judge(GP_CAUSE_HEAD_OF_LINE, &faster, before, after, &other),
                     GP_PROVED_STILL_THERE);
    after[GP_CAUSE_HEAD_OF_LINE].idle_ns = 320000;
    assert_int_equal(gp_proof_judge(GP_CAUSE_HEAD_OF_LINE, &faster, before, after, &other),
                     GP_PROVED_STILL_THERE);
    assert_int_equal(gp_proof_judge(GP_CAUSE_PRIORITY, &faster, before, after, &other),
                     GP_PROVED_STILL_THERE);
}

static void test_limit(void **state)
{
    enum gp_cause other = GP_CAUSE_COUNT;

    (void)state;
    assert_int_equal(gp_proof_judge(GP_CAUSE_SM_FULL, &same, before, after, &other),
                     GP_PROVED_AS_EXPECTED);
    assert_int_equal(gp_proof_judge(GP_CAUSE_SM_FULL, &faster, before, after, &other),
                     GP_PROVED_NO);
    assert_int_equal(gp_proof_judge(GP_CAUSE_SM_FULL, &none, before, after, &other), GP_PROVED_NO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_proven, set_up),
        cmocka_unit_test_setup(test_confounded, set_up),
        cmocka_unit_test_setup(test_still_there, set_up),
        cmocka_unit_test_setup(test_limit, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
