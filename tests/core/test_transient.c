/*
 * Transient buffers on the model device: memory that operations allocate and free in stream order,
 * through streams and in graphs, what the hazard clock makes of them, and what is refused.
 */
#include "test.h"

#include <string.h>

#include "core/context.h"
#include "core/graph_submit.h"
#include "core/hazard.h"
#include "kernels/kernels.h"
#include "trees.h"

enum { CHAINS = 4, COUNT = 256, BYTES = COUNT * sizeof(float), ONES = 40000 };

struct fixture {
    struct gp_device *device;
    struct gp_builder *builder;
    struct gp_buffer *in, *out;
    struct gp_buffer *scratch[CHAINS];
    struct gp_dag *dag;
    struct gp_policy *policy;
    struct gp_schedule *schedule;
    struct gp_pool *pool;
    struct gp_error err;
};

static void start(struct fixture *f, enum gp_lifetime lifetime)
{
    memset(f, 0, sizeof *f);
    gp_assert_ok(gp_device_open("model", NULL, &f->device, &f->err), f->err);
    gp_assert_ok(gp_builder_create(&f->builder, &f->err), f->err);
    gp_assert_ok(gp_buffer_create(f->device, GP_SPACE_PINNED, BYTES, 0, "in", &f->in, &f->err),
                 f->err);
    gp_assert_ok(gp_buffer_create(f->device, GP_SPACE_PINNED, (uint64_t)CHAINS * BYTES, 1, "out",
                                  &f->out, &f->err),
                 f->err);
    for (uint32_t i = 0; i < CHAINS; i++) {
        gp_assert_ok(gp_buffer_create_transient(f->device, lifetime, BYTES, 2 + i, "scratch",
                                                &f->scratch[i], &f->err),
                     f->err);
    }
}

static void finish(struct fixture *f)
{
    gp_pool_destroy(f->pool);
    gp_schedule_destroy(f->schedule);
    gp_policy_destroy(f->policy);
    gp_dag_destroy(f->dag);
    gp_builder_destroy(f->builder);
    for (uint32_t i = 0; i < CHAINS; i++) {
        gp_buffer_destroy(f->scratch[i]);
    }
    gp_buffer_destroy(f->in);
    gp_buffer_destroy(f->out);
    gp_device_close(f->device);
}

/* One block that adds ONES to each number. */
static struct gp_op *add_ones(struct fixture *f, const struct gp_buffer *data, bool is_declared)
{
    uint32_t count = COUNT;
    uint32_t iterations = ONES;
    float multiplier = 1;
    const void *const args[] = {&data->address, &count, &iterations, &multiplier};
    const struct gp_access access = {data, 0, BYTES, GP_ACCESS_READ_WRITE};
    const struct gp_launch launch = {.kernel = &gp_kernel_fma_1,
                                     .grid = {1, 1, 1},
                                     .block = {COUNT, 1, 1},
                                     .args = args,
                                     .accesses = &access,
                                     .access_count = is_declared ? 1 : 0};

    return gp_op_kernel(f->builder, NULL, &launch);
}

static struct gp_op *then(struct fixture *f, struct gp_op *first, struct gp_op *next)
{
    return gp_op_and_then(f->builder, first, next);
}

static struct gp_op *copy_out(struct fixture *f, uint32_t i)
{
    return gp_op_copy(f->builder, NULL, f->out, (uint64_t)i * BYTES, f->scratch[i], 0, BYTES);
}

static struct gp_op *use(struct fixture *f, uint32_t i)
{
    struct gp_op *op = gp_op_copy(f->builder, NULL, f->scratch[i], 0, f->in, 0, BYTES);

    return then(f, then(f, op, add_ones(f, f->scratch[i], true)), copy_out(f, i));
}

/* alloc, copy in, kernel, copy out, free. */
static struct gp_op *whole(struct fixture *f, uint32_t i)
{
    struct gp_op *op = then(f, gp_op_alloc(f->builder, NULL, f->scratch[i]), use(f, i));

    return then(f, op, gp_op_free(f->builder, NULL, f->scratch[i]));
}

static struct gp_op *all_chains(struct fixture *f)
{
    struct gp_op *chains[CHAINS];

