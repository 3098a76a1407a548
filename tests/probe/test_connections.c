/* How many connections a device has is found, whatever was made on it before. */
#include "model/rig.h"

#include "probe/timing/connections.h"

static int32_t measure(int32_t connections, uint32_t streams_before)
{
    struct rig rig;
    struct gp_error err = {0};
    int32_t found = -1;

    rig_open(&rig, "model", connections, streams_before);
    gp_assert_ok(gp_connections_measure(rig.device, &found, &err), err);
    rig_close(&rig);
    return found;
}

static void test_any_number(void **state)
{
    static const int32_t numbers[] = {1, 2, 3, 8, 17, 31, 32};

    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        assert_int_equal(measure(numbers[i], 0), numbers[i]);
        assert_int_equal(measure(numbers[i], 5), numbers[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_any_number)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
