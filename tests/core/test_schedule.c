/* Policies, choices, issue orders, steps; the elision of waits against brute force. */
#include "test.h"

#include <stdio.h>
#include <string.h>

#include "core/random.h"
#include "core/schedule.h"
#include "trees.h"

/* "w1.0 a0 r0.0": wait of stream 1 for event 0, operation a on stream 0, record. */
static const char *steps_text(const struct gp_schedule *schedule)
{
    static char text[4096];
    size_t used = 0;

    text[0] = '\0';
    for (uint32_t i = 0; i < schedule->step_count; i++) {
        const struct gp_step *step = &schedule->steps[i];
        const char *gap = i > 0 ? " " : "";

        if (step->kind == GP_STEP_OP) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s%u", gap,
                                     schedule->dag->ops[step->op].name, step->stream);
        } else {
            used +=
                (size_t)snprintf(text + used, sizeof text - used, "%s%s%u.%u", gap,
                                 step->kind == GP_STEP_WAIT ? "w" : "r", step->stream, step->event);
        }
        assert_true(used < sizeof text);
    }
    return text;
}

/* Two chains of two joined: (ab | cd), e. */
static struct gp_dag *make_join(void)
{
    struct gp_builder *builder;
    struct gp_dag *dag;
    struct gp_error err = {0};
    struct gp_op *op;

    gp_assert_ok(gp_builder_create(&builder, &err), err);
    op = gp_test_zip(builder, gp_test_chain(builder, "ab"), gp_test_chain(builder, "cd"));
    op = gp_op_and_then(builder, op, gp_test_op(builder, 'e'));
    gp_assert_ok(gp_dag_freeze(builder, op, &dag, &err), err);
    gp_builder_destroy(builder);
    return dag;
}

static void check_steps(const char *policy_name, uint32_t streams, enum gp_issue_order order,
                        const char *expected)
{
    struct gp_dag *dag = make_join();
    struct gp_policy *policy;
    struct gp_schedule *schedule;
    struct gp_error err = {0};

    gp_assert_ok(gp_policy_create(gp_policy_find(policy_name), streams, &policy, &err), err);
    gp_assert_ok(gp_schedule_create(policy, dag, order, &schedule, &err), err);
    assert_string_equal(steps_text(schedule), expected);
    gp_schedule_destroy(schedule);
    gp_policy_destroy(policy);
    gp_dag_destroy(dag);
}

static void test_steps(void **state)
{
    (void)state;
    check_steps("single", 7, GP_ORDER_DEPTH, "a0 b0 c0 d0 e0");
    check_steps("single", 0, GP_ORDER_BREADTH, "a0 c0 b0 d0 e0");
    check_steps("round-robin", 1, GP_ORDER_DEPTH, "a0 b0 c0 d0 e0");
    check_steps("round-robin", 4, GP_ORDER_DEPTH, "a0 b0 c1 d1 r1.0 w0.0 e0");
    check_steps("single", 1, GP_ORDER_CRITICAL, "a0 c0 b0 d0 e0");
    check_steps("round-robin", 4, GP_ORDER_BREADTH, "a0 c1 b0 d1 r1.0 w0.0 e0");
}

static void test_round_robin_counts_on(void **state)
{
    struct gp_dag *dag = make_join();
    struct gp_policy *policy;
    struct gp_schedule *schedule;
    struct gp_error err = {0};

    (void)state;
    gp_assert_ok(gp_policy_create(gp_policy_find("round-robin"), 3, &policy, &err), err);
    for (uint32_t turn = 0; turn < 8; turn += 2) {
        gp_assert_ok(gp_schedule_create(policy, dag, GP_ORDER_DEPTH, &schedule, &err), err);
        assert_int_equal(schedule->choices[0].stream, turn % 3);
        assert_int_equal(schedule->choices[0].rule_detail, turn);
        assert_int_equal(schedule->choices[2].stream, (turn + 1) % 3);
        /* The join goes on with the first arm's chain. */
        assert_int_equal(schedule->choices[4].stream, turn % 3);
        assert_int_equal(schedule->used_count, 2);
        gp_schedule_destroy(schedule);
    }
    gp_policy_destroy(policy);
    gp_dag_destroy(dag);
}

