/* Every policy: what it says of itself, that its choices repeat and are kept, and its rule by hand.
 */
#include "test.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "core/dispatch.h"
#include "core/estimate.h"
#include "core/policy/matching.h"
#include "core/random.h"
#include "fake_device.h"
#include "trees.h"

static void test_table(void **state)
{
    (void)state;
    assert_true(gp_policy_table_count >= 13);
    for (size_t i = 0; i < gp_policy_table_count; i++) {
        const struct gp_policy_ops *ops = gp_policy_table[i];

        assert_ptr_equal(gp_policy_find(ops->name), ops);
        assert_true(strlen(ops->summary) > 10 && strlen(ops->source) > 3);
        assert_non_null(ops->rules[0]);
        assert_true(strlen(gp_unit_name(ops->unit)) > 0);
    }
}

static struct gp_schedule *make_schedule(const struct gp_policy_ops *ops, uint32_t streams,
                                         const struct gp_dag *dag, enum gp_issue_order order)
{
    struct gp_policy *policy;
    struct gp_schedule *schedule;
    struct gp_error err = {0};

    gp_assert_ok(gp_policy_create(ops, streams, &policy, &err), err);
    gp_assert_ok(gp_schedule_create(policy, dag, order, &schedule, &err), err);
    gp_policy_destroy(policy);
    return schedule;
}

/* Random DAGs under every policy, pool size and order: all dependencies kept, no wait too many, and
 * a second instance chooses the same. */
static void test_all_on_random_dags(void **state)
{
    struct gp_random random = {7};

    (void)state;
    for (int round = 0; round < 60; round++) {
        struct gp_dag *dag = gp_test_dag_random(&random);
        uint32_t streams = 1 + (uint32_t)gp_random_below(&random, 6);

        for (size_t i = 0; i < gp_policy_table_count * GP_ISSUE_ORDER_COUNT; i++) {
            const struct gp_policy_ops *ops = gp_policy_table[i / GP_ISSUE_ORDER_COUNT];
            enum gp_issue_order order = (enum gp_issue_order)(i % GP_ISSUE_ORDER_COUNT);
            struct gp_schedule *schedule = make_schedule(ops, streams, dag, order);
            struct gp_schedule *again = make_schedule(ops, streams, dag, order);

            gp_test_check_schedule(schedule);
            for (uint32_t op = 0; op < dag->op_count; op++) {
                assert_int_equal(schedule->choices[op].stream, again->choices[op].stream);
                assert_int_equal(schedule->choices[op].rule, again->choices[op].rule);
                assert_int_equal(schedule->choices[op].rule_detail, again->choices[op].rule_detail);
            }
            gp_schedule_destroy(schedule);
            gp_schedule_destroy(again);
        }
        gp_test_dag_destroy(dag);
    }
}

static int schedule_with_memory(const struct gp_policy_ops *ops, const struct gp_dag *dag,
                                uint32_t n)
{
    struct gp_policy *policy = NULL;
    struct gp_schedule *schedule = NULL;
    struct gp_error err = {0};
    int code;

    gp_test_memory_fail_at(n);
    code = gp_policy_create(ops, 3, &policy, &err);
    if (code == 0) {
        code = gp_schedule_create(policy, dag, GP_ORDER_CRITICAL, &schedule, &err);
    }
    gp_schedule_destroy(schedule);
    gp_policy_destroy(policy);
    assert_true(code == 0 || code == GP_ENOMEM);
    assert_int_equal(gp_test_memory_restore(), code != 0);
    return code;
}

static void test_memory_runs_out_anywhere(void **state)
{
    struct gp_random random = {3};
    struct gp_dag *dag = gp_test_dag_random(&random);

    (void)state;
    for (size_t i = 0; i < gp_policy_table_count; i++) {
        uint32_t n = 1;

        while (schedule_with_memory(gp_policy_table[i], dag, n) != 0) {
            n++;
        }
        assert_true(n > 10);
    }
    gp_test_dag_destroy(dag);
}

