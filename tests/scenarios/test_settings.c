/* The table of scenarios, their defaults, and values that are refused before anything is made. */
#include "bench.h"

#include <string.h>

static void test_table_and_defaults(void **state)
{
    (void)state;
    assert_true(gp_scenario_table_count >= 2);
    assert_null(gp_scenario_find("bacth"));
    for (size_t i = 0; i < gp_scenario_table_count; i++) {
        const struct gp_scenario_ops *ops = gp_scenario_table[i];
        int64_t values[GP_PARAMETERS_MAX] = {0};
        struct gp_error err = {0};

        assert_ptr_equal(gp_scenario_find(ops->name), ops);
        assert_true(strlen(ops->summary) > 0 && strlen(ops->expect) > 0);
        gp_scenario_defaults(ops, values);
        for (int j = 0; ops->parameters[j].name != NULL; j++) {
            assert_int_equal(gp_scenario_parameter(ops, ops->parameters[j].name), j);
            gp_assert_ok(gp_parameter_check(ops->name, &ops->parameters[j], values[j], &err), err);
        }
        assert_int_equal(gp_scenario_parameter(ops, "nothing"), -1);
    }
}

static void expect_refused(const char *name, const char *parameter, int64_t value, const char *text)
{
    const struct gp_scenario_ops *ops = gp_scenario_find(name);
    int64_t values[GP_PARAMETERS_MAX] = {0};
    struct gp_error err = {0};
    struct bench bench;

    gp_scenario_defaults(ops, values);
    values[gp_scenario_parameter(ops, parameter)] = value;
    bench_open(&bench);
    assert_int_equal(
        gp_workload_create(ops, &bench.fake.base, bench.stream, values, 1, &bench.workload, &err),
        GP_EINVAL);
    assert_string_equal(err.text, text);
    bench_close(&bench);
}

static void test_bad_values_are_refused(void **state)
{
    (void)state;
    expect_refused("batch", "m", 100, "batch: m is 100, allowed is 64 to 1024, a multiple of 64");
    expect_refused("batch", "batches", 0, "batch: batches is 0, allowed is 1 to 1024");
    expect_refused("batch", "k", 4096, "batch: k is 4096, allowed is 64 to 2048, a multiple of 64");
    expect_refused("mixed", "iterations", -1, "mixed: iterations is -1, allowed is 1 to 1000000");
    expect_refused("null-stream", "every", 0, "null-stream: every is 0, allowed is 1 to 4096");
    expect_refused("many-streams", "chains", 1025,
                   "many-streams: chains is 1025, allowed is 1 to 1024");
    expect_refused("priority", "mean_us", 0, "priority: mean_us is 0, allowed is 1 to 1000000");
    expect_refused("serving", "rate", -5, "serving: rate is -5, allowed is 1 to 10000000");
    expect_refused("bimodal", "large", 0, "bimodal: large is 0, allowed is 1 to 1000, or auto");
    expect_refused("bimodal", "k", 100,
                   "bimodal: k is 100, allowed is 64 to 4096, a multiple of 64, or auto");
    expect_refused("bimodal", "n", 16384,
                   "bimodal: with k of 1024 and n of 16384 sums need not be exact in a float; "
                   "allowed is k times n up to 4194304");
    expect_refused("inflight", "workers", 33, "inflight: workers is 33, allowed is 1 to 32");
    expect_refused("mixed", "chunks", 2048,
                   "mixed: these sizes take 8192 MiB of device memory, allowed are 4096; "
                   "chunk_kib=2048 or chunks=1024 would fit");
    expect_refused("pipeline", "tile", 100,
                   "pipeline: tile is 100, allowed is 16 to 1024, a multiple of 16");
    expect_refused("pipeline", "frames", 0, "pipeline: frames is 0, allowed is 1 to 16");
    expect_refused("pipeline", "steps", -1, "pipeline: steps is -1, allowed is 1 to 1024");
    expect_refused("pipeline", "width", 16385, "pipeline: width is 16385, allowed is 16 to 16384");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table_and_defaults),
        cmocka_unit_test(test_bad_values_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
