/* What holds for the causes of any run: random timelines, with and without sense. */
#include "test.h"

#include <string.h>

#include "analysis/random_run.h"
#include "probe/analysis/causes.h"

enum { ROUNDS = 300 };

static struct hand hand;

static int64_t below(struct gp_random *random, uint32_t end)
{
    return (int64_t)gp_random_below(random, end);
}

/* The idle time of all streams by its definition, without the code that is tested. */
static int64_t idle_by_definition(void)
{
    int64_t idle_ns = 0;

    for (uint32_t i = 0; i < hand.data.op_count; i++) {
        int64_t before = 0;

        for (uint32_t j = 0; j < hand.data.op_count && gp_op_runs(&hand.ops[i]); j++) {
            bool is_before = hand.ops[j].begin < hand.ops[i].begin ||
                             (hand.ops[j].begin == hand.ops[i].begin && j < i);

            if (gp_op_runs(&hand.ops[j]) && hand.ops[j].stream == hand.ops[i].stream && is_before &&
                hand.ops[j].end > before) {
                before = hand.ops[j].end;
            }
        }
        if (gp_op_runs(&hand.ops[i]) && hand.ops[i].begin > before) {
            idle_ns += hand.ops[i].begin - before;
        }
    }
    return idle_ns;
}

static void check_waits(const struct gp_causes *causes)
{
    for (uint32_t op = 0; op < hand.data.op_count; op++) {
        for (uint32_t i = causes->first[op]; i < causes->first[op + 1]; i++) {
            const struct gp_wait *wait = &causes->waits[i];

            assert_true(wait->from < wait->to);
            assert_true(wait->on == GP_NO_OP || wait->on < hand.data.op_count);
            assert_true(i + 1 == causes->first[op + 1] ? wait->to == hand.ops[op].begin
                                                       : wait->to == causes->waits[i + 1].from);
        }
    }
}

static void test_sums(void **state)
{
    struct gp_random random = {11};

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        struct gp_causes causes;
        int64_t sum = 0;

        random_run(&hand, &random);
        gp_causes_measure(&hand.data, &causes);
        for (int cause = 0; cause < GP_CAUSE_COUNT; cause++) {
            assert_true(causes.totals[cause].waited_ns >= (double)causes.totals[cause].idle_ns);
            sum += causes.totals[cause].idle_ns;
        }
        assert_int_equal(sum, causes.idle_ns);
        assert_int_equal(sum, idle_by_definition());
        check_waits(&causes);
        gp_causes_finish(&causes);
    }
}

/* Whether edges that are kept lead from one to the other. */
static bool leads(uint32_t from, uint32_t to)
{
    bool reached[HAND_OPS_MAX] = {false};

    reached[from] = true;
    for (uint32_t i = 0; i < hand.data.edge_count; i++) {
        reached[hand.edges[i].to] |= reached[hand.edges[i].from];
    }
    return reached[to];
}

/* What the DAG orders is never put down to anything else, and a path is one. */
static void test_pairs(void **state)
{
    struct gp_random random = {12};

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        struct gp_causes causes;
        struct gp_pair pair;
        uint32_t a, b;

        random_run(&hand, &random);
        a = (uint32_t)below(&random, hand.data.op_count);
        b = (uint32_t)below(&random, hand.data.op_count);
        gp_causes_measure(&hand.data, &causes);
        if (a != b && gp_cause_pair(&causes, a, b, &pair)) {
            int64_t both = pair.overlap_ns + pair.wait.to - pair.wait.from;

            assert_true(both <= hand.ops[pair.first].end - hand.ops[pair.first].begin);
            assert_true(hand.ops[pair.first].begin <= hand.ops[pair.second].begin);
            if (leads(pair.first, pair.second)) {
                assert_int_equal(pair.wait.cause, GP_CAUSE_DEPENDENCY);
                assert_int_equal(pair.path[0], pair.first);
            }
            for (uint32_t i = 1; i < pair.path_count; i++) {
                assert_true(leads(pair.path[i - 1], pair.path[i]));
            }
        }
        gp_causes_finish(&causes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_pairs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
