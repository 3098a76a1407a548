/*
 * Scenarios on a device that does each operation at once: their results are right, a wrong or
 * missing operation is found and named, and nothing leaks when something fails on the way.
 */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "fake_device.h"
#include "scenarios/scenario.h"

/* ---- the device ---------------------------------------------------------------------------- */

struct bench {
    struct gp_fake fake;
    struct gp_device_ops ops;
    struct gp_stream *stream;
    struct gp_workload *workload;
};

static int launch(struct gp_stream *stream, const struct gp_launch *launch, struct gp_error *err)
{
    (void)stream;
    (void)err;
    launch->kernel->reference(launch);
    return 0;
}

static int prepare(struct gp_device *device, const struct gp_kernel *kernel, struct gp_error *err)
{
    struct gp_fake *fake = (struct gp_fake *)device;

    if (++fake->calls == fake->fail_at) {
        return gp_fail(err, fake->fail_code, "the fake device does not know %s", kernel->name);
    }
    return 0;
}

static void open_bench(struct bench *bench)
{
    struct gp_error err = {0};

    memset(bench, 0, sizeof *bench);
    gp_fake_init(&bench->fake);
    bench->fake.is_silent = true;
    bench->ops = *bench->fake.base.ops;
    bench->ops.launch = launch;
    bench->ops.kernel_prepare = prepare;
    bench->fake.base.ops = &bench->ops;
    gp_assert_ok(
        gp_stream_create(&bench->fake.base, GP_STREAM_NON_BLOCKING, 0, &bench->stream, &err), err);
}

static void close_bench(struct bench *bench)
{
    gp_workload_destroy(bench->workload);
    (void)gp_stream_destroy(bench->stream, NULL);
    gp_fake_finish(&bench->fake);
}

/* Sizes small enough for every sanitizer; more chains than distinct inputs. */
static void small_values(const struct gp_scenario_ops *ops, int64_t *values)
{
    static const struct {
        const char *name;
        int64_t value;
    } small[] = {
        {"m", 128},    {"k", 128},         {"n", 64},     {"batches", 6},  {"chunk_kib", 4},
        {"chunks", 6}, {"blocks", 3},      {"tile", 16},  {"width", 48},   {"height", 32},
        {"frames", 3}, {"steps", 24},      {"chains", 6}, {"kernels", 6},  {"pairs", 3},
        {"bulk", 3},   {"bulk_blocks", 4}, {"urgent", 5}, {"requests", 6},
    };

    gp_scenario_defaults(ops, values);
    for (size_t i = 0; i < sizeof small / sizeof small[0]; i++) {
        int index = gp_scenario_parameter(ops, small[i].name);

        if (index >= 0) {
            values[index] = small[i].value;
        }
    }
}

static void set_up(struct bench *bench, const char *name, uint64_t seed)
{
    const struct gp_scenario_ops *ops = gp_scenario_find(name);
    int64_t values[GP_PARAMETERS_MAX] = {0};
    struct gp_error err = {0};

    assert_non_null(ops);
    small_values(ops, values);
    gp_assert_ok(gp_workload_create(ops, &bench->fake.base, bench->stream, values, seed,
                                    &bench->workload, &err),
                 err);
}

static void submit(struct bench *bench, const struct gp_dag_op *op)
{
    struct gp_error err = {0};
    enum gp_copy_kind copy = op->kind == GP_OP_H2D ? GP_COPY_H2D : GP_COPY_D2H;

    if (op->kind == GP_OP_KERNEL) {
        gp_assert_ok(gp_stream_launch(bench->stream, &op->launch, &err), err);
    } else {
        gp_assert_ok(gp_stream_copy(bench->stream, copy, op->to, op->from, op->bytes, &err), err);
    }
}

enum { ALL = -1 };

/* All operations in id order, but one. */
static void run_without(struct bench *bench, int left_out)
{
    const struct gp_dag *dag = bench->workload->dag;
    struct gp_error err = {0};

    gp_assert_ok(bench->workload->ops->reset(bench->workload, &err), err);
    for (uint32_t i = 0; i < dag->op_count; i++) {
        if ((int)i != left_out) {
            submit(bench, &dag->ops[i]);
        }
    }
}

