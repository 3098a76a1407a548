/* The verb explain, and show --cell: as text, as JSON, on terminals of every width. */
#include "test.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "cli/process.h"

static const char recorded[] =
    "--scenario batch --set batches=8,m=64,n=64,k=64 -p single,round-robin -s 2 -r 5 -d model "
    "--force -o e.gpuprobe";

static void test_text(void **state)
{
    (void)state;
    process_expect(recorded, 0, "verified", NULL);
    process_expect("explain e.gpuprobe", 0, "batch under round-robin with 2 streams, cell 2", NULL);
    process_expect("explain e.gpuprobe", 0, "(modelled)", NULL);
    process_expect("explain e.gpuprobe", 0, "stream 1", NULL);
    process_expect("explain e.gpuprobe", 0, "not-submitted", NULL);
    process_expect("explain e.gpuprobe", 0, "idle most of all for", NULL);
    process_expect("explain e.gpuprobe", 0, "uploads beside downloads", NULL);
    process_expect("explain e.gpuprobe", 0, "(p99).", NULL);
    process_expect("explain e.gpuprobe", 0, "Critical path", NULL);
    process_expect("explain e.gpuprobe", 0, "Advice", NULL);
    process_expect("explain e.gpuprobe", 0, "Cells, for --cell: 1 batch single 1", NULL);
    process_expect("explain e.gpuprobe --cell 1", 0, "batch under single with 1 stream, cell 1",
                   NULL);
    process_expect("show e.gpuprobe --cell 1", 0, "batch under single with 1 stream, cell 1", NULL);
}

/* Advice says of which variant it is, one sentence for all that gain by the same. */
static void test_advice_names_the_variant(void **state)
{
    (void)state;
    process_expect("--scenario small --set kernels=100 -p single,round-robin -s 8 -r 5 -d model "
                   "--force -o v.gpuprobe",
                   0, "Run small (us=15) under round-robin with 8 streams instead", NULL);
}

static void test_operation(void **state)
{
    (void)state;
    process_expect(recorded, 0, "verified", NULL);
    process_expect("explain e.gpuprobe --op 0", 0, "(operation 0) on stream 0", NULL);
    process_expect("explain e.gpuprobe --op 0", 0, "Needs nothing.", NULL);
    process_expect("explain e.gpuprobe --op download", 0, "d2h 'download' (operation ", NULL);
    process_expect("explain e.gpuprobe --op download", 0, "Needs kernel '", NULL);
    process_expect("explain e.gpuprobe --op download", 0, "Waited:", NULL);
}

/* Cells of a recording are told apart, and of several scenarios those that have the operation. */
static void test_several_scenarios(void **state)
{
    (void)state;
    process_expect("--scenario batch,small --set batches=4,kernels=20 -p single -s 1 -r 2 -d model "
                   "-q --force -o w.gpuprobe",
                   0, "verified", NULL);
    process_expect("explain w.gpuprobe", 0, "small (us=2) under single with 1 stream, cell 3",
                   NULL);
    process_expect("explain w.gpuprobe", 0, "2 small (us=15) single 1, 3 small (us=2) single 1",
                   NULL);
    process_expect("explain w.gpuprobe --op gemm", 0,
                   "batch under single with 1 stream, cell 1 (modelled)\nkernel 'gemm'", NULL);
    process_expect("explain w.gpuprobe --op fma-1", 0, "small (us=2) under single", NULL);
    process_expect("explain w.gpuprobe --op nobody", 2, NULL, "is called 'nobody'");
    process_expect("explain w.gpuprobe --cell 2 --op gemm", 2, NULL, "is called 'gemm'");
}

/* A graph is not advised to be one. */
static void test_graph_is_no_experiment_for_a_graph(void **state)
{
    struct process process = {.arguments = {"explain", "y.gpuprobe", "--cell", "1"}};

    (void)state;
    process_expect(
        "--scenario small --set kernels=50,us=15 -p round-robin -s 4 -r 2 --submit graph "
        "-d model -q --force -o y.gpuprobe",
        0, "verified", NULL);
    process_run(&process);
    assert_int_equal(process.status, 0);
    assert_non_null(strstr(process.out, "not-submitted: "));
    assert_null(strstr(process.out, "--submit graph"));
    process_finish(&process);
}