/* "a0 b1": the stream of each operation by id, with the rule when `rules` is set: "a0/1". */
static const char *choices_text(const char *policy, uint32_t streams, const struct gp_dag *dag,
                                bool with_rules)
{
    static char text[1024];
    struct gp_schedule *schedule =
        make_schedule(gp_policy_find(policy), streams, dag, GP_ORDER_DEPTH);
    size_t used = 0;

    for (uint32_t op = 0; op < dag->op_count; op++) {
        const struct gp_choice *choice = &schedule->choices[op];

        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s%u", op > 0 ? " " : "",
                                 dag->ops[op].name, choice->stream);
        if (with_rules) {
            used += (size_t)snprintf(text + used, sizeof text - used, "/%u", choice->rule);
        }
        assert_true(used < sizeof text);
    }
    gp_schedule_destroy(schedule);
    return text;
}

static struct gp_dag *freeze(struct gp_builder *builder, struct gp_op *root)
{
    struct gp_dag *dag;
    struct gp_error err = {0};

    gp_assert_ok(gp_dag_freeze(builder, root, &dag, &err), err);
    gp_builder_destroy(builder);
    return dag;
}

static struct gp_builder *make_builder(void)
{
    struct gp_builder *builder;
    struct gp_error err = {0};

    gp_assert_ok(gp_builder_create(&builder, &err), err);
    return builder;
}

/* a, then (bc | d), then e. */
static struct gp_dag *make_diamond(void)
{
    struct gp_builder *builder = make_builder();
    struct gp_op *op = gp_op_and_then(
        builder, gp_test_op(builder, 'a'),
        gp_test_zip(builder, gp_test_chain(builder, "bc"), gp_test_op(builder, 'd')));

    return freeze(builder, gp_op_and_then(builder, op, gp_test_op(builder, 'e')));
}

static void test_rules_on_a_diamond(void **state)
{
    struct gp_dag *dag = make_diamond();

    (void)state;
    assert_string_equal(gp_test_chains(dag), "a|bce|d");
    assert_string_equal(choices_text("single", 4, dag, true), "a0/0 b0/0 c0/0 d0/0 e0/0");
    assert_string_equal(choices_text("null-stream", 4, dag, true), "a0/0 b0/0 c0/0 d0/0 e0/0");
    assert_string_equal(choices_text("round-robin", 4, dag, true), "a0/0 b1/0 c1/0 d2/0 e1/0");
    assert_string_equal(choices_text("round-robin", 2, dag, true), "a0/0 b1/0 c1/0 d0/0 e1/0");
    assert_string_equal(choices_text("round-robin-op", 3, dag, true), "a0/0 b1/0 c2/0 d0/0 e1/0");
    assert_string_equal(choices_text("per-unit", 2, dag, true), "a0/0 b1/0 c1/0 d2/0 e1/0");
    /* Work of 10 µs each: chain a on 0, chain bce on 1, chain d where less is: 0. */
    assert_string_equal(choices_text("least-loaded", 2, dag, true), "a0/0 b1/0 c1/0 d0/0 e1/0");
    /* b inherits from a; d finds a's stream taken; e inherits from c. */
    assert_string_equal(choices_text("inherit", 4, dag, true), "a0/1 b0/0 c0/0 d1/1 e0/0");
    assert_string_equal(choices_text("level", 4, dag, true), "a0/0 b0/0 c0/0 d1/0 e0/0");
    /* Two paths cover it. */
    assert_string_equal(choices_text("min-path-cover", 4, dag, true), "a0/1 b0/0 c0/0 d1/1 e0/0");
    /* a, b, c, e is the longest path and stays on one stream; d pays a hop to run at once. */
    assert_string_equal(choices_text("heft", 4, dag, true), "a0/0 b0/0 c0/0 d1/0 e0/0");
    /* d is off the path. */
    assert_string_equal(choices_text("critical-priority", 2, dag, true),
                        "a0/0 b0/0 c0/0 d1/1 e0/0");
    assert_string_equal(choices_text("critical-priority", 1, dag, true),
                        "a0/2 b0/2 c0/2 d0/2 e0/2");
    assert_string_equal(choices_text("roles", 4, dag, true), "a2/2 b3/2 c3/2 d2/2 e3/2");
    gp_dag_destroy(dag);
}