    for (uint32_t i = 0; i < CHAINS; i++) {
        chains[i] = whole(f, i);
    }
    return gp_op_zip(f->builder, chains, CHAINS);
}

static void freeze(struct fixture *f, struct gp_op *root)
{
    gp_assert_ok(gp_dag_freeze(f->builder, root, &f->dag, &f->err), f->err);
}

static void choose_in(struct fixture *f, const char *policy, enum gp_issue_order order)
{
    gp_assert_ok(gp_policy_create(gp_policy_find(policy), 3, &f->policy, &f->err), f->err);
    gp_assert_ok(gp_schedule_create(f->policy, f->dag, order, &f->schedule, &f->err), f->err);
    gp_assert_ok(gp_pool_create_for(f->device, f->policy, &f->pool, &f->err), f->err);
    gp_assert_ok(gp_pool_reserve(f->pool, f->schedule->event_count, &f->err), f->err);
}

static void choose(struct fixture *f, const char *policy)
{
    choose_in(f, policy, GP_ORDER_BREADTH);
}

static int run(struct fixture *f, struct gp_graph *graph, int64_t *makespan_ns)
{
    const struct gp_dispatch dispatch = {.schedule = f->schedule, .pool = f->pool, .graph = graph};
    struct gp_run_times times = {0};
    int code;

    memset(gp_buffer_host(f->out), 0x7f, (size_t)CHAINS * BYTES);
    code = gp_dispatch_run(&dispatch, &times, &f->err);
    *makespan_ns = times.end_ns - times.begin_ns;
    return code;
}

static void check_run(struct fixture *f, struct gp_graph *graph)
{
    const float *out = gp_buffer_host(f->out);
    int64_t makespan_ns;

    gp_assert_ok(run(f, graph, &makespan_ns), f->err);
    for (int i = 0; i < CHAINS * COUNT; i++) {
        assert_true(out[i] == (float)ONES);
    }
    for (int i = 0; i < CHAINS; i++) {
        assert_int_equal(f->scratch[i]->memory, 0);
    }
}

static uint32_t count_hazards(struct fixture *f, char *text, size_t bytes)
{
    struct gp_hazard_report *report;
    uint32_t count;

    gp_assert_ok(gp_hazard_find(f->schedule, &report, &f->err), f->err);
    count = report->hazard_count;
    if (count > 0) {
        gp_hazard_describe(f->schedule, &report->hazards[0], text, bytes);
    }
    gp_hazard_report_destroy(report);
    return count;
}

static void check_lifetime(enum gp_lifetime lifetime, bool has_graphs)
{
    for (size_t p = 0; p < gp_policy_table_count; p++) {
        const char *name = gp_policy_table[p]->name;
        struct gp_graph *graph = NULL;
        struct fixture f;
        char text[256];

        start(&f, lifetime);
        freeze(&f, all_chains(&f));
        choose(&f, name);
        assert_int_equal(count_hazards(&f, text, sizeof text), 0);
        check_run(&f, NULL);
        check_run(&f, NULL);
        if (has_graphs && strcmp(name, "null-stream") != 0) {
            const struct gp_dispatch dispatch = {.schedule = f.schedule, .pool = f.pool};
            int64_t instantiate_ns;

            gp_assert_ok(gp_graph_submit_create(&dispatch, &graph, &instantiate_ns, &f.err), f.err);
            assert_int_equal(graph->node_count, f.dag->op_count);
            check_run(&f, graph);
            check_run(&f, graph);
            (void)gp_graph_destroy(graph, NULL);
            check_run(&f, NULL);
        }
        finish(&f);
    }
}

static void test_every_policy_keeps_the_data_right(void **state)
{
    (void)state;
    check_lifetime(GP_LIFETIME_ORDERED, true);
    check_lifetime(GP_LIFETIME_IMMEDIATE, false);
}

static int64_t makespan(enum gp_lifetime lifetime)
{
    struct fixture f;
    int64_t makespan_ns;

    start(&f, lifetime);
    freeze(&f, all_chains(&f));
    choose_in(&f, "round-robin", GP_ORDER_DEPTH);
    gp_assert_ok(run(&f, NULL, &makespan_ns), f.err);
    finish(&f);
    return makespan_ns;
}

