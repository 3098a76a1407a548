/*
 * The scheduling core on the model device: chains overlap, a missing wait gives wrong data, every
 * policy keeps the data right and leaves no hazard, and plain runs take the same time.
 */
#include "test.h"

#include <stdio.h>
#include <string.h>

#include "core/dispatch.h"
#include "core/hazard.h"
#include "kernels/kernels.h"
#include "scenarios/workload.h"

struct fixture {
    struct gp_device *device;
    struct gp_stream *helper;
    struct gp_error err;
};

static int setup(void **state)
{
    static struct fixture f;

    memset(&f, 0, sizeof f);
    if (gp_device_open("model", NULL, &f.device, &f.err) != 0 ||
        gp_stream_create(f.device, GP_STREAM_NON_BLOCKING, 0, &f.helper, &f.err) != 0) {
        print_error("%s\n", f.err.text);
        return -1;
    }
    *state = &f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    (void)gp_stream_destroy(f->helper, NULL);
    gp_device_close(f->device);
    return 0;
}

/* What one cell needs: a schedule and its pool. */
struct cell {
    struct gp_policy *policy;
    struct gp_schedule *schedule;
    struct gp_pool *pool;
};

static void make_cell(struct fixture *f, struct cell *cell, const struct gp_dag *dag,
                      const struct gp_policy_ops *ops, uint32_t streams, enum gp_issue_order order)
{
    gp_assert_ok(gp_policy_create(ops, streams, &cell->policy, &f->err), f->err);
    gp_assert_ok(gp_schedule_create(cell->policy, dag, order, &cell->schedule, &f->err), f->err);
    gp_assert_ok(gp_pool_create_for(f->device, cell->policy, &cell->pool, &f->err), f->err);
    gp_assert_ok(gp_pool_reserve(cell->pool, cell->schedule->event_count, &f->err), f->err);
}

static void free_cell(struct cell *cell)
{
    gp_pool_destroy(cell->pool);
    gp_schedule_destroy(cell->schedule);
    gp_policy_destroy(cell->policy);
}

static int64_t run(struct fixture *f, const struct cell *cell)
{
    const struct gp_dispatch dispatch = {.schedule = cell->schedule, .pool = cell->pool};
    struct gp_run_times times;

    gp_assert_ok(gp_dispatch_run(&dispatch, &times, &f->err), f->err);
    assert_true(times.begin_ns <= times.submitted_ns && times.submitted_ns <= times.end_ns);
    return times.end_ns - times.begin_ns;
}

static int64_t run_policy(struct fixture *f, const struct gp_dag *dag, const char *policy,
                          uint32_t streams)
{
    struct cell cell;
    int64_t makespan_ns;

    make_cell(f, &cell, dag, gp_policy_find(policy), streams, GP_ORDER_DEPTH);
    makespan_ns = run(f, &cell);
    free_cell(&cell);
    return makespan_ns;
}

/* One block that adds 1 to 256 floats `iterations` times, about 2.3 ns each. */
static struct gp_op *add_ones(struct gp_builder *builder, const struct gp_buffer *data,
                              uint32_t iterations)
{
    uint32_t count = 256;
    float multiplier = 1;
    const void *const args[] = {&data->address, &count, &iterations, &multiplier};
    const struct gp_access access = {data, 0, count * sizeof(float), GP_ACCESS_READ_WRITE};
    const struct gp_launch launch = {.kernel = &gp_kernel_fma_1,
                                     .grid = {1, 1, 1},
                                     .block = {256, 1, 1},
                                     .args = args,
                                     .accesses = &access,
                                     .access_count = 1};

    return gp_op_kernel(builder, NULL, &launch);
}

