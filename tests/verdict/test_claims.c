/* The table of claims' tests, and the plans made of it. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "probe/verdict/claims.h"
#include "scenarios/workload.h"

/* What an H200 has, of what parameters adapt to. */
static const struct gp_device_info info = {
    .sm_count = 132, .threads_per_sm = 2048, .blocks_per_sm = 32};

static int plan_of(const struct gp_claim_test *const *tests, uint32_t test_count,
                   uint32_t connections, struct gp_cell_plan **out, uint32_t *count,
                   struct gp_error *err)
{
    const struct gp_claim_choice choice = {tests, test_count, connections};

    return gp_claim_plan(&choice, &info, out, count, err);
}

static void test_every_test_is_whole(void **state)
{
    (void)state;
    assert_true(gp_claim_test_count >= 20);
    for (size_t i = 0; i < gp_claim_test_count; i++) {
        const struct gp_claim_test *test = &gp_claim_tests[i];

        assert_ptr_equal(gp_claim_test_find(test->claim), test); /* no two of one claim */
        assert_non_null(gp_scenario_find(test->scenario));
        assert_true(strlen(gp_claim_sentence(test)) > 10);
        assert_true(strlen(test->source) > 2);
        assert_true((test->quantity == GP_QUANTITY_MEASURE) == (test->measure != NULL));
        if (test->quantity == GP_QUANTITY_HAZARDS) {
            assert_true(test->is_absolute && test->at_least <= 0);
        } else {
            assert_true((test->at_least > 0) != (test->at_most > 0));
        }
        if (test->quantity == GP_QUANTITY_PERTURBATION) {
            assert_true(test->is_absolute && test->over.trace != GP_TRACE_OFF);
        }
    }
    assert_null(gp_claim_test_find("no-such-claim"));
}

/* A claim without a test is never answered. */
static void check_claims(const struct gp_scenario_ops *scenario)
{
    const struct gp_claim *claim = scenario->claims;

    for (; claim != NULL && claim->id != NULL; claim++) {
        const struct gp_claim_test *test = gp_claim_test_find(claim->id);

        assert_non_null(test);
        assert_string_equal(test->scenario, scenario->name);
    }
}

/* A scenario about which nobody says anything is there for nothing. */
static void test_every_scenario_decides_a_claim(void **state)
{
    (void)state;
    for (size_t i = 0; i < gp_scenario_table_count; i++) {
        const struct gp_scenario_ops *scenario = gp_scenario_table[i];

        if (scenario->flags == 0 && (scenario->claims == NULL || scenario->claims->id == NULL)) {
            fail_msg("nothing is claimed of scenario %s", scenario->name);
        }
        check_claims(scenario);
    }
}

static bool is_alike(const struct gp_cell_plan *a, const struct gp_cell_plan *b)
{
    return a->scenario == b->scenario && a->policy == b->policy && a->streams == b->streams &&
           a->submit == b->submit && a->order == b->order && a->completion == b->completion &&
           a->trace == b->trace && memcmp(a->values, b->values, sizeof a->values) == 0;
}

/* Each cell once, numbered as the sweep wants them, those of the same values together. */
static void test_plan_of_all(void **state)
{
    const struct gp_claim_test *tests[64];
    uint32_t connections[GP_CONNECTIONS_MAX + 1];
    uint32_t connection_count;

    (void)state;
    assert_true(gp_claim_test_count <= 64);
    for (size_t i = 0; i < gp_claim_test_count; i++) {
        tests[i] = &gp_claim_tests[i];
    }
    connection_count = gp_claim_connections(tests, (uint32_t)gp_claim_test_count, connections);
    assert_true(connection_count >= 1);
    for (uint32_t c = 0; c < connection_count; c++) {
        struct gp_cell_plan *plan = NULL;
        struct gp_error err = {0};
        uint32_t count = 0;

        assert_true(c == 0 || connections[c] > connections[c - 1]);
        gp_assert_ok(
            plan_of(tests, (uint32_t)gp_claim_test_count, connections[c], &plan, &count, &err),
            err);
        assert_true(count > 0);
        for (uint32_t i = 0; i < count; i++) {
            assert_int_equal(plan[i].index, i);
            assert_true(plan[i].streams >= 1 && plan[i].streams <= GP_STREAMS_MAX);
            assert_true(i == 0 ? plan[i].part == 0 : plan[i].part - plan[i - 1].part <= 1);
            for (uint32_t k = 0; k < i; k++) {
                assert_false(is_alike(&plan[i], &plan[k]));
                assert_int_equal(
                    plan[i].part == plan[k].part,
                    plan[i].scenario == plan[k].scenario &&
                        memcmp(plan[i].values, plan[k].values, sizeof plan[i].values) == 0);
            }
        }
        gp_free(plan);
    }
}

