/* Overlap of small timelines whose figures are computed by hand, and of random ones by brute force.
 */
#include "test.h"

#include <string.h>

#include "core/random.h"
#include "probe/analysis/overlap.h"

static struct gp_op_row op(enum gp_op_kind kind, int64_t begin, int64_t end)
{
    return (struct gp_op_row){.kind = kind, .begin = begin, .end = end};
}

static void assert_overlap(const struct gp_op_row *ops, uint32_t count, struct gp_overlap expected)
{
    struct gp_overlap got;

    gp_overlap_measure(ops, count, &got);
    assert_int_equal((int64_t)got.total_ns, (int64_t)expected.total_ns);
    assert_int_equal(got.running_ns, expected.running_ns);
    assert_int_equal(got.copy_ns, expected.copy_ns);
    assert_int_equal(got.kernel_ns, expected.kernel_ns);
    assert_int_equal(got.both_ns, expected.both_ns);
}

static void test_nothing(void **state)
{
    const struct gp_op_row unknown[] = {op(GP_OP_KERNEL, GP_UNKNOWN, 10),
                                        op(GP_OP_H2D, 3, GP_UNKNOWN), op(GP_OP_KERNEL, 5, 5)};

    (void)state;
    assert_overlap(NULL, 0, (struct gp_overlap){0});
    assert_overlap(unknown, 3, (struct gp_overlap){0});
}

static void test_one_after_the_other(void **state)
{
    const struct gp_op_row ops[] = {op(GP_OP_H2D, 0, 10), op(GP_OP_KERNEL, 10, 30),
                                    op(GP_OP_D2H, 35, 40)};

    (void)state;
    assert_overlap(ops, 3, (struct gp_overlap){35, 35, 15, 20, 0});
}

static void test_side_by_side(void **state)
{
    const struct gp_op_row ops[] = {op(GP_OP_KERNEL, 0, 10), op(GP_OP_KERNEL, 2, 8),
                                    op(GP_OP_KERNEL, 0, 10)};

    (void)state;
    assert_overlap(ops, 3, (struct gp_overlap){26, 10, 0, 10, 0});
}

/* The picture of overlap.h. */
static void test_copies_beside_kernels(void **state)
{
    const struct gp_op_row ops[] = {op(GP_OP_KERNEL, 17, 29), op(GP_OP_H2D, 0, 9),
                                    op(GP_OP_D2H, 24, 31), op(GP_OP_KERNEL, 5, 18)};

    (void)state;
    assert_overlap(ops, 4, (struct gp_overlap){41, 31, 16, 24, 9});
}

static void test_memset_is_neither(void **state)
{
    const struct gp_op_row ops[] = {op(GP_OP_MEMSET, -5, 5), op(GP_OP_D2D, 0, 10),
                                    op(GP_OP_KERNEL, 20, 21)};

    (void)state;
    assert_overlap(ops, 3, (struct gp_overlap){21, 16, 10, 1, 0});
}

enum { SPAN = 200, RANDOM_OPS = 30 };

/* Looks at every nanosecond. */
static struct gp_overlap measure_slowly(const struct gp_op_row *ops, uint32_t count)
{
    struct gp_overlap sum = {0};

    for (int64_t at = 0; at < SPAN; at++) {
        bool copies = false, kernels = false, any = false;

        for (uint32_t i = 0; i < count; i++) {
            enum gp_op_kind kind = ops[i].kind;

            if (ops[i].begin > at || at >= ops[i].end || kind == GP_OP_HOST ||
                kind == GP_OP_VALUE || kind == GP_OP_ALLOC || kind == GP_OP_FREE) {
                continue;
            }
            sum.total_ns++;
            any = true;
            kernels = kernels || kind == GP_OP_KERNEL;
            copies = copies || kind == GP_OP_H2D || kind == GP_OP_D2H || kind == GP_OP_D2D;
        }
        sum.running_ns += any;
        sum.copy_ns += copies;
        sum.kernel_ns += kernels;
        sum.both_ns += copies && kernels;
    }
    return sum;
}

static void test_random_timelines(void **state)
{
    struct gp_random random = {1};

    (void)state;
    for (int round = 0; round < 200; round++) {
        struct gp_op_row ops[RANDOM_OPS];

        for (int i = 0; i < RANDOM_OPS; i++) {
            int64_t begin = (int64_t)gp_random_below(&random, SPAN);
            int64_t left = (int64_t)gp_random_below(&random, (uint64_t)(SPAN - begin));

            ops[i] = op((enum gp_op_kind)gp_random_below(&random, GP_OP_KIND_COUNT), begin,
                        begin + left / 4);
        }
        assert_overlap(ops, RANDOM_OPS, measure_slowly(ops, RANDOM_OPS));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing),           cmocka_unit_test(test_one_after_the_other),
        cmocka_unit_test(test_side_by_side),      cmocka_unit_test(test_copies_beside_kernels),
        cmocka_unit_test(test_memset_is_neither), cmocka_unit_test(test_random_timelines),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
