/* Critical paths of small runs, found by hand, and what holds for that of any run. */
#include "test.h"

#include "analysis/random_run.h"
#include "probe/analysis/critical.h"

static struct hand hand;

static void assert_step(const struct gp_critical_step *step, uint32_t op, bool is_run, int64_t from,
                        int64_t to)
{
    assert_int_equal(step->op, op);
    assert_int_equal(step->is_run, is_run);
    assert_int_equal(step->from, from);
    assert_int_equal(step->to, to);
}

/* a, then b behind it on the engine, then c, which needs b: the picture of critical.h. */
static void test_picture(void **state)
{
    struct gp_causes causes;
    struct gp_critical path;
    uint32_t a, b, c;

    (void)state;
    hand_init(&hand, 2);
    a = hand_copy(&hand, GP_OP_D2H, 0, 40, 50);
    hand_submit(&hand, a, 0, 30);
    b = hand_copy(&hand, GP_OP_D2H, 1, 52, 62);
    c = hand_kernel(&hand, 0, 1, 65, 75);
    hand_edge(&hand, b, c);
    gp_causes_measure(&hand.data, &causes);
    gp_critical_find(&causes, &path);
    assert_int_equal(path.count, 6);
    assert_step(&path.steps[0], a, false, 0, 40);
    assert_int_equal(path.steps[0].cause, GP_CAUSE_NOT_SUBMITTED);
    assert_step(&path.steps[1], a, true, 40, 50);
    assert_int_equal(path.steps[1].cause, GP_CAUSE_ENGINE_BUSY);
    assert_step(&path.steps[2], b, false, 50, 52);
    assert_int_equal(path.steps[2].cause, GP_CAUSE_ENGINE_BUSY);
    assert_step(&path.steps[3], b, true, 52, 62);
    assert_int_equal(path.steps[3].cause, GP_CAUSE_DEPENDENCY);
    assert_step(&path.steps[4], c, false, 62, 65);
    assert_step(&path.steps[5], c, true, 65, 75);
    assert_int_equal(path.steps[5].cause, GP_CAUSE_COUNT);
    assert_int_equal(path.run_ns, 30);
    assert_int_equal(path.wait_ns[GP_CAUSE_ENGINE_BUSY], 2);
    assert_int_equal(path.after_ns[GP_CAUSE_ENGINE_BUSY], 10);
    gp_critical_finish(&path);
    gp_causes_finish(&causes);
}

/* Kernels without a gap between them wait for nothing, and are a path all the same. */
static void test_no_gaps(void **state)
{
    struct gp_causes causes;
    struct gp_critical path;

    (void)state;
    hand_init(&hand, 1);
    (void)hand_kernel(&hand, 0, 1, 0, 10);
    (void)hand_kernel(&hand, 0, 1, 10, 20);
    (void)hand_kernel(&hand, 0, 1, 20, 30);
    hand_edge(&hand, 1, 2);
    gp_causes_measure(&hand.data, &causes);
    gp_critical_find(&causes, &path);
    assert_int_equal(path.count, 3);
    assert_int_equal(path.steps[0].cause, GP_CAUSE_SAME_STREAM);
    assert_int_equal(path.steps[1].cause, GP_CAUSE_DEPENDENCY);
    assert_int_equal(path.run_ns, 30);
    gp_critical_finish(&path);
    gp_causes_finish(&causes);
}

/* Work that arrives late: until then it waits for that, whatever ran before it; from then on for
 * the host. */
