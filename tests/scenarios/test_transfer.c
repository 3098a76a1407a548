/*
 * transfer, on the model: rates by size and memory, which directions overlap, and that each copy is
 * needed.
 */
#include "on_model.h"

#include <string.h>

/* Makespan of copies of 4 MiB alone, three each way. */
static double makespan_ns(const char *memory, const char *direction, uint32_t streams)
{
    const struct on_model_value values[] = {
        {"memory", memory}, {"direction", direction}, {"smallest", "4M"}, {"largest", "4M"},
        {"copies", "3"},    {"most_mib", "12"},       {NULL, NULL}};
    const struct on_model_cell cell = {"transfer", values, streams};

    return on_model_makespan_ns(&cell);
}

/* 12 MiB: 0.23 ms at 55 GB/s; through the host's staging 1.9 up and 0.9 down. */
static void test_pinned_memory_is_faster(void **state)
{
    (void)state;
    on_model_expect(makespan_ns("pinned", "h2d", 0), 0.24e6, 0.27e6);
    on_model_expect(makespan_ns("pageable", "h2d", 0), 1.9e6, 2.3e6);
    on_model_expect(makespan_ns("pageable", "d2h", 0), 0.9e6, 1.0e6);
}

static void test_one_direction_is_one_engine(void **state)
{
    (void)state;
    on_model_expect(makespan_ns("pinned", "h2d", 0) / makespan_ns("pinned", "h2d", 8), 0.98, 1.02);
    on_model_expect(makespan_ns("pinned", "d2h", 0) / makespan_ns("pinned", "d2h", 8), 0.98, 1.02);
}

/* On one stream they take turns; pageable ones always do. At once each copy takes longer: 6.5 us of
 * 79, and the rates of both. */
static void test_directions_overlap_when_pinned(void **state)
{
    double pinned_ns = makespan_ns("pinned", "h2d", 8);
    double pageable_ns = makespan_ns("pageable", "h2d", 8);

    (void)state;
    on_model_expect(makespan_ns("pinned", "both", 8) / pinned_ns, 1.1, 1.2);
    on_model_expect(makespan_ns("pinned", "both", 0) / pinned_ns, 1.9, 2.1);
    on_model_expect(makespan_ns("pageable", "both", 8) / pageable_ns, 1.4, 1.5);
}

/* What is measured: 2.9 us a copy where the price is its number, the engine's rate where it is its
 * bytes. */
static void test_rates_rise_with_size(void **state)
{
    static const struct on_model_value values[] = {
        {"copies", "16"}, {"largest", "4M"}, {NULL, NULL}};
    static const struct on_model_cell cell = {"transfer", values, 0};
    struct on_model run;

    (void)state;
    on_model_open(&run, &cell);
    on_model_expect(on_model_measure(&run, "copy_4b_ns"), 2900, 3400);
    on_model_expect(on_model_measure(&run, "copies_4b_gb_per_s"), 4 / 3400.0, 4 / 2900.0);
    on_model_expect(on_model_measure(&run, "copies_4k_gb_per_s"), 4096 / 3400.0, 4096 / 2900.0);
    on_model_expect(on_model_measure(&run, "copies_4m_gb_per_s"), 49, 53);
    assert_true(on_model_measure(&run, "copies_1m_gb_per_s") <
                on_model_measure(&run, "copies_4m_gb_per_s"));
    run.times[run.workload->dag->op_count - 1].begin_ns = GP_NO_TIME;
    assert_false(on_model_measure(&run, "copies_4m_gb_per_s") > 0);
    on_model_close(&run);
}

static void expect_named(struct on_model *run, uint32_t op, const char *text)
{
    const char *said = on_model_run_without(run, op);

    if (strstr(said, text) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", said, text);
    }
}