static void expect_right(struct bench *bench)
{
    struct gp_error err = {0};

    gp_assert_ok(bench->workload->ops->verify(bench->workload, &err), err);
}

static void expect_wrong(struct bench *bench, const char *text)
{
    struct gp_error err = {0};

    assert_int_equal(bench->workload->ops->verify(bench->workload, &err), GP_EVERIFY);
    if (strstr(err.text, text) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", err.text, text);
    }
}

/* ---- results ------------------------------------------------------------------------------- */

static void check_scenario(const char *name, uint32_t chain_ops, const char *last_chain)
{
    struct bench bench;
    const struct gp_dag *dag;

    open_bench(&bench);
    set_up(&bench, name, 1);
    dag = bench.workload->dag;
    assert_int_equal(dag->chain_count, 6);
    assert_int_equal(dag->op_count, 6 * chain_ops);
    run_without(&bench, ALL);
    expect_right(&bench);
    /* Every operation of the last chain is needed, though the run before left right results. */
    for (uint32_t i = dag->op_count - chain_ops; i < dag->op_count; i++) {
        run_without(&bench, (int)i);
        expect_wrong(&bench, last_chain);
    }
    expect_wrong(&bench, "got nothing (never written), expected ");
    run_without(&bench, ALL);
    expect_right(&bench);
    close_bench(&bench);
}

static void test_batch_is_right_and_needs_every_operation(void **state)
{
    (void)state;
    check_scenario("batch", 5, " of batch 5: got ");
}

static void test_mixed_is_right_and_needs_every_operation(void **state)
{
    (void)state;
    check_scenario("mixed", 3, " of chunk 5: got ");
}

/* Each operation is needed, though the run before left right results. */
static void check_each_is_needed(const char *name, uint32_t op_count)
{
    struct bench bench;

    open_bench(&bench);
    set_up(&bench, name, 1);
    assert_int_equal(bench.workload->dag->op_count, op_count);
    for (uint32_t i = 0; i < op_count; i++) {
        run_without(&bench, (int)i);
        expect_wrong(&bench, name);
    }
    run_without(&bench, ALL);
    expect_right(&bench);
    close_bench(&bench);
}

static void test_words_show_each_operation(void **state)
{
    (void)state;
    check_each_is_needed("null-stream", 6);
    check_each_is_needed("many-streams", 24);
    check_each_is_needed("priority", 8);
    check_each_is_needed("serving", 30);
    check_each_is_needed("inflight", 24);
    check_each_is_needed("hazard", 6);
}

/* With waits one kernel more, in a chain of its own, that every chain waits for in its middle. */
static void test_many_streams_wait(void **state)
{
    const struct gp_scenario_ops *ops = gp_scenario_find("many-streams");
    int64_t values[GP_PARAMETERS_MAX] = {0};
    struct gp_error err = {0};
    struct bench bench;
    uint32_t waiting = 0;

    (void)state;
    small_values(ops, values);
    values[gp_scenario_parameter(ops, "waits")] = 1;
    open_bench(&bench);
    gp_assert_ok(
        gp_workload_create(ops, &bench.fake.base, bench.stream, values, 1, &bench.workload, &err),
        err);
    assert_int_equal(bench.workload->dag->op_count, 25);
    assert_int_equal(bench.workload->dag->chain_count, 7);
    for (uint32_t i = 0; i < 25; i++) {
        waiting += bench.workload->dag->ops[i].in_count == 2 ? 1 : 0;
    }
    assert_int_equal(waiting, 6);
    run_without(&bench, ALL);
    expect_right(&bench);
    close_bench(&bench);
}

/* Arrivals ascend, begin after 0, and come as often as is said; a seed draws other ones. */
static void test_arrivals(void **state)
{
    const struct gp_scenario_ops *ops = gp_scenario_find("priority");
    int64_t values[GP_PARAMETERS_MAX] = {0};
    int64_t last_ns[2];

    (void)state;
    small_values(ops, values);
    values[gp_scenario_parameter(ops, "urgent")] = 2000;
    for (uint64_t seed = 0; seed < 2; seed++) {
        struct gp_error err = {0};
        struct bench bench;

        open_bench(&bench);
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
        close_bench(&bench);
    }
    assert_int_not_equal(last_ns[0], last_ns[1]);
}

