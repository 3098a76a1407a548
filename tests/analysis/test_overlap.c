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

static void assert_overlap(const struct gp_op_row *ops, uint32_t count,
                           const struct gp_overlap *expected)
{
    struct gp_overlap got;

    gp_overlap_measure(ops, count, &got);
    assert_int_equal((int64_t)got.total_ns, (int64_t)expected->total_ns);
    assert_int_equal(got.running_ns, expected->running_ns);
    assert_int_equal(got.copy_ns, expected->copy_ns);
    assert_int_equal(got.kernel_ns, expected->kernel_ns);
    assert_int_equal(got.both_ns, expected->both_ns);
    assert_int_equal(got.h2d_ns, expected->h2d_ns);
    assert_int_equal(got.d2h_ns, expected->d2h_ns);
    assert_int_equal(got.duplex_ns, expected->duplex_ns);
    assert_int_equal(got.most_at_once, expected->most_at_once);
    for (int i = 0; i <= GP_AT_ONCE_MAX; i++) {
        assert_int_equal(got.at_once_ns[i], expected->at_once_ns[i]);
    }
}

static void test_nothing(void **state)
{
    const struct gp_overlap nothing = {0};
    const struct gp_op_row unknown[] = {op(GP_OP_KERNEL, GP_UNKNOWN, 10),
                                        op(GP_OP_H2D, 3, GP_UNKNOWN), op(GP_OP_KERNEL, 5, 5)};

    (void)state;
    assert_overlap(NULL, 0, &nothing);
    assert_overlap(unknown, 3, &nothing);
}

static void test_one_after_the_other(void **state)
{
    const struct gp_op_row ops[] = {op(GP_OP_H2D, 0, 10), op(GP_OP_KERNEL, 10, 30),
                                    op(GP_OP_D2H, 35, 40)};

    const struct gp_overlap expected = {.total_ns = 35,
                                        .running_ns = 35,
                                        .copy_ns = 15,
                                        .kernel_ns = 20,
                                        .h2d_ns = 10,
                                        .d2h_ns = 5,
                                        .at_once_ns = {5, 35},
                                        .most_at_once = 1};

    (void)state;
    assert_overlap(ops, 3, &expected);
}

static void test_side_by_side(void **state)
{
    const struct gp_op_row ops[] = {op(GP_OP_KERNEL, 0, 10), op(GP_OP_KERNEL, 2, 8),
                                    op(GP_OP_KERNEL, 0, 10)};

    const struct gp_overlap expected = {.total_ns = 26,
                                        .running_ns = 10,
                                        .kernel_ns = 10,
                                        .at_once_ns = {0, 0, 4, 6},
                                        .most_at_once = 3};

    (void)state;
    assert_overlap(ops, 3, &expected);
}

/* The picture of overlap.h. */
static void test_picture(void **state)
{
    const struct gp_op_row ops[] = {op(GP_OP_KERNEL, 16, 29), op(GP_OP_H2D, 0, 9),
                                    op(GP_OP_D2H, 24, 33), op(GP_OP_KERNEL, 5, 18),
                                    op(GP_OP_D2H, 3, 11)};
    const struct gp_overlap expected = {.total_ns = 52,
                                        .running_ns = 33,
                                        .copy_ns = 11 + 9,
                                        .kernel_ns = 24,
                                        .both_ns = 6 + 5,
                                        .h2d_ns = 9,
                                        .d2h_ns = 8 + 9,
                                        .duplex_ns = 6,
                                        .at_once_ns = {0, 18, 11, 4},
                                        .most_at_once = 3};

    (void)state;
    assert_overlap(ops, 5, &expected);
}

/* As many as there is no place for. */
static void test_very_many(void **state)
{
    struct gp_op_row ops[GP_AT_ONCE_MAX + 2];
    struct gp_overlap expected = {.running_ns = 10, .kernel_ns = 10};

    (void)state;
    for (int i = 0; i < GP_AT_ONCE_MAX + 2; i++) {
        ops[i] = op(GP_OP_KERNEL, 0, 10);
    }
    expected.total_ns = 10 * (GP_AT_ONCE_MAX + 2);
    expected.most_at_once = GP_AT_ONCE_MAX + 2;
    expected.at_once_ns[GP_AT_ONCE_MAX] = 10;
    assert_overlap(ops, GP_AT_ONCE_MAX + 2, &expected);
}

