/* What is said of times and of recorders on the model, where the truth is known, as a user calls
 * it. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>
#include <sqlite3.h>

#include "process.h"

/* One run for all tests: it takes a while. */
static json_t *report;

static int measure(void **state)
{
    json_error_t error;
    char *out;

    if (process_enter(state) != 0) {
        return -1;
    }
    out = process_output("doctor --timing --json -o t.gpuprobe");
    report = json_loads(out, 0, &error);
    free(out);
    return report != NULL ? 0 : -1;
}

static int leave(void **state)
{
    json_decref(report);
    return process_leave(state);
}

/* Where there is a GPU, that is what was measured. */
static void need_the_model(void)
{
    if (!json_is_true(json_object_get(report, "modelled"))) {
        skip();
    }
}

static const char *word(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

static double number(const json_t *object, const char *name)
{
    json_t *value = json_object_get(object, name);

    assert_true(json_is_number(value));
    return json_number_value(value);
}

static const json_t *find(const char *kind, const char *quantity, const char *method)
{
    json_t *rows = json_object_get(report, "accuracy");

    for (size_t i = 0; i < json_array_size(rows); i++) {
        json_t *row = json_array_get(rows, i);

        if (strcmp(word(row, "kind"), kind) == 0 && strcmp(word(row, "quantity"), quantity) == 0 &&
            strcmp(word(row, "method"), method) == 0) {
            return row;
        }
    }
    fail_msg("no row %s %s %s", kind, quantity, method);
    return NULL;
}

static void test_kernels_are_exact_to_the_tick(void **state)
{
    static const char *const quantities[] = {"begin", "end", "duration"};

    (void)state;
    need_the_model();
    for (size_t i = 0; i < 3; i++) {
        const json_t *row = find("kernel", quantities[i], "resolved");

        assert_true(number(row, "count") > 1000);
        assert_in_range((int64_t)(number(row, "bias_ns") + 64), 0, 128);
        assert_in_range((int64_t)number(row, "spread_ns"), 0, 64);
    }
}

static void test_copies_lie_in_their_intervals(void **state)
{
    static const char *const kinds[] = {"h2d", "d2h"};

    (void)state;
    need_the_model();
    for (size_t i = 0; i < 2; i++) {
        assert_true(number(find(kinds[i], "begin", "resolved"), "inside") == 1);
        assert_true(number(find(kinds[i], "end", "resolved"), "inside") == 1);
    }
}

/* Two events around a copy say when its stream got there, which is long before its turn comes. */
static void test_naive_begins_are_far_off(void **state)
{
    const json_t *naive;

    (void)state;
    need_the_model();
    naive = find("h2d", "begin", "naive");
    assert_true(number(naive, "spread_ns") > 100000);
    assert_true(number(find("h2d", "begin", "resolved"), "spread_ns") <
                number(naive, "spread_ns") / 10);
    assert_true(json_is_null(json_object_get(naive, "inside")));
}

static void test_cost_of_each_recorder(void **state)
{
    json_t *costs = json_object_get(report, "costs");

    (void)state;
    need_the_model();
    assert_int_equal(json_array_size(costs), 6);
    for (size_t i = 0; i < json_array_size(costs); i++) {
        const json_t *cost = json_array_get(costs, i);
        double stamps = number(json_object_get(cost, "stamps"), "median");

        assert_true(stamps >= 1 && stamps <= 1.05);
        if (strcmp(word(cost, "cell"), "small, 8 streams") == 0) {
            assert_true(number(json_object_get(cost, "naive"), "median") > 1.3);
        }
    }
}

static void test_the_model_has_no_copy_oracle(void **state)
{
    (void)state;
    need_the_model();
    assert_int_equal(json_array_size(json_object_get(report, "copies")), 0);
    assert_non_null(strstr(word(report, "note"), "no copy oracle"));
}

static void test_rows_are_kept_in_the_recording(void **state)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *stmt = NULL;

    (void)state;
    assert_int_equal(sqlite3_open("t.gpuprobe", &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_prepare_v2(db, "SELECT count(*) FROM accuracy WHERE count > 0", -1, &stmt, NULL),
        SQLITE_OK);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    assert_int_equal(sqlite3_column_int(stmt, 0),
                     json_array_size(json_object_get(report, "accuracy")));
    (void)sqlite3_finalize(stmt);
    (void)sqlite3_close(db);
    process_expect("check t.gpuprobe", 0, "nothing is wrong", NULL);
    process_expect("doctor --timing -o t.gpuprobe", 1, NULL, "--force");
}

/* 32 streams share 8 connections: stamps hold none and add nothing, events hold each until its
 * kernel is over, and the program says so. */
static void test_connections_that_events_hold(void **state)
{
    static const char cell[] = "--scenario mixed --set chunks=64,chunk_kib=64,iterations=20000,"
                               "blocks=4 -p round-robin -s 32 --order breadth -r 1 -d model "
                               "--force -o c.gpuprobe";
    char words[512];
    char *out;

    (void)state;
    out = process_output(cell);
    assert_null(strstr(out, "Recording makes"));
    assert_non_null(strstr(out, "1.006")); /* perturbation */
    free(out);
    (void)snprintf(words, sizeof words, "%s --trace events", cell);
    process_expect(words, 0,
                   "Recording makes round-robin with 32 streams take 3.6 × as long (timed events "
                   "hold connections: 32 streams on 8 connections are serialised by the recorder "
                   "itself)",
                   "timed events hold connections");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernels_are_exact_to_the_tick),
        cmocka_unit_test(test_copies_lie_in_their_intervals),
        cmocka_unit_test(test_naive_begins_are_far_off),
        cmocka_unit_test(test_cost_of_each_recorder),
        cmocka_unit_test(test_the_model_has_no_copy_oracle),
        cmocka_unit_test(test_rows_are_kept_in_the_recording),
        cmocka_unit_test(test_connections_that_events_hold),
    };

    return cmocka_run_group_tests(tests, measure, leave);
}