/* Of a recording with blocks: two waves and a half of kernels that fill the GPU. */
static void test_blocks(void **state)
{
    struct process process = {.arguments = {"show", "b.gpuprobe", "--op", "2", "--json"}};
    json_t *root, *blocks;

    (void)state;
    process_expect(
        "--scenario saturate --set kernels=4,waves=2.5,bound=compute -p single -s 1 -r 2 "
        "-d model --trace blocks -q -o b.gpuprobe",
        0, NULL, NULL);
    process_expect("show b.gpuprobe --op 2", 0, "(operation 2) on stream 0", NULL);
    process_expect("show b.gpuprobe --op 2", 0,
                   "Blocks: 2640 on 132 of 132 SMs, at most 1056 at once, 3 waves.", NULL);
    process_expect("explain b.gpuprobe --op 2", 0, "Blocks: 2640 on 132 of 132 SMs", NULL);
    process_expect("export b.gpuprobe --format csv --table block", 0,
                   "run_id,op_id,block,sm,begin,end", NULL);
    process_run(&process);
    assert_int_equal(process.status, 0);
    root = json_loads(process.out, 0, NULL);
    blocks = json_object_get(
        json_object_get(json_array_get(json_object_get(root, "cells"), 0), "operation"), "blocks");
    assert_int_equal(json_integer_value(json_object_get(blocks, "count")), 2640);
    assert_int_equal(json_integer_value(json_object_get(blocks, "waves")), 3);
    assert_true(json_number_value(json_object_get(blocks, "imbalance")) >= 1.0);
    json_decref(root);
    process_finish(&process);
    process_expect(recorded, 0, "verified", NULL);
    process.arguments[1] = "e.gpuprobe";
    process_run(&process);
    root = json_loads(process.out, 0, NULL);
    blocks = json_object_get(
        json_object_get(json_array_get(json_object_get(root, "cells"), 0), "operation"), "blocks");
    assert_true(json_is_null(blocks));
    json_decref(root);
    process_finish(&process);
}

static void test_what_is_not_there(void **state)
{
    (void)state;
    process_expect(recorded, 0, "verified", NULL);
    process_expect("explain", 2, NULL, "which recording? gpuprobe explain FILE");
    process_expect("explain none.gpuprobe", 1, NULL, "none.gpuprobe");
    process_expect("explain e.gpuprobe --cell 9", 2, NULL, "e.gpuprobe has no cell 9");
    process_expect("show e.gpuprobe --cell 9", 2, NULL, "e.gpuprobe has no cell 9");
    process_expect("explain e.gpuprobe --op 9999", 2, NULL, "there is no operation 9999");
    process_expect("explain e.gpuprobe --op nobody", 2, NULL, "is called 'nobody'");
    process_expect(
        "--scenario batch --set batches=2 -p single -r 5 -d model --trace off --force -o "
        "n.gpuprobe",
        0, "verified", NULL);
    process_expect("explain n.gpuprobe", 0, "nothing to explain", NULL);
    process_expect("explain n.gpuprobe --cell 1", 1, NULL, "cell 1 has no run whose operations");
}

/* Causes sum to the idle time, and the path goes from 0 to the end. */
static void check_cell(const json_t *cell)
{
    const json_t *path = json_object_get(cell, "critical_path");
    json_int_t idle_ns = 0;
    json_int_t at = 0;
    size_t i;
    const json_t *each;

    json_array_foreach(json_object_get(cell, "causes"), i, each)
    {
        idle_ns += json_integer_value(json_object_get(each, "idle_ns"));
        assert_true(json_integer_value(json_object_get(each, "without_ns")) > 0);
    }
    assert_int_equal(idle_ns, json_integer_value(json_object_get(cell, "idle_ns")));
    assert_true(json_array_size(path) > 1);
    json_array_foreach(path, i, each)
    {
        assert_int_equal(json_integer_value(json_object_get(each, "from_ns")), at);
        at = json_integer_value(json_object_get(each, "to_ns"));
    }
    assert_true(at <= json_integer_value(json_object_get(cell, "makespan_ns")));
}

