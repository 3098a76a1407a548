/* Windows of time: zoom keeps what is under the cursor, nothing collapses, leaves the bounds or
 * overflows. */
#include "test.h"

#include <math.h>

#include "viewer/layout/window.h"
#include "viewer/made.h"

static const struct gp_view_window bounds = {-1000, 1000000};

static void check_inside(struct gp_view_window window)
{
    assert_true(window.begin_ns >= bounds.begin_ns && window.end_ns <= bounds.end_ns);
    assert_true(window.end_ns - window.begin_ns >= GP_VIEW_WINDOW_MIN_NS);
}

static void test_zoom_keeps_the_cursor(void **state)
{
    struct gp_view_window window = {200000, 600000};
    const int64_t at_ns = 333333;
    double x = gp_view_window_x(window, 1000, at_ns);

    (void)state;
    for (int i = 0; i < 30; i++) {
        window = gp_view_window_zoom(window, bounds, at_ns, 0.8);
        check_inside(window);
        /* As well as whole ns allow. */
        assert_true(fabs(gp_view_window_x(window, 1000, at_ns) - x) <=
                    1000.0 / (double)(window.end_ns - window.begin_ns) * (i + 2));
    }
    for (int i = 0; i < 60; i++) {
        window = gp_view_window_zoom(window, bounds, at_ns, 1.25);
        check_inside(window);
    }
    assert_int_equal(window.begin_ns, bounds.begin_ns);
    assert_int_equal(window.end_ns, bounds.end_ns);
}

static void test_no_step_breaks_a_window(void **state)
{
    const double factors[] = {0, -1, 1e-300, 1e300, NAN, INFINITY, 0.5, 2};
    struct gp_view_window window = {0, 1000};
    uint64_t seed = 3;

    (void)state;
    for (int i = 0; i < 2000; i++) {
        int64_t at_ns = (int64_t)(next_random(&seed) % 2000000) - 500000;

        window = gp_view_window_zoom(window, bounds, at_ns, factors[next_random(&seed) % 8]);
        check_inside(window);
        window = gp_view_window_pan(window, bounds, (double)next_random(&seed) / 1e5 - 10000);
        check_inside(window);
        window = gp_view_window_fit(bounds, at_ns, at_ns + (int64_t)(next_random(&seed) % 5000));
        check_inside(window);
        window = gp_view_window_reveal(window, bounds, at_ns, at_ns + 77);
        check_inside(window);
    }
}

static void test_extremes_do_not_overflow(void **state)
{
    const int64_t far = INT64_C(1) << 60;
    const struct gp_view_window all = gp_view_window_all(-far, far);
    struct gp_view_window window = gp_view_window_zoom(all, all, far, 1e-9);

    (void)state;
    assert_true(all.begin_ns < -far && all.end_ns > far);
    assert_true(window.begin_ns <= far && far <= window.end_ns);
    window = gp_view_window_pan(all, all, 1e18);
    assert_int_equal(window.end_ns, all.end_ns);
    assert_int_equal(gp_view_window_time(all, 100, 0), all.begin_ns);
    window = gp_view_window_all(5, 6);
    assert_true(window.end_ns - window.begin_ns >= GP_VIEW_WINDOW_MIN_NS);
}

static void test_time_and_x_are_inverse(void **state)
{
    const struct gp_view_window window = {-500, 12345678};

    (void)state;
    for (int x = -50; x <= 2000; x += 7) {
        int64_t at_ns = gp_view_window_time(window, 1760, x);

        assert_true(fabs(gp_view_window_x(window, 1760, at_ns) - x) < 0.001);
    }
}

static void test_fit_and_reveal_show_it(void **state)
{
    struct gp_view_window window = gp_view_window_fit(bounds, 9000, 4000);

    (void)state;
    assert_true(window.begin_ns < 4000 && window.end_ns > 9000);
    assert_true(window.end_ns - window.begin_ns < 6000);
    window = (struct gp_view_window){0, 1000};
    assert_int_equal(gp_view_window_reveal(window, bounds, 100, 200).begin_ns, 0);
    window = gp_view_window_reveal(window, bounds, 5000, 5100);
    assert_true(window.begin_ns <= 5000 && window.end_ns >= 5100);
    assert_int_equal(window.end_ns - window.begin_ns, 1000);
    window = gp_view_window_reveal(window, bounds, 300, 400000);
    assert_true(window.begin_ns <= 300 && window.end_ns > 300);
}