static void test_chains_overlap(void **state)
{
    enum { CHAINS = 4 };
    struct fixture *f = *state;
    struct gp_buffer *buffers[CHAINS];
    struct gp_op *chains[CHAINS];
    struct gp_builder *builder;
    struct gp_dag *dag;
    int64_t alone_ns;

    gp_assert_ok(gp_builder_create(&builder, &f->err), f->err);
    for (uint32_t i = 0; i < CHAINS; i++) {
        gp_assert_ok(
            gp_buffer_create(f->device, GP_SPACE_DEVICE, 1024, i, "data", &buffers[i], &f->err),
            f->err);
        gp_assert_ok(gp_buffer_fill(buffers[i], f->helper, 0, &f->err), f->err);
        chains[i] = gp_op_and_then(builder, add_ones(builder, buffers[i], 400000),
                                   add_ones(builder, buffers[i], 400000));
    }
    gp_assert_ok(gp_dag_freeze(builder, gp_op_zip(builder, chains, CHAINS), &dag, &f->err), f->err);
    gp_builder_destroy(builder);
    alone_ns = run_policy(f, dag, "single", 1);
    assert_int_equal(run_policy(f, dag, "round-robin", 1), alone_ns);
    assert_in_range(alone_ns / run_policy(f, dag, "round-robin", 2), 1, 2);
    assert_true(run_policy(f, dag, "round-robin", 4) < alone_ns * 27 / 100);
    assert_true(run_policy(f, dag, "null-stream", 4) > alone_ns * 99 / 100);
    gp_dag_destroy(dag);
    for (int i = 0; i < CHAINS; i++) {
        gp_buffer_destroy(buffers[i]);
    }
}

/* A copy in of some 80 µs, a kernel of some 20 µs, a copy out of a few µs, each on a stream of its
 * own: whichever does not wait is done before what it should have waited for. */
enum { IN_BYTES = 4 << 20, OUT_BYTES = 1024, ONES = 8000 };

struct pipe {
    struct gp_buffer *in, *data, *out;
    struct gp_dag *dag;
    struct cell cell;
};

static void make_pipe(struct fixture *f, struct pipe *pipe)
{
    struct gp_builder *builder;
    struct gp_op *op;

    gp_assert_ok(
        gp_buffer_create(f->device, GP_SPACE_PINNED, IN_BYTES, 0, "in", &pipe->in, &f->err),
        f->err);
    gp_assert_ok(
        gp_buffer_create(f->device, GP_SPACE_DEVICE, IN_BYTES, 1, "data", &pipe->data, &f->err),
        f->err);
    gp_assert_ok(
        gp_buffer_create(f->device, GP_SPACE_PINNED, OUT_BYTES, 2, "out", &pipe->out, &f->err),
        f->err);
    for (int i = 0; i < 256; i++) {
        ((float *)gp_buffer_host(pipe->in))[i] = 0.0F;
    }
    gp_assert_ok(gp_builder_create(&builder, &f->err), f->err);
    op = gp_op_and_then(builder, gp_op_copy(builder, NULL, pipe->data, 0, pipe->in, 0, IN_BYTES),
                        add_ones(builder, pipe->data, ONES));
    op = gp_op_and_then(builder, op,
                        gp_op_copy(builder, NULL, pipe->out, 0, pipe->data, 0, OUT_BYTES));
    gp_assert_ok(gp_dag_freeze(builder, op, &pipe->dag, &f->err), f->err);
    gp_builder_destroy(builder);
    make_cell(f, &pipe->cell, pipe->dag, gp_policy_find("round-robin-op"), 3, GP_ORDER_DEPTH);
}

static void free_pipe(struct pipe *pipe)
{
    free_cell(&pipe->cell);
    gp_dag_destroy(pipe->dag);
    gp_buffer_destroy(pipe->in);
    gp_buffer_destroy(pipe->data);
    gp_buffer_destroy(pipe->out);
}

/* Runs on poisoned data; true when all of the output is right: ones added to 0. */
static bool run_pipe(struct fixture *f, struct pipe *pipe)
{
    const float *out = gp_buffer_host(pipe->out);
    bool is_right = true;

    gp_assert_ok(gp_buffer_fill(pipe->data, f->helper, 0x7f, &f->err), f->err);
    gp_assert_ok(gp_buffer_fill(pipe->out, f->helper, 0x7f, &f->err), f->err);
    (void)run(f, &pipe->cell);
    for (int i = 0; i < 256; i++) {
        is_right = is_right && out[i] == (float)ONES;
    }
    return is_right;
}