/* Where chains are alike, all are critical, and the whole pool is used. */
static void test_equal_chains_are_not_urgent(void **state)
{
    struct gp_builder *builder = make_builder();
    struct gp_op *arms[4];
    struct gp_dag *dag;

    (void)state;
    for (int i = 0; i < 4; i++) {
        arms[i] = gp_test_chain(builder, "ab");
    }
    dag = freeze(builder, gp_op_zip(builder, arms, 4));
    assert_string_equal(choices_text("critical-priority", 4, dag, false),
                        "a0 b0 a1 b1 a2 b2 a3 b3");
    assert_string_equal(choices_text("heft", 2, dag, false), "a0 b0 a1 b1 a0 b0 a1 b1");
    gp_dag_destroy(dag);
}

static void test_roles(void **state)
{
    struct gp_builder *builder = make_builder();
    struct gp_buffer device = {.bytes = 64, .address = 1000, .name = "dev"};
    struct gp_buffer pinned = {.space = GP_SPACE_PINNED, .bytes = 64, .address = 2000};
    struct gp_op *arms[3];
    struct gp_dag *dag;

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct gp_op *op = gp_op_copy(builder, "i", &device, 0, &pinned, 0, 8);

        op = gp_op_and_then(builder, op, gp_test_op(builder, 'k'));
        arms[i] = gp_op_and_then(builder, op, gp_op_copy(builder, "o", &pinned, 0, &device, 0, 8));
    }
    dag = freeze(builder, gp_op_zip(builder, arms, 3));
    assert_string_equal(choices_text("roles", 4, dag, false), "i0 k2 o1 i0 k3 o1 i0 k2 o1");
    assert_string_equal(choices_text("roles", 3, dag, false), "i0 k2 o1 i0 k2 o1 i0 k2 o1");
    assert_string_equal(choices_text("roles", 2, dag, false), "i0 k1 o0 i0 k1 o0 i0 k1 o0");
    assert_string_equal(choices_text("roles", 1, dag, false), "i0 k0 o0 i0 k0 o0 i0 k0 o0");
    gp_dag_destroy(dag);
}

static void take_long(const struct gp_launch *launch, struct gp_work *out)
{
    (void)launch;
    out->spin_ns = 100000;
}

/* A kernel that is estimated ten times as long as those whose work is not known. */
static struct gp_op *long_op(struct gp_builder *builder)
{
    static const struct gp_kernel kernel = {.name = "L", .work = take_long};
    const struct gp_launch launch = {.kernel = &kernel, .grid = {1, 1, 1}, .block = {32, 1, 1}};

    return gp_op_kernel(builder, "L", &launch);
}

static void test_partition(void **state)
{
    struct gp_builder *builder = make_builder();
    struct gp_op *arms[3];
    struct gp_dag *dag;

    (void)state;
    for (int i = 0; i < 3; i++) {
        arms[i] = gp_op_and_then(builder, gp_test_op(builder, 's'), long_op(builder));
        arms[i] = gp_op_and_then(builder, arms[i], gp_test_op(builder, 's'));
    }
    dag = freeze(builder, gp_op_zip(builder, arms, 3));
    assert_string_equal(choices_text("partition", 5, dag, false), "s3 L0 s3 s4 L1 s4 s3 L2 s3");
    assert_string_equal(choices_text("partition", 2, dag, false), "s1 L0 s1 s1 L0 s1 s1 L0 s1");
    assert_string_equal(choices_text("partition", 1, dag, false), "s0 L0 s0 s0 L0 s0 s0 L0 s0");
    gp_dag_destroy(dag);

    builder = make_builder();
    for (int i = 0; i < 3; i++) {
        arms[i] = gp_test_chain(builder, "ab");
    }
    dag = freeze(builder, gp_op_zip(builder, arms, 3));
    assert_string_equal(choices_text("partition", 2, dag, false), "a0 b0 a1 b1 a0 b0");
    gp_dag_destroy(dag);
}