/* Of each stream all time until the last end is busy, idle or done, and the idle time has causes;
 * so has each number of operations at once its time. */
static void check_streams(const json_t *cell)
{
    const json_t *at_once = json_object_get(cell, "at_once");
    json_int_t end_ns = json_integer_value(json_object_get(at_once, "end_ns"));
    const json_t *stream, *each;
    json_int_t ran_ns = 0;
    const char *name;
    size_t i;

    assert_int_equal(json_array_size(json_object_get(at_once, "over_time")), 100);
    json_array_foreach(json_object_get(cell, "by_stream"), i, stream)
    {
        json_int_t busy_ns = json_integer_value(json_object_get(stream, "busy_ns"));
        json_int_t idle_ns = json_integer_value(json_object_get(stream, "idle_ns"));
        json_int_t by_cause_ns = 0;

        json_object_foreach(json_object_get(stream, "idle_by"), name, each)
        {
            by_cause_ns += json_integer_value(each);
        }
        assert_int_equal(by_cause_ns, idle_ns);
        assert_int_equal(busy_ns + idle_ns + json_integer_value(json_object_get(stream, "done_ns")),
                         end_ns);
        ran_ns += busy_ns;
    }
    json_array_foreach(json_object_get(at_once, "time_ns"), i, each)
    {
        ran_ns -= (json_int_t)i * json_integer_value(each);
    }
    /* Operations of one stream do not run at once. */
    assert_int_equal(ran_ns, 0);
}

static void test_json(void **state)
{
    struct process process = {.arguments = {"explain", "e.gpuprobe", "--json"}};
    json_t *root;
    const json_t *cells, *cell;
    size_t i;

    (void)state;
    process_expect(recorded, 0, "verified", NULL);
    process_run(&process);
    assert_int_equal(process.status, 0);
    root = json_loads(process.out, 0, NULL);
    cells = json_object_get(root, "cells");
    assert_int_equal(json_array_size(cells), 2);
    json_array_foreach(cells, i, cell)
    {
        check_cell(cell);
        check_streams(cell);
    }
    json_decref(root);
    process_finish(&process);
    process_expect("explain e.gpuprobe --json --op 3 --cell 2", 0, "\"needed_by\"", NULL);
    process_expect("show e.gpuprobe --json --cell 2", 0, "\"policy\": \"round-robin\"", NULL);
}

/* The experiment of the first proof, of a cell that was recorded before. */
static void check_proof(const char *cause, const char *experiment)
{
    struct process process = {.arguments = {"explain", "h.gpuprobe", "--cell", "1", "--json",
                                            "--prove", "-r", "5", "--force", "-o", "p.gpuprobe"}};
    const json_t *proof;
    json_t *root;

    process_run(&process);
    assert_int_equal(process.status, 0);
    root = json_loads(process.out, 0, NULL);
    proof = json_array_get(
        json_object_get(json_array_get(json_object_get(root, "cells"), 0), "proofs"), 0);
    assert_string_equal(json_string_value(json_object_get(proof, "cause")), cause);
    assert_string_equal(json_string_value(json_object_get(proof, "experiment")), experiment);
    assert_true(json_integer_value(json_object_get(proof, "after_ns")) * 2 <
                json_integer_value(json_object_get(proof, "before_ns")));
    assert_int_equal(json_integer_value(json_object_get(proof, "idle_after_ns")), 0);
    assert_true(json_is_true(json_object_get(proof, "proven")));
    json_decref(root);
    process_finish(&process);
}

/* The experiment's figure beside the old one, in a recording of its own. */
static void test_prove(void **state)
{
    (void)state;
    process_expect("--scenario host-callback --set host=on,chains=4,links=4 -p round-robin -s 4 -r "
                   "5 -d model --force -o h.gpuprobe",
                   0, "verified", NULL);
    check_proof("host-function", "--set host=off");
    process_expect("show p.gpuprobe", 0, "host off", NULL);
    process_expect("explain h.gpuprobe --prove -r 5 -o p.gpuprobe", 1, NULL, "p.gpuprobe");
    process_expect("explain h.gpuprobe --prove -r 5 --force -o p.gpuprobe", 0, "faster: proven",
                   NULL);
}

