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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_what_passes)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
