/*
 * Submit mode graph on the model device: the same data as through streams, launched again and
 * again, with stamps, and what cannot be captured.
 */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "core/graph_submit.h"
#include "scenarios/workload.h"
#include "trees.h"

struct fixture {
    struct gp_device *device;
    struct gp_stream *helper;
    struct gp_workload *workload;
    struct gp_policy *policy;
    struct gp_schedule *schedule;
    struct gp_pool *pool;
    struct gp_error err;
};

/* A small batch under a policy, with a pool of the policy's own. */
static void start(struct fixture *f, const char *policy)
{
    const struct gp_scenario_ops *batch = gp_scenario_find("batch");
    int64_t values[GP_PARAMETERS_MAX];

    memset(f, 0, sizeof *f);
    gp_assert_ok(gp_device_open("model", NULL, &f->device, &f->err), f->err);
    gp_assert_ok(gp_stream_create(f->device, GP_STREAM_NON_BLOCKING, 0, &f->helper, &f->err),
                 f->err);
    gp_scenario_defaults(batch, values);
    values[gp_scenario_parameter(batch, "batches")] = 6;
    values[gp_scenario_parameter(batch, "m")] = 64;
    values[gp_scenario_parameter(batch, "n")] = 64;
    values[gp_scenario_parameter(batch, "k")] = 64;
    gp_assert_ok(gp_workload_create(batch, f->device, f->helper, values, 1, &f->workload, &f->err),
                 f->err);
    gp_assert_ok(gp_policy_create(gp_policy_find(policy), 4, &f->policy, &f->err), f->err);
    gp_assert_ok(
        gp_schedule_create(f->policy, f->workload->dag, GP_ORDER_DEPTH, &f->schedule, &f->err),
        f->err);
    gp_assert_ok(gp_pool_create_for(f->device, f->policy, &f->pool, &f->err), f->err);
    gp_assert_ok(gp_pool_reserve(f->pool, f->schedule->event_count, &f->err), f->err);
}

static void finish(struct fixture *f)
{
    gp_pool_destroy(f->pool);
    gp_schedule_destroy(f->schedule);
    gp_policy_destroy(f->policy);
    gp_workload_destroy(f->workload);
    (void)gp_stream_destroy(f->helper, NULL);
    gp_device_close(f->device);
}

static struct gp_dispatch dispatch_of(const struct fixture *f)
{
    return (struct gp_dispatch){.schedule = f->schedule, .pool = f->pool};
}

static int64_t run(struct fixture *f, const struct gp_dispatch *dispatch)
{
    struct gp_run_times times;

    gp_assert_ok(f->workload->ops->reset(f->workload, &f->err), f->err);
    gp_assert_ok(gp_dispatch_run(dispatch, &times, &f->err), f->err);
    assert_true(times.begin_ns <= times.submitted_ns && times.submitted_ns <= times.end_ns);
    return times.submitted_ns - times.begin_ns;
}

static struct gp_graph *capture(struct fixture *f, const struct gp_dispatch *dispatch)
{
    struct gp_graph *graph = NULL;
    int64_t instantiate_ns = 0;

    gp_assert_ok(gp_graph_submit_create(dispatch, &graph, &instantiate_ns, &f->err), f->err);
    assert_int_equal(graph->node_count, f->workload->dag->op_count);
    assert_true(instantiate_ns > 0);
    return graph;
}

static bool is_right(struct fixture *f)
{
    int code = f->workload->ops->verify(f->workload, &f->err);

    assert_true(code == 0 || code == GP_EVERIFY);
    return code == 0;
}

static void test_every_policy_keeps_the_data_right(void **state)
{
    (void)state;
    for (size_t i = 0; i < gp_policy_table_count; i++) {
        struct fixture f;
        struct gp_dispatch dispatch;
        int64_t submit_ns = 0;

        if (strcmp(gp_policy_table[i]->name, "null-stream") == 0) {
            continue;
        }
        start(&f, gp_policy_table[i]->name);
        dispatch = dispatch_of(&f);
        dispatch.graph = capture(&f, &dispatch);
        for (int launch = 0; launch < 3; launch++) {
            submit_ns = run(&f, &dispatch);
            assert_true(is_right(&f));
        }
        /* The pool is as good as before, and streams take a call for each operation. */
        assert_int_equal(gp_graph_destroy(dispatch.graph, &f.err), 0);
        dispatch.graph = NULL;
        assert_true(run(&f, &dispatch) > 2 * submit_ns);
        assert_true(is_right(&f));
        finish(&f);
    }
}

static void test_a_plain_launch_moves_nothing(void **state)
{
    struct fixture f;
    struct gp_dispatch dispatch;

    (void)state;
    start(&f, "round-robin");
    dispatch = dispatch_of(&f);
    dispatch.graph = capture(&f, &dispatch);
    gp_assert_ok(f.workload->ops->reset(f.workload, &f.err), f.err);
    gp_device_set_execute(f.device, false);
    {
        struct gp_run_times times;

        gp_assert_ok(gp_dispatch_run(&dispatch, &times, &f.err), f.err);
    }
    gp_device_set_execute(f.device, true);
    assert_false(is_right(&f));
    (void)run(&f, &dispatch);
    assert_true(is_right(&f));
    (void)gp_graph_destroy(dispatch.graph, NULL);
    finish(&f);
}