/* A call that frees waits for the device, in stream order it does not. */
static void test_prove_that_a_free_waits(void **state)
{
    (void)state;
    process_expect("--scenario alloc --set allocation=immediate,chains=4,rounds=2 -p round-robin "
                   "-s 4 -r 5 -d model --force -o h.gpuprobe",
                   0, "verified", NULL);
    process_expect("explain h.gpuprobe", 0, "to try: --set allocation=ordered", NULL);
    check_proof("implicit-sync", "--set allocation=ordered");
}

/* Another policy than `blocking` removes the NULL stream, whatever else it is tried for. */
static void test_prove_only_what_went_away(void **state)
{
    struct process process = {.arguments = {"explain", "h.gpuprobe", "--cell", "1", "--json",
                                            "--prove", "-r", "5", "--force", "-o", "p.gpuprobe"}};
    const json_t *proof;
    json_t *root;
    size_t i;

    (void)state;
    process_expect("--scenario null-stream --set kernels=48 -p blocking -s 9 -r 5 -d model --force "
                   "-o h.gpuprobe",
                   0, "verified", NULL);
    process_run(&process);
    assert_int_equal(process.status, 0);
    root = json_loads(process.out, 0, NULL);
    json_array_foreach(json_object_get(json_array_get(json_object_get(root, "cells"), 0), "proofs"),
                       i, proof)
    {
        const char *cause = json_string_value(json_object_get(proof, "cause"));

        assert_string_equal(cause, i == 0 ? "null-stream" : cause);
        assert_string_not_equal(cause, "head-of-line");
        assert_int_equal(json_is_true(json_object_get(proof, "proven")), i == 0);
    }
    assert_true(i > 0);
    json_decref(root);
    process_finish(&process);
    /* Two streams: the other policy helps most by using both. */
    process_expect("--scenario null-stream --set kernels=48 -p blocking -s 2 -r 5 -d model --force "
                   "-o h.gpuprobe",
                   0, "verified", NULL);
    process_expect("explain h.gpuprobe --prove -r 5 --force -o p.gpuprobe", 0,
                   "faster, more by same-stream", NULL);
}

/* On one stream nothing is idle for want of another: the wait counts, not the stream's idle time.
 */
static void test_prove_same_stream(void **state)
{
    struct process process = {.arguments = {"explain", "h.gpuprobe", "--cell", "1", "--json",
                                            "--prove", "-r", "5", "--force", "-o", "p.gpuprobe"}};
    const json_t *proof;
    json_t *root;

    (void)state;
    process_expect("--scenario small --set us=15,kernels=100 -p single -r 5 -d model --force -o "
                   "h.gpuprobe",
                   0, "verified", NULL);
    process_run(&process);
    assert_int_equal(process.status, 0);
    root = json_loads(process.out, 0, NULL);
    proof = json_array_get(
        json_object_get(json_array_get(json_object_get(root, "cells"), 0), "proofs"), 0);
    assert_string_equal(json_string_value(json_object_get(proof, "cause")), "same-stream");
    assert_true(json_is_true(json_object_get(proof, "proven")));
    assert_true(json_integer_value(json_object_get(proof, "cost_after_ns")) <
                json_integer_value(json_object_get(proof, "cost_before_ns")));
    json_decref(root);
    process_finish(&process);
}

/* Where a dependency is missing, more streams are no advice. */
static void test_mend_first(void **state)
{
    struct process process = {.arguments = {"explain", "h.gpuprobe"}};

    (void)state;
    process_expect("--scenario hazard --set pairs=4 -p single,round-robin -s 1,2 -r 2 -d model "
                   "--force -o h.gpuprobe",
                   3, "missing", NULL);
    process_run(&process);
    assert_int_equal(process.status, 0);
    assert_non_null(strstr(process.out, "1. Add the dependencies that are missing"));
    assert_null(strstr(process.out, "less time"));
    process_finish(&process);
}