/* A free that waits for the device lets no two chains overlap. */
static void test_immediate_frees_serialise(void **state)
{
    int64_t ordered_ns = makespan(GP_LIFETIME_ORDERED);

    (void)state;
    assert_true(makespan(GP_LIFETIME_IMMEDIATE) > ordered_ns * 5 / 4);
}

/* A free that nothing orders behind a use is a hazard, and so is each wait left out before it. */
static void test_hazard_clock_knows_frees(void **state)
{
    struct fixture f;
    struct gp_op *arms[2];
    char text[256] = "";

    (void)state;
    start(&f, GP_LIFETIME_ORDERED);
    arms[0] = use(&f, 0);
    arms[1] = gp_op_free(f.builder, "early", f.scratch[0]);
    freeze(&f, then(&f, gp_op_alloc(f.builder, NULL, f.scratch[0]), gp_op_zip(f.builder, arms, 2)));
    choose(&f, "round-robin");
    assert_true(count_hazards(&f, text, sizeof text) > 0);
    assert_non_null(strstr(text, "'early'"));
    assert_non_null(strstr(text, "of 'scratch' in no order"));
    finish(&f);

    start(&f, GP_LIFETIME_ORDERED);
    freeze(&f, whole(&f, 0));
    choose(&f, "round-robin-op");
    assert_int_equal(f.schedule->event_count, 4);
    for (uint32_t i = 0; i < f.schedule->step_count; i++) {
        struct gp_step kept = f.schedule->steps[i];

        if (kept.kind == GP_STEP_WAIT) {
            f.schedule->steps[i].kind = GP_STEP_RECORD; /* which nobody waits for */
            assert_true(count_hazards(&f, text, sizeof text) > 0);
            f.schedule->steps[i] = kept;
        }
    }
    finish(&f);
}

static void expect_failure(struct fixture *f, struct gp_op *root, const char *text)
{
    int64_t makespan_ns;

    freeze(f, root);
    choose(f, "round-robin");
    assert_int_equal(run(f, NULL, &makespan_ns), GP_ESTATE);
    assert_non_null(strstr(f->err.text, text));
    for (int i = 0; i < CHAINS; i++) {
        assert_int_equal(f->scratch[i]->memory, 0);
    }
    finish(f);
}

/* Whatever is out of order is refused before it reaches the device, and what was allocated by then
 * is given back. */
static void test_orders_that_are_refused(void **state)
{
    struct fixture f;

    (void)state;
    start(&f, GP_LIFETIME_ORDERED);
    expect_failure(&f, use(&f, 0), "buffer 'scratch' has no memory here");
    start(&f, GP_LIFETIME_ORDERED);
    expect_failure(&f, then(&f, whole(&f, 0), copy_out(&f, 0)), "has no memory here");
    start(&f, GP_LIFETIME_ORDERED);
    expect_failure(&f, gp_op_free(f.builder, NULL, f.scratch[0]), "has no memory to free");
    start(&f, GP_LIFETIME_ORDERED);
    expect_failure(&f,
                   then(&f, gp_op_alloc(f.builder, NULL, f.scratch[1]),
                        gp_op_alloc(f.builder, NULL, f.scratch[1])),
                   "has memory already");
    start(&f, GP_LIFETIME_IMMEDIATE);
    expect_failure(&f, then(&f, gp_op_alloc(f.builder, NULL, f.scratch[2]), use(&f, 0)),
                   "has no memory here");
}

/* Memory may outlast the DAG that allocates it; the buffer then keeps it, or another DAG frees it.
 */