/* On an overview of 1010 pixels a pixel is 991 ns; the window lies at 100 to 300. */
static void test_the_box_is_held_and_dragged(void **state)
{
    const struct gp_view_window window = {98109, 296327};
    const struct gp_view_window narrow = {98109, 100109};
    const int64_t at = 150000;
    struct gp_view_window moved;

    (void)state;
    assert_int_equal(gp_view_window_grip(window, bounds, 1010, 90, 6), GP_VIEW_GRIP_NONE);
    assert_int_equal(gp_view_window_grip(window, bounds, 1010, 97, 6), GP_VIEW_GRIP_BEGIN);
    assert_int_equal(gp_view_window_grip(window, bounds, 1010, 200, 6), GP_VIEW_GRIP_BODY);
    assert_int_equal(gp_view_window_grip(window, bounds, 1010, 296, 6), GP_VIEW_GRIP_END);
    assert_int_equal(gp_view_window_grip(window, bounds, 1010, 310, 6), GP_VIEW_GRIP_NONE);
    assert_int_equal(gp_view_window_grip(narrow, bounds, 1010, 97, 6), GP_VIEW_GRIP_BODY);
    assert_int_equal(gp_view_window_grip(bounds, bounds, 1010, 200, 6), GP_VIEW_GRIP_NONE);

    moved = gp_view_window_drag(window, bounds, GP_VIEW_GRIP_BODY, at, at + 1000);
    assert_int_equal(moved.begin_ns, window.begin_ns + 1000);
    assert_int_equal(moved.end_ns, window.end_ns + 1000);
    moved = gp_view_window_drag(window, bounds, GP_VIEW_GRIP_BEGIN, at, at - 5000);
    assert_int_equal(moved.begin_ns, window.begin_ns - 5000);
    assert_int_equal(moved.end_ns, window.end_ns);
    moved = gp_view_window_drag(window, bounds, GP_VIEW_GRIP_END, at, at + 5000);
    assert_int_equal(moved.begin_ns, window.begin_ns);
    assert_int_equal(moved.end_ns, window.end_ns + 5000);
    /* Past the other end, and past all there is. */
    moved = gp_view_window_drag(window, bounds, GP_VIEW_GRIP_END, window.end_ns, 50000);
    assert_int_equal(moved.begin_ns, 50000);
    assert_int_equal(moved.end_ns, window.begin_ns);
    for (int grip = GP_VIEW_GRIP_NONE; grip <= GP_VIEW_GRIP_BODY; grip++) {
        check_inside(gp_view_window_drag(window, bounds, (enum gp_view_grip)grip, at, 90000000));
        check_inside(gp_view_window_drag(window, bounds, (enum gp_view_grip)grip, at, -90000000));
        check_inside(gp_view_window_drag(narrow, bounds, (enum gp_view_grip)grip, at, at - 2000));
    }
}

static void test_undo_goes_back(void **state)
{
    struct gp_view_undo undo = {0};
    struct gp_view_window window;

    (void)state;
    assert_false(gp_view_undo_pop(&undo, &window));
    for (int64_t i = 0; i < GP_VIEW_UNDO_MAX + 10; i++) {
        gp_view_undo_push(&undo, (struct gp_view_window){i, i + 100});
        gp_view_undo_push(&undo, (struct gp_view_window){i, i + 100});
    }
    for (int64_t i = GP_VIEW_UNDO_MAX + 9; i >= 10; i--) {
        assert_true(gp_view_undo_pop(&undo, &window));
        assert_int_equal(window.begin_ns, i);
    }
    assert_false(gp_view_undo_pop(&undo, &window));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_zoom_keeps_the_cursor),
        cmocka_unit_test(test_no_step_breaks_a_window),
        cmocka_unit_test(test_extremes_do_not_overflow),
        cmocka_unit_test(test_time_and_x_are_inverse),
        cmocka_unit_test(test_fit_and_reveal_show_it),
        cmocka_unit_test(test_the_box_is_held_and_dragged),
        cmocka_unit_test(test_undo_goes_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
