/*
 * What is to be expected of each scenario, on the model: one row a figure, a time or the ratio of
 * two, with the range in which it must be. Every scenario has one.
 *
 * usage: test_probe_expectations [SHARE SHARES]: of the scenarios every SHARES-th, from SHARE on
 */
#include "trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/analysis/load.h"
#include "scenarios/workload.h"

enum { SETTINGS_MAX = 8, TEXT_MAX = 512 };

/* A cell is "POLICY[/STREAMS] [KEY=VALUE,…]": keys are parameters, or `submit`, or `connections`.
 */
struct expectation {
    const char *scenario;
    const char *settings;    /* of both cells */
    const char *over, *with; /* the figure is that of `over` ÷ that of `with`; NULL: `over`'s own */
    const char *measure;     /* NULL: the makespan */
    double low, high;        /* times in µs */
};

/* A file that has a kernel without arguments. */
#define IMAGE "image=" GP_TEST_IMAGES "/scale.ptx,name=nothing,"

static const char *const p50 = "latency_p50_ns";
static const char *const p99 = "latency_p99_ns";

/* In the order of the scenarios. */
static const struct expectation expectations[] = {
    /* A batch's upload takes 19 us, its gemm 44, and the SMs have room for more than two of these.
     */
    {"batch", "", "single", "round-robin/8", NULL, 3.4, 3.8},
    {"batch", "", "round-robin/4", "round-robin/8", NULL, 1.05, 1.25},
    {"batch", "", "round-robin/32", "round-robin/8", NULL, 0.98, 1.05},
    /* A chunk takes 76 us each way, and its kernel 80. Of small chunks the 3 us show that each copy
       takes on top, of large ones the first and the last, which nothing overlaps. */
    {"mixed", "chunk_kib=4096", "single", "round-robin/4", NULL, 2.5, 2.9},
    {"mixed", "chunk_kib=4096", "round-robin/4", "round-robin/16", NULL, 0.98, 1.02},
    {"mixed", "", "round-robin/8 chunk_kib=1024", "round-robin/8 chunk_kib=4096", NULL, 1.1, 1.4},
    {"mixed", "", "round-robin/8 chunk_kib=16384", "round-robin/8 chunk_kib=4096", NULL, 0.9, 1.1},
    /* 15 us and a gap of 1.5 against a launch of 4; then 2 us. */
    {"small", "us=15", "single", "round-robin/8", NULL, 3.8, 4.7},
    {"small", "us=15", "round-robin/8", "round-robin/32", NULL, 0.97, 1.03},
    {"small", "us=2", "single", "round-robin/8", NULL, 0.97, 1.03},
    {"small", "us=2", "round-robin/8", "round-robin/8 submit=graph", NULL, 8, 13},
    {"small", "us=2,submit=graph", "single", "round-robin/8", NULL, 6, 9},
    {"chain", "width=1", "single", "round-robin/4", NULL, 0.97, 1.03},
    {"chain", "width=1", "single", "round-robin/16", NULL, 0.97, 1.03},
    {"chain", "width=1", "round-robin-op/4", "single", NULL, 1, 1.2},
    {"chain", "width=4", "single", "round-robin/4", NULL, 1.8, 2.2},
    {"chain", "width=4", "round-robin/4", "round-robin/16", NULL, 0.97, 1.03},
    {"chain", "width=16,links=60", "single", "round-robin/4", NULL, 2.4, 2.9},
    {"chain", "width=16,links=60", "round-robin/4", "round-robin/16", NULL, 0.97, 1.03},
    {"chain", "width=16,links=60", "single", "round-robin-op/16", NULL, 1, 1.2},
    /* Kernels of 400 us; and 128 MiB at 3.8 to 4.3 TB/s. */
    {"saturate", "waves=4,kernels=4", "single", NULL, NULL, 1520, 1680},
    {"saturate", "waves=4,kernels=4", "single", "round-robin/8", NULL, 1, 1.05},
    {"saturate", "waves=2.5,kernels=4", "single", "round-robin/8", NULL, 1, 1.05},
    {"saturate", "bound=memory,kernels=4,mib=128", "single", NULL, NULL, 124, 144},
    {"saturate", "bound=memory,kernels=4,mib=128", "single", "round-robin/8", NULL, 1, 1.05},
    /* A diamond is 20 us, four arms of 50, and 20; of uneven ones the longest is 80. */
    {"fork-join", "shape=even", "single", "round-robin/4", NULL, 2.4, 2.67},
    {"fork-join", "shape=even", "round-robin/4", "round-robin/8", NULL, 0.98, 1.02},
    {"fork-join", "shape=uneven", "single", "round-robin/4", NULL, 1.9, 2},
    {"events", "order=event", "single", "round-robin/2", NULL, 1.45, 1.5},
    {"events", "order=join", "single", "round-robin/2", NULL, 0.99, 1.01},
    /* Other tiles fill what the longest rays leave idle; to wait for neighbours costs some of that.
     */
    {"pipeline", "width=1024,height=768,frames=1", "single halo=off", "round-robin/8 halo=off",
     NULL, 2.3, 3.5},
    {"pipeline", "width=1024,height=768,frames=1", "round-robin/8 halo=on",
     "round-robin/8 halo=off", NULL, 1, 1.25},
    /* Up to its width, but for waits. */
    {"uneven", "", "single", "round-robin/16", NULL, 3.5, 6},
    {"uneven", "", "round-robin/8", "heft/8", NULL, 0.9, 1.3},
    /* With host functions a chain waits some 50 us a link, which other chains fill. */
    {"host-callback", "", "single host=on", "single host=off", NULL, 2.5, 4},
    {"host-callback", "host=on", "single", "round-robin/8", NULL, 5, 7},
    /* One engine a direction. */
    {"transfer", "memory=pinned,direction=h2d,largest=1024K", "single", "round-robin/8", NULL, 0.97,
     1.1},
    {"transfer", "memory=pinned,direction=both,largest=1024K", "single", "round-robin/8", NULL, 1.5,
     2.1},
    {"transfer", "memory=pinned,direction=d2h,largest=1024K", "single", "round-robin/8", NULL, 0.97,
     1.1},
    {"transfer", "direction=h2d,smallest=16M", "single memory=pageable", "single memory=pinned",
     NULL, 5, 12},
    {"transfer", "memory=pageable,direction=d2h,largest=1024K", "single", "round-robin/8", NULL,
     0.97, 1.1},
    /* Memory in stream order costs little; with calls that act at once streams gain nothing. */
    {"alloc", "", "round-robin/8 allocation=ordered", "round-robin/8 allocation=lasting", NULL, 0.9,
     1.2},
    {"alloc", "allocation=immediate", "single", "round-robin/8", NULL, 0.95, 1.1},
    /* Twelve kernels of 200 us on the NULL stream run alone, and the others in between. */
    {"null-stream", "", "blocking/9", NULL, NULL, 4800, 5280},
    {"null-stream", "", "blocking/9", "non-blocking/9", NULL, 1.8, 2.1},
    {"null-stream", "every=4096", "blocking/9", "non-blocking/9", NULL, 0.98, 1.02},
    /* Chain by chain, what is behind a kernel in its connection waits with it. */
    {"many-streams", "spin_us=200,chains=64,waits=off", "round-robin/32 connections=1",
     "round-robin/32 connections=8", NULL, 5, 9},
    {"many-streams", "spin_us=200,chains=64,waits=off", "round-robin/32 connections=8",
     "round-robin/32 connections=32", NULL, 1.5, 4},
    {"many-streams", "spin_us=200,chains=64,waits=on", "round-robin/32 connections=8",
     "round-robin/32 connections=32", NULL, 1.5, 4},
    {"many-streams", "spin_us=200,chains=64,connections=8", "round-robin/8 waits=on",
     "round-robin/8 waits=off", NULL, 1, 1.3},
    {"many-streams", "spin_us=200,chains=64,waits=off,connections=32", "round-robin/8",
     "per-unit/128", NULL, 3, 8},
    /* An urgent kernel of 20 us waits for a bulk kernel of ten waves; with priority for about one
       block of at most 300, which costs the bulk less than 2 %; and in the bulk's stream for all of
       it. */
    {"priority", "bulk=30,urgent=130", "equal-tiers/14", NULL, p99, 1000, 3000},
    {"priority", "bulk=30,urgent=130", "priority-tiers/14", NULL, p99, 20, 320},
    {"priority", "bulk=30,urgent=130", "round-robin/14", "equal-tiers/14", p99, 10, 100},
    {"priority", "bulk=30,urgent=130", "priority-tiers/14", "equal-tiers/14", "bulk_kernels_per_s",
     0.98, 1.02},
    /* One stream serves a request in 45 us, so 20 000 a second keep it nearly busy; four serve 40
       000 within the limit of 500. */
    {"serving", "requests=150,rate=5000", "single", NULL, p99, 45, 150},
    {"serving", "requests=150,rate=40000", "single", "round-robin/4", p99, 5, 50},
    {"serving", "requests=150,rate=40000", "round-robin/4", NULL, p99, 45, 500},
    {"serving", "requests=400,rate=80000", "round-robin/4", NULL, p99, 500, 5000},
    /* Beside half a wave of long blocks a small kernel finds room on any stream, beside four waves
       of short ones only with priority: then it waits for about a block of 35 us. */
    {"bimodal", "shape=one-wave", "single", NULL, p99, 1000, 2000},
    {"bimodal", "shape=one-wave", "round-robin/8", NULL, p50, 10, 25},
    {"bimodal", "shape=one-wave", "round-robin/8", "priority-tiers/8", p99, 2, 4},
    {"bimodal", "shape=head-of-line", "single", NULL, p99, 1000, 2000},
    {"bimodal", "shape=head-of-line", "round-robin/8", NULL, p99, 250, 450},
    {"bimodal", "shape=head-of-line", "round-robin/8", "equal-tiers/8", p99, 0.5, 1.1},
    {"bimodal", "shape=head-of-line", "priority-tiers/8", NULL, p99, 35, 80},
    /* A single chain costs least when it is submitted; of many, sync takes one after the other,
       threads divide that, and await keeps all in flight with one thread. */
    {"inflight", "chains=1", "round-robin/8 drive=await", "round-robin/8 drive=submit", NULL, 1, 2},
    {"inflight", "chains=128", "round-robin/8 drive=sync", "round-robin/8 drive=await", NULL, 2, 4},
    {"inflight", "chains=128", "round-robin/8 drive=sync", "round-robin/8 drive=threads", NULL, 2,
     4},
    {"inflight", "chains=128", "round-robin/8 drive=await", "round-robin/8 drive=submit", NULL, 1,
     1.3},
    /* One's own kernel, of 64 blocks: several have room. Then of 16 blocks for each SM. */
    {"kernel", IMAGE "grid=64,block=128", "single", "round-robin/8", NULL, 3, 6},
    {"kernel", IMAGE "grid=2112,block=1024,count=16", "single", "round-robin/8", NULL, 1, 1.1},
};