/* After the mark two sizes of two copies each way, by turns, and a mark. */
static void test_each_copy_is_needed(void **state)
{
    static const struct on_model_value values[] = {{"direction", "both"},
                                                   {"smallest", "12"},
                                                   {"largest", "100"},
                                                   {"copies", "2"},
                                                   {NULL, NULL}};
    static const struct on_model_cell cell = {"transfer", values, 4};
    static const char *const texts[] = {
        NULL,
        "transfer: up[0] of copy 0 of 12 bytes: got nothing (never written), expected",
        "transfer: down[0] of copy 0 of 12 bytes",
        "transfer: up[0] of copy 1 of 12 bytes",
        "transfer: down[0] of copy 1 of 12 bytes",
        NULL,
        "transfer: up[0] of copy 0 of 48 bytes",
        "transfer: down[0] of copy 0 of 48 bytes",
        "transfer: up[0] of copy 1 of 48 bytes",
        "transfer: down[0] of copy 1 of 48 bytes",
        NULL,
    };
    enum { COUNT = sizeof texts / sizeof texts[0] };

    (void)state;
    for (uint32_t i = 0; i < COUNT; i++) {
        struct on_model run;

        on_model_open(&run, &cell);
        assert_int_equal(run.workload->dag->op_count, COUNT);
        assert_int_equal(run.workload->dag->ops[i].kind == GP_OP_KERNEL, texts[i] == NULL);
        assert_true(on_model_measure(&run, "copies_48b_gb_per_s") > 0);
        if (texts[i] != NULL) {
            expect_named(&run, i, texts[i]);
        }
        on_model_close(&run);
    }
}

/* Copies of other bytes must not pass. */
static void test_bytes_of_another_copy_are_wrong(void **state)
{
    static const struct on_model_value values[] = {
        {"smallest", "4K"}, {"largest", "4K"}, {"copies", "3"}, {NULL, NULL}};
    static const struct on_model_cell cell = {"transfer", values, 0};
    struct gp_error err = {0};
    struct on_model run;
    struct gp_buffer *up;

    (void)state;
    on_model_open(&run, &cell);
    up = (struct gp_buffer *)(uintptr_t)run.workload->dag->ops[1].accesses[1].buffer;
    memmove((void *)(uintptr_t)(up->address + 4096), (void *)(uintptr_t)up->address, 4096);
    assert_int_equal(run.workload->ops->verify(run.workload, &err), GP_EVERIFY);
    assert_non_null(strstr(err.text, "transfer: up[0] of copy 1 of 4096 bytes: got "));
    on_model_close(&run);
}

static void expect_refused(const char *smallest, const char *largest, const char *most_mib,
                           const char *text)
{
    const struct gp_scenario_ops *ops = gp_scenario_find("transfer");
    const char *const texts[] = {smallest, largest, most_mib, "both"};
    static const char *const names[] = {"smallest", "largest", "most_mib", "direction"};
    const struct gp_device_info none = {0};
    int64_t values[GP_PARAMETERS_MAX];
    struct gp_error err = {0};

    gp_scenario_defaults(ops, values);
    for (int i = 0; i < 4; i++) {
        int index = gp_scenario_parameter(ops, names[i]);

        gp_assert_ok(
            gp_parameter_read(ops->name, &ops->parameters[index], texts[i], &values[index], &err),
            err);
    }
    assert_int_equal(gp_scenario_settle(ops, &none, values, &err), GP_EINVAL);
    assert_string_equal(err.text, text);
}

static void test_sizes_that_do_not_go_together(void **state)
{
    (void)state;
    expect_refused("1M", "1K", "8",
                   "transfer: smallest is 1048576 and largest 1024; allowed is a smallest up to "
                   "the largest");
    expect_refused("4", "256M", "1024",
                   "transfer: these sizes take 6826 MiB of device memory, allowed are 4096; "
                   "largest=67108860 or copies=12 or most_mib=623 would fit");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pinned_memory_is_faster),
        cmocka_unit_test(test_one_direction_is_one_engine),
        cmocka_unit_test(test_directions_overlap_when_pinned),
        cmocka_unit_test(test_rates_rise_with_size),
        cmocka_unit_test(test_each_copy_is_needed),
        cmocka_unit_test(test_bytes_of_another_copy_are_wrong),
        cmocka_unit_test(test_sizes_that_do_not_go_together),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
