/* Medians and their intervals. */
#include "test.h"

#include <math.h>
#include <stdbool.h>

#include "core/random.h"
#include "probe/analysis/summary.h"

static void test_few_values(void **state)
{
    static const double one[] = {7};
    static const double two[] = {4, 2};
    static const double same[] = {5, 5, 5, 5, 5};
    struct gp_figure figure = gp_figure_median(NULL, 0);

    (void)state;
    assert_true(isnan(figure.median) && isnan(figure.lo) && isnan(figure.hi));
    figure = gp_figure_median(one, 1);
    assert_true(figure.median == 7 && isnan(figure.lo) && isnan(figure.hi));
    figure = gp_figure_median(two, 2);
    assert_true(figure.median == 3 && figure.lo == 2 && figure.hi == 4);
    figure = gp_figure_median(same, 5);
    assert_true(figure.median == 5 && figure.lo == 5 && figure.hi == 5);
}

static void test_order_does_not_matter(void **state)
{
    static const double up[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 100};
    static const double mixed[] = {100, 3, 9, 1, 5, 7, 2, 8, 6, 4};
    struct gp_figure a = gp_figure_median(up, 10);
    struct gp_figure b = gp_figure_median(mixed, 10);

    (void)state;
    assert_true(a.median == 5.5 && b.median == 5.5);
    assert_true(a.lo == b.lo && a.hi == b.hi);
    assert_true(a.lo >= 1 && a.lo < 5.5 && a.hi > 5.5 && a.hi < 100);
}

/* By the binomial distribution, the 95 % interval of a median of 101 values reaches from about the
 * 41st to the 61st of them; the bootstrap comes close. */
static void test_interval_has_the_known_width(void **state)
{
    double values[101];
    struct gp_figure figure;

    (void)state;
    for (int i = 0; i < 101; i++) {
        values[i] = i;
    }
    figure = gp_figure_median(values, 101);
    assert_true(figure.median == 50);
    assert_true(fabs(figure.lo - 40) <= 2 && fabs(figure.hi - 60) <= 2);
}

/* Of 400 samples from a known distribution about 95 % of the intervals must hold its median. */
static void test_interval_covers(void **state)
{
    struct gp_random random = {42};
    int covered = 0;

    (void)state;
    for (int round = 0; round < 400; round++) {
        double values[25];
        struct gp_figure figure;

        for (int i = 0; i < 25; i++) {
            values[i] = (double)gp_random_below(&random, 1000001); /* median 500 000 */
        }
        figure = gp_figure_median(values, 25);
        covered += figure.lo <= 500000 && figure.hi >= 500000;
    }
    assert_in_range(covered, 400 * 90 / 100, 400 * 99 / 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_few_values),
        cmocka_unit_test(test_order_does_not_matter),
        cmocka_unit_test(test_interval_has_the_known_width),
        cmocka_unit_test(test_interval_covers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
