/* Narrow columns: no length is cut, however long. */
#include "test.h"

#include "viewer/layout/narrow.h"

static void check_width(unsigned bytes, int64_t widest)
{
    const int64_t values[] = {0, 1, widest - 1, widest, widest + 1, INT64_MAX, 7};
    const uint32_t count = sizeof values / sizeof *values;
    struct gp_view_narrow column;

    gp_view_narrow_init(&column, count, bytes);
    /* From the last, so that the wide ones have to be sorted. */
    for (uint32_t i = count; i-- > 0;) {
        bool fits = gp_view_narrow_set(&column, i, values[i]);

        assert_int_equal(fits, values[i] < widest);
        if (!fits) {
            gp_view_narrow_set_wide(&column, i, values[i]);
        }
    }
    gp_view_narrow_seal(&column);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(gp_view_narrow_get(&column, i), values[i]);
    }
    assert_true(gp_view_narrow_bytes(&column) >=
                (size_t)count * bytes + 3 * sizeof(struct gp_view_wide));
    gp_view_narrow_finish(&column);
    gp_view_narrow_finish(&column);
}

static void test_16_bits(void **state)
{
    (void)state;
    check_width(2, UINT16_MAX);
}

static void test_32_bits(void **state)
{
    (void)state;
    check_width(4, UINT32_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_16_bits),
        cmocka_unit_test(test_32_bits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
