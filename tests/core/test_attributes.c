/*
 * What operations ask of whoever runs them: releases in the DAG, in the order of issue and on the
 * model's clock; priority and the NULL stream in the policies that heed them, and on the model.
 */
#include "test.h"

#include <stdio.h>
#include <string.h>

#include "core/graph_submit.h"
#include "kernels/kernels.h"
#include "trees.h"

static struct gp_op *with(struct gp_builder *builder, char letter, struct gp_attributes attributes)
{
    return gp_op_set_attributes(builder, gp_test_op(builder, letter), &attributes);
}

static struct gp_op *arriving(struct gp_builder *builder, char letter, int64_t release_ns)
{
    return with(builder, letter, (struct gp_attributes){.release_ns = release_ns});
}

static struct gp_builder *make_builder(void)
{
    struct gp_builder *builder;
    struct gp_error err = {0};

    gp_assert_ok(gp_builder_create(&builder, &err), err);
    return builder;
}

static struct gp_dag *freeze(struct gp_builder *builder, struct gp_op *root)
{
    struct gp_dag *dag;
    struct gp_error err = {0};

    gp_assert_ok(gp_dag_freeze(builder, root, &dag, &err), err);
    gp_builder_destroy(builder);
    return dag;
}

/* The operations in the order of submission, with their streams: "a0 c1 b0". */
static const char *order_text(const struct gp_dag *dag, const char *policy_name, uint32_t streams,
                              enum gp_issue_order order)
{
    static char text[256];
    struct gp_policy *policy;
    struct gp_schedule *schedule;
    struct gp_error err = {0};
    size_t used = 0;

    gp_assert_ok(gp_policy_create(gp_policy_find(policy_name), streams, &policy, &err), err);
    gp_assert_ok(gp_schedule_create(policy, dag, order, &schedule, &err), err);
    for (uint32_t i = 0; i < schedule->step_count; i++) {
        const struct gp_step *step = &schedule->steps[i];

        if (step->kind == GP_STEP_OP) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s%u", used > 0 ? " " : "",
                                     dag->ops[step->op].name, step->stream);
        }
    }
    gp_schedule_destroy(schedule);
    gp_policy_destroy(policy);
    return text;
}

static void test_nothing_comes_before_what_it_follows(void **state)
{
    struct gp_builder *builder = make_builder();
    struct gp_op *op = gp_op_and_then(
        builder, arriving(builder, 'a', 500),
        gp_op_and_then(builder, arriving(builder, 'b', 200), arriving(builder, 'c', 900)));
    struct gp_dag *dag = freeze(builder, op);

    (void)state;
    assert_int_equal(dag->ops[0].attributes.release_ns, 500);
    assert_int_equal(dag->ops[1].attributes.release_ns, 500);
    assert_int_equal(dag->ops[2].attributes.release_ns, 900);
    gp_dag_destroy(dag);
}

static void test_first_come_first_issued(void **state)
{
    struct gp_builder *builder = make_builder();
    struct gp_op *arms[] = {
        gp_op_and_then(builder, arriving(builder, 'a', 700), gp_test_op(builder, 'b')),
        gp_op_and_then(builder, gp_test_op(builder, 'c'), arriving(builder, 'd', 700)),
        gp_op_and_then(builder, arriving(builder, 'e', 300), arriving(builder, 'f', 800)),
        gp_test_op(builder, 'g'),
    };
    struct gp_dag *dag = freeze(builder, gp_op_zip(builder, arms, 4));

    (void)state;
    assert_string_equal(order_text(dag, "single", 1, GP_ORDER_DEPTH), "c0 g0 e0 a0 b0 d0 f0");
    assert_string_equal(order_text(dag, "single", 1, GP_ORDER_BREADTH), "c0 g0 e0 a0 b0 d0 f0");
    /* Chains are chosen for as they come. */
    assert_string_equal(order_text(dag, "round-robin", 4, GP_ORDER_DEPTH), "c0 g1 e2 a3 b3 d0 f2");
    gp_dag_destroy(dag);
}

static void assert_refused(struct gp_builder *builder, struct gp_op *op, const char *text)
{
    struct gp_dag *dag = NULL;
    struct gp_error err = {0};

    assert_null(op);
    assert_int_equal(gp_dag_freeze(builder, op, &dag, &err), GP_EINVAL);
    assert_non_null(strstr(err.text, text));
    gp_builder_destroy(builder);
}

