/* Sorting by time: order, ties, and spans of every width. */
#include "test.h"

#include "core/random.h"
#include "probe/analysis/by_time.h"

static void assert_sorted(const struct gp_moment *moments, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        assert_true(moments[i - 1].at < moments[i].at ||
                    (moments[i - 1].at == moments[i].at && moments[i - 1].op < moments[i].op));
    }
}

static void test_random(void **state)
{
    struct gp_random random = {7};
    struct gp_moment moments[1000];

    (void)state;
    for (int bits = 1; bits < 64; bits += 3) {
        uint64_t sum = 0;

        for (uint32_t i = 0; i < 1000; i++) {
            int64_t at = (int64_t)(gp_random_next(&random) >> (64 - bits)) - (INT64_C(1) << 20);

            moments[i] = (struct gp_moment){at, i, i + 1};
            sum += (uint64_t)at;
        }
        gp_moments_sort(moments, 1000);
        assert_sorted(moments, 1000);
        for (uint32_t i = 0; i < 1000; i++) {
            sum -= (uint64_t)moments[i].at;
            assert_int_equal(moments[i].what, moments[i].op + 1);
        }
        assert_int_equal(sum, 0);
    }
}

static void test_widest_span(void **state)
{
    struct gp_moment moments[] = {{INT64_MAX, 0, 0}, {0, 1, 0}, {INT64_MIN, 2, 0}, {-1, 3, 0}};

    (void)state;
    gp_moments_sort(moments, 4);
    assert_int_equal(moments[0].op, 2);
    assert_int_equal(moments[1].op, 3);
    assert_int_equal(moments[2].op, 1);
    assert_int_equal(moments[3].op, 0);
}

static void test_few(void **state)
{
    struct gp_moment one = {5, 0, 0};
    struct gp_moment same[] = {{5, 0, 0}, {5, 1, 0}, {5, 2, 0}};

    (void)state;
    gp_moments_sort(NULL, 0);
    gp_moments_sort(&one, 1);
    assert_int_equal(one.at, 5);
    gp_moments_sort(same, 3);
    assert_sorted(same, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_widest_span),
        cmocka_unit_test(test_few),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
