/* No cell of any scenario under any policy is faster than its bounds, on the model. */
#include "trial.h"

#include <math.h>

#include "probe/analysis/load.h"
#include "scenarios/workload.h"

/* Small enough that all policies are quick; each scenario takes what it has. */
static const struct gp_setting settings[] = {
    {"batches", "12"},    {"m", "64"},          {"n", "128"},           {"k", "128"},
    {"chunks", "20"},     {"kernels", "5"},     {"links", "4"},         {"diamonds", "6"},
    {"groups", "6"},      {"width", "128"},     {"chains", "6"},        {"mib", "16"},
    {"bulk", "3"},        {"height", "128"},    {"requests", "8"},      {"urgent", "6"},
    {"pairs", "8"},       {"chunk_kib", "256"}, {"wave_blocks", "528"}, {"copies", "3"},
    {"largest", "65536"}, {"small", "12"},      {"large", "4"},
};

static void check_cell(const struct gp_result *result)
{
    const struct gp_cell_row *cell = result->cell;
    const struct gp_cell_summary *summary = &result->summary;

    if (!(summary->bound_ns > 0 && summary->bound_ns <= summary->device_bound_ns &&
          summary->device_bound_ns <= summary->makespan_ns.median && summary->efficiency <= 1 &&
          summary->bound_lowered_ns == 0 && summary->limit != NULL)) {
        fail_msg("%s %s under %s on %d streams (%s): ideal %.0f, device %.0f, lowered by %.0f, "
                 "measured %.0f ns",
                 cell->scenario, cell->params, cell->policy, cell->streams,
                 gp_submit_name(cell->submit), summary->bound_ns, summary->device_bound_ns,
                 summary->bound_lowered_ns, summary->makespan_ns.median);
    }
}

/* Those that run without a file of the user's. */
static uint32_t list_scenarios(const struct gp_scenario_ops **out, uint32_t room)
{
    uint32_t count = 0;

    for (size_t i = 0; i < gp_scenario_table_count; i++) {
        if ((gp_scenario_table[i]->flags & GP_SCENARIO_NEEDS_FILE) == 0) {
            assert_true(count < room);
            out[count++] = gp_scenario_table[i];
        }
    }
    return count;
}

static void check(enum gp_submit submit, const uint32_t *streams, uint32_t stream_count)
{
    struct gp_results results;
    struct trial trial;
    uint32_t bounded = 0;
    const struct gp_scenario_ops *scenarios[64];
    uint32_t scenario_count = list_scenarios(scenarios, 64);

    trial_start(&trial, scenarios);
    trial.options.scenario_count = scenario_count;
    trial.options.policies = gp_policy_table;
    trial.options.policy_count = (uint32_t)gp_policy_table_count;
    trial.options.streams = streams;
    trial.options.stream_count = stream_count;
    trial.options.settings = settings;
    trial.options.setting_count = sizeof settings / sizeof settings[0];
    trial.options.submits = 1u << submit;
    trial.options.repeats = 1;
    trial.options.verify_off = true;
    trial_run(&trial);
    gp_assert_ok(trial.code, trial.err);
    trial_read_back(&trial);
    gp_assert_ok(gp_results_load(trial.reader, &results, &trial.err), trial.err);
    for (uint32_t i = 0; i < results.count; i++) {
        if (results.cells[i].cell->status == GP_STATUS_COMPLETE && results.cells[i].kept_run != 0) {
            check_cell(&results.cells[i]);
            bounded++;
        }
    }
    assert_true(bounded > results.count / 3);
    gp_results_finish(&results);
    trial_finish(&trial);
}

static void test_streams(void **state)
{
    static const uint32_t streams[] = {2, 5};

    (void)state;
    check(GP_SUBMIT_STREAMS, streams, 2);
}

static void test_graph(void **state)
{
    static const uint32_t streams[] = {3};

    (void)state;
    check(GP_SUBMIT_GRAPH, streams, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_streams),
        cmocka_unit_test(test_graph),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