static void test_pool_size_is_checked(void **state)
{
    struct gp_policy *policy;
    struct gp_error err = {0};

    (void)state;
    assert_null(gp_policy_find("round robin"));
    assert_int_equal(
        gp_policy_create(gp_policy_find("round-robin"), GP_STREAMS_MAX + 1, &policy, &err),
        GP_EINVAL);
    assert_non_null(strstr(err.text, "between 1 and 128"));
    gp_assert_ok(gp_policy_create(gp_policy_find("round-robin"), 0, &policy, &err), err);
    assert_int_equal(policy->stream_count, GP_STREAMS_DEFAULT);
    gp_policy_destroy(policy);
    gp_assert_ok(gp_policy_create(gp_policy_find("single"), 8, &policy, &err), err);
    assert_int_equal(policy->stream_count, 1);
    gp_policy_destroy(policy);
}

static void test_foreign_stream_is_refused(void **state)
{
    static const uint32_t streams[] = {0, 1, 0, 4, 0};
    struct gp_dag *dag = make_join();
    struct gp_policy policy;
    struct gp_schedule *schedule;
    struct gp_error err = {0};

    (void)state;
    gp_test_policy_fixed(&policy, streams, 4);
    assert_int_equal(gp_schedule_create(&policy, dag, GP_ORDER_DEPTH, &schedule, &err), GP_EINVAL);
    assert_string_equal(err.text,
                        "policy 'fixed' chose stream 4 of a pool of 4 for operation 3 'd'");
    assert_null(schedule);
    gp_dag_destroy(dag);
}

static int choose_bad_rule(struct gp_policy *policy, void *plan, const struct gp_dag *dag,
                           uint32_t op, struct gp_choice *out, struct gp_error *err)
{
    (void)policy;
    (void)plan;
    (void)dag;
    (void)err;
    *out = (struct gp_choice){.rule = (uint16_t)(op == 0 ? 0 : 1)};
    return 0;
}

static int plan_fails(struct gp_policy *policy, const struct gp_dag *dag, void **plan,
                      struct gp_error *err)
{
    (void)policy;
    (void)dag;
    (void)plan;
    return gp_fail(err, GP_EUNSUPPORTED, "not today");
}

static void test_bad_policies_are_named(void **state)
{
    static const char *const rules[] = {"the only one", NULL};
    static const struct gp_policy_ops bad_rule = {
        .name = "odd", .unit = GP_UNIT_OP, .rules = rules, .choose = choose_bad_rule};
    static const struct gp_policy_ops bad_plan = {
        .name = "lazy", .rules = rules, .choose = choose_bad_rule, .plan = plan_fails};
    struct gp_dag *dag = make_join();
    struct gp_policy policy = {&bad_rule, 1, NULL};
    struct gp_schedule *schedule;
    struct gp_error err = {0};

    (void)state;
    assert_int_equal(gp_schedule_create(&policy, dag, GP_ORDER_DEPTH, &schedule, &err), GP_EINVAL);
    assert_string_equal(err.text, "policy 'odd' gave rule 1 for operation 1 'b', but has 1");
    policy.ops = &bad_plan;
    assert_int_equal(gp_schedule_create(&policy, dag, GP_ORDER_DEPTH, &schedule, &err),
                     GP_EUNSUPPORTED);
    assert_string_equal(err.text, "policy 'lazy': not today");
    gp_dag_destroy(dag);
}

