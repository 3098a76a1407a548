/* The text timeline of small runs, letter by letter, and what holds for any. */
#include "test.h"

#include <math.h>

#include "analysis/random_run.h"
#include "probe/cli/timeline.h"

static struct hand hand;

/* The letters of a stream as timeline.h has them. */
static const char *letters(const struct gp_timeline *timeline, uint32_t stream)
{
    static char text[GP_TIMELINE_COLUMNS_MAX + 1];

    for (uint32_t i = 0; i < timeline->columns; i++) {
        text[i] = " .#=+"[timeline->ticks[stream * timeline->columns + i]];
    }
    text[timeline->columns] = '\0';
    return text;
}

static void test_letters(void **state)
{
    struct gp_timeline timeline;

    (void)state;
    hand_init(&hand, 3);
    (void)hand_copy(&hand, GP_OP_H2D, 0, 0, 200);
    (void)hand_kernel(&hand, 0, 1, 400, 1000);
    (void)hand_op(&hand, GP_OP_MEMSET, 1, 100, 190);
    gp_timeline_make(&hand.data, 10, &timeline);
    assert_int_equal(timeline.end_ns, 1000);
    assert_string_equal(letters(&timeline, 0), "==..######");
    assert_string_equal(letters(&timeline, 1), ".+        ");
    assert_string_equal(letters(&timeline, 2), "          ");
    assert_true(fabs(timeline.busy[0] - 0.8) < 1e-9);
    assert_true(fabs(timeline.busy[1] - 0.09) < 1e-9);
    assert_true(fabs(timeline.together[1] - 1.9) < 1e-9);
    assert_true(fabs(timeline.together[2]) < 1e-9);
    assert_int_equal(timeline.op_counts[0], 2);
    gp_timeline_finish(&timeline);
}

/* Columns that are shorter than the clock's unit, and a part of a column. */
static void test_scale(void **state)
{
    struct gp_timeline timeline;

    (void)state;
    hand_init(&hand, 1);
    (void)hand_kernel(&hand, 0, 1, 1, 3);
    gp_timeline_make(&hand.data, 6, &timeline);
    assert_string_equal(letters(&timeline, 0), "..####");
    gp_timeline_finish(&timeline);
    gp_timeline_make(&hand.data, 1, &timeline);
    assert_string_equal(letters(&timeline, 0), "#");
    gp_timeline_finish(&timeline);
}

/* Streams are busy no longer than the run, and together as long as their operations ran. */
static void test_any_run(void **state)
{
    struct gp_random random = {41};

    (void)state;
    for (int round = 0; round < 100; round++) {
        struct gp_timeline timeline;
        double ran_ns = 0;
        double together_ns = 0;
        uint32_t columns = 1 + (uint32_t)gp_random_below(&random, GP_TIMELINE_COLUMNS_MAX);

        random_run(&hand, &random);
        gp_timeline_make(&hand.data, columns, &timeline);
        for (uint32_t op = 0; op < hand.data.op_count; op++) {
            ran_ns +=
                gp_op_runs(&hand.ops[op]) ? (double)(hand.ops[op].end - hand.ops[op].begin) : 0;
        }
        for (uint32_t i = 0; i < columns; i++) {
            together_ns += timeline.together[i] * (double)timeline.end_ns / columns;
        }
        assert_true(fabs(ran_ns - together_ns) <= 1e-6 * ran_ns);
        for (uint32_t i = 0; i < timeline.streams; i++) {
            assert_true(timeline.busy[i] >= 0 && timeline.busy[i] <= 1);
        }
        gp_timeline_finish(&timeline);
    }
}

static void test_nothing(void **state)
{
    struct gp_timeline timeline;

    (void)state;
    hand_init(&hand, 1);
    gp_timeline_make(&hand.data, 3, &timeline);
    assert_int_equal(timeline.end_ns, 0);
    assert_string_equal(letters(&timeline, 0), "   ");
    gp_timeline_finish(&timeline);
    gp_timeline_finish(&timeline);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_letters),
        cmocka_unit_test(test_scale),
        cmocka_unit_test(test_any_run),
        cmocka_unit_test(test_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
