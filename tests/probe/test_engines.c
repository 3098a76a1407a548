/* What is measured of the copy engines, on models that differ in what is to be found. */
#include "model/rig.h"

#include <stdio.h>

#include "probe/timing/engines.h"

/* The least power of two of which no copy passes the engine; downloads never do. */
static void test_what_passes(void **state)
{
    static const struct {
        int up_to;
        int64_t waits_from;
    } cases[] = {{0, 64}, {1000, 1024}, {16384, 32768}, {65536, 131072}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char change[64];
        const char *const changes[] = {change, NULL};
        struct gp_engines engines;
        struct gp_error err = {0};
        struct rig rig;

        (void)snprintf(change, sizeof change, "h2d_inline_bytes %d", cases[i].up_to);
        rig_open_changed(&rig, "h200", false, changes, 0, 0);
        gp_device_set_execute(rig.device, false);
        gp_assert_ok(gp_engines_measure(rig.device, &engines, &err), err);
        assert_int_equal(engines.directions[GP_DIRECTION_H2D].waits_from_bytes,
                         cases[i].waits_from);
        assert_int_equal(engines.directions[GP_DIRECTION_D2H].waits_from_bytes, 64);
        rig_close(&rig);
    }
}

static void test_size_classes(void **state)
{
    (void)state;
    assert_int_equal(gp_copy_size_of(4), GP_COPY_SMALL);
    assert_int_equal(gp_copy_size_of((1 << 20) - 1), GP_COPY_SMALL);
    assert_int_equal(gp_copy_size_of(1 << 20), GP_COPY_LARGE);
    assert_int_equal(gp_copy_size_of(INT64_C(1) << 40), GP_COPY_LARGE);
}

/* What happens once in a train of copies makes each up to 0.2 us longer. */
static void test_set_ups_of_each_size(void **state)
{
    static const char *const changes[] = {
        "h2d_setup_curve 131072:1000,524288:1000,1048576:4000,4194304:4000",
        "d2h_setup_curve 131072:5000,524288:5000,1048576:2000,4194304:2000", NULL};
    struct gp_engines engines;
    struct gp_error err = {0};
    struct rig rig;

    (void)state;
    rig_open_changed(&rig, "h200", false, changes, 0, 0);
    gp_device_set_execute(rig.device, false);
    gp_assert_ok(gp_engines_measure(rig.device, &engines, &err), err);
    assert_in_range(engines.directions[GP_DIRECTION_H2D].setup_ns[GP_COPY_SMALL], 1000, 1200);
    assert_in_range(engines.directions[GP_DIRECTION_H2D].setup_ns[GP_COPY_LARGE], 4000, 4200);
    assert_in_range(engines.directions[GP_DIRECTION_D2H].setup_ns[GP_COPY_SMALL], 5000, 5200);
    assert_in_range(engines.directions[GP_DIRECTION_D2H].setup_ns[GP_COPY_LARGE], 2000, 2200);
    rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_passes),
        cmocka_unit_test(test_size_classes),
        cmocka_unit_test(test_set_ups_of_each_size),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
