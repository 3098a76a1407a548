/* No cell of any policy is faster than its bounds, on the model. */
#include "trial.h"

#include <math.h>

#include "probe/analysis/load.h"

static void check(const char *name, const struct gp_setting *settings, uint32_t setting_count,
                  uint32_t submits)
{
    const struct gp_scenario_ops *scenario = gp_scenario_find(name);
    struct gp_results results;
    struct trial trial;
    uint32_t bounded = 0;

    trial_start(&trial, &scenario);
    trial.options.policies = gp_policy_table;
    trial.options.policy_count = (uint32_t)gp_policy_table_count;
    trial.options.settings = settings;
    trial.options.setting_count = setting_count;
    trial.options.submits = submits;
    trial.options.repeats = 1;
    trial.options.verify_off = true;
    trial_run(&trial);
    gp_assert_ok(trial.code, trial.err);
    trial_read_back(&trial);
    gp_assert_ok(gp_results_load(trial.reader, &results, &trial.err), trial.err);
    for (uint32_t i = 0; i < results.count; i++) {
        const struct gp_cell_summary *summary = &results.cells[i].summary;

        if (results.cells[i].cell->status != GP_STATUS_COMPLETE) {
            continue;
        }
        bounded++;
        assert_true(summary->bound_ns > 0);
        assert_true(summary->bound_ns <= summary->device_bound_ns);
        assert_true(summary->device_bound_ns <= summary->makespan_ns.median);
        assert_true(summary->efficiency <= 1);
        assert_non_null(summary->limit);
    }
    assert_true(bounded > gp_policy_table_count);
    gp_results_finish(&results);
    trial_finish(&trial);
}

static void test_batch(void **state)
{
    (void)state;
    check("batch", trial_small_batch, 4, 1u << GP_SUBMIT_STREAMS);
}

static void test_batch_as_graph(void **state)
{
    (void)state;
    check("batch", trial_small_batch, 4, 1u << GP_SUBMIT_GRAPH);
}

static void test_mixed(void **state)
{
    const struct gp_setting settings[] = {{"chunks", "24"}, {"chunk_kib", "512"}};

    (void)state;
    check("mixed", settings, 2, 1u << GP_SUBMIT_STREAMS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_batch),
        cmocka_unit_test(test_batch_as_graph),
        cmocka_unit_test(test_mixed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
