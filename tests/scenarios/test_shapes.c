/* The operations that scenarios build: what waits for what, and when what arrives. */
#include "bench.h"

/* With waits one kernel more, in a chain of its own, that every chain waits for in its middle. */
static void test_many_streams_wait(void **state)
{
    const struct gp_scenario_ops *ops = gp_scenario_find("many-streams");
    int64_t values[GP_PARAMETERS_MAX] = {0};
    struct gp_error err = {0};
    struct bench bench;
    uint32_t waiting = 0;

    (void)state;
    bench_small_values(ops, values);
    values[gp_scenario_parameter(ops, "waits")] = 1;
    bench_open(&bench);
    gp_assert_ok(
        gp_workload_create(ops, &bench.fake.base, bench.stream, values, 1, &bench.workload, &err),
        err);
    assert_int_equal(bench.workload->dag->op_count, 25);
    assert_int_equal(bench.workload->dag->chain_count, 7);
    for (uint32_t i = 0; i < 25; i++) {
        waiting += bench.workload->dag->ops[i].in_count == 2 ? 1 : 0;
    }
    assert_int_equal(waiting, 6);
    bench_run_without(&bench, BENCH_ALL);
    bench_expect_right(&bench);
    bench_close(&bench);
}

/* Arrivals ascend, begin after 0, and come as often as is said; a seed draws other ones. */
static void test_arrivals(void **state)
{
    const struct gp_scenario_ops *ops = gp_scenario_find("priority");
    int64_t values[GP_PARAMETERS_MAX] = {0};
    int64_t last_ns[2];

    (void)state;
    bench_small_values(ops, values);
    values[gp_scenario_parameter(ops, "urgent")] = 2000;
    for (uint64_t seed = 0; seed < 2; seed++) {
        struct gp_error err = {0};
        struct bench bench;

        bench_open(&bench);
        gp_assert_ok(gp_workload_create(ops, &bench.fake.base, bench.stream, values, seed,
                                        &bench.workload, &err),
                     err);
        last_ns[seed] = 0;
        for (uint32_t i = 3; i < bench.workload->dag->op_count; i++) {
            const struct gp_attributes *attributes = &bench.workload->dag->ops[i].attributes;

            assert_true(attributes->release_ns > last_ns[seed] && attributes->priority < 0);
            last_ns[seed] = attributes->release_ns;
        }
        assert_in_range(last_ns[seed], 760000000, 840000000);
        bench_close(&bench);
    }
    assert_int_not_equal(last_ns[0], last_ns[1]);
}

/* Large kernels of half a wave, or of four; as much arrives as loads the SMs by 70 %. */
static void test_bimodal_suits_the_device(void **state)
{
    static const int64_t right[][7] = {
        {132, 0, 1024, 1024, 1024, 40, 19},
        {132, 1, 2112, 4096, 256, 12, 14},
        {46, 0, 320, 1024, 1024, 40, 17},
        {46, 1, 704, 4096, 256, 12, 13},
    };
    static const char *const names[] = {"shape", "m", "n", "k", "large", "mean_us"};
    const struct gp_scenario_ops *ops = gp_scenario_find("bimodal");

    (void)state;
    for (size_t i = 0; i < sizeof right / sizeof right[0]; i++) {
        const struct gp_device_info info = {.sm_count = (int32_t)right[i][0]};
        int64_t values[GP_PARAMETERS_MAX] = {0};
        struct gp_error err = {0};

        gp_scenario_defaults(ops, values);
        values[gp_scenario_parameter(ops, "shape")] = right[i][1];
        gp_assert_ok(gp_scenario_settle(ops, &info, values, &err), err);
        for (size_t j = 0; j < sizeof names / sizeof names[0]; j++) {
            assert_int_equal(values[gp_scenario_parameter(ops, names[j])], right[i][1 + j]);
        }
    }
}

/* Nine tiles: denoising waits for as many chains as there are tiles around, and the third frame for
 * those of the first. */
static void test_pipeline_waits_for_neighbours(void **state)
{
    const struct gp_scenario_ops *ops = gp_scenario_find("pipeline");
    uint32_t waits[2][10] = {0};

    (void)state;
    for (int halo = 0; halo < 2; halo++) {
        int64_t values[GP_PARAMETERS_MAX] = {0};
        struct gp_error err = {0};
        struct bench bench;

        bench_small_values(ops, values);
        values[gp_scenario_parameter(ops, "height")] = 48;
        values[gp_scenario_parameter(ops, "halo")] = halo;
        bench_open(&bench);
        gp_assert_ok(gp_workload_create(ops, &bench.fake.base, bench.stream, values, 1,
                                        &bench.workload, &err),
                     err);
        for (uint32_t i = 0; i < bench.workload->dag->op_count; i++) {
            waits[halo][bench.workload->dag->ops[i].in_count]++;
        }
        bench_run_without(&bench, BENCH_ALL);
        bench_expect_right(&bench);
        bench_close(&bench);
    }
    /* Without: a line of four for each tile, and the third frame behind the first. */
    assert_int_equal(waits[0][0], 2 * 9);
    assert_int_equal(waits[0][1], 3 * 9 * 4 - 2 * 9);
    /* With: 4 corners, 4 sides and the middle, of three frames' denoise and one frame's trace. */
    assert_int_equal(waits[1][4], 4 * 4);
    assert_int_equal(waits[1][6], 4 * 4);
    assert_int_equal(waits[1][9], 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_many_streams_wait),
        cmocka_unit_test(test_arrivals),
        cmocka_unit_test(test_bimodal_suits_the_device),
        cmocka_unit_test(test_pipeline_waits_for_neighbours),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
