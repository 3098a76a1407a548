/* How much of an interval stretches cover. */
#include "test.h"

#include "probe/analysis/stretches.h"

static void test_within(void **state)
{
    struct gp_stretches stretches = {0};
    uint32_t on = 99;

    (void)state;
    assert_int_equal(gp_stretches_within(&stretches, 0, 100, &on), 0);
    gp_stretches_add(&stretches, 10, 20, 1);
    gp_stretches_add(&stretches, 15, 30, 2); /* ten of them new */
    gp_stretches_add(&stretches, 16, 25, 3); /* none */
    gp_stretches_add(&stretches, 50, 60, 4);
    assert_int_equal(stretches.count, 3);
    assert_int_equal(gp_stretches_within(&stretches, 30, 50, &on), 0);
    assert_int_equal(on, 99);
    assert_int_equal(gp_stretches_within(&stretches, 0, 100, &on), 30);
    assert_int_equal(on, 4);
    assert_int_equal(gp_stretches_within(&stretches, 12, 22, &on), 10);
    assert_int_equal(on, 2);
    assert_int_equal(gp_stretches_within(&stretches, 18, 55, &on), 17);
    assert_int_equal(gp_stretches_within(&stretches, 20, 20, &on), 0);
    assert_null(gp_stretches_before(&stretches, 10));
    assert_int_equal(gp_stretches_before(&stretches, 11)->on, 1);
    assert_int_equal(gp_stretches_before(&stretches, 50)->on, 2);
    assert_int_equal(gp_stretches_before(&stretches, 1000)->on, 4);
    gp_stretches_finish(&stretches);
    assert_int_equal(stretches.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_within),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
