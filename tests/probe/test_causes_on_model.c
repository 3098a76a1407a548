/* Each cause has a case in which it is the answer: it is found, and most idle time goes to it.
 * Scenarios that are made for one cause each, on the model; what no scenario brings about on it is
 * a run made by hand. How each rule tells is in tests/analysis/test_cause_rules.c. */
#include "trial.h"

#include <string.h>

#include "analysis/hand.h"
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
    /* Ten waves of bulk at the same priority: what is urgent waits until all of them are out. */
    {GP_CAUSE_HEAD_OF_LINE,
     "priority",
     "equal-tiers",
     14,
     0.9,
     GP_TRACE_STAMPS,
     {{"bulk", "20"}, {"urgent", "50"}, {"mean_us", "2"}}},
    /* Urgent kernels of ten waves, one after another: bulk of one wave waits for them. */
    {GP_CAUSE_PRIORITY,
     "priority",
     "priority-tiers",
     2,
     0.5,
     GP_TRACE_STAMPS,
     {{"bulk", "10"},
      {"bulk_blocks", "264"},
      {"spread_us", "5"},
      {"urgent", "50"},
      {"urgent_blocks", "10560"},
      {"mean_us", "1"}}},
};

/* ---- on the model -------------------------------------------------------------------------- */

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

/* That so much of the idle time, and the most, is put down to the cause. */
static void check_run(const struct gp_run_data *run, enum gp_cause answer, double share,
                      const char *what)
{
    struct gp_causes causes;
    double found;

    gp_causes_measure(run, &causes);
    found = (double)causes.totals[answer].idle_ns / (double)causes.idle_ns;
    if (!(found >= share)) {
        fail_msg("%s: %.2f of the idle time is put down to %s", what, found, gp_cause_name(answer));
    }
    for (int cause = 0; cause < GP_CAUSE_COUNT; cause++) {
        assert_true(causes.totals[cause].idle_ns <= causes.totals[answer].idle_ns);
    }
    gp_causes_finish(&causes);
}

/* Of the first cell. */
static void check(const struct made *made, struct trial *trial)
{
    struct gp_results results;
    struct gp_run_data run;

    gp_assert_ok(gp_results_load(trial->reader, &results, &trial->err), trial->err);
    assert_true(results.count > 0);
    gp_assert_ok(gp_run_load(trial->reader, results.cells[0].cell->id, results.cells[0].kept_run,
                             &run, &trial->err),
                 trial->err);
    check_run(&run, made->cause, made->share, made->scenario);
    gp_run_finish(&run);
    gp_results_finish(&results);
}

static void test_on_model(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        struct trial trial;

        explain(&all[i], &trial);
        check(&all[i], &trial);
        trial_finish(&trial);
    }
}

/* ---- made by hand -------------------------------------------------------------------------- */

static struct hand hand;
static struct gp_state_row machine;

/* 128 kernels are all that the device holds: the next comes when one has ended. A stream of this
 * program's pools has no 129th beside it. */
static void make_grid_limit(void)
{
    hand_init(&hand, 129);
    hand.device.connections = GP_UNKNOWN;
    for (uint32_t i = 0; i < 128; i++) {
        (void)hand_kernel(&hand, i, 1, 10, 100000 + i);
    }
    (void)hand_kernel(&hand, 128, 1, 100001, 200000);
}

/* One uses shared memory and the other does not: both would fit. */
static void make_carve_out(void)
{
    hand_init(&hand, 2);
    hand.ops[hand_kernel(&hand, 0, 10, 0, 100000)].smem = 100 * 1024;
    (void)hand_kernel(&hand, 1, 10, 101000, 200000);
}

/* A kernel begins half a millisecond late, and nothing of the run says why. */
static void make_unknown(void)
{
    hand_init(&hand, 1);
    (void)hand_op(&hand, GP_OP_KERNEL, 0, 500000, 600000);
}

/* The same beside what NVML says of the device. */
static void make_machine(int64_t throttle, int64_t processes)
{
    make_unknown();
    machine = (struct gp_state_row){.throttle = throttle, .processes = processes, .note = ""};
    hand.data.states = &machine;
    hand.data.state_count = 1;
}

static void make_throttle(void)
{
    make_machine(0x4, 0);
}

static void make_time_slice(void)
{
    make_machine(0, 2);
}

static const struct by_hand {
    enum gp_cause cause;
    void (*make)(void);
} by_hand[] = {
    {GP_CAUSE_GRID_LIMIT, make_grid_limit}, {GP_CAUSE_CARVE_OUT, make_carve_out},
    {GP_CAUSE_THROTTLE, make_throttle},     {GP_CAUSE_TIME_SLICE, make_time_slice},
    {GP_CAUSE_UNKNOWN, make_unknown},
};

static void test_by_hand(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof by_hand / sizeof by_hand[0]; i++) {
        by_hand[i].make();
        check_run(&hand.data, by_hand[i].cause, 0.9, gp_cause_name(by_hand[i].cause));
    }
}

/* ---- all of them --------------------------------------------------------------------------- */

static bool has_case(enum gp_cause cause)
{
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (all[i].cause == cause) {
            return true;
        }
    }
    for (size_t i = 0; i < sizeof by_hand / sizeof by_hand[0]; i++) {
        if (by_hand[i].cause == cause) {
            return true;
        }
    }
    return false;
}

static void test_every_cause_has_a_case(void **state)
{
    (void)state;
    for (int cause = 0; cause < GP_CAUSE_COUNT; cause++) {
        if (!has_case((enum gp_cause)cause)) {
            fail_msg("nothing tests that '%s' can be the answer",
                     gp_cause_name((enum gp_cause)cause));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_on_model),
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_every_cause_has_a_case),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