enum { ROWS = sizeof expectations / sizeof expectations[0] };

/* More data than there is time to compute here: what comes out is tested with small sizes. And what
 * has no reference. */
static const char *const unverified[] = {"batch", "mixed", "transfer", "bimodal", "kernel"};

static bool is_verified(const char *scenario)
{
    for (size_t i = 0; i < sizeof unverified / sizeof unverified[0]; i++) {
        if (strcmp(unverified[i], scenario) == 0) {
            return false;
        }
    }
    return true;
}

/* One cell of a row, taken apart. */
struct cell {
    char policy[TEXT_MAX], texts[2][TEXT_MAX];
    struct gp_setting settings[SETTINGS_MAX];
    uint32_t setting_count, streams;
    enum gp_submit submit;
    int32_t connections;
};

/* "a=1,b=2", which is taken apart in place. */
static void take_settings(struct cell *cell, char *text)
{
    char *rest = NULL;

    for (char *key = strtok_r(text, ",", &rest); key != NULL; key = strtok_r(NULL, ",", &rest)) {
        char *value = strchr(key, '=');

        if (cell->setting_count == SETTINGS_MAX || value == NULL) {
            fail_msg("'%s' is one setting too many, or none", key);
            return;
        }
        *value++ = '\0';
        if (strcmp(key, "submit") == 0) {
            cell->submit = strcmp(value, "graph") == 0 ? GP_SUBMIT_GRAPH : GP_SUBMIT_STREAMS;
        } else if (strcmp(key, "connections") == 0) {
            cell->connections = (int32_t)strtol(value, NULL, 10);
        } else {
            cell->settings[cell->setting_count++] = (struct gp_setting){key, value};
        }
    }
}