/* The operation of chain `chain` that has the given place in it. */
static const struct gp_dag_op *chain_op(const struct bench *bench, uint32_t chain, uint32_t place)
{
    const struct gp_dag *dag = bench->workload->dag;

    return &dag->ops[dag->chain_ops[dag->chain_first[chain] + place]];
}

/* Six tiles, three frames: each operation is needed, though the run before left right results. */
static void test_pipeline_is_right_and_needs_every_operation(void **state)
{
    struct bench bench;

    (void)state;
    open_bench(&bench);
    set_up(&bench, "pipeline", 1);
    assert_int_equal(bench.workload->dag->op_count, 3 * 6 * 4);
    for (int i = 0; i < 3 * 6 * 4; i++) {
        run_without(&bench, i);
        expect_wrong(&bench, "pipeline: pixel (");
    }
    run_without(&bench, ALL);
    expect_right(&bench);
    close_bench(&bench);
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

        small_values(ops, values);
        values[gp_scenario_parameter(ops, "height")] = 48;
        values[gp_scenario_parameter(ops, "halo")] = halo;
        open_bench(&bench);
        gp_assert_ok(gp_workload_create(ops, &bench.fake.base, bench.stream, values, 1,
                                        &bench.workload, &err),
                     err);
        for (uint32_t i = 0; i < bench.workload->dag->op_count; i++) {
            waits[halo][bench.workload->dag->ops[i].in_count]++;
        }
        run_without(&bench, ALL);
        expect_right(&bench);
        close_bench(&bench);
    }
    /* Without: a line of four for each tile, and the third frame behind the first. */
    assert_int_equal(waits[0][0], 2 * 9);
    assert_int_equal(waits[0][1], 3 * 9 * 4 - 2 * 9);
    /* With: 4 corners, 4 sides and the middle, of three frames' denoise and one frame's trace. */
    assert_int_equal(waits[1][4], 4 * 4);
    assert_int_equal(waits[1][6], 4 * 4);
    assert_int_equal(waits[1][9], 4);
}

static void test_wrong_elements_are_named(void **state)
{
    struct bench bench;
    float *y, *c;
    char text[96];

    (void)state;
    open_bench(&bench);
    set_up(&bench, "batch", 2);
    run_without(&bench, ALL);
    y = (float *)(uintptr_t)chain_op(&bench, 3, 4)->to;
    (void)snprintf(text, sizeof text, "batch: y[17] of batch 3: got %g, expected %g",
                   (double)y[17] + 1.0, (double)y[17]);
    y[17] += 1.0f;
    expect_wrong(&bench, text);
    y[17] -= 1.0f;
    expect_right(&bench);
    c = gp_launch_pointer(&chain_op(&bench, 5, 1)->launch, 2);
    (void)snprintf(text, sizeof text, "batch: c[2][9] of batch 5: got %g, expected %g",
                   (double)c[2 * 64 + 9] - 1.0, (double)c[2 * 64 + 9]);
    c[2 * 64 + 9] -= 1.0f;
    expect_wrong(&bench, text);
    close_bench(&bench);

    open_bench(&bench);
    set_up(&bench, "mixed", 2);
    run_without(&bench, ALL);
    y = (float *)(uintptr_t)chain_op(&bench, 4, 2)->to;
    (void)snprintf(text, sizeof text, "mixed: output[1023] of chunk 4: got %g, expected %g",
                   (double)y[1023] + 2.0, (double)y[1023]);
    y[1023] += 2.0f;
    expect_wrong(&bench, text);
    close_bench(&bench);
}

/* A run that used another batch's data must not pass for right. */
static void test_inputs_differ(void **state)
{
    struct bench bench;
    struct gp_dag_op op;

    (void)state;
    open_bench(&bench);
    set_up(&bench, "batch", 3);
    run_without(&bench, ALL);
    op = *chain_op(&bench, 0, 4);
    op.to = chain_op(&bench, 1, 4)->to;
    submit(&bench, &op);
    expect_wrong(&bench, "of batch 1: got");
    close_bench(&bench);
}

