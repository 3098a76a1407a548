/* Waits and pairs of small runs made by hand, computed by hand. */
#include "test.h"

#include <string.h>

#include "analysis/hand.h"
#include "probe/analysis/causes.h"

static struct hand hand;

/* Wait i of an operation. */
static void assert_wait(const struct gp_causes *causes, uint32_t op, uint32_t i,
                        struct gp_wait expected)
{
    const struct gp_wait *wait = &causes->waits[causes->first[op] + i];

    assert_true(causes->first[op] + i < causes->first[op + 1]);
    assert_string_equal(gp_cause_name(wait->cause), gp_cause_name(expected.cause));
    assert_int_equal(wait->from, expected.from);
    assert_int_equal(wait->to, expected.to);
    assert_int_equal(wait->on, expected.on);
    assert_int_equal(wait->is_idle, expected.is_idle);
}

static uint32_t wait_count(const struct gp_causes *causes, uint32_t op)
{
    return causes->first[op + 1] - causes->first[op];
}

/* The picture of causes.h. */
static void test_picture(void **state)
{
    struct gp_causes causes;

    (void)state;
    hand_init(&hand, 2);
    hand_submit(&hand, hand_op(&hand, GP_OP_KERNEL, 0, 8, 23), 0, 8);
    hand_submit(&hand, hand_op(&hand, GP_OP_KERNEL, 1, 28, 40), 8, 16);
    hand_submit(&hand, hand_op(&hand, GP_OP_KERNEL, 0, 42, 54), 32, 40);
    hand_edge(&hand, 0, 1);
    gp_causes_measure(&hand.data, &causes);
    assert_int_equal(wait_count(&causes, 0), 1);
    assert_wait(
        &causes, 0, 0,
        (struct gp_wait){
            .from = 0, .to = 8, .on = GP_NO_OP, .cause = GP_CAUSE_NOT_SUBMITTED, .is_idle = true});
    assert_int_equal(wait_count(&causes, 1), 1);
    assert_wait(&causes, 1, 0,
                (struct gp_wait){
                    .from = 0, .to = 28, .on = 0, .cause = GP_CAUSE_DEPENDENCY, .is_idle = true});
    assert_int_equal(wait_count(&causes, 2), 2);
    assert_wait(&causes, 2, 0,
                (struct gp_wait){.from = 0,
                                 .to = 23,
                                 .on = GP_NO_OP,
                                 .cause = GP_CAUSE_NOT_SUBMITTED,
                                 .is_idle = false});
    assert_wait(&causes, 2, 1,
                (struct gp_wait){.from = 23,
                                 .to = 42,
                                 .on = GP_NO_OP,
                                 .cause = GP_CAUSE_NOT_SUBMITTED,
                                 .is_idle = true});
    assert_int_equal(causes.idle_ns, 8 + 28 + 19);
    assert_int_equal(causes.totals[GP_CAUSE_NOT_SUBMITTED].idle_ns, 8 + 19);
    assert_int_equal(causes.totals[GP_CAUSE_NOT_SUBMITTED].ops, 2);
    assert_int_equal(causes.totals[GP_CAUSE_NOT_SUBMITTED].worst_op, 2);
    assert_int_equal(causes.totals[GP_CAUSE_DEPENDENCY].idle_ns, 28);
    assert_int_equal(causes.totals[GP_CAUSE_UNKNOWN].worst_op, GP_NO_OP);
    gp_causes_finish(&causes);
}

/* Behind a stranger on the stream: no idle time, and still a wait. What comes next on the stream
 * and depends on it waits for the dependency, not for the stream. */
static void test_same_stream(void **state)
{
    struct gp_causes causes;
    struct gp_pair pair;

    (void)state;
    hand_init(&hand, 1);
    (void)hand_op(&hand, GP_OP_KERNEL, 0, 0, 100);
    (void)hand_op(&hand, GP_OP_KERNEL, 0, 102, 200);
    (void)hand_op(&hand, GP_OP_KERNEL, 0, 202, 300);
    hand_edge(&hand, 1, 2);
    gp_causes_measure(&hand.data, &causes);
    assert_wait(&causes, 1, 0,
                (struct gp_wait){.from = 0, .to = 100, .on = 0, .cause = GP_CAUSE_SAME_STREAM});
    assert_wait(
        &causes, 1, 1,
        (struct gp_wait){
            .from = 100, .to = 102, .on = 0, .cause = GP_CAUSE_SAME_STREAM, .is_idle = true});
    assert_wait(
        &causes, 2, 0,
        (struct gp_wait){
            .from = 200, .to = 202, .on = 1, .cause = GP_CAUSE_DEPENDENCY, .is_idle = true});
    assert_int_equal(causes.idle_ns, 4);
    assert_true(gp_cause_pair(&causes, 1, 0, &pair));
    assert_int_equal(pair.first, 0);
    assert_int_equal(pair.second, 1);
    assert_int_equal(pair.overlap_ns, 0);
    assert_int_equal(pair.wait.cause, GP_CAUSE_SAME_STREAM);
    assert_int_equal(pair.wait.to, 100);
    assert_true(gp_cause_pair(&causes, 0, 2, &pair));
    assert_string_equal(gp_cause_name(pair.wait.cause), "dependency");
    assert_int_equal(pair.path_count, 2);
    assert_int_equal(pair.path[0], 1);
    assert_int_equal(pair.path[1], 2);
    gp_causes_finish(&causes);
}