static void test_missing_wait_gives_wrong_data(void **state)
{
    struct fixture *f = *state;
    struct pipe pipe;
    struct gp_schedule *schedule;

    make_pipe(f, &pipe);
    schedule = pipe.cell.schedule;
    assert_true(run_pipe(f, &pipe));
    for (uint32_t i = 0; i < schedule->step_count; i++) {
        struct gp_step kept = schedule->steps[i];
        struct gp_hazard_report *report;

        if (kept.kind != GP_STEP_WAIT) {
            continue;
        }
        /* A record nobody waits for stands in for the wait. */
        schedule->steps[i].kind = GP_STEP_RECORD;
        gp_assert_ok(gp_hazard_find(schedule, &report, &f->err), f->err);
        assert_true(report->hazard_count > 0);
        gp_hazard_report_destroy(report);
        assert_false(run_pipe(f, &pipe));
        schedule->steps[i] = kept;
    }
    assert_true(run_pipe(f, &pipe));
    free_pipe(&pipe);
}

static void test_plain_runs_move_nothing_and_take_as_long(void **state)
{
    struct fixture *f = *state;
    struct pipe pipe;
    int64_t executed_ns;

    make_pipe(f, &pipe);
    executed_ns = run(f, &pipe.cell);
    gp_device_set_execute(f->device, false);
    assert_false(run_pipe(f, &pipe));
    assert_int_equal(run(f, &pipe.cell), executed_ns);
    gp_device_set_execute(f->device, true);
    assert_true(run_pipe(f, &pipe));
    free_pipe(&pipe);
}

static void check_cell(struct fixture *f, struct gp_workload *workload,
                       const struct gp_policy_ops *ops, uint32_t streams, enum gp_issue_order order)
{
    struct cell cell;
    struct gp_hazard_report *report;

    make_cell(f, &cell, workload->dag, ops, streams, order);
    gp_assert_ok(gp_hazard_find(cell.schedule, &report, &f->err), f->err);
    assert_int_equal(report->hazard_count, 0);
    gp_hazard_report_destroy(report);
    gp_assert_ok(workload->ops->reset(workload, &f->err), f->err);
    (void)run(f, &cell);
    gp_assert_ok(workload->ops->verify(workload, &f->err), f->err);
    free_cell(&cell);
}

static void set(const struct gp_scenario_ops *ops, int64_t *values, const char *name, int64_t value)
{
    int index = gp_scenario_parameter(ops, name);

    if (index >= 0) {
        values[index] = value;
    }
}

/* What makes scenarios small; those that lack a parameter do not mind. */
static const struct {
    const char *name;
    int64_t value;
} small[] = {
    {"m", 64},         {"k", 128},     {"n", 64},           {"batches", 6}, {"chunks", 6},
    {"chunk_kib", 64}, {"kernels", 6}, {"us", 5},           {"links", 4},   {"diamonds", 2},
    {"groups", 2},     {"chains", 3},  {"wave_blocks", 40}, {"width", 96},  {"height", 64},
    {"tile", 32},      {"frames", 1},  {"requests", 6},     {"bulk", 4},    {"urgent", 6},
};

/* Every scenario that is right, small, under every policy, two pool sizes and all orders. */
static void test_every_policy_keeps_the_data(void **state)
{
    struct fixture *f = *state;

    for (size_t i = 0; i < gp_scenario_table_count; i++) {
        const struct gp_scenario_ops *scenario = gp_scenario_table[i];
        int64_t values[GP_PARAMETERS_MAX];
        struct gp_workload *workload;

        if (scenario->flags != 0) {
            continue;
        }
        gp_scenario_defaults(scenario, values);
        for (size_t k = 0; k < sizeof small / sizeof small[0]; k++) {
            set(scenario, values, small[k].name, small[k].value);
        }
        gp_assert_ok(
            gp_workload_create(scenario, f->device, f->helper, values, 1, &workload, &f->err),
            f->err);
        for (size_t p = 0; p < gp_policy_table_count; p++) {
            for (int order = 0; order < GP_ISSUE_ORDER_COUNT; order++) {
                check_cell(f, workload, gp_policy_table[p], 2, (enum gp_issue_order)order);
                check_cell(f, workload, gp_policy_table[p], 5, (enum gp_issue_order)order);
            }
        }
        gp_workload_destroy(workload);
    }
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_chains_overlap),
        TEST(test_missing_wait_gives_wrong_data),
        TEST(test_plain_runs_move_nothing_and_take_as_long),
        TEST(test_every_policy_keeps_the_data),
    };
#undef TEST

    return cmocka_run_group_tests(tests, NULL, NULL);
}
