/*
 * What the scenarios about streams, priorities, arrivals and drives show on the model, as the
 * program says it in JSON.
 */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "process.h"

struct cells {
    json_t *root, *list;
};

static struct cells run(const char *words)
{
    char line[512];
    json_error_t error;
    struct cells cells;
    char *out;

    (void)snprintf(line, sizeof line, "%s -d model -q --json --force -o t.gpuprobe", words);
    out = process_output(line);
    cells.root = json_loads(out, 0, &error);
    if (cells.root == NULL) {
        fail_msg("%s in: %s", error.text, out);
    }
    free(out);
    cells.list = json_object_get(cells.root, "cells");
    for (size_t i = 0; i < json_array_size(cells.list); i++) {
        assert_true(json_is_true(json_object_get(json_array_get(cells.list, i), "verified")));
    }
    return cells;
}

static double number(const json_t *object, const char *name, const char *field)
{
    json_t *value = json_object_get(json_object_get(object, name), field);

    assert_true(json_is_number(value));
    return json_number_value(value);
}

static double makespan_us(const struct cells *cells, size_t index)
{
    return number(json_array_get(cells->list, index), "makespan_ns", "median") / 1e3;
}

static double measure(const struct cells *cells, size_t index, const char *name)
{
    return number(json_object_get(json_array_get(cells->list, index), "measures"), name, "median");
}

/* With priority an urgent kernel of 20 µs waits for about one block of at most 300 µs; without, for
 * a bulk kernel of ten waves of 200 µs. What the bulk loses is less than 2 %. */
static void test_priority_cuts_latency_to_a_block(void **state)
{
    struct cells cells =
        run("--scenario priority -r 1 -p equal-tiers,priority-tiers --set bulk=30,urgent=130");
    double equal_ns = measure(&cells, 0, "latency_p99_ns");
    double high_ns = measure(&cells, 1, "latency_p99_ns");

    (void)state;
    assert_true(equal_ns > 1000000 && equal_ns < 3000000);
    assert_true(high_ns > 20000 && high_ns < 320000);
    assert_true(measure(&cells, 1, "bulk_kernels_per_s") >
                measure(&cells, 0, "bulk_kernels_per_s") * 0.98);
    json_decref(cells.root);
}

/* One stream serves a request in some 45 µs, so 20 000 a second keep it nearly busy all the time;
 * four streams stay within the limit at 40 000. */
static void test_serving_has_a_rate_beyond_which_latency_grows(void **state)
{
    struct cells slow = run("--scenario serving -r 1 -s 4 --set rate=5000,requests=150");
    struct cells fast = run("--scenario serving -r 1 -s 4 --set rate=40000,requests=150");

    (void)state;
    assert_true(measure(&slow, 0, "sustained_per_s") == 5000);
    assert_true(measure(&slow, 1, "sustained_per_s") == 5000);
    assert_true(measure(&fast, 0, "sustained_per_s") == 0);
    assert_true(measure(&fast, 1, "sustained_per_s") == 40000);
    assert_true(measure(&fast, 0, "latency_p99_ns") > 5 * measure(&fast, 1, "latency_p99_ns"));
    json_decref(slow.root);
    json_decref(fast.root);
}

/* Chain by chain, what is behind the first kernel in a connection waits with it: with one
 * connection nearly nothing overlaps, and with 32 so many streams do. */
static void test_connections_bound_many_streams(void **state)
{
    struct cells cells = run("--scenario many-streams -r 1 -p round-robin -s 32 --connections "
                             "1,8,32 --set spin_us=200,chains=64,waits=off");

    (void)state;
    assert_int_equal(json_array_size(cells.list), 3);
    assert_true(makespan_us(&cells, 0) > 64 * 3 * 200 * 0.95);
    assert_true(makespan_us(&cells, 1) < makespan_us(&cells, 0) / 5);
    assert_true(makespan_us(&cells, 2) < makespan_us(&cells, 1) / 1.5);
    json_decref(cells.root);
}

/* Arrivals, the NULL stream and drives have no graph, and it says why. */
static void test_what_no_graph_can_be_made_of(void **state)
{
    (void)state;
    process_expect("--scenario serving -r 1 -p single --submit graph -d model -q --force -o "
                   "t.gpuprobe --set rate=40000,requests=3",
                   0, "arrives ", NULL);
    process_expect("--scenario null-stream -r 1 -p blocking -s 3 --submit graph -d model -q "
                   "--force -o t.gpuprobe",
                   0, "uses the NULL stream", NULL);
    process_expect(
        "--scenario inflight -r 1 --submit graph -d model -q --force -o t.gpuprobe --set "
        "drive=await,chains=2",
        0, "drive 'await' runs part by part", NULL);
    process_expect("--scenario many-streams -r 1 -s 8 --submit graph -d model -q --force -o "
                   "t.gpuprobe --set chains=16,spin_us=50",
                   0, "graph   round-robin", NULL);
}

/* The missing wait is found where there are streams enough for it to matter: exit 3. */
static void test_hazard_is_caught(void **state)
{
    (void)state;
    process_expect("--scenario hazard -d model -r 1 -q --force -o t.gpuprobe", 3,
                   "the dependency 0 -> 1 is missing", NULL);
    process_expect("show t.gpuprobe", 0, "2 cells failed. Of the 2 complete cells of 4: single",
                   NULL);
    process_expect("show t.gpuprobe", 0, "  1. Add the dependencies that are missing", NULL);
    process_expect("--scenario hazard -d model -r 1 -q --force -o t.gpuprobe -s 1", 0, "verified",
                   NULL);
    process_expect("--scenario hazard,mixed --dry-run -d model -p single", 0, "hazard single",
                   NULL);
}

static void test_faulty_scenarios_are_not_in_all(void **state)
{
    char *out = process_output("--scenario all --dry-run -d model -p single");

    (void)state;
    assert_non_null(strstr(out, "null-stream single"));
    assert_null(strstr(out, "hazard"));
    free(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_priority_cuts_latency_to_a_block),
        cmocka_unit_test(test_serving_has_a_rate_beyond_which_latency_grows),
        cmocka_unit_test(test_connections_bound_many_streams),
        cmocka_unit_test(test_what_no_graph_can_be_made_of),
        cmocka_unit_test(test_hazard_is_caught),
        cmocka_unit_test(test_faulty_scenarios_are_not_in_all),
    };

    return cmocka_run_group_tests(tests, process_enter, process_leave);
}
