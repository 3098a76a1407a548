/* Nothing leaks when something fails while a scenario sets itself up. */
#include "bench.h"

#include <stdlib.h>

#include "core/memory.h"

static void check_device_failures(const char *name)
{
    const struct gp_scenario_ops *ops = gp_scenario_find(name);
    int64_t values[GP_PARAMETERS_MAX] = {0};
    uint32_t failures = 0;
    int code;

    bench_small_values(ops, values);
    do {
        struct gp_error err = {0};
        struct bench bench;

        bench_open(&bench);
        bench.fake.fail_at = bench.fake.calls + ++failures;
        bench.fake.fail_code = GP_EDEVICEMEM;
        code = gp_workload_create(ops, &bench.fake.base, bench.stream, values, 1, &bench.workload,
                                  &err);
        assert_true(code == 0 || code == GP_EDEVICEMEM);
        assert_true(code == 0 || bench.workload == NULL);
        bench_close(&bench);
    } while (code != 0);
    assert_true(failures > 3);
}

static uint32_t allocations_left;

static void *allocate(void *user, size_t bytes)
{
    (void)user;
    if (allocations_left == 0) {
        return NULL;
    }
    allocations_left--;
    return malloc(bytes);
}

static void release(void *user, void *block)
{
    (void)user;
    free(block);
}

static void check_memory_failures(const char *name)
{
    static const struct gp_memory_hook hook = {allocate, release, NULL};
    const struct gp_scenario_ops *ops = gp_scenario_find(name);
    int64_t values[GP_PARAMETERS_MAX] = {0};
    int code;

    bench_small_values(ops, values);
    for (uint32_t allowed = 0; allowed < 1000; allowed++) {
        struct gp_error err = {0};
        struct bench bench;

        bench_open(&bench);
        allocations_left = allowed;
        gp_memory_set_hook(&hook);
        code = gp_workload_create(ops, &bench.fake.base, bench.stream, values, 1, &bench.workload,
                                  &err);
        gp_memory_set_hook(NULL);
        assert_true(code == 0 || code == GP_ENOMEM);
        bench_close(&bench);
        if (code == 0) {
            assert_true(allowed > 3);
            return;
        }
    }
    fail_msg("%s never got enough memory", name);
}

static void test_failures_leave_nothing_behind(void **state)
{
    (void)state;
    check_device_failures("batch");
    check_device_failures("mixed");
    check_device_failures("serving");
    check_memory_failures("batch");
    check_memory_failures("serving");
    check_memory_failures("priority");
    check_memory_failures("many-streams");
    check_memory_failures("mixed");
    check_device_failures("bimodal");
    check_memory_failures("bimodal");
    check_device_failures("alloc");
    check_memory_failures("alloc");
    check_device_failures("transfer");
    check_device_failures("pipeline");
    check_memory_failures("pipeline");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_failures_leave_nothing_behind),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