static void test_arrival(void **state)
{
    struct gp_causes causes;
    struct gp_critical path;
    uint32_t late;

    (void)state;
    hand_init(&hand, 1);
    hand_submit(&hand, hand_kernel(&hand, 0, 1, 5000, 200000), 0, 4000);
    late = hand_kernel(&hand, 0, 1, 514000, 600000);
    hand_submit(&hand, late, 506000, 510000);
    hand.ops[late].release = 500000;
    gp_causes_measure(&hand.data, &causes);
    gp_critical_find(&causes, &path);
    assert_int_equal(path.count, 3);
    assert_step(&path.steps[0], late, false, 0, 500000);
    assert_int_equal(path.steps[0].cause, GP_CAUSE_DEPENDENCY);
    assert_step(&path.steps[1], late, false, 500000, 514000);
    assert_int_equal(path.steps[1].cause, GP_CAUSE_NOT_SUBMITTED);
    assert_step(&path.steps[2], late, true, 514000, 600000);
    gp_critical_finish(&path);
    gp_causes_finish(&causes);
    /* Submitted before it arrived, and let go then. */
    hand.ops[late].release = 513000;
    gp_causes_measure(&hand.data, &causes);
    gp_critical_find(&causes, &path);
    assert_int_equal(path.count, 2);
    assert_step(&path.steps[0], late, false, 0, 514000);
    assert_int_equal(path.steps[0].cause, GP_CAUSE_DEPENDENCY);
    gp_critical_finish(&path);
    gp_causes_finish(&causes);
}

/* While a pageable copy kept the host, and before and after. */
static void test_host(void **state)
{
    struct gp_causes causes;
    struct gp_critical path;
    uint32_t copy, kernel;

    (void)state;
    hand_init(&hand, 2);
    copy = hand_copy(&hand, GP_OP_H2D, 0, 15000, 110000);
    hand_submit(&hand, copy, 10000, 110000);
    kernel = hand_kernel(&hand, 1, 1, 118000, 218000);
    hand_submit(&hand, kernel, 110000, 114000);
    gp_causes_measure(&hand.data, &causes);
    gp_critical_find(&causes, &path);
    assert_int_equal(path.wait_ns[GP_CAUSE_PAGEABLE], 100000);
    assert_int_equal(path.wait_ns[GP_CAUSE_NOT_SUBMITTED], 10000 + 8000);
    assert_int_equal(path.run_ns, 100000);
    gp_critical_finish(&path);
    gp_causes_finish(&causes);
}

static int64_t last_end(void)
{
    int64_t last = 0;

    for (uint32_t op = 0; op < hand.data.op_count; op++) {
        if (gp_op_runs(&hand.ops[op]) && hand.ops[op].end > last) {
            last = hand.ops[op].end;
        }
    }
    return last;
}

/* Steps follow each other from 0 to the last end, and runs lie in their operation's. */
static void test_any_run(void **state)
{
    struct gp_random random = {31};

    (void)state;
    for (int round = 0; round < 300; round++) {
        struct gp_causes causes;
        struct gp_critical path;
        int64_t at = 0;

        random_run(&hand, &random);
        gp_causes_measure(&hand.data, &causes);
        gp_critical_find(&causes, &path);
        for (uint32_t i = 0; i < path.count; i++) {
            const struct gp_critical_step *step = &path.steps[i];
            const struct gp_op_row *op = &hand.ops[step->op];

            assert_int_equal(step->from, at);
            assert_true(step->to > step->from);
            assert_true(!step->is_run || (step->from == op->begin && step->to <= op->end));
            at = step->to;
        }
        assert_int_equal(at, last_end());
        gp_critical_finish(&path);
        gp_causes_finish(&causes);
    }
}

static void test_nothing(void **state)
{
    struct gp_causes causes;
    struct gp_critical path;

    (void)state;
    hand_init(&hand, 1);
    gp_causes_measure(&hand.data, &causes);
    gp_critical_find(&causes, &path);
    assert_int_equal(path.count, 0);
    gp_critical_finish(&path);
    gp_critical_finish(&path);
    gp_causes_finish(&causes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_picture), cmocka_unit_test(test_no_gaps),
        cmocka_unit_test(test_host),    cmocka_unit_test(test_arrival),
        cmocka_unit_test(test_any_run), cmocka_unit_test(test_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