/* "all copy compute": the role of each stream, and "!" where it is not of the usual kind. */
static void check_streams(const char *name, uint32_t streams, const char *expected)
{
    struct gp_policy *policy;
    struct gp_error err = {0};
    char text[256] = "";
    bool is_special = false;

    gp_assert_ok(gp_policy_create(gp_policy_find(name), streams, &policy, &err), err);
    for (uint32_t i = 0; i < policy->stream_count; i++) {
        struct gp_stream_spec spec = gp_policy_stream(policy, i);
        bool is_usual =
            spec.flag == GP_STREAM_NON_BLOCKING && spec.priority == 0 && spec.part.permille == 0;
        size_t used = strlen(text);

        (void)snprintf(text + used, sizeof text - used, "%s%s%s", i > 0 ? " " : "",
                       spec.role[0] != '\0' ? spec.role : "-", is_usual ? "" : "!");
        is_special = is_special || !is_usual;
    }
    assert_string_equal(text, expected);
    assert_int_equal(gp_policy_needs_pool(policy), is_special);
    gp_policy_destroy(policy);
}

static void test_streams_that_policies_ask_for(void **state)
{
    (void)state;
    check_streams("round-robin", 3, "- - -");
    check_streams("null-stream", 3, "null!");
    check_streams("critical-priority", 5, "critical! critical! - - -");
    check_streams("critical-priority", 1, "-");
    check_streams("roles", 1, "all");
    check_streams("partition", 5, "long! long! long! short! short!");
    check_streams("partition", 1, "-");
    check_streams("roles", 2, "copy compute");
    check_streams("roles", 4, "h2d d2h compute compute");
}

static void test_pool_of_a_policy(void **state)
{
    struct gp_fake fake;
    struct gp_policy *policy;
    struct gp_pool *pool;
    struct gp_error err = {0};

    (void)state;
    gp_fake_init(&fake);
    gp_assert_ok(gp_policy_create(gp_policy_find("critical-priority"), 2, &policy, &err), err);
    gp_assert_ok(gp_pool_create_for(&fake.base, policy, &pool, &err), err);
    assert_string_equal(gp_fake_take_log(&fake), "create s0 flag 0 priority -2147483648; "
                                                 "create s1 flag 0 priority 0");
    gp_pool_destroy(pool);
    fake.calls = 0;
    fake.fail_at = 2;
    assert_int_equal(gp_pool_create_for(&fake.base, policy, &pool, &err), GP_EDRIVER);
    assert_memory_equal(err.text, "policy 'critical-priority': stream 1 of a pool of 2: ", 51);
    gp_policy_destroy(policy);
    fake.fail_at = 0;
    (void)gp_fake_take_log(&fake);
    gp_assert_ok(gp_policy_create(gp_policy_find("null-stream"), 2, &policy, &err), err);
    gp_assert_ok(gp_pool_create_for(&fake.base, policy, &pool, &err), err);
    assert_string_equal(gp_fake_take_log(&fake), "create s3 flag 2 priority 0");
    gp_pool_destroy(pool);
    gp_policy_destroy(policy);
    gp_fake_finish(&fake);
}