static const struct gp_claim_test shared[] = {
    {.claim = "chain-needs-none",
     .scenario = "chain",
     .over = {.streams = {4, 16}},
     .under = {.policy = "single"},
     .at_least = 0.97},
    {.claim = "chain-keeps-its-stream",
     .scenario = "chain",
     .over = {.streams = {4}, .trace = GP_TRACE_EVENTS},
     .is_absolute = true,
     .quantity = GP_QUANTITY_PERTURBATION,
     .at_least = 1.02},
    {.claim = "width-is-the-limit",
     .scenario = "chain",
     .over = {.settings = {{"width", "4"}}, .streams = {4}, .connections = 8},
     .under = {.settings = {{"width", "4"}}, .streams = {4}},
     .at_least = 1.02},
};

/* A cell that two claims want is run once, traced as the one wants it. */
static void test_shared_cells(void **state)
{
    const struct gp_claim_test *const tests[] = {&shared[0], &shared[1], &shared[2]};
    uint32_t connections[GP_CONNECTIONS_MAX + 1];
    struct gp_cell_plan *plan = NULL;
    struct gp_error err = {0};
    uint32_t count = 0;

    (void)state;
    assert_int_equal(gp_claim_connections(tests, 3, connections), 2);
    assert_int_equal(connections[0], 0);
    assert_int_equal(connections[1], 8);
    gp_assert_ok(plan_of(tests, 3, 0, &plan, &count, &err), err);
    assert_int_equal(count, 4);
    assert_int_equal(plan[0].streams, 4);
    assert_int_equal(plan[0].trace, GP_TRACE_EVENTS);
    assert_int_equal(plan[1].trace, GP_TRACE_OFF);
    assert_string_equal(plan[2].policy->name, "single");
    assert_int_equal(plan[2].streams, 1);
    assert_int_equal(plan[3].part, 1);
    gp_free(plan);
    gp_assert_ok(plan_of(tests, 3, 8, &plan, &count, &err), err);
    assert_int_equal(count, 1);
    gp_free(plan);
}

static void test_wrong_values_are_named(void **state)
{
    static const struct gp_claim_test wrong = {.claim = "chain-needs-none",
                                               .scenario = "chain",
                                               .settings = {{"width", "0"}},
                                               .over = {.streams = {4}},
                                               .under = {.policy = "single"},
                                               .at_least = 1};
    const struct gp_claim_test *const tests[] = {&wrong};
    struct gp_cell_plan *plan = NULL;
    struct gp_error err = {0};
    uint32_t count = 0;

    (void)state;
    assert_int_equal(plan_of(tests, 1, 0, &plan, &count, &err), GP_EINVAL);
    assert_null(plan);
    assert_non_null(strstr(err.text, "claim chain-needs-none"));
    assert_non_null(strstr(err.text, "width is 0, allowed is 1 to 256"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_test_is_whole),
        cmocka_unit_test(test_every_scenario_decides_a_claim),
        cmocka_unit_test(test_plan_of_all),
        cmocka_unit_test(test_shared_cells),
        cmocka_unit_test(test_wrong_values_are_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