static void test_refusals(void **state)
{
    const struct gp_attributes urgent = {.priority = -1};
    struct gp_builder *builder = make_builder();

    (void)state;
    assert_refused(builder, gp_op_set_attributes(builder, gp_test_chain(builder, "ab"), &urgent),
                   "attributes of 'a': only single operations");
    builder = make_builder();
    assert_refused(builder, arriving(builder, 'a', -1), "'a': released -1 ns");
    builder = make_builder();
    assert_refused(builder, arriving(builder, 'a', INT64_C(3600000000001)), "allowed is 0 to 36");
    builder = make_builder();
    assert_refused(builder, gp_op_set_attributes(builder, NULL, &urgent), "only single operations");
}

static void test_tiers(void **state)
{
    const struct gp_attributes urgent = {.priority = -1};
    struct gp_builder *builder = make_builder();
    struct gp_op *arms[] = {
        gp_test_op(builder, 'a'),   gp_test_chain(builder, "bc"), with(builder, 'd', urgent),
        with(builder, 'e', urgent), gp_test_op(builder, 'f'),     gp_test_op(builder, 'g'),
        with(builder, 'h', urgent),
    };
    struct gp_dag *dag = freeze(builder, gp_op_zip(builder, arms, 7));

    (void)state;
    assert_string_equal(order_text(dag, "priority-tiers", 5, GP_ORDER_DEPTH),
                        "a2 b3 c3 d0 e1 f4 g2 h0");
    assert_string_equal(order_text(dag, "equal-tiers", 2, GP_ORDER_DEPTH),
                        "a1 b1 c1 d0 e0 f1 g1 h0");
    assert_string_equal(order_text(dag, "equal-tiers", 1, GP_ORDER_DEPTH),
                        "a0 b0 c0 d0 e0 f0 g0 h0");
    gp_dag_destroy(dag);
    builder = make_builder();
    arms[0] = gp_test_op(builder, 'a');
    arms[1] = gp_test_op(builder, 'b');
    dag = freeze(builder, gp_op_zip(builder, arms, 2));
    assert_string_equal(order_text(dag, "priority-tiers", 4, GP_ORDER_DEPTH), "a0 b1");
    gp_dag_destroy(dag);
}

static void test_beside_the_null_stream(void **state)
{
    const struct gp_attributes null = {.on_null_stream = true};
    struct gp_builder *builder = make_builder();
    struct gp_op *arms[] = {gp_test_op(builder, 'a'), with(builder, 'b', null),
                            gp_test_op(builder, 'c'), gp_test_op(builder, 'd')};
    struct gp_dag *dag = freeze(builder, gp_op_zip(builder, arms, 4));

    (void)state;
    assert_string_equal(order_text(dag, "blocking", 3, GP_ORDER_DEPTH), "a1 b0 c2 d1");
    assert_string_equal(order_text(dag, "non-blocking", 1, GP_ORDER_DEPTH), "a0 b0 c0 d0");
    assert_string_equal(order_text(dag, "round-robin", 3, GP_ORDER_DEPTH), "a0 b1 c2 d0");
    gp_dag_destroy(dag);
}

/* ---- on the model ---- */

enum { OPS = 3, FLOATS = 256 };

struct fixture {
    struct gp_device *device;
    struct gp_buffer *data[OPS];
    struct gp_dag *dag;
    struct gp_error err;
};

/* One block that takes some 900 µs. */
static struct gp_op *spin(struct gp_builder *builder, const struct gp_buffer *data)
{
    const uint32_t count = FLOATS, iterations = 400000;
    const float multiplier = 1;
    const void *const args[] = {&data->address, &count, &iterations, &multiplier};
    const struct gp_access access = {data, 0, FLOATS * sizeof(float), GP_ACCESS_READ_WRITE};
    const struct gp_launch launch = {.kernel = &gp_kernel_fma_1,
                                     .grid = {1, 1, 1},
                                     .block = {FLOATS, 1, 1},
                                     .args = args,
                                     .accesses = &access,
                                     .access_count = 1};

    return gp_op_kernel(builder, NULL, &launch);
}

/* Kernels at once, each with its attributes. */
static void start(struct fixture *f, const struct gp_attributes attributes[OPS])
{
    struct gp_builder *builder = make_builder();
    struct gp_op *ops[OPS];

    memset(f, 0, sizeof *f);
    gp_assert_ok(gp_device_open("model", NULL, &f->device, &f->err), f->err);
    for (uint32_t i = 0; i < OPS; i++) {
        gp_assert_ok(gp_buffer_create(f->device, GP_SPACE_DEVICE, FLOATS * sizeof(float), i, "data",
                                      &f->data[i], &f->err),
                     f->err);
        ops[i] = gp_op_set_attributes(builder, spin(builder, f->data[i]), &attributes[i]);
    }
    f->dag = freeze(builder, gp_op_zip(builder, ops, OPS));
}

