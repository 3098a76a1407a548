/* What the time of streams went to. */
#include "test.h"

#include "analysis/random_run.h"
#include "probe/analysis/stream_use.h"

static struct hand hand;

/* The picture of stream_use.h. */
static void test_picture(void **state)
{
    struct gp_stream_use uses[3];
    struct gp_causes causes;

    (void)state;
    hand_init(&hand, 3);
    (void)hand_kernel(&hand, 0, 1, 4, 11);
    (void)hand_kernel(&hand, 0, 1, 13, 24);
    hand_submit(&hand, hand_kernel(&hand, 1, 1, 25, 32), 20, 25);
    gp_causes_measure(&hand.data, &causes);
    assert_int_equal(gp_stream_use_measure(&causes, uses), 32);
    assert_int_equal(uses[0].ops, 2);
    assert_int_equal(uses[0].busy_ns, 7 + 11);
    assert_int_equal(uses[0].idle_ns, 4 + 2);
    assert_int_equal(uses[0].done_ns, 8);
    assert_int_equal(uses[1].ops, 1);
    assert_int_equal(uses[1].busy_ns, 7);
    assert_int_equal(uses[1].idle_by_ns[GP_CAUSE_NOT_SUBMITTED], 25);
    assert_int_equal(uses[1].done_ns, 0);
    /* Nothing ran on the third. */
    assert_int_equal(uses[2].ops, 0);
    assert_int_equal(uses[2].done_ns, 32);
    gp_causes_finish(&causes);
}

static void test_any_run(void **state)
{
    struct gp_random random = {17};

    (void)state;
    for (int round = 0; round < 300; round++) {
        struct gp_stream_use uses[RANDOM_RUN_STREAMS];
        struct gp_causes causes;
        int64_t last_ns, idle_ns = 0;

        random_run(&hand, &random);
        gp_causes_measure(&hand.data, &causes);
        last_ns = gp_stream_use_measure(&causes, uses);
        for (int i = 0; i < RANDOM_RUN_STREAMS; i++) {
            int64_t by_cause_ns = 0;

            for (int cause = 0; cause < GP_CAUSE_COUNT; cause++) {
                by_cause_ns += uses[i].idle_by_ns[cause];
            }
            assert_int_equal(by_cause_ns, uses[i].idle_ns);
            assert_int_equal(uses[i].busy_ns + uses[i].idle_ns + uses[i].done_ns, last_ns);
            assert_true(uses[i].busy_ns >= 0 && uses[i].done_ns >= 0);
            idle_ns += uses[i].idle_ns;
        }
        assert_int_equal(idle_ns, causes.idle_ns);
        gp_causes_finish(&causes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_picture),
        cmocka_unit_test(test_any_run),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