static void test_memset_is_neither(void **state)
{
    const struct gp_op_row ops[] = {op(GP_OP_MEMSET, -5, 5), op(GP_OP_D2D, 0, 10),
                                    op(GP_OP_KERNEL, 20, 21)};

    const struct gp_overlap expected = {.total_ns = 21,
                                        .running_ns = 16,
                                        .copy_ns = 10,
                                        .kernel_ns = 1,
                                        .at_once_ns = {10, 11, 5},
                                        .most_at_once = 2};

    (void)state;
    assert_overlap(ops, 3, &expected);
}

enum { SPAN = 200, RANDOM_OPS = 30 };

/* How many of a kind run at a moment; GP_OP_KIND_COUNT: of all that run on the device. */
static uint32_t count_at(const struct gp_op_row *ops, uint32_t count, int64_t at,
                         enum gp_op_kind kind)
{
    uint32_t found = 0;

    for (uint32_t i = 0; i < count; i++) {
        bool is_wanted = kind == GP_OP_KIND_COUNT
                             ? ops[i].kind != GP_OP_HOST && ops[i].kind != GP_OP_VALUE &&
                                   ops[i].kind != GP_OP_ALLOC && ops[i].kind != GP_OP_FREE
                             : ops[i].kind == kind;

        found += is_wanted && ops[i].begin <= at && at < ops[i].end ? 1 : 0;
    }
    return found;
}

/* Looks at every nanosecond; those in which nothing runs count only between others. */
static struct gp_overlap measure_slowly(const struct gp_op_row *ops, uint32_t count)
{
    struct gp_overlap sum = {0};
    int64_t nothing_ns = 0;

    for (int64_t at = 0; at < SPAN; at++) {
        uint32_t all = count_at(ops, count, at, GP_OP_KIND_COUNT);
        bool up = count_at(ops, count, at, GP_OP_H2D) > 0;
        bool down = count_at(ops, count, at, GP_OP_D2H) > 0;
        bool copies = up || down || count_at(ops, count, at, GP_OP_D2D) > 0;
        bool kernels = count_at(ops, count, at, GP_OP_KERNEL) > 0;

        nothing_ns = all > 0 ? 0 : nothing_ns + (sum.running_ns > 0);
        sum.total_ns += all;
        sum.running_ns += all > 0;
        sum.copy_ns += copies;
        sum.kernel_ns += kernels;
        sum.both_ns += copies && kernels;
        sum.h2d_ns += up;
        sum.d2h_ns += down;
        sum.duplex_ns += up && down;
        sum.at_once_ns[all] += all > 0 || sum.running_ns > 0;
        sum.most_at_once = all > sum.most_at_once ? all : sum.most_at_once;
    }
    sum.at_once_ns[0] -= nothing_ns;
    return sum;
}

static void test_random_timelines(void **state)
{
    struct gp_random random = {1};

    (void)state;
    for (int round = 0; round < 200; round++) {
        struct gp_op_row ops[RANDOM_OPS];
        struct gp_overlap expected;

        for (int i = 0; i < RANDOM_OPS; i++) {
            int64_t begin = (int64_t)gp_random_below(&random, SPAN);
            int64_t left = (int64_t)gp_random_below(&random, (uint64_t)(SPAN - begin));

            ops[i] = op((enum gp_op_kind)gp_random_below(&random, GP_OP_KIND_COUNT), begin,
                        begin + left / 4);
        }
        expected = measure_slowly(ops, RANDOM_OPS);
        assert_overlap(ops, RANDOM_OPS, &expected);
        assert_true(expected.running_ns <= SPAN);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing),           cmocka_unit_test(test_one_after_the_other),
        cmocka_unit_test(test_side_by_side),      cmocka_unit_test(test_picture),
        cmocka_unit_test(test_memset_is_neither), cmocka_unit_test(test_random_timelines),
        cmocka_unit_test(test_very_many),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