/* A policy that asks for streams of a kind is not run on others. */
static void test_pool_must_fit(void **state)
{
    struct gp_fake fake;
    struct gp_dag *dag = make_diamond();
    struct gp_schedule *schedule =
        make_schedule(gp_policy_find("null-stream"), 1, dag, GP_ORDER_DEPTH);
    struct gp_pool *pool;
    struct gp_dispatch dispatch = {.schedule = schedule};
    struct gp_run_times times;
    struct gp_error err = {0};

    (void)state;
    gp_fake_init(&fake);
    gp_assert_ok(gp_pool_create(&fake.base, 1, &pool, &err), err);
    dispatch.pool = pool;
    assert_int_equal(gp_dispatch_run(&dispatch, &times, &err), GP_ESTATE);
    assert_memory_equal(err.text, "policy 'null-stream' needs streams of its own kind", 50);
    gp_pool_destroy(pool);
    gp_schedule_destroy(schedule);
    gp_dag_destroy(dag);
    gp_fake_finish(&fake);
}

enum { THREADS = 8, TURNS = 3000 };

struct crowd {
    struct gp_policy *policy;
    uint32_t counts[THREADS][GP_STREAMS_DEFAULT];
};

struct member {
    struct crowd *crowd;
    int index;
};

static void *choose_often(void *user)
{
    struct member *member = user;

    for (int i = 0; i < TURNS; i++) {
        struct gp_choice choice;

        (void)member->crowd->policy->ops->choose(member->crowd->policy, NULL, NULL, 0, &choice,
                                                 NULL);
        member->crowd->counts[member->index][choice.stream]++;
    }
    return NULL;
}