/* A long time that nothing explains is said to be unknown; a short one is the device's start. */
static void test_unknown(void **state)
{
    struct gp_causes causes;

    (void)state;
    hand_init(&hand, 2);
    (void)hand_op(&hand, GP_OP_KERNEL, 0, 5000, 6000);
    (void)hand_op(&hand, GP_OP_KERNEL, 1, 500000, 600000);
    gp_causes_measure(&hand.data, &causes);
    assert_wait(&causes, 0, 0,
                (struct gp_wait){.from = 0,
                                 .to = 5000,
                                 .on = GP_NO_OP,
                                 .cause = GP_CAUSE_NOT_SUBMITTED,
                                 .is_idle = true});
    assert_wait(
        &causes, 1, 0,
        (struct gp_wait){
            .from = 0, .to = 500000, .on = GP_NO_OP, .cause = GP_CAUSE_UNKNOWN, .is_idle = true});
    gp_causes_finish(&causes);
}

/* Kernel, host function, kernel: the device idles for the host function, and before it for the
 * first kernel. */
static void test_host_function(void **state)
{
    struct gp_causes causes;

    (void)state;
    hand_init(&hand, 2);
    (void)hand_op(&hand, GP_OP_KERNEL, 0, 0, 1000);
    (void)hand_op(&hand, GP_OP_HOST, 0, 40000, 43000);
    (void)hand_op(&hand, GP_OP_KERNEL, 1, 52000, 53000);
    hand_edge(&hand, 0, 1);
    hand_edge(&hand, 1, 2);
    gp_causes_measure(&hand.data, &causes);
    assert_int_equal(wait_count(&causes, 1), 0);
    assert_int_equal(wait_count(&causes, 2), 2);
    assert_wait(&causes, 2, 0,
                (struct gp_wait){
                    .from = 0, .to = 1000, .on = 0, .cause = GP_CAUSE_DEPENDENCY, .is_idle = true});
    assert_wait(
        &causes, 2, 1,
        (struct gp_wait){
            .from = 1000, .to = 52000, .on = 1, .cause = GP_CAUSE_HOST_FUNCTION, .is_idle = true});
    gp_causes_finish(&causes);
}

/* An edge that the schedule does not keep holds nobody. */
static void test_missing_edge(void **state)
{
    struct gp_causes causes;
    struct gp_pair pair;

    (void)state;
    hand_init(&hand, 2);
    (void)hand_op(&hand, GP_OP_KERNEL, 0, 0, 100);
    (void)hand_op(&hand, GP_OP_KERNEL, 1, 50, 150);
    hand_edge(&hand, 0, 1);
    hand.edges[0].how = GP_HOW_MISSING;
    gp_causes_measure(&hand.data, &causes);
    assert_int_equal(causes.totals[GP_CAUSE_DEPENDENCY].idle_ns, 0);
    assert_true(gp_cause_pair(&causes, 0, 1, &pair));
    assert_int_equal(pair.overlap_ns, 50);
    assert_int_equal(pair.path_count, 0);
    gp_causes_finish(&causes);
}

/* Ends of a path that is longer than what is kept of it. */
static void test_long_path(void **state)
{
    struct gp_causes causes;
    struct gp_pair pair;

    (void)state;
    hand_init(&hand, 1);
    for (uint32_t i = 0; i < 200; i++) {
        (void)hand_op(&hand, GP_OP_KERNEL, 0, INT64_C(10) * i, INT64_C(10) * i + 9);
        if (i > 0) {
            hand_edge(&hand, i - 1, i);
        }
    }
    gp_causes_measure(&hand.data, &causes);
    assert_true(gp_cause_pair(&causes, 150, 20, &pair));
    assert_int_equal(pair.path_count, GP_PATH_MAX);
    assert_int_equal(pair.path[0], 20);
    assert_int_equal(pair.path[GP_PATH_MAX / 2 - 1], 20 + GP_PATH_MAX / 2 - 1);
    assert_int_equal(pair.path[GP_PATH_MAX - 1], 150);
    gp_causes_finish(&causes);
}

