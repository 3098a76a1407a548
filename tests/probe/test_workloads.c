/*
 * What is to be expected of each scenario, on the model: who gains from streams, how much, and that
 * all data are right.
 */
#include "trial.h"

#include <string.h>

#include "probe/analysis/load.h"
#include "scenarios/workload.h"

/* Makespans of one policy by pool size, of one scenario with one setting, the first variant. */
struct gains {
    double single_ns;
    double best_ns; /* of round-robin with 1, 4 and 8 streams */
    int32_t best_streams;
};

static void take(struct gains *gains, const struct gp_result *result)
{
    double ns = result->summary.makespan_ns.median;

    assert_int_equal(result->cell->status, GP_STATUS_COMPLETE);
    assert_int_equal(result->verified, 1);
    if (strcmp(result->cell->policy, "single") == 0) {
        gains->single_ns = ns;
    } else if (gains->best_ns == 0 || ns < gains->best_ns) {
        gains->best_ns = ns;
        gains->best_streams = result->cell->streams;
    }
}

static struct gains run(const char *name, const struct gp_setting *settings, uint32_t count)
{
    static const uint32_t streams[] = {1, 4, 8};
    const struct gp_scenario_ops *scenario = gp_scenario_find(name);
    struct gains gains = {0};
    struct gp_results results;
    struct trial trial;

    assert_non_null(scenario);
    trial_start(&trial, &scenario);
    trial.options.streams = streams;
    trial.options.stream_count = sizeof streams / sizeof streams[0];
    trial.options.settings = settings;
    trial.options.setting_count = count;
    trial.options.repeats = 1;
    trial_run(&trial);
    gp_assert_ok(trial.code, trial.err);
    trial_read_back(&trial);
    gp_assert_ok(gp_results_load(trial.reader, &results, &trial.err), trial.err);
    for (uint32_t i = 0; i < results.count; i++) {
        take(&gains, &results.cells[i]);
    }
    gp_results_finish(&results);
    trial_finish(&trial);
    return gains;
}

/* single ÷ best, by one setting. */
static double speedup(const char *name, const char *key, const char *text)
{
    const struct gp_setting setting = {key, text};
    struct gains gains = run(name, &setting, 1);

    return gains.single_ns / gains.best_ns;
}

static void expect_between(double value, double low, double high)
{
    if (!(value >= low && value <= high)) {
        fail_msg("%.3f is not from %.3f to %.3f", value, low, high);
    }
}

/* 15 us and a gap of 1.5 against a launch of 4. */
static void test_small_gains_until_launch_bound(void **state)
{
    const struct gp_setting setting = {"us", "15"};
    struct gains gains = run("small", &setting, 1);

    (void)state;
    expect_between(gains.single_ns / gains.best_ns, 3.8, 4.7);
    assert_int_equal(gains.best_streams, 8);
    expect_between(speedup("small", "us", "2"), 1.0, 1.03);
}

static void test_a_chain_gains_nothing(void **state)
{
    (void)state;
    expect_between(speedup("chain", "width", "1"), 1.0, 1.03);
    expect_between(speedup("chain", "width", "4"), 1.8, 2.2);
}

static void test_a_full_gpu_gains_nothing(void **state)
{
    const struct gp_setting settings[] = {{"bound", "compute"}, {"waves", "4"}, {"kernels", "4"}};
    struct gains gains = run("saturate", settings, 3);

    (void)state;
    expect_between(gains.single_ns / gains.best_ns, 1.0, 1.05);
    /* Kernels of 400 us. */
    expect_between(gains.single_ns, 4 * 380e3, 4 * 420e3);
}

static void test_full_memory_gains_nothing(void **state)
{
    const struct gp_setting settings[] = {{"bound", "memory"}, {"kernels", "4"}, {"mib", "128"}};
    struct gains gains = run("saturate", settings, 3);

    (void)state;
    expect_between(gains.single_ns / gains.best_ns, 1.0, 1.05);
    /* 128 MiB at 3.8 to 4.3 TB/s. */
    expect_between(gains.single_ns, 4 * 31e3, 4 * 36e3);
}

/* Other tiles fill what a trace leaves idle; neighbours to wait for cost little of that. */
static void test_stages_of_tiles_overlap(void **state)
{
    struct gp_setting settings[] = {
        {"width", "1024"}, {"height", "768"}, {"frames", "1"}, {"halo", "off"}};
    struct gains off, on;

    (void)state;
    off = run("pipeline", settings, 4);
    settings[3].text = "on";
    on = run("pipeline", settings, 4);
    expect_between(off.single_ns / off.best_ns, 2.3, 2.9);
    expect_between(on.best_ns / off.best_ns, 1.0, 1.12);
}

static void test_the_longest_arm_decides(void **state)
{
    (void)state;
    expect_between(speedup("fork-join", "shape", "even"), 2.4, 240.0 / 90);
    expect_between(speedup("fork-join", "shape", "uneven"), 1.9, 240.0 / 120);
}

static void test_an_event_lets_the_third_go_on(void **state)
{
    (void)state;
    expect_between(speedup("events", "order", "event"), 1.45, 1.5);
    expect_between(speedup("events", "order", "join"), 1.0, 1.0);
}

static void test_a_random_graph_gains_up_to_its_width(void **state)
{
    (void)state;
    expect_between(speedup("uneven", "us", "60"), 3.5, 6.0);
}

/* With them a chain waits, which other chains fill. */
static void test_host_functions_cost_a_stream_much(void **state)
{
    const struct gp_setting off = {"host", "off"};
    const struct gp_setting on = {"host", "on"};
    struct gains without = run("host-callback", &off, 1);
    struct gains with = run("host-callback", &on, 1);

    (void)state;
    assert_true(with.single_ns > 2.5 * without.single_ns);
    assert_true(with.single_ns / with.best_ns > without.single_ns / without.best_ns);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_gains_until_launch_bound),
        cmocka_unit_test(test_a_chain_gains_nothing),
        cmocka_unit_test(test_a_full_gpu_gains_nothing),
        cmocka_unit_test(test_full_memory_gains_nothing),
        cmocka_unit_test(test_stages_of_tiles_overlap),
        cmocka_unit_test(test_the_longest_arm_decides),
        cmocka_unit_test(test_an_event_lets_the_third_go_on),
        cmocka_unit_test(test_a_random_graph_gains_up_to_its_width),
        cmocka_unit_test(test_host_functions_cost_a_stream_much),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