static int schedule_with_memory(uint32_t n, const struct gp_dag *dag)
{
    struct gp_policy *policy = NULL;
    struct gp_schedule *schedule = NULL;
    struct gp_error err = {0};
    int code;

    gp_test_memory_fail_at(n);
    code = gp_policy_create(gp_policy_find("round-robin"), 4, &policy, &err);
    if (code == 0) {
        code = gp_schedule_create(policy, dag, GP_ORDER_BREADTH, &schedule, &err);
    }
    gp_schedule_destroy(schedule);
    gp_policy_destroy(policy);
    assert_true(code == 0 || code == GP_ENOMEM);
    assert_int_equal(gp_test_memory_restore(), code != 0);
    return code;
}

static void test_memory_runs_out_anywhere(void **state)
{
    struct gp_dag *dag = make_join();
    uint32_t n = 1;

    (void)state;
    while (schedule_with_memory(n, dag) != 0) {
        n++;
    }
    assert_true(n > 10);
    gp_dag_destroy(dag);
}

enum { OPS_MAX = GP_TEST_OPS_MAX, STREAMS = 5, ROUNDS = 1000 };

static void test_waits_are_enough_and_none_too_many(void **state)
{
    struct gp_random random = {1};
    struct gp_error err = {0};

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        struct gp_dag *dag = gp_test_dag_random(&random);
        uint32_t count = dag->op_count;
        uint32_t pool = 1 + (uint32_t)gp_random_below(&random, STREAMS);
        uint32_t streams[OPS_MAX];
        struct gp_policy policy;

        for (uint32_t op = 0; op < count; op++) {
            streams[op] = (uint32_t)gp_random_below(&random, pool);
        }
        gp_test_policy_fixed(&policy, streams, pool);
        for (int order = 0; order < GP_ISSUE_ORDER_COUNT; order++) {
            struct gp_schedule *schedule;

            gp_assert_ok(
                gp_schedule_create(&policy, dag, (enum gp_issue_order)order, &schedule, &err), err);
            gp_test_check_schedule(schedule);
            gp_schedule_destroy(schedule);
        }
        gp_test_dag_destroy(dag);
    }
}

/* One record serves all waits for it; a wait through another stream is not made. */
static void test_elision_by_hand(void **state)
{
    static const uint32_t streams[] = {0, 1, 2, 2, 1};
    struct gp_builder *builder;
    struct gp_dag *dag;
    struct gp_policy policy;
    struct gp_schedule *schedule;
    struct gp_error err = {0};
    struct gp_op *op;

    (void)state;
    gp_assert_ok(gp_builder_create(&builder, &err), err);
    /* a, then (b | c), then (d | e) */
    op = gp_op_and_then(builder, gp_test_op(builder, 'a'),
                        gp_test_zip(builder, gp_test_op(builder, 'b'), gp_test_op(builder, 'c')));
    op = gp_op_and_then(builder, op,
                        gp_test_zip(builder, gp_test_op(builder, 'd'), gp_test_op(builder, 'e')));
    gp_assert_ok(gp_dag_freeze(builder, op, &dag, &err), err);
    gp_test_policy_fixed(&policy, streams, 3);
    gp_assert_ok(gp_schedule_create(&policy, dag, GP_ORDER_DEPTH, &schedule, &err), err);
    assert_string_equal(steps_text(schedule), "a0 r0.0 w1.0 b1 r1.1 w2.0 c2 r2.2 w2.1 d2 w1.2 e1");
    assert_int_equal(schedule->waits_elided, 0);
    assert_int_equal(schedule->event_count, 3);
    gp_schedule_destroy(schedule);
    gp_dag_destroy(dag);
    gp_builder_destroy(builder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_round_robin_counts_on),
        cmocka_unit_test(test_pool_size_is_checked),
        cmocka_unit_test(test_foreign_stream_is_refused),
        cmocka_unit_test(test_bad_policies_are_named),
        cmocka_unit_test(test_memory_runs_out_anywhere),
        cmocka_unit_test(test_elision_by_hand),
        cmocka_unit_test(test_waits_are_enough_and_none_too_many),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
