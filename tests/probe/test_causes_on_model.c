/* Scenarios that are made for one cause each, on the model: that cause is found, and it is the one
 * that most idle time goes to. What the model has no cause for is made by hand in
 * tests/analysis/test_cause_rules.c. */
#include "trial.h"

#include <string.h>

#include "probe/analysis/causes.h"
#include "probe/analysis/load.h"
#include "scenarios/workload.h"

enum { SETTINGS_MAX = 6 };

struct made {
    enum gp_cause cause;
    const char *scenario, *policy;
    uint32_t streams;
    double share; /* of the idle time, at least */
    enum gp_trace trace;
    struct gp_setting settings[SETTINGS_MAX];
};

static const struct made all[] = {
    /* Each link needs the one before it. */
    {GP_CAUSE_DEPENDENCY,
     "chain",
     "single",
     1,
     0.7,
     GP_TRACE_STAMPS,
     {{"links", "16"}, {"width", "1"}}},
    /* Requests that come one by one: nobody is to blame that there is nothing to do. */
    {GP_CAUSE_DEPENDENCY,
     "serving",
     "round-robin",
     4,
     0.9,
     GP_TRACE_STAMPS,
     {{"rate", "2000"}, {"requests", "8"}}},
    /* Kernels that would fit beside each other. */
    {GP_CAUSE_SAME_STREAM,
     "small",
     "single",
     1,
     0.9,
     GP_TRACE_STAMPS,
     {{"kernels", "50"}, {"us", "50"}}},
    /* 2 us each, and a launch takes twice that. */
    {GP_CAUSE_NOT_SUBMITTED,
     "small",
     "round-robin",
     8,
     0.99,
     GP_TRACE_STAMPS,
     {{"kernels", "50"}, {"us", "2"}}},
    {GP_CAUSE_ENGINE_BUSY,
     "transfer",
     "round-robin",
     4,
     0.7,
     GP_TRACE_STAMPS,
     {{"copies", "8"},
      {"smallest", "1048576"},
      {"largest", "1048576"},
      {"direction", "h2d"},
      {"memory", "pinned"}}},
    /* Four waves each. */
    {GP_CAUSE_SM_FULL,
     "saturate",
     "round-robin",
     4,
     0.95,
     GP_TRACE_STAMPS,
     {{"kernels", "4"}, {"waves", "4.0"}, {"bound", "compute"}, {"mib", "16"}}},
    /* Sixteen chains over eight connections. */
    {GP_CAUSE_CONNECTION,
     "many-streams",
     "round-robin",
     16,
     0.6,
     GP_TRACE_STAMPS,
     {{"chains", "16"}, {"spin_us", "200"}, {"waits", "off"}}},
    /* The same with a timed event after each of 32 kernels. */
    {GP_CAUSE_TIMED_EVENT,
     "small",
     "round-robin",
     32,
     0.8,
     GP_TRACE_EVENTS,
     {{"kernels", "32"}, {"us", "500"}}},
    {GP_CAUSE_RECORDER,
     "small",
     "single",
     1,
     0.8,
     GP_TRACE_EVENTS,
     {{"kernels", "50"}, {"us", "15"}}},
    {GP_CAUSE_NULL_STREAM,
     "null-stream",
     "blocking",
     4,
     0.95,
     GP_TRACE_STAMPS,
     {{"kernels", "24"}}},
    {GP_CAUSE_PAGEABLE,
     "transfer",
     "round-robin",
     4,
     0.5,
     GP_TRACE_STAMPS,
     {{"copies", "8"},
      {"smallest", "1048576"},
      {"largest", "1048576"},
      {"direction", "h2d"},
      {"memory", "pageable"}}},
    /* cuMemAlloc and cuMemFree between kernels. */
    {GP_CAUSE_IMPLICIT_SYNC,
     "alloc",
     "round-robin",
     4,
     0.5,
     GP_TRACE_STAMPS,
     {{"allocation", "immediate"}, {"chains", "8"}}},
    {GP_CAUSE_HOST_FUNCTION,
     "host-callback",
     "round-robin",
     4,
     0.8,
     GP_TRACE_STAMPS,
     {{"chains", "4"}, {"links", "8"}, {"host", "on"}}},
    /* One kernel for the other stream comes after 2 000 long ones, of which a stream takes 1 021.
     */
    {GP_CAUSE_LAUNCH_QUEUE,
     "null-stream",
     "non-blocking",
     2,
     0.6,
     GP_TRACE_STAMPS,
     {{"kernels", "2000"}, {"every", "2000"}, {"spin_us", "20"}}},
};

static void explain(const struct made *made, struct trial *trial)
{
    const struct gp_scenario_ops *scenario = gp_scenario_find(made->scenario);
    const struct gp_policy_ops *policy = gp_policy_find(made->policy);

    assert_non_null(scenario);
    trial_start(trial, &scenario);
    trial->options.policies = &policy;
    trial->options.policy_count = 1;
    trial->options.streams = &made->streams;
    trial->options.stream_count = 1;
    trial->options.settings = made->settings;
    while (trial->options.setting_count < SETTINGS_MAX &&
           made->settings[trial->options.setting_count].name != NULL) {
        trial->options.setting_count++;
    }
    trial->options.trace = made->trace;
    trial->options.trace_chosen = made->trace != GP_TRACE_STAMPS;
    trial->options.repeats = 1;
    trial->options.verify_off = true;
    trial_run(trial);
    gp_assert_ok(trial->code, trial->err);
    trial_read_back(trial);
}

/* Of the first cell. */
static void check(const struct made *made, struct trial *trial)
{
    struct gp_results results;
    struct gp_run_data run;
    struct gp_causes causes;
    double share;

    gp_assert_ok(gp_results_load(trial->reader, &results, &trial->err), trial->err);
    assert_true(results.count > 0);
    gp_assert_ok(gp_run_load(trial->reader, results.cells[0].cell->id, results.cells[0].kept_run,
                             &run, &trial->err),
                 trial->err);
    gp_causes_measure(&run, &causes);
    share = (double)causes.totals[made->cause].idle_ns / (double)causes.idle_ns;
    if (share < made->share) {
        fail_msg("%s under %s: %.2f of the idle time is put down to %s", made->scenario,
                 made->policy, share, gp_cause_name(made->cause));
    }
    for (int cause = 0; cause < GP_CAUSE_COUNT; cause++) {
        assert_true(causes.totals[cause].idle_ns <= causes.totals[made->cause].idle_ns);
    }
    gp_causes_finish(&causes);
    gp_run_finish(&run);
    gp_results_finish(&results);
}

static void test_all(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        struct trial trial;

        explain(&all[i], &trial);
        check(&all[i], &trial);
        trial_finish(&trial);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