/* What a sink is told of a graph: one launch. */
struct listener {
    struct gp_sink base;
    int launches, others;
};

static void hear_launch(struct gp_sink *sink, int64_t begin_ns, int64_t end_ns)
{
    assert_true(begin_ns < end_ns);
    ((struct listener *)sink)->launches++;
}

static void hear_op(struct gp_sink *sink, uint32_t op, int64_t begin_ns, int64_t end_ns)
{
    (void)op;
    (void)begin_ns;
    (void)end_ns;
    ((struct listener *)sink)->others++;
}

static void test_stamps_of_each_launch(void **state)
{
    static const struct gp_sink_ops listener_ops = {
        .name = "listener", .launch = hear_launch, .op_end = hear_op};
    struct listener listener = {.base.ops = &listener_ops};
    struct gp_sink *sinks[] = {&listener.base};
    struct gp_sink_tee tee;
    struct gp_probe *probes;
    struct gp_stamp *stamps;
    struct gp_dispatch dispatch;
    struct fixture f;
    void *block = NULL;
    uint32_t count;

    (void)state;
    start(&f, "round-robin");
    count = f.workload->dag->op_count;
    gp_assert_ok(gp_device_host_alloc(f.device, count * sizeof *stamps, &block, &f.err), f.err);
    stamps = block;
    probes = calloc(count, sizeof *probes);
    assert_non_null(probes);
    for (uint32_t i = 0; i < count; i++) {
        bool is_kernel = f.workload->dag->ops[i].kind == GP_OP_KERNEL;

        probes[i].stamp = is_kernel ? (gp_addr)(uintptr_t)&stamps[i] : 0;
    }
    gp_sink_tee_init(&tee, sinks, 1);
    dispatch = dispatch_of(&f);
    dispatch.probes = probes;
    dispatch.sink = &tee.base;
    dispatch.graph = capture(&f, &dispatch);
    for (int launch = 0; launch < 2; launch++) {
        for (uint32_t i = 0; i < count; i++) {
            stamps[i] = (struct gp_stamp){.begin = UINT64_MAX, .end = 0};
        }
        (void)run(&f, &dispatch);
        for (uint32_t i = 0; i < count; i++) {
            assert_int_equal(stamps[i].begin < stamps[i].end, probes[i].stamp != 0);
        }
    }
    assert_int_equal(listener.launches, 2);
    assert_int_equal(listener.others, 0);
    (void)gp_graph_destroy(dispatch.graph, NULL);
    (void)gp_device_host_free(f.device, block, NULL);
    free(probes);
    finish(&f);
}

static void test_the_null_stream_is_unsupported(void **state)
{
    struct fixture f;
    struct gp_dispatch dispatch;
    int64_t instantiate_ns = 0;

    (void)state;
    start(&f, "null-stream");
    dispatch = dispatch_of(&f);
    assert_int_equal(gp_graph_submit_create(&dispatch, &dispatch.graph, &instantiate_ns, &f.err),
                     GP_EUNSUPPORTED);
    assert_non_null(strstr(f.err.text, "'null-stream' uses the NULL stream"));
    assert_null(dispatch.graph);
    (void)run(&f, &dispatch);
    assert_true(is_right(&f));
    finish(&f);
}

static void test_memory_failure_at_every_step(void **state)
{
    struct fixture f;
    struct gp_dispatch dispatch;
    int64_t instantiate_ns = 0;
    bool is_reached = true;

    (void)state;
    start(&f, "roles");
    dispatch = dispatch_of(&f);
    /* What pool and device keep for the next graph is there from now on. */
    (void)gp_graph_destroy(capture(&f, &dispatch), NULL);
    for (uint32_t n = 1; is_reached; n++) {
        int code;

        gp_test_memory_fail_at(n);
        code = gp_graph_submit_create(&dispatch, &dispatch.graph, &instantiate_ns, &f.err);
        if (code != 0) {
            assert_int_equal(code, GP_ENOMEM);
        }
        (void)gp_graph_destroy(dispatch.graph, NULL);
        dispatch.graph = NULL;
        is_reached = gp_test_memory_restore() != 0;
        assert_true(code == 0 || is_reached);
    }
    (void)run(&f, &dispatch);
    assert_true(is_right(&f));
    finish(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_policy_keeps_the_data_right),
        cmocka_unit_test(test_a_plain_launch_moves_nothing),
        cmocka_unit_test(test_stamps_of_each_launch),
        cmocka_unit_test(test_the_null_stream_is_unsupported),
        cmocka_unit_test(test_memory_failure_at_every_step),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