static void take_apart(struct cell *cell, const char *settings, const char *text)
{
    char *streams, *own;

    memset(cell, 0, sizeof *cell);
    (void)snprintf(cell->policy, TEXT_MAX, "%s", text);
    (void)snprintf(cell->texts[0], TEXT_MAX, "%s", settings);
    take_settings(cell, cell->texts[0]);
    own = strchr(cell->policy, ' ');
    if (own != NULL) {
        *own = '\0';
        (void)snprintf(cell->texts[1], TEXT_MAX, "%s", own + 1);
        take_settings(cell, cell->texts[1]);
    }
    streams = strchr(cell->policy, '/');
    cell->streams = 1;
    if (streams != NULL) {
        *streams = '\0';
        cell->streams = (uint32_t)strtoul(streams + 1, NULL, 10);
    }
}

static double read_figure(struct trial *trial, const struct expectation *row)
{
    char name[64];
    struct gp_results results;
    double value;

    gp_assert_ok(gp_results_load(trial->reader, &results, &trial->err), trial->err);
    assert_int_equal(results.count, 1);
    if (results.cells[0].cell->status != GP_STATUS_COMPLETE) {
        fail_msg("%s (%s): %s", row->scenario, row->settings, results.cells[0].cell->error);
    }
    assert_int_equal(results.cells[0].verified, is_verified(row->scenario) ? 1 : -1);
    value = results.cells[0].summary.makespan_ns.median;
    gp_results_finish(&results);
    if (row->measure == NULL) {
        return value;
    }
    (void)snprintf(name, sizeof name, "scenario.%s", row->measure);
    return trial_metric(trial, trial->cells[0].id, name);
}

