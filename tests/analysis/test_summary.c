/* The figures of a cell and of cells against each other, on hand-made data. */
#include "test.h"

#include <math.h>

#include "probe/analysis/summary.h"

static bool is_near(double a, double b)
{
    return fabs(a - b) < 1e-12;
}

static void test_cell_without_operations(void **state)
{
    static const int64_t plain[] = {100, 120, 110};
    static const int64_t traced[] = {102, 120}, twins[] = {100, 100};
    struct gp_cell_data data = {.plain_ns = plain,
                                .plain_count = 3,
                                .traced_ns = traced,
                                .twin_ns = twins,
                                .pair_count = 2};
    struct gp_cell_summary summary;

    (void)state;
    gp_summary_cell(&data, &summary);
    assert_true(summary.makespan_ns.median == 110);
    assert_true(summary.makespan_ns.lo == 100 && summary.makespan_ns.hi == 120);
    assert_true(is_near(summary.perturbation.median, 1.11));
    assert_int_equal(summary.repeats, 3);
    assert_true(isnan(summary.speedup) && isnan(summary.concurrency));
    assert_true(isnan(summary.copy_compute_overlap) && isnan(summary.latency_p50_ns));
    assert_false(summary.is_best || summary.is_tied || summary.is_recommended);
}

static void test_empty_cell(void **state)
{
    struct gp_cell_data data = {0};
    struct gp_cell_summary summary;

    (void)state;
    gp_summary_cell(&data, &summary);
    assert_true(isnan(summary.makespan_ns.median) && isnan(summary.perturbation.median));
    assert_int_equal(summary.repeats, 0);
}

/*
 *     chain 0   copy 10–30, kernel 30–70   submitted at 5
 *     chain 1   copy 30–50, kernel 60–90   submitted at 8
 *     chain 2   copy without an end
 * Running 10–90 = 80, durations 20 + 40 + 20 + 30 = 110, copies 10–50, kernels 30–90,
 * both 30–50.
 */
static void test_cell_with_operations(void **state)
{
    const struct gp_op_row ops[] = {
        {.id = 0, .chain = 0, .kind = GP_OP_H2D, .begin = 10, .end = 30, .submit_begin = 5},
        {.id = 1, .chain = 0, .kind = GP_OP_KERNEL, .begin = 30, .end = 70, .submit_begin = 6},
        {.id = 2, .chain = 1, .kind = GP_OP_H2D, .begin = 30, .end = 50, .submit_begin = 8},
        {.id = 3, .chain = 1, .kind = GP_OP_KERNEL, .begin = 60, .end = 90, .submit_begin = 9},
        {.id = 4, .chain = 2, .kind = GP_OP_H2D, .begin = 70, .end = GP_UNKNOWN, .submit_begin = 9},
    };
    struct gp_cell_data data = {.ops = ops, .op_count = 5};
    struct gp_cell_summary summary;

    (void)state;
    gp_summary_cell(&data, &summary);
    assert_true(is_near(summary.concurrency, 110.0 / 80.0));
    assert_true(is_near(summary.copy_compute_overlap, 20.0 / 40.0));
    assert_true(summary.latency_p50_ns == 65);
    assert_true(summary.latency_p99_ns == 82);
}

static void test_latency_percentiles(void **state)
{
    struct gp_op_row ops[200] = {0};
    struct gp_cell_data data = {.ops = ops, .op_count = 200};
    struct gp_cell_summary summary;

    (void)state;
    for (uint32_t i = 0; i < 200; i++) {
        ops[i] = (struct gp_op_row){.id = i, .chain = i, .begin = 0, .end = 200 - i};
    }
    gp_summary_cell(&data, &summary);
    assert_true(summary.latency_p50_ns == 100);
    assert_true(summary.latency_p99_ns == 198);
}

/* Of the chains that arrive, from when they should have come. */
static void test_latency_counts_from_arrival(void **state)
{
    const struct gp_op_row ops[] = {
        {.id = 0, .chain = 0, .begin = 0, .end = 900, .release = GP_UNKNOWN},
        {.id = 1, .chain = 1, .begin = 50, .end = 60, .submit_begin = 45, .release = 40},
        {.id = 2, .chain = 1, .begin = 60, .end = 70, .submit_begin = 46, .release = 40},
        {.id = 3, .chain = 2, .begin = 80, .end = 95, .submit_begin = 79, .release = 45},
    };
    struct gp_cell_data data = {.ops = ops, .op_count = 4};
    struct gp_cell_summary summary;

    (void)state;
    gp_summary_cell(&data, &summary);
    assert_true(summary.latency_p50_ns == 30);
    assert_true(summary.latency_p99_ns == 50);
}

static struct gp_cell_summary cell(double median, double lo, double hi)
{
    return (struct gp_cell_summary){.makespan_ns = {median, lo, hi}, .speedup = NAN};
}

/* Three repeats: those of the interval. */
static struct gp_summary_entry entry(int32_t streams, struct gp_cell_summary *summary)
{
    const struct gp_figure *figure = &summary->makespan_ns;

    _Static_assert(sizeof *figure == 3 * sizeof(double), "median, lo, hi");
    return (struct gp_summary_entry){
        .streams = streams,
        .makespans = {(const double *)figure, isnan(figure->median) ? 0
                                              : isnan(figure->lo)   ? 1
                                                                    : 3},
        .summary = summary,
    };
}