static void test_pair_needs_times(void **state)
{
    struct gp_causes causes;
    struct gp_pair pair;

    (void)state;
    hand_init(&hand, 1);
    (void)hand_op(&hand, GP_OP_KERNEL, 0, GP_UNKNOWN, 100);
    (void)hand_op(&hand, GP_OP_KERNEL, 0, 200, 300);
    (void)hand_op(&hand, GP_OP_HOST, 0, 300, 400);
    gp_causes_measure(&hand.data, &causes);
    assert_int_equal(wait_count(&causes, 0), 0);
    assert_false(gp_cause_pair(&causes, 0, 1, &pair));
    assert_false(gp_cause_pair(&causes, 1, 2, &pair));
    gp_causes_finish(&causes);
}

/* Arrives at 500, is submitted at once, and begins: the host is not to blame. A pair of which the
 * second had not arrived has no path. */
static void test_arrival(void **state)
{
    struct gp_causes causes;
    struct gp_pair pair;

    (void)state;
    hand_init(&hand, 2);
    (void)hand_kernel(&hand, 1, 1, 0, 100000);
    hand_submit(&hand, hand_kernel(&hand, 0, 1, 507000, 600000), 500000, 504000);
    hand.ops[1].release = 500000;
    gp_causes_measure(&hand.data, &causes);
    assert_int_equal(wait_count(&causes, 1), 2);
    assert_wait(&causes, 1, 0,
                (struct gp_wait){.from = 0,
                                 .to = 500000,
                                 .on = GP_NO_OP,
                                 .cause = GP_CAUSE_DEPENDENCY,
                                 .is_idle = true});
    assert_wait(&causes, 1, 1,
                (struct gp_wait){.from = 500000,
                                 .to = 507000,
                                 .on = GP_NO_OP,
                                 .cause = GP_CAUSE_NOT_SUBMITTED,
                                 .is_idle = true});
    assert_true(gp_cause_pair(&causes, 0, 1, &pair));
    assert_string_equal(gp_cause_name(pair.wait.cause), "dependency");
    assert_int_equal(pair.wait.on, GP_NO_OP);
    assert_int_equal(pair.path_count, 0);
    gp_causes_finish(&causes);
}

static void test_nothing(void **state)
{
    struct gp_causes causes;

    (void)state;
    hand_init(&hand, 1);
    gp_causes_measure(&hand.data, &causes);
    assert_int_equal(causes.idle_ns, 0);
    gp_causes_finish(&causes);
    gp_causes_finish(&causes);
}

/* Every word of the list can be explained. */
static void test_table(void **state)
{
    (void)state;
    for (int cause = 0; cause < GP_CAUSE_COUNT; cause++) {
        assert_non_null(gp_cause_table[cause].summary);
        assert_non_null(gp_cause_table[cause].remedy);
        assert_string_not_equal(gp_cause_name((enum gp_cause)cause),
                                cause == GP_CAUSE_UNKNOWN ? "" : "unknown");
    }
}

/* What would tell more depends on what was recorded of the operation that waited. */
static void test_remedy_of_the_unknown(void **state)
{
    struct gp_causes causes;
    struct gp_op_row *op;

    (void)state;
    hand_init(&hand, 1);
    op = &hand.ops[hand_kernel(&hand, 0, 1, 500000, 600000)];
    hand_submit(&hand, 0, 0, 4000);
    op->source = GP_SOURCE_STAMP;
    hand.device.kind = GP_ORIGIN_CUDA;
    gp_causes_measure(&hand.data, &causes);
    assert_int_equal(causes.totals[GP_CAUSE_UNKNOWN].ops, 1);
    assert_non_null(strstr(gp_cause_remedy(&causes, GP_CAUSE_UNKNOWN), "--trace blocks"));
    hand.data.block_count = 1;
    assert_non_null(strstr(gp_cause_remedy(&causes, GP_CAUSE_UNKNOWN), "nothing"));
    op->source = GP_SOURCE_EVENT;
    assert_non_null(strstr(gp_cause_remedy(&causes, GP_CAUSE_UNKNOWN), "--trace stamps"));
    op->kind = GP_OP_H2D;
    op->source = GP_SOURCE_BOUNDED;
    assert_non_null(strstr(gp_cause_remedy(&causes, GP_CAUSE_UNKNOWN), "--trace events"));
    hand.device.kind = GP_ORIGIN_IMPORTED;
    assert_non_null(strstr(gp_cause_remedy(&causes, GP_CAUSE_UNKNOWN), "other work"));
    assert_string_equal(gp_cause_remedy(&causes, GP_CAUSE_PAGEABLE), "pinned host memory");
    hand.data.block_count = 0;
    gp_causes_finish(&causes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_picture),
        cmocka_unit_test(test_same_stream),
        cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_host_function),
        cmocka_unit_test(test_missing_edge),
        cmocka_unit_test(test_long_path),
        cmocka_unit_test(test_pair_needs_times),
        cmocka_unit_test(test_arrival),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_remedy_of_the_unknown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
