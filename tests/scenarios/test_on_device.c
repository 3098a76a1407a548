/*
 * Scenarios on a device of the library, one stream, operations in id order: right, and found wrong
 * when an operation is missing.
 *
 * usage: test_on_device DEVICE default|small; 77 when there is none such
 */
#include "test.h"

#include <stdio.h>
#include <string.h>

#include "on_device.h"
#include "scenarios/workload.h"

static struct gp_device *device;
static struct gp_stream *stream;
static int is_small;

static void choose_values(const struct gp_scenario_ops *ops, int64_t *values)
{
    static const struct {
        const char *name;
        int64_t value;
    } small[] = {{"m", 64},      {"k", 128},        {"n", 64},
                 {"batches", 6}, {"chunk_kib", 64}, {"chunks", 6}};

    gp_scenario_defaults(ops, values);
    for (size_t i = 0; is_small && i < sizeof small / sizeof small[0]; i++) {
        int index = gp_scenario_parameter(ops, small[i].name);

        if (index >= 0) {
            values[index] = small[i].value;
        }
    }
}

static void submit(const struct gp_dag_op *op)
{
    struct gp_error err = {0};

    switch (op->kind) {
    case GP_OP_KERNEL:
        gp_assert_ok(gp_stream_launch(stream, &op->launch, &err), err);
        return;
    case GP_OP_H2D:
        gp_assert_ok(gp_stream_copy(stream, GP_COPY_H2D, op->to, op->from, op->bytes, &err), err);
        return;
    case GP_OP_D2H:
        gp_assert_ok(gp_stream_copy(stream, GP_COPY_D2H, op->to, op->from, op->bytes, &err), err);
        return;
    default:
        fail_msg("operation '%s' is of a kind that no scenario has", op->name);
    }
}

/* left_out ≥ op_count: nothing is. */
static int run_and_verify(struct gp_workload *workload, uint32_t left_out, struct gp_error *err)
{
    gp_assert_ok(workload->ops->reset(workload, err), *err);
    for (uint32_t i = 0; i < workload->dag->op_count; i++) {
        if (i != left_out) {
            submit(&workload->dag->ops[i]);
        }
    }
    gp_assert_ok(gp_stream_sync(stream, err), *err);
    return workload->ops->verify(workload, err);
}

static void check_scenario(const char *name)
{
    const struct gp_scenario_ops *ops = gp_scenario_find(name);
    struct gp_workload *workload;
    struct gp_error err = {0};
    int64_t values[GP_PARAMETERS_MAX], begin_ns;
    uint32_t last;

    choose_values(ops, values);
    gp_assert_ok(gp_workload_create(ops, device, stream, values, 1, &workload, &err), err);
    gp_assert_ok(run_and_verify(workload, UINT32_MAX, &err), err);
    begin_ns = gp_device_clock_ns(device);
    gp_assert_ok(run_and_verify(workload, UINT32_MAX, &err), err);
    print_message("    %s, reset, run and check: %.1f ms of the host clock\n", name,
                  (double)(gp_device_clock_ns(device) - begin_ns) / 1e6);
    last = workload->dag->op_count - 1;
    assert_int_equal(run_and_verify(workload, last, &err), GP_EVERIFY);
    assert_non_null(strstr(err.text, "got nothing (never written), expected "));
    assert_int_equal(run_and_verify(workload, last - 1, &err), GP_EVERIFY);
    gp_workload_destroy(workload);
}

static void test_batch(void **state)
{
    (void)state;
    check_scenario("batch");
}

static void test_mixed(void **state)
{
    (void)state;
    check_scenario("mixed");
}

/* Refused by the device, not by the scenario: the message names the buffer and its size. */
static void test_more_than_the_device_has(void **state)
{
    const struct gp_scenario_ops *ops = gp_scenario_find("batch");
    const gp_addr none = 0;
    struct gp_workload *workload;
    struct gp_error err = {0};
    int64_t values[GP_PARAMETERS_MAX];
    gp_addr hog = none;

    (void)state;
    if (device->info.memory_bytes < INT64_C(8) << 30 ||
        gp_device_mem_alloc(device, (uint64_t)device->info.memory_bytes - (UINT64_C(2) << 30), &hog,
                            &err) != 0) {
        skip();
    }
    gp_scenario_defaults(ops, values);
    values[gp_scenario_parameter(ops, "batches")] = 1024;
    assert_int_equal(gp_workload_create(ops, device, stream, values, 1, &workload, &err),
                     GP_EDEVICEMEM);
    assert_non_null(strstr(err.text, "buffer '"));
    gp_assert_ok(gp_device_mem_free(device, hog, &err), err);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_batch),
        cmocka_unit_test(test_mixed),
        cmocka_unit_test(test_more_than_the_device_has),
    };
    int code, failed;

    if (argc != 3) {
        (void)fprintf(stderr, "usage: test_on_device DEVICE default|small\n");
        return 2;
    }
    is_small = strcmp(argv[2], "small") == 0;
    code = gp_test_open(argv[1], NULL, &device, &stream);
    if (code != 0) {
        return code;
    }
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    gp_test_close(device, stream);
    return failed;
}