static void test_smallest_pool_near_the_best(void **state)
{
    struct gp_cell_summary cells[] = {cell(400, 399, 401), cell(200, 199, 201),
                                      cell(102, 100, 104), cell(101, 99, 103),
                                      cell(100, 99, 101),  cell(NAN, NAN, NAN)};
    struct gp_summary_entry entries[] = {entry(1, &cells[0]),  entry(2, &cells[1]),
                                         entry(4, &cells[2]),  entry(8, &cells[3]),
                                         entry(16, &cells[4]), entry(1, &cells[5])};

    (void)state;
    entries[0].is_single = true;
    gp_summary_compare(entries, 6);
    assert_true(cells[0].speedup == 1 && cells[1].speedup == 2 && cells[4].speedup == 4);
    assert_true(isnan(cells[5].speedup));
    assert_true(cells[4].is_best && !cells[3].is_best && !cells[5].is_best);
    assert_true(cells[2].is_recommended && !cells[3].is_recommended && !cells[4].is_recommended);
    /* Of each round the third took 1 longer than the fourth. */
    assert_false(cells[0].is_tied || cells[1].is_tied || cells[2].is_tied || cells[5].is_tied);
    assert_true(cells[3].is_tied && cells[4].is_tied);
}

static void test_equal_pools_go_to_the_faster(void **state)
{
    struct gp_cell_summary cells[] = {cell(101, 101, 101), cell(100, 100, 100)};
    const struct gp_summary_entry entries[] = {entry(4, &cells[0]), entry(4, &cells[1])};

    (void)state;
    gp_summary_compare(entries, 2);
    assert_true(cells[1].is_recommended && !cells[0].is_recommended);
    assert_true(isnan(cells[0].speedup)); /* nothing to compare with */
    assert_false(cells[0].is_tied);
}

static void test_one_repeat_decides_nothing(void **state)
{
    struct gp_cell_summary cells[] = {cell(200, NAN, NAN), cell(100, NAN, NAN)};
    const struct gp_summary_entry entries[] = {entry(1, &cells[0]), entry(4, &cells[1])};

    (void)state;
    gp_summary_compare(entries, 2);
    assert_true(cells[0].is_tied && cells[1].is_tied);
    assert_true(cells[1].is_best && cells[1].is_recommended);
}

/* A smaller pool whose repeats reach from better to worse may be as good; one that is worse by far
 * more than it varies is not, and what is within 2 % is good enough. */
static void test_what_cannot_be_told_apart(void **state)
{
    struct gp_cell_summary cells[] = {cell(150, 149, 151), cell(108, 80, 140), cell(100, 98, 102),
                                      cell(101, 101, 101), cell(99, 99, 99)};
    const struct gp_summary_entry noisy[] = {entry(1, &cells[0]), entry(2, &cells[1]),
                                             entry(4, &cells[2])};
    const struct gp_summary_entry exact[] = {entry(4, &cells[3]), entry(8, &cells[4])};

    (void)state;
    gp_summary_compare(noisy, 3);
    assert_true(!cells[0].is_tied && cells[1].is_tied && cells[2].is_tied);
    assert_true(cells[1].is_recommended && cells[2].is_best);
    gp_summary_compare(exact, 2);
    assert_true(!cells[3].is_tied && cells[4].is_tied);
    assert_true(cells[4].is_recommended);
    cells[3] = cell(100, 100, 100);
    gp_summary_compare(exact, 2);
    assert_true(!cells[3].is_tied && cells[3].is_recommended);
}

static void test_against_round_robin_of_the_same_size(void **state)
{
    struct gp_cell_summary cells[] = {cell(100, 99, 101),  cell(98, 97, 99), cell(90, 89, 98.5),
                                      cell(120, 110, 130), cell(90, 89, 91), cell(50, NAN, NAN),
                                      cell(20, 19, 21),    cell(30, 29, 31)};
    const struct gp_summary_entry entries[] = {
        {.is_round_robin = true, .streams = 4, .summary = &cells[0]},
        {.streams = 4, .summary = &cells[1]},
        {.streams = 4, .summary = &cells[2]},
        {.streams = 4, .summary = &cells[3]},
        {.streams = 8, .summary = &cells[4]},
        {.streams = 4, .summary = &cells[5]},
        {.is_round_robin = true, .streams = 4, .submit = GP_SUBMIT_GRAPH, .summary = &cells[6]},
        {.streams = 4, .submit = GP_SUBMIT_GRAPH, .summary = &cells[7]},
    };
    static const enum gp_versus expected[] = {
        GP_VERSUS_SAME,    GP_VERSUS_SAME,    GP_VERSUS_FASTER, GP_VERSUS_SLOWER,
        GP_VERSUS_UNKNOWN, GP_VERSUS_UNKNOWN, GP_VERSUS_SAME,   GP_VERSUS_SLOWER};

    (void)state;
    gp_summary_compare(entries, 8);
    for (int i = 0; i < 8; i++) {
        assert_int_equal(cells[i].versus_round_robin, expected[i]);
    }
}

static void test_nothing_to_compare(void **state)
{
    struct gp_cell_summary cells[] = {cell(NAN, NAN, NAN)};
    const struct gp_summary_entry entries[] = {
        {.is_single = true, .streams = 1, .summary = &cells[0]}};

    (void)state;
    gp_summary_compare(entries, 1);
    assert_false(cells[0].is_best || cells[0].is_recommended || cells[0].is_tied);
    gp_summary_compare(NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cell_without_operations),
        cmocka_unit_test(test_empty_cell),
        cmocka_unit_test(test_cell_with_operations),
        cmocka_unit_test(test_latency_percentiles),
        cmocka_unit_test(test_latency_counts_from_arrival),
        cmocka_unit_test(test_smallest_pool_near_the_best),
        cmocka_unit_test(test_equal_pools_go_to_the_faster),
        cmocka_unit_test(test_one_repeat_decides_nothing),
        cmocka_unit_test(test_what_cannot_be_told_apart),
        cmocka_unit_test(test_against_round_robin_of_the_same_size),
        cmocka_unit_test(test_nothing_to_compare),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
