/* The axis: ticks at 1, 2, 5 and texts that tell them apart. */
#include "test.h"

#include <string.h>

#include "viewer/layout/ticks.h"
#include "viewer/made.h"

static void test_steps_are_1_2_5(void **state)
{
    uint64_t seed = 11;

    (void)state;
    for (int i = 0; i < 3000; i++) {
        int64_t begin_ns = (int64_t)(next_random(&seed) << (i % 25)) - 1000000;
        int64_t end_ns = begin_ns + 1 + (int64_t)(next_random(&seed) << (i % 29));
        uint32_t count_max = 2 + (uint32_t)(next_random(&seed) % 30);
        struct gp_view_ticks ticks;
        int64_t lead;

        gp_view_ticks_choose(begin_ns, end_ns, count_max, &ticks);
        lead = ticks.step_ns;
        while (lead % 10 == 0) {
            lead /= 10;
        }
        assert_true(lead == 1 || lead == 2 || lead == 5);
        assert_true(ticks.count <= count_max);
        /* A third of what is allowed is used, where a ns can be divided. */
        assert_true(ticks.step_ns == 1 || ticks.count * 3 + 3 >= count_max);
        assert_int_equal(ticks.first_ns % ticks.step_ns, 0);
        assert_true(ticks.count == 0 || ticks.first_ns >= begin_ns);
        assert_true(ticks.first_ns - ticks.step_ns < begin_ns);
        assert_true(ticks.count == 0 ||
                    ticks.first_ns + (ticks.count - 1) * ticks.step_ns <= end_ns);
        assert_int_equal(ticks.step_ns % ticks.minor, 0);
    }
    {
        struct gp_view_ticks ticks;

        gp_view_ticks_choose(-(INT64_C(1) << 60), INT64_C(1) << 60, 1, &ticks);
        assert_true(ticks.count <= 1);
    }
}

static void expect_text(int64_t at_ns, int64_t step_ns, const char *expected)
{
    char text[40];

    gp_view_format_time(at_ns, step_ns, text, sizeof text);
    assert_string_equal(text, expected);
}

static void test_texts_have_a_unit(void **state)
{
    char small[4];

    (void)state;
    expect_text(0, 0, "0");
    expect_text(0, 1000, "0");
    expect_text(999, 0, "999 ns");
    expect_text(1234, 0, "1.234 µs");
    expect_text(12345, 0, "12.35 µs");
    expect_text(123456, 0, "123.5 µs");
    expect_text(-3000000, 1000000, "-3 ms");
    expect_text(1500000, 500000, "1.5 ms");
    expect_text(1500000, 1000, "1.500 ms");
    expect_text(INT64_C(7200000000000), 0, "7200.0 s");
    gp_view_format_time(123456789, 0, small, sizeof small);
    assert_int_equal(strlen(small), 3);
}

static void test_neighbours_differ(void **state)
{
    (void)state;
    for (int64_t step_ns = 1; step_ns < INT64_C(1000000000000); step_ns *= 10) {
        for (int64_t lead = 1; lead <= 5; lead += lead == 1 ? 1 : 3) {
            char before[40] = "", text[40];

            for (int64_t i = 1; i < 40; i++) {
                gp_view_format_time(i * lead * step_ns, lead * step_ns, text, sizeof text);
                assert_string_not_equal(text, before);
                (void)memcpy(before, text, sizeof before);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps_are_1_2_5),
        cmocka_unit_test(test_texts_have_a_unit),
        cmocka_unit_test(test_neighbours_differ),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