/* One instance serves many threads: no turn is lost or given twice. */
static void test_turns_of_many_threads(void **state)
{
    static struct crowd crowd;
    struct member members[THREADS];
    pthread_t threads[THREADS];
    struct gp_error err = {0};

    (void)state;
    gp_assert_ok(gp_policy_create(gp_policy_find("round-robin"), 0, &crowd.policy, &err), err);
    for (int i = 0; i < THREADS; i++) {
        members[i] = (struct member){&crowd, i};
        assert_int_equal(pthread_create(&threads[i], NULL, choose_often, &members[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    for (int stream = 0; stream < GP_STREAMS_DEFAULT; stream++) {
        uint32_t sum = 0;

        for (int i = 0; i < THREADS; i++) {
            sum += crowd.counts[i][stream];
        }
        assert_int_equal(sum, THREADS * TURNS / GP_STREAMS_DEFAULT);
    }
    gp_policy_destroy(crowd.policy);
}

static void describe_work(const struct gp_launch *launch, struct gp_work *out)
{
    (void)launch;
    *out = (struct gp_work){.issue = 600000, .latency_cycles = 3000, .read_bytes = 500};
}

static void test_estimates(void **state)
{
    const struct gp_kernel kernel = {.name = "k", .work = describe_work};
    struct gp_dag_op op = {.kind = GP_OP_MEMSET, .bytes = 1000000};

    (void)state;
    assert_int_equal(gp_estimate_op_ns(&op), 2500);
    op.kind = GP_OP_D2D;
    assert_int_equal(gp_estimate_op_ns(&op), 3500);
    op.kind = GP_OP_H2D;
    assert_int_equal(gp_estimate_op_ns(&op), 41500);
    op = (struct gp_dag_op){
        .kind = GP_OP_KERNEL,
        .launch = {.kernel = &kernel, .grid = {1, 1, 1}, .block = {32, 1, 1}},
    };
    assert_int_equal(gp_estimate_op_ns(&op), 2000 + 2000); /* latency */
    op.launch.grid[0] = 800;
    assert_int_equal(gp_estimate_op_ns(&op), 2000 + 800000); /* issue */
    op.launch.kernel = &gp_test_kernel;
    assert_int_equal(gp_estimate_op_ns(&op), 10000);
}

static void test_longest_paths(void **state)
{
    struct gp_dag *dag = make_diamond();
    struct gp_estimate *estimate;
    struct gp_error err = {0};

    (void)state;
    gp_assert_ok(gp_estimate_create(dag, &estimate, &err), err);
    assert_int_equal(estimate->critical_ns, 40000);
    assert_int_equal(estimate->up[0], 40000);
    assert_int_equal(estimate->up[3], 20000);
    assert_int_equal(estimate->down[3], 10000);
    assert_int_equal(estimate->down[4], 30000);
    gp_estimate_destroy(estimate);
    gp_dag_destroy(dag);
}

/* The largest matching by trying everything. */
static uint32_t best_matching(const struct gp_bipartite *graph, uint32_t left, uint32_t taken)
{
    uint32_t best;

    if (left == graph->count) {
        return 0;
    }
    best = best_matching(graph, left + 1, taken);
    for (uint32_t e = graph->first[left]; e < graph->first[left + 1]; e++) {
        uint32_t bit = 1u << graph->to[e];

        if ((taken & bit) == 0) {
            uint32_t size = 1 + best_matching(graph, left + 1, taken | bit);

            best = size > best ? size : best;
        }
    }
    return best;
}

enum { SIDE = 8 };

static void draw_graph(struct gp_random *random, uint32_t *first, uint32_t *to)
{
    uint64_t percent = gp_random_below(random, 50);

    first[0] = 0;
    for (uint32_t left = 0; left < SIDE; left++) {
        first[left + 1] = first[left];
        for (uint32_t right = 0; right < SIDE; right++) {
            if (gp_random_below(random, 100) < percent) {
                to[first[left + 1]++] = right;
            }
        }
    }
}

static void test_matching_is_largest(void **state)
{
    struct gp_random random = {11};
    struct gp_error err = {0};

    (void)state;
    for (int round = 0; round < 500; round++) {
        uint32_t first[SIDE + 1];
        uint32_t to[SIDE * SIDE];
        uint32_t right_of[SIDE];
        uint32_t left_of[SIDE];
        uint32_t size = 0;
        const struct gp_bipartite graph = {SIDE, first, to};

        draw_graph(&random, first, to);
        gp_assert_ok(gp_matching_find(&graph, right_of, left_of, &err), err);
        for (uint32_t left = 0; left < SIDE; left++) {
            if (right_of[left] != gp_unmatched) {
                assert_int_equal(left_of[right_of[left]], left);
                size++;
            }
        }
        assert_int_equal(size, best_matching(&graph, 0, 0));
    }
}

static void test_path_cover_has_a_limit(void **state)
{
    struct gp_builder *builder = make_builder();
    struct gp_op *op = gp_test_op(builder, 'a');
    struct gp_policy *policy;
    struct gp_schedule *schedule;
    struct gp_error err = {0};
    struct gp_dag *dag;

    (void)state;
    for (int i = 0; i < 1 << 14; i++) {
        op = gp_op_and_then(builder, op, gp_test_op(builder, 'a'));
    }
    dag = freeze(builder, op);
    gp_assert_ok(gp_policy_create(gp_policy_find("min-path-cover"), 4, &policy, &err), err);
    assert_int_equal(gp_schedule_create(policy, dag, GP_ORDER_DEPTH, &schedule, &err),
                     GP_EUNSUPPORTED);
    assert_string_equal(err.text,
                        "policy 'min-path-cover': 16385 operations; it can cover at most 16384");
    gp_policy_destroy(policy);
    gp_dag_destroy(dag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_all_on_random_dags),
        cmocka_unit_test(test_memory_runs_out_anywhere),
        cmocka_unit_test(test_rules_on_a_diamond),
        cmocka_unit_test(test_equal_chains_are_not_urgent),
        cmocka_unit_test(test_roles),
        cmocka_unit_test(test_partition),
        cmocka_unit_test(test_streams_that_policies_ask_for),
        cmocka_unit_test(test_pool_of_a_policy),
        cmocka_unit_test(test_pool_must_fit),
        cmocka_unit_test(test_turns_of_many_threads),
        cmocka_unit_test(test_estimates),
        cmocka_unit_test(test_longest_paths),
        cmocka_unit_test(test_matching_is_largest),
        cmocka_unit_test(test_path_cover_has_a_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