static double run(const struct expectation *row, const char *text)
{
    const struct gp_scenario_ops *scenario = gp_scenario_find(row->scenario);
    struct gp_device_options options = {0};
    struct gp_cell_plan line;
    struct trial trial;
    struct cell cell;
    double value;

    assert_non_null(scenario);
    take_apart(&cell, row->settings, text);
    trial_start(&trial, &scenario);
    gp_device_close(trial.device);
    options.connections = cell.connections;
    gp_assert_ok(gp_device_open("model", &options, &trial.device, &trial.err), trial.err);
    gp_assert_ok(gp_sweep_plan_line(scenario, cell.settings, cell.setting_count,
                                    &trial.device->info, &line, &trial.err),
                 trial.err);
    line.policy = gp_policy_find(cell.policy);
    assert_non_null(line.policy);
    line.streams = cell.streams;
    line.submit = cell.submit;
    line.trace =
        row->measure != NULL || is_verified(row->scenario) ? GP_TRACE_STAMPS : GP_TRACE_OFF;
    trial.options.repeats = 1;
    trial.options.verify_off = !is_verified(row->scenario);
    trial.code = gp_sweep_run_plan(trial.device, &trial.options, &line, 1, &trial.err);
    gp_device_close(trial.device);
    gp_assert_ok(trial.code, trial.err);
    trial_read_back(&trial);
    value = read_figure(&trial, row);
    trial_finish(&trial);
    return value;
}

/* Cells that rows have in common are run once. */
struct known {
    const struct expectation *row;
    const char *text;
    double value;
};

static bool is_same(const struct known *known, const struct expectation *row, const char *text)
{
    return strcmp(known->row->scenario, row->scenario) == 0 &&
           strcmp(known->row->settings, row->settings) == 0 && strcmp(known->text, text) == 0 &&
           strcmp(known->row->measure != NULL ? known->row->measure : "",
                  row->measure != NULL ? row->measure : "") == 0;
}

static double figure(const struct expectation *row, const char *text)
{
    static struct known known[2 * ROWS];
    static size_t count;

    for (size_t i = 0; i < count; i++) {
        if (is_same(&known[i], row, text)) {
            return known[i].value;
        }
    }
    known[count] = (struct known){row, text, run(row, text)};
    return known[count++].value;
}

static void check(const struct expectation *row)
{
    double value = figure(row, row->over);

    value = row->with != NULL ? value / figure(row, row->with) : value / 1e3;
    if (!(value >= row->low && value <= row->high)) {
        fail_msg("%s (%s): %s of %s%s%s is %.3f, not from %g to %g", row->scenario, row->settings,
                 row->measure != NULL ? row->measure : "makespan", row->over,
                 row->with != NULL ? " by that of " : "", row->with != NULL ? row->with : "", value,
                 row->low, row->high);
    }
}

/* Which scenarios are checked. */
static size_t share, shares = 1;

static bool is_mine(const struct expectation *row)
{
    size_t i = 0;

    while (strcmp(gp_scenario_table[i]->name, row->scenario) != 0) {
        i++;
        assert_true(i < gp_scenario_table_count);
    }
    return i % shares == share;
}

static void test_figures_are_as_expected(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        if (is_mine(&expectations[i])) {
            check(&expectations[i]);
        }
    }
}

/* But those that are wrong on purpose. */
static void test_something_is_expected_of_every_scenario(void **state)
{
    (void)state;
    for (size_t i = 0; i < gp_scenario_table_count; i++) {
        const struct gp_scenario_ops *scenario = gp_scenario_table[i];
        size_t found = 0;

        for (size_t j = 0; j < ROWS; j++) {
            found += strcmp(expectations[j].scenario, scenario->name) == 0 ? 1 : 0;
        }
        if (found == 0 && (scenario->flags & GP_SCENARIO_FAULTY) == 0) {
            fail_msg("no figure says what is expected of %s", scenario->name);
        }
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_figures_are_as_expected),
        cmocka_unit_test(test_something_is_expected_of_every_scenario),
    };

    if (argc == 3) {
        share = strtoul(argv[1], NULL, 10);
        shares = strtoul(argv[2], NULL, 10);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