/* What cannot be tried, or did not run, has a reason. */
static void test_prove_says_why_not(void **state)
{
    struct process process = {.arguments = {"explain", "h.gpuprobe", "--json", "--cell", "1",
                                            "--prove", "-r", "2", "--force", "-o", "p.gpuprobe"}};
    const json_t *cell, *proof;
    json_t *root;
    size_t i;

    (void)state;
    process_expect("--scenario serving --set rate=5000,requests=200 -p single -r 2 -d model "
                   "--force -o h.gpuprobe",
                   0, "verified", NULL);
    process_run(&process);
    assert_int_equal(process.status, 0);
    root = json_loads(process.out, 0, NULL);
    cell = json_array_get(json_object_get(root, "cells"), 0);
    json_array_foreach(json_object_get(cell, "proofs"), i, proof)
    {
        const char *error = json_string_value(json_object_get(proof, "error"));

        assert_int_equal(error != NULL, json_is_null(json_object_get(proof, "after_ns")));
        assert_true(error == NULL || strstr(error, "a graph is launched as one") != NULL);
    }
    assert_true(i > 0);
    json_decref(root);
    process_finish(&process);
    process_expect("explain h.gpuprobe --prove -r 2 --force -o p.gpuprobe", 0,
                   "not-submitted did not run (unsupported: graph of", NULL);
    process_expect("--scenario small --set us=2,kernels=50 -p round-robin -s 128 --submit graph -r "
                   "2 -d model --force -o h.gpuprobe",
                   0, "verified", NULL);
    process_expect("explain h.gpuprobe --prove -r 2 --force -o p.gpuprobe", 0,
                   "not-submitted (the cell is a graph already)", NULL);
}

/* More streams cannot help a chain, and more connections are a process of their own. */
static void test_prove_limits(void **state)
{
    (void)state;
    process_expect("--scenario chain --set links=8 -p round-robin -s 2 -r 5 -d model --force -o "
                   "c.gpuprobe",
                   0, "verified", NULL);
    process_expect("explain c.gpuprobe --cell 1 --prove -r 5 --force -o p.gpuprobe", 0,
                   "no faster, as expected", NULL);
    process_expect("--scenario batch,chain --set batches=2,links=4 -p single -r 5 -d model --force "
                   "-o two.gpuprobe",
                   0, "verified", NULL);
    process_expect("explain two.gpuprobe --prove", 2, NULL, "Name it with --cell");
}

/* The timeline's lines are as wide as the terminal, whichever letters it has. */
static void check_width(const char *columns, size_t expected, const char *locale)
{
    struct process process = {.arguments = {"show", "e.gpuprobe", "--cell", "2"},
                              .environment = {columns, locale}};
    const char *line;
    size_t letters = 0;

    process_run(&process);
    assert_int_equal(process.status, 0);
    line = strstr(process.out, "stream 0");
    assert_non_null(line);
    for (; *line != '\n'; line++) {
        letters += ((unsigned char)*line & 0xc0) != 0x80 ? 1 : 0;
    }
    assert_int_equal(letters, expected);
    process_finish(&process);
}

static void test_widths(void **state)
{
    (void)state;
    process_expect(recorded, 0, "verified", NULL);
    check_width("COLUMNS=40", 40, "LC_ALL=C");
    check_width("COLUMNS=72", 72, "LC_ALL=C.UTF-8");
    check_width("COLUMNS=200", 200, "LC_ALL=C.UTF-8");
    check_width("COLUMNS=999", 200, "LC_ALL=C");
    check_width("COLUMNS=3", 40, "LC_ALL=C");
    check_width("COLUMNS=", 100, "LC_ALL=C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_advice_names_the_variant),
        cmocka_unit_test(test_operation),
        cmocka_unit_test(test_several_scenarios),
        cmocka_unit_test(test_graph_is_no_experiment_for_a_graph),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_what_is_not_there),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_widths),
        cmocka_unit_test(test_prove),
        cmocka_unit_test(test_prove_that_a_free_waits),
        cmocka_unit_test(test_prove_only_what_went_away),
        cmocka_unit_test(test_prove_same_stream),
        cmocka_unit_test(test_mend_first),
        cmocka_unit_test(test_prove_says_why_not),
        cmocka_unit_test(test_prove_limits),
    };

    return cmocka_run_group_tests(tests, process_enter, process_leave);
}