static void test_seeds_repeat(void **state)
{
    struct bench benches[3];
    const uint64_t seeds[3] = {7, 7, 8};
    const void *inputs[3];
    size_t bytes = 0;

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        open_bench(&benches[i]);
        set_up(&benches[i], "mixed", seeds[i]);
        inputs[i] = (const void *)(uintptr_t)benches[i].workload->dag->ops[0].from;
        bytes = benches[i].workload->dag->ops[0].bytes;
    }
    assert_memory_equal(inputs[0], inputs[1], bytes);
    assert_memory_not_equal(inputs[0], inputs[2], bytes);
    for (size_t i = 0; i < 3; i++) {
        close_bench(&benches[i]);
    }
}

/* ---- parameters ---------------------------------------------------------------------------- */

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
    open_bench(&bench);
    assert_int_equal(
        gp_workload_create(ops, &bench.fake.base, bench.stream, values, 1, &bench.workload, &err),
        GP_EINVAL);
    assert_string_equal(err.text, text);
    close_bench(&bench);
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
    expect_refused("inflight", "workers", 33, "inflight: workers is 33, allowed is 1 to 32");
    expect_refused("mixed", "chunks", 2048,
                   "mixed: these sizes take 8192 MiB of device memory, allowed are 4096; take less "
                   "of them or smaller ones");
    expect_refused("pipeline", "tile", 100,
                   "pipeline: tile is 100, allowed is 16 to 1024, a multiple of 16");
    expect_refused("pipeline", "frames", 0, "pipeline: frames is 0, allowed is 1 to 16");
    expect_refused("pipeline", "steps", -1, "pipeline: steps is -1, allowed is 1 to 1024");
    expect_refused("pipeline", "width", 16385, "pipeline: width is 16385, allowed is 16 to 16384");
}

/* ---- failures ------------------------------------------------------------------------------ */

static void check_device_failures(const char *name)
{
    const struct gp_scenario_ops *ops = gp_scenario_find(name);
    int64_t values[GP_PARAMETERS_MAX] = {0};
    uint32_t failures = 0;
    int code;

    small_values(ops, values);
    do {
        struct gp_error err = {0};
        struct bench bench;

        open_bench(&bench);
        bench.fake.fail_at = bench.fake.calls + ++failures;
        bench.fake.fail_code = GP_EDEVICEMEM;
        code = gp_workload_create(ops, &bench.fake.base, bench.stream, values, 1, &bench.workload,
                                  &err);
        assert_true(code == 0 || code == GP_EDEVICEMEM);
        assert_true(code == 0 || bench.workload == NULL);
        close_bench(&bench);
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

    small_values(ops, values);
    for (uint32_t allowed = 0; allowed < 1000; allowed++) {
        struct gp_error err = {0};
        struct bench bench;

        open_bench(&bench);
        allocations_left = allowed;
        gp_memory_set_hook(&hook);
        code = gp_workload_create(ops, &bench.fake.base, bench.stream, values, 1, &bench.workload,
                                  &err);
        gp_memory_set_hook(NULL);
        assert_true(code == 0 || code == GP_ENOMEM);
        close_bench(&bench);
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
    check_device_failures("pipeline");
    check_memory_failures("pipeline");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_batch_is_right_and_needs_every_operation),
        cmocka_unit_test(test_mixed_is_right_and_needs_every_operation),
        cmocka_unit_test(test_pipeline_is_right_and_needs_every_operation),
        cmocka_unit_test(test_pipeline_waits_for_neighbours),
        cmocka_unit_test(test_words_show_each_operation),
        cmocka_unit_test(test_many_streams_wait),
        cmocka_unit_test(test_arrivals),
        cmocka_unit_test(test_wrong_elements_are_named),
        cmocka_unit_test(test_inputs_differ),
        cmocka_unit_test(test_seeds_repeat),
        cmocka_unit_test(test_table_and_defaults),
        cmocka_unit_test(test_bad_values_are_refused),
        cmocka_unit_test(test_failures_leave_nothing_behind),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
