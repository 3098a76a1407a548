/* alloc, on the model: which memory lets chains overlap, and that each kernel is needed. */
#include "on_model.h"

#include <string.h>

static double makespan_ns(const char *allocation, uint32_t streams)
{
    const struct on_model_value values[] = {{"allocation", allocation}, {NULL, NULL}};
    const struct on_model_cell cell = {"alloc", values, streams};

    return on_model_makespan_ns(&cell);
}

/* 64 rounds of 105 us, 16 at once at most; the host needs 11 us to submit one. */
static void test_ordered_memory_overlaps(void **state)
{
    double single_ns = makespan_ns("ordered", 0);

    (void)state;
    on_model_expect(single_ns, 64 * 104e3, 64 * 108e3);
    on_model_expect(single_ns / makespan_ns("ordered", 4), 3.4, 4.0);
    on_model_expect(single_ns / makespan_ns("ordered", 8), 5.0, 8.0);
    on_model_expect(makespan_ns("ordered", 8) / makespan_ns("lasting", 8), 1.0, 1.15);
}

/* The next round is submitted when the one before has ended, which costs some 10 us. An H200 needs
 * 7.6 ms. */
static void test_immediate_memory_serialises(void **state)
{
    double single_ns = makespan_ns("immediate", 0);

    (void)state;
    on_model_expect(single_ns, 64 * 114e3, 64 * 120e3);
    on_model_expect(makespan_ns("immediate", 8) / single_ns, 0.99, 1.01);
    on_model_expect(makespan_ns("immediate", 8) / makespan_ns("ordered", 8), 5, 7);
}

/* Memory that was used before may hold anything, also what would have been right. */
static void test_each_kernel_is_needed(void **state)
{
    static const struct on_model_value values[] = {
        {"chains", "2"}, {"rounds", "2"}, {"us", "1"}, {NULL, NULL}};
    static const struct on_model_cell cell = {"alloc", values, 2};
    enum { ROUND_OPS = 5, COUNT = 2 * 2 * ROUND_OPS };
    uint32_t kernels = 0;

    (void)state;
    for (uint32_t i = 0; i < COUNT; i++) {
        struct on_model run;
        const char *text;

        on_model_open(&run, &cell);
        assert_int_equal(run.workload->dag->op_count, COUNT);
        if (run.workload->dag->ops[i].kind == GP_OP_KERNEL) {
            text = on_model_run_without(&run, i);
            assert_non_null(
                strstr(text, i < COUNT / 2 ? "alloc: data[0]: got " : "alloc: data[4096]: got "));
            kernels++;
        }
        on_model_close(&run);
    }
    assert_int_equal(kernels, 2 * 2 * 3);
}

static void test_sums_that_are_not_exact(void **state)
{
    const struct gp_scenario_ops *ops = gp_scenario_find("alloc");
    const struct gp_device_info none = {0};
    int64_t values[GP_PARAMETERS_MAX];
    struct gp_error err = {0};

    (void)state;
    gp_scenario_defaults(ops, values);
    values[gp_scenario_parameter(ops, "rounds")] = 256;
    assert_int_equal(gp_scenario_settle(ops, &none, values, &err), GP_EINVAL);
    assert_non_null(strstr(err.text, "alloc: 256 kernels of 100 us on the same data add up"));
    values[gp_scenario_parameter(ops, "rounds")] = 1;
    values[gp_scenario_parameter(ops, "chains")] = 256;
    values[gp_scenario_parameter(ops, "kib")] = 65536;
    assert_int_equal(gp_scenario_settle(ops, &none, values, &err), GP_EINVAL);
    assert_non_null(strstr(err.text, "alloc: these sizes take 16388 MiB of device memory"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ordered_memory_overlaps),
        cmocka_unit_test(test_immediate_memory_serialises),
        cmocka_unit_test(test_each_kernel_is_needed),
        cmocka_unit_test(test_sums_that_are_not_exact),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
