/* What blocks made of the SMs, of runs made by hand. */
#include "test.h"

#include <math.h>

#include "analysis/hand.h"
#include "probe/analysis/block_use.h"

/* Of operation 1, the picture of block_use.h: six blocks on four SMs, two at a time on none. */
static struct gp_block_row blocks[] = {
    {.op = 0, .block = 0, .sm = 9, .begin = 0, .end = 900},
    {.op = 1, .block = 0, .sm = 0, .begin = 1000, .end = 1100},
    {.op = 1, .block = 1, .sm = 1, .begin = 1000, .end = 1100},
    {.op = 1, .block = 2, .sm = 2, .begin = 1010, .end = 1110},
    {.op = 1, .block = 3, .sm = 3, .begin = 1010, .end = 1160},
    {.op = 1, .block = 4, .sm = 0, .begin = 1100, .end = 1200},
    {.op = 1, .block = 5, .sm = 1, .begin = 1120, .end = 1220},
    {.op = 3, .block = 0, .sm = 9, .begin = 2000, .end = 2000},
};

static struct hand hand;

static void make(void)
{
    hand_init(&hand, 1);
    for (int64_t begin = 0; begin < 4000; begin += 1000) {
        (void)hand_kernel(&hand, 0, 6, begin, begin + 900);
    }
    hand.data.blocks = blocks;
    hand.data.block_count = sizeof blocks / sizeof blocks[0];
}

static void test_a_kernel_with_a_tail(void **state)
{
    struct gp_block_use use;

    (void)state;
    make();
    assert_true(gp_block_use_measure(&hand.data, 1, &use));
    assert_int_equal(use.blocks, 6);
    assert_int_equal(use.sms, 4);
    assert_int_equal(use.at_once, 4);
    assert_int_equal(use.waves, 2);
    assert_int_equal(use.first_begin, 1000);
    assert_int_equal(use.last_begin, 1120);
    assert_int_equal(use.end, 1220);
    /* SM 2 was the first to have no more. */
    assert_int_equal(use.idle_from, 1110);
    assert_int_equal(use.median_ns, 100);
    assert_int_equal(use.longest_ns, 150);
    assert_true(fabs(use.imbalance - 1.5) < 1e-9);
}

/* The only block of a kernel, and one shorter than the timer's tick. */
static void test_a_single_block(void **state)
{
    struct gp_block_use use;

    (void)state;
    make();
    assert_true(gp_block_use_measure(&hand.data, 0, &use));
    assert_int_equal(use.sms, 1);
    assert_int_equal(use.waves, 1);
    assert_int_equal(use.idle_from, use.end);
    assert_true(gp_block_use_measure(&hand.data, 3, &use));
    assert_int_equal(use.at_once, 1);
    assert_int_equal(use.longest_ns, 0);
    assert_true(isnan(use.imbalance));
}

static void test_blocks_that_were_not_recorded(void **state)
{
    struct gp_block_use use;
    uint32_t count = 7;

    (void)state;
    make();
    assert_null(gp_run_blocks(&hand.data, 2, &count));
    assert_int_equal(count, 0);
    assert_false(gp_block_use_measure(&hand.data, 2, &use));
    assert_ptr_equal(gp_run_blocks(&hand.data, 3, &count), &blocks[7]);
    assert_int_equal(count, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_kernel_with_a_tail),
        cmocka_unit_test(test_a_single_block),
        cmocka_unit_test(test_blocks_that_were_not_recorded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