static void test_memory_outlasts_a_dag(void **state)
{
    struct gp_context context = {0};
    struct gp_stream *stream;
    struct gp_dag *second;
    struct fixture f;
    float value = 0;

    (void)state;
    start(&f, GP_LIFETIME_ORDERED);
    assert_int_equal(gp_stream_create(f.device, GP_STREAM_NON_BLOCKING, 0, &stream, &f.err), 0);
    assert_int_equal(gp_buffer_read(f.scratch[0], stream, 0, &value, sizeof value, &f.err),
                     GP_ESTATE);
    assert_int_equal(gp_buffer_fill(f.scratch[0], stream, 0, &f.err), GP_ESTATE);
    freeze(&f, then(&f, then(&f, gp_op_alloc(f.builder, NULL, f.scratch[0]), use(&f, 0)),
                    gp_op_alloc(f.builder, NULL, f.scratch[1])));
    gp_assert_ok(
        gp_dag_freeze(f.builder, gp_op_free(f.builder, NULL, f.scratch[0]), &second, &f.err),
        f.err);
    gp_assert_ok(gp_context_init(&context, f.device, NULL, &f.err), f.err);
    gp_assert_ok(gp_context_sync(&context, f.dag, &f.err), f.err);
    gp_assert_ok(gp_buffer_read(f.scratch[0], stream, 0, &value, sizeof value, &f.err), f.err);
    assert_true(value == (float)ONES);
    /* The second time 'scratch' has memory already; the failure leaves none of the DAG's. */
    assert_int_equal(gp_context_sync(&context, f.dag, &f.err), GP_ESTATE);
    assert_int_equal(f.scratch[0]->memory, 0);
    assert_int_equal(f.scratch[1]->memory, 0);
    gp_assert_ok(gp_context_sync(&context, f.dag, &f.err), f.err);
    gp_assert_ok(gp_context_sync_on(&context, second, stream, &f.err), f.err);
    assert_int_equal(f.scratch[0]->memory, 0);
    assert_int_equal(gp_context_sync_on(&context, second, stream, &f.err), GP_ESTATE);
    gp_assert_ok(gp_context_finish(&context, &f.err), f.err);
    (void)gp_stream_destroy(stream, NULL);
    gp_dag_destroy(second);
    finish(&f); /* which frees the other's */
}

static void expect_no_graph(struct fixture *f, struct gp_op *root, const char *text)
{
    struct gp_dispatch dispatch;
    struct gp_graph *graph;
    int64_t instantiate_ns;

    freeze(f, root);
    choose(f, "round-robin");
    dispatch = (struct gp_dispatch){.schedule = f->schedule, .pool = f->pool};
    assert_int_equal(gp_graph_submit_create(&dispatch, &graph, &instantiate_ns, &f->err),
                     GP_EUNSUPPORTED);
    assert_non_null(strstr(f->err.text, text));
    assert_int_equal(f->scratch[1]->memory, 0);
    finish(f);
}

static void test_graphs_that_are_refused(void **state)
{
    struct fixture f;

    (void)state;
    start(&f, GP_LIFETIME_IMMEDIATE);
    expect_no_graph(&f, whole(&f, 0), "by calls that act at once");
    start(&f, GP_LIFETIME_ORDERED);
    expect_no_graph(&f, then(&f, whole(&f, 0), gp_op_alloc(f.builder, NULL, f.scratch[1])),
                    "has memory after the graph");
    start(&f, GP_LIFETIME_ORDERED);
    freeze(&f, gp_op_alloc(f.builder, NULL, f.scratch[0]));
    choose(&f, "single");
    {
        int64_t makespan_ns;

        gp_assert_ok(run(&f, NULL, &makespan_ns), f.err);
    }
    gp_pool_destroy(f.pool);
    gp_schedule_destroy(f.schedule);
    gp_policy_destroy(f.policy);
    gp_dag_destroy(f.dag);
    expect_no_graph(&f, gp_op_free(f.builder, NULL, f.scratch[0]), "has memory before the graph");
}

static void expect_no_operation(struct fixture *f, struct gp_op *root, const char *text)
{
    assert_null(root);
    assert_int_equal(gp_dag_freeze(f->builder, root, &f->dag, &f->err), GP_EINVAL);
    assert_non_null(strstr(f->err.text, text));
}

