/* The verb check: on a recording as it was made, and on the same with something broken in it. */
#include "test.h"

#include <jansson.h>
#include <sqlite3.h>
#include <string.h>

#include "cli/process.h"

static void record(void)
{
    process_expect("--scenario batch --set batches=4,m=64,n=64,k=64 -p round-robin -s 2 -r 5 -d "
                   "model --force -o c.gpuprobe",
                   0, "verified", NULL);
}

static void change(const char *sql)
{
    sqlite3 *db;

    assert_int_equal(sqlite3_open("c.gpuprobe", &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_changes(db) > 0, 1);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static void test_a_good_recording(void **state)
{
    (void)state;
    record();
    process_expect("check c.gpuprobe", 0, "c.gpuprobe: 1 run checked, nothing is wrong\n", NULL);
    process_expect("check", 2, NULL, "which recording? gpuprobe check FILE");
    process_expect("check none.gpuprobe", 1, NULL, "none.gpuprobe");
}

/* Memory that is taken and given back again and again, and copies of every kind. */
static void test_memory_and_copies(void **state)
{
    (void)state;
    process_expect("--scenario transfer,alloc --set copies=4,largest=64K,chains=4 -p round-robin "
                   "-s 4 -r 1 -d model -q --force -o c.gpuprobe",
                   0, "verified", NULL);
    process_expect("check c.gpuprobe", 0, "c.gpuprobe: 8 runs checked, nothing is wrong\n", NULL);
}

static void test_what_is_broken_is_named(void **state)
{
    (void)state;
    record();
    change("UPDATE op SET begin = 0, begin_lo = 0, begin_hi = 0 WHERE id = 4");
    process_expect("check c.gpuprobe", 3,
                   "dependency: d2h 'download' (operation 4): it begins before what it depends on "
                   "ends: kernel",
                   NULL);
    process_expect("check c.gpuprobe", 3, "submitted: d2h", NULL);
    record();
    change("UPDATE run SET verified = 0 WHERE pass = 'traced'");
    process_expect("check c.gpuprobe", 3, "data: its output differs from the reference", NULL);
}

static void test_json(void **state)
{
    struct process process = {.arguments = {"check", "c.gpuprobe", "--json"}};
    json_t *root, *run, *violation;

    (void)state;
    record();
    change("UPDATE edge SET how = 'missing' WHERE dst_op = 4 AND kind = 'chain'");
    change("UPDATE op SET stream_id = 1 - stream_id WHERE id = 4");
    process_run(&process);
    assert_int_equal(process.status, 3);
    root = json_loads(process.out, 0, NULL);
    run = json_array_get(json_object_get(root, "runs"), 0);
    assert_string_equal(json_string_value(json_object_get(run, "policy")), "round-robin");
    assert_int_equal(json_array_size(json_object_get(run, "checked")) +
                         json_object_size(json_object_get(run, "skipped")),
                     13);
    violation = NULL;
    for (size_t i = 0; i < json_array_size(json_object_get(run, "violations")); i++) {
        json_t *each = json_array_get(json_object_get(run, "violations"), i);

        if (strcmp(json_string_value(json_object_get(each, "invariant")), "hazard") == 0 &&
            json_integer_value(json_object_get(each, "op")) == 4) {
            violation = each;
        }
    }
    assert_non_null(violation);
    assert_true(json_is_null(json_object_get(violation, "by_ns")));
    json_decref(root);
    process_finish(&process);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_good_recording),
        cmocka_unit_test(test_memory_and_copies),
        cmocka_unit_test(test_what_is_broken_is_named),
        cmocka_unit_test(test_json),
    };

    return cmocka_run_group_tests(tests, process_enter, process_leave);
}
