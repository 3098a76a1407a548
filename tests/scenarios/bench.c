/* See bench.h. */
#include "bench.h"

#include <string.h>

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

void bench_open(struct bench *bench)
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

void bench_close(struct bench *bench)
{
    gp_workload_destroy(bench->workload);
    (void)gp_stream_destroy(bench->stream, NULL);
    gp_fake_finish(&bench->fake);
}

void bench_small_values(const struct gp_scenario_ops *ops, int64_t *values)
{
    static const struct {
        const char *name;
        int64_t value;
    } small[] = {
        {"m", 128},      {"k", 128},       {"n", 64},     {"batches", 6},     {"chunk_kib", 4},
        {"chunks", 6},   {"blocks", 3},    {"tile", 16},  {"width", 48},      {"height", 32},
        {"frames", 3},   {"steps", 24},    {"chains", 6}, {"kernels", 6},     {"pairs", 3},
        {"small", 6},    {"large", 3},     {"bulk", 3},   {"bulk_blocks", 4}, {"urgent", 5},
        {"requests", 6}, {"largest", 256}, {"rounds", 2},
    };

    gp_scenario_defaults(ops, values);
    for (size_t i = 0; i < sizeof small / sizeof small[0]; i++) {
        int index = gp_scenario_parameter(ops, small[i].name);

        if (index >= 0) {
            values[index] = small[i].value;
        }
    }
}

void bench_set_up(struct bench *bench, const char *name, uint64_t seed)
{
    const struct gp_scenario_ops *ops = gp_scenario_find(name);
    int64_t values[GP_PARAMETERS_MAX] = {0};
    struct gp_error err = {0};

    assert_non_null(ops);
    bench_small_values(ops, values);
    gp_assert_ok(gp_workload_create(ops, &bench->fake.base, bench->stream, values, seed,
                                    &bench->workload, &err),
                 err);
}

void bench_submit(struct bench *bench, const struct gp_dag_op *op)
{
    struct gp_error err = {0};
    enum gp_copy_kind copy = op->kind == GP_OP_H2D ? GP_COPY_H2D : GP_COPY_D2H;

    if (op->kind == GP_OP_KERNEL) {
        gp_assert_ok(gp_stream_launch(bench->stream, &op->launch, &err), err);
    } else {
        gp_assert_ok(gp_stream_copy(bench->stream, copy, op->to, op->from, op->bytes, &err), err);
    }
}

void bench_run_without(struct bench *bench, int left_out)
{
    const struct gp_dag *dag = bench->workload->dag;
    struct gp_error err = {0};

    gp_assert_ok(bench->workload->ops->reset(bench->workload, &err), err);
    for (uint32_t i = 0; i < dag->op_count; i++) {
        if ((int)i != left_out) {
            bench_submit(bench, &dag->ops[i]);
        }
    }
}

void bench_expect_right(struct bench *bench)
{
    struct gp_error err = {0};

    gp_assert_ok(bench->workload->ops->verify(bench->workload, &err), err);
}

void bench_expect_wrong(struct bench *bench, const char *text)
{
    struct gp_error err = {0};

    assert_int_equal(bench->workload->ops->verify(bench->workload, &err), GP_EVERIFY);
    if (strstr(err.text, text) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", err.text, text);
    }
}