static void test_operations_that_are_refused(void **state)
{
    struct gp_buffer *other;
    struct fixture f;

    (void)state;
    start(&f, GP_LIFETIME_ORDERED);
    assert_int_equal(gp_buffer_create_transient(f.device, GP_LIFETIME_ORDERED,
                                                (UINT64_C(1) << 40) + 1, 9, "huge", &other, &f.err),
                     GP_EINVAL);
    assert_int_equal(gp_buffer_create_transient(f.device, GP_LIFETIME_ORDERED, 1,
                                                GP_TRANSIENT_ID_MAX, "late", &other, &f.err),
                     GP_EINVAL);
    assert_int_equal(
        gp_buffer_create_transient(f.device, GP_LIFETIME_ORDERED, 0, 9, "empty", &other, &f.err),
        GP_EINVAL);
    expect_no_operation(&f, gp_op_free(f.builder, NULL, f.out), "'out' has memory of its own");
    finish(&f);
    start(&f, GP_LIFETIME_ORDERED);
    expect_no_operation(&f, add_ones(&f, f.scratch[0], false), "argument 'data' lies in a");
    finish(&f);
    start(&f, GP_LIFETIME_ORDERED);
    gp_assert_ok(
        gp_buffer_create_transient(f.device, GP_LIFETIME_ORDERED, BYTES, 2, "twin", &other, &f.err),
        f.err);
    expect_no_operation(&f, gp_op_copy(f.builder, NULL, other, 0, f.scratch[0], 0, 8),
                        "'scratch' and 'twin' have the same id 2");
    gp_buffer_destroy(other);
    finish(&f);
}

/* An allocation that the device cannot do fails the run, names the buffer, and leaves the device
 * usable. */
static void test_too_much_memory(void **state)
{
    struct gp_buffer *huge;
    struct fixture f;
    int64_t makespan_ns;

    (void)state;
    start(&f, GP_LIFETIME_ORDERED);
    gp_assert_ok(gp_buffer_create_transient(f.device, GP_LIFETIME_ORDERED, UINT64_C(1) << 40, 9,
                                            "huge", &huge, &f.err),
                 f.err);
    freeze(&f, then(&f, whole(&f, 0), gp_op_alloc(f.builder, NULL, huge)));
    choose(&f, "round-robin");
    assert_int_equal(run(&f, NULL, &makespan_ns), GP_EDEVICEMEM);
    assert_non_null(strstr(f.err.text, "buffer 'huge' of 1099511627776 bytes"));
    assert_int_equal(huge->memory, 0);
    gp_buffer_destroy(huge);
    finish(&f);
}

static void test_memory_failure_at_every_step(void **state)
{
    struct gp_graph *graph = NULL;
    struct gp_dispatch dispatch;
    struct fixture f;
    int64_t ns = 0;
    bool is_reached = true;

    (void)state;
    start(&f, GP_LIFETIME_ORDERED);
    freeze(&f, all_chains(&f));
    choose(&f, "round-robin");
    dispatch = (struct gp_dispatch){.schedule = f.schedule, .pool = f.pool};
    /* What pool and device keep for the next run is there from now on. */
    check_run(&f, NULL);
    gp_assert_ok(gp_graph_submit_create(&dispatch, &graph, &ns, &f.err), f.err);
    (void)gp_graph_destroy(graph, NULL);
    for (uint32_t n = 1; is_reached; n++) {
        int code;

        gp_test_memory_fail_at(n);
        code = gp_graph_submit_create(&dispatch, &graph, &ns, &f.err);
        (void)gp_graph_destroy(graph, NULL);
        is_reached = gp_test_memory_restore() != 0;
        assert_true(code == 0 ? !is_reached : is_reached);
        assert_true(code == 0 || code == GP_ENOMEM);
        for (int i = 0; i < CHAINS; i++) {
            assert_int_equal(f.scratch[i]->memory, 0);
        }
    }
    check_run(&f, NULL);
    finish(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_policy_keeps_the_data_right),
        cmocka_unit_test(test_immediate_frees_serialise),
        cmocka_unit_test(test_hazard_clock_knows_frees),
        cmocka_unit_test(test_orders_that_are_refused),
        cmocka_unit_test(test_memory_outlasts_a_dag),
        cmocka_unit_test(test_graphs_that_are_refused),
        cmocka_unit_test(test_operations_that_are_refused),
        cmocka_unit_test(test_too_much_memory),
        cmocka_unit_test(test_memory_failure_at_every_step),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