static void finish(struct fixture *f)
{
    gp_dag_destroy(f->dag);
    for (int i = 0; i < OPS; i++) {
        gp_buffer_destroy(f->data[i]);
    }
    gp_device_close(f->device);
}

/* The makespan. */
static int64_t run(struct fixture *f, const char *policy_name, uint32_t streams)
{
    struct gp_policy *policy;
    struct gp_schedule *schedule;
    struct gp_dispatch dispatch = {0};
    struct gp_run_times times = {0};

    gp_assert_ok(gp_policy_create(gp_policy_find(policy_name), streams, &policy, &f->err), f->err);
    gp_assert_ok(gp_schedule_create(policy, f->dag, GP_ORDER_DEPTH, &schedule, &f->err), f->err);
    gp_assert_ok(gp_pool_create_for(f->device, policy, &dispatch.pool, &f->err), f->err);
    dispatch.schedule = schedule;
    gp_assert_ok(gp_dispatch_run(&dispatch, &times, &f->err), f->err);
    gp_pool_destroy(dispatch.pool);
    gp_schedule_destroy(schedule);
    gp_policy_destroy(policy);
    return times.end_ns - times.begin_ns;
}

/* The last one comes 5 ms into the run, and nothing is held up by it. */
static void test_dispatch_waits_for_arrivals(void **state)
{
    const struct gp_attributes attributes[OPS] = {{0}, {0}, {.release_ns = 5000000}};
    struct fixture f;
    int64_t alone_ns, ns;

    (void)state;
    start(&f, (const struct gp_attributes[OPS]){{0}, {0}, {0}});
    alone_ns = run(&f, "round-robin", OPS);
    finish(&f);
    start(&f, attributes);
    ns = run(&f, "round-robin", OPS);
    assert_true(ns > 5000000 + alone_ns * 95 / 100 && ns < 5000000 + alone_ns);
    assert_true(run(&f, "single", 1) < 5000000 + alone_ns);
    finish(&f);
}

static void test_a_graph_cannot_wait(void **state)
{
    const struct gp_attributes attributes[OPS] = {{0}, {.release_ns = 1000}, {0}};
    struct fixture f;
    struct gp_policy *policy;
    struct gp_schedule *schedule;
    struct gp_dispatch dispatch = {0};
    int64_t instantiate_ns = 0;

    (void)state;
    start(&f, attributes);
    gp_assert_ok(gp_policy_create(gp_policy_find("single"), 1, &policy, &f.err), f.err);
    gp_assert_ok(gp_schedule_create(policy, f.dag, GP_ORDER_DEPTH, &schedule, &f.err), f.err);
    gp_assert_ok(gp_pool_create(f.device, 1, &dispatch.pool, &f.err), f.err);
    dispatch.schedule = schedule;
    assert_int_equal(gp_graph_submit_create(&dispatch, &dispatch.graph, &instantiate_ns, &f.err),
                     GP_EUNSUPPORTED);
    assert_non_null(strstr(f.err.text, "operation 1 'fma-1' arrives 1000 ns after"));
    gp_pool_destroy(dispatch.pool);
    gp_schedule_destroy(schedule);
    gp_policy_destroy(policy);
    finish(&f);
}

/* The one on the NULL stream comes between the others, or beside them. */
static void test_only_blocking_streams_wait_for_the_null_stream(void **state)
{
    const struct gp_attributes attributes[OPS] = {{0}, {.on_null_stream = true}, {0}};
    struct fixture f;
    int64_t one_ns;

    (void)state;
    start(&f, attributes);
    one_ns = run(&f, "single", 1) / OPS;
    assert_true(run(&f, "blocking", OPS) > one_ns * OPS * 98 / 100);
    assert_true(run(&f, "non-blocking", OPS) < one_ns * 110 / 100);
    finish(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_comes_before_what_it_follows),
        cmocka_unit_test(test_first_come_first_issued),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_tiers),
        cmocka_unit_test(test_beside_the_null_stream),
        cmocka_unit_test(test_dispatch_waits_for_arrivals),
        cmocka_unit_test(test_a_graph_cannot_wait),
        cmocka_unit_test(test_only_blocking_streams_wait_for_the_null_stream),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
