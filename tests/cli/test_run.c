/* Runs, recordings and what is said of them: the program is run for real, on the model. */
#include "test.h"

#include <jansson.h>
#include <math.h>
#include <signal.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/process.h"
#include "core/policy/policy.h"

#define SMALL "--scenario batch --set batches=4,m=64,n=64,k=64 -d model -r 2 -s 1,2 "

static json_t *parse(const char *text)
{
    json_error_t error;
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);

    if (root == NULL) {
        fail_msg("line %d: %s\n%s", error.line, error.text, text);
    }
    return root;
}

static bool is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

static void test_a_run_says_what_it_is_and_where(void **state)
{
    char *out = process_output(SMALL "-q");
    char *again = process_output("show batch-001.gpuprobe");

    (void)state;
    assert_memory_equal(out, "modelled: ", strlen("modelled: "));
    assert_non_null(strstr(out, "round-robin"));
    assert_non_null(strstr(out, "verified"));
    assert_non_null(strstr(out, "speed-up"));
    assert_non_null(strstr(out, "\nbatch-001.gpuprobe\n"));
    assert_string_equal(out, again);
    free(out);
    free(again);
    process_expect(SMALL, 0, "\nbatch-002.gpuprobe\n", NULL);
}

static void test_json_has_every_name(void **state)
{
    static const char *const names[] = {"scenario",
                                        "params",
                                        "connections",
                                        "policy",
                                        "streams",
                                        "submit",
                                        "issue_order",
                                        "completion",
                                        "trace",
                                        "repeats",
                                        "makespan_ns",
                                        "latency_ns",
                                        "speedup",
                                        "concurrency",
                                        "perturbation",
                                        "perturbation_lo",
                                        "perturbation_hi",
                                        "verified",
                                        "bound_ns",
                                        "efficiency",
                                        "device_bound_ns",
                                        "limit",
                                        "limit_share",
                                        "status",
                                        "error",
                                        "copy_compute_overlap",
                                        "h2d_d2h_overlap",
                                        "recommended",
                                        "tied",
                                        "reference_perturbation",
                                        "hazards",
                                        "instantiate_ns",
                                        "waits",
                                        "waits_elided",
                                        "waits_unneeded",
                                        "versus_round_robin",
                                        "measures"};
    char *out = process_output(SMALL "--json -o j.gpuprobe");
    char *again = process_output("show --json j.gpuprobe");
    json_t *root = parse(out);
    json_t *cells = json_object_get(root, "cells");

    (void)state;
    assert_string_equal(out, again);
    assert_string_equal(json_string_value(json_object_get(root, "recording")), "j.gpuprobe");
    assert_string_equal(json_string_value(json_object_get(json_object_get(root, "device"), "kind")),
                        "model");
    assert_int_equal(json_array_size(cells), 3);
    for (size_t i = 0; i < 3; i++) {
        json_t *cell = json_array_get(cells, i);

        assert_int_equal(json_object_size(cell), sizeof names / sizeof names[0]);
        for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
            assert_non_null(json_object_get(cell, names[n]));
        }
        assert_true(json_is_true(json_object_get(cell, "verified")));
        assert_true(json_is_integer(json_object_get(cell, "bound_ns")));
        assert_true(json_real_value(json_object_get(cell, "efficiency")) <= 1);
        assert_int_equal(json_integer_value(json_object_get(cell, "repeats")), 2);
        assert_true(
            json_is_integer(json_object_get(json_object_get(cell, "makespan_ns"), "median")));
    }
    json_decref(root);
    free(out);
    free(again);
}

static void test_lists_are_json_too(void **state)
{
    static const char *const lists[] = {"scenarios", "policies", "devices", "formats"};

    (void)state;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        char words[64];
        char *out;
        json_t *root;
        json_t *list;

        (void)snprintf(words, sizeof words, "list %s --json", lists[i]);
        out = process_output(words);
        root = parse(out);
        list = json_object_get(root, lists[i]);
        assert_true(json_array_size(list) >= 1);
        assert_true(
            json_is_string(json_object_get(json_array_get(list, 0), i == 2 ? "spec" : "name")));
        json_decref(root);
        free(out);
    }
}

/* After all tables: what to do, the most valuable first, and the same as JSON. */
static void test_run_gives_advice(void **state)
{
    char *out = process_output("--scenario batch --set batches=16,m=64,n=128,k=128 -d model -r 2 "
                               "-s 1,4 -o advice.gpuprobe");
    char *as_json = process_output("show --json advice.gpuprobe");
    json_t *root = parse(as_json);
    json_t *list = json_object_get(root, "advice");
    double before = INFINITY;

    (void)state;
    assert_non_null(strstr(out, "\nAdvice\n  1. "));
    assert_non_null(strstr(out, "instead of on one stream"));
    assert_in_range(json_array_size(list), 2, 5);
    for (size_t i = 0; i < json_array_size(list); i++) {
        double gain = json_real_value(json_object_get(json_array_get(list, i), "gain"));

        assert_true(gain > 0 && gain <= before);
        before = gain;
    }
    json_decref(root);
    free(as_json);
    free(out);
    /* One cell of which nothing is known says nothing. */
    out = process_output("--scenario batch --set batches=4,m=64,n=64,k=64 -d model -r 2 -s 1 "
                         "-p single --trace off -o none.gpuprobe");
    assert_null(strstr(out, "Advice"));
    free(out);
}

static void test_policies_say_what_they_are(void **state)
{
    static const char *const keys[] = {"name", "summary", "unit", "source"};
    char *out = process_output("list policies --json");
    json_t *root = parse(out);
    json_t *list = json_object_get(root, "policies");

    (void)state;
    assert_int_equal(json_array_size(list), gp_policy_table_count);
    for (size_t i = 0; i < json_array_size(list); i++) {
        for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
            const char *text = json_string_value(json_object_get(json_array_get(list, i), keys[k]));

            assert_true(text != NULL && text[0] != '\0');
        }
    }
    json_decref(root);
    free(out);
}

/* A scenario's parameters as the list and as a plan have them. */
static void test_plans_have_parameters(void **state)
{
    char *out = process_output("--scenario batch --set m=128 -d model --dry-run --json");
    json_t *root = parse(out);
    json_t *cell = json_array_get(json_object_get(root, "cells"), 0);
    json_t *params = json_object_get(cell, "params");

    (void)state;
    assert_int_equal(json_integer_value(json_object_get(params, "m")), 128);
    assert_int_equal(json_integer_value(json_object_get(params, "k")), 1024);
    json_decref(root);
    free(out);
    process_expect("--scenario batch --set m=128 -d model --dry-run -p single", 0,
                   "batch single 1 m=128\n", NULL);
}

static void test_graphs_stand_beside_streams(void **state)
{
    char *out = process_output(SMALL "--submit streams,graph -o graph.gpuprobe -p "
                                     "round-robin,null-stream");

    (void)state;
    assert_non_null(strstr(out, "submit "));
    assert_non_null(strstr(out, "graph    round-robin"));
    assert_non_null(strstr(out, "null-stream (graph) 1 unsupported: "));
    free(out);
    process_expect("show graph.gpuprobe --json", 0, "\"submit\": \"graph\"", NULL);
}

static void test_dry_run_writes_nothing(void **state)
{
    char *out = process_output(
        "--scenario batch -d model --dry-run -o dry.gpuprobe -p round-robin,single -s 3 "
        "--submit graph,streams");
    char *json = process_output("--scenario batch -d model --dry-run --json -p single");
    json_t *root = parse(json);

    (void)state;
    assert_string_equal(out, "batch round-robin 3\nbatch single 1\nbatch round-robin 3 graph\n"
                             "batch single 1 graph\n");
    assert_int_equal(json_array_size(json_object_get(root, "cells")), 1);
    assert_false(is_there("dry.gpuprobe"));
    json_decref(root);
    free(out);
    free(json);
}

static void test_outputs_are_kept(void **state)
{
    FILE *file = fopen("mine", "w");
    char *kept;

    (void)state;
    assert_non_null(file);
    (void)fputs("precious", file);
    (void)fclose(file);
    process_expect(SMALL "-o mine", 1, "",
                   "mine is there already and is kept; --force replaces it");
    kept = process_read("mine");
    assert_string_equal(kept, "precious");
    free(kept);
    process_expect(SMALL "-o mine --force", 0, "\nmine\n", NULL);
    process_expect("show mine", 0, "modelled", NULL);
}

static void test_outputs_that_cannot_be_written(void **state)
{
    (void)state;
    assert_int_equal(mkdir("folder", 0700), 0);
    process_expect(SMALL "-o folder", 1, "", "folder is a directory");
    process_expect(SMALL "-o folder --force", 1, "", "folder is a directory");
    process_expect(SMALL "-o absent/x.gpuprobe", 1, "", "absent/x.gpuprobe cannot be written");
    process_expect(SMALL "-o /proc/x.gpuprobe", 1, "", "/proc/x.gpuprobe cannot be written");
    process_expect(SMALL "-o /dev/null --force", 1, "", "/dev/null is not a regular file");
    process_expect(SMALL "-o mine/x.gpuprobe", 1, "", "mine/x.gpuprobe cannot be written");
}

static void run_with_output(enum process_stdout output, const char *path, const char *message)
{
    struct process process = {.arguments = {"--scenario", "batch", "--set",
                                            "batches=4,m=64,n=64,k=64", "-d", "model", "-r", "2",
                                            "-s", "1", "-q", "-o", path},
                              .output = output};

    process_run(&process);
    assert_int_equal(process.status, 1);
    if (message[0] == '\0') {
        assert_string_equal(process.err, "");
    } else {
        assert_non_null(strstr(process.err, message));
    }
    process_finish(&process);
    process_expect("show full.gpuprobe", 0, "verified", NULL);
    assert_int_equal(unlink(path), 0);
}

/* The recording is whole whatever became of what was printed. */
static void test_standard_output_that_is_lost(void **state)
{
    (void)state;
    run_with_output(PROCESS_CLOSED, "full.gpuprobe", "cannot write to standard output: Bad file");
    run_with_output(PROCESS_FULL, "full.gpuprobe",
                    "cannot write to standard output: No space left");
    run_with_output(PROCESS_CLOSED_PIPE, "full.gpuprobe", "");
}

static void interrupt_by(int number, const char *path)
{
    struct process process = {.arguments = {"--scenario", "batch", "--set",
                                            "batches=4,m=64,n=64,k=64", "-d", "model", "-r",
                                            "10000", "-s", "1", "-v", "-o", path},
                              .signal = number,
                              .signal_after = "gpuprobe: run 5 of"};

    process_run(&process);
    assert_int_equal(process.status, 130);
    assert_non_null(strstr(process.err, "interrupted"));
    assert_non_null(strstr(process.out, "incomplete"));
    process_finish(&process);
    process_expect("show interrupted.gpuprobe", 0, "incomplete", NULL);
    assert_int_equal(unlink(path), 0);
}

static void test_interrupted_runs_leave_a_recording(void **state)
{
    (void)state;
    interrupt_by(SIGINT, "interrupted.gpuprobe");
    interrupt_by(SIGTERM, "interrupted.gpuprobe");
    interrupt_by(SIGHUP, "interrupted.gpuprobe");
}

static void test_without_utf8_all_is_ascii(void **state)
{
    struct process process = {.arguments = {"show", "mine"}, .environment = {"LC_ALL=C"}};

    (void)state;
    process_run(&process);
    assert_int_equal(process.status, 0);
    for (const char *at = process.out; *at != '\0'; at++) {
        assert_in_range(*at, '\n', '~');
    }
    process_finish(&process);
}

static void test_quiet_runs_say_nothing_on_stderr(void **state)
{
    struct process process = {.arguments = {"--scenario", "batch", "--set",
                                            "batches=4,m=64,n=64,k=64", "-r", "1", "-s", "1", "-q",
                                            "-d", "model", "-o", "quiet.gpuprobe"}};

    (void)state;
    process_run(&process);
    assert_int_equal(process.status, 0);
    assert_string_equal(process.err, "");
    process_finish(&process);
}

static void test_what_is_no_recording(void **state)
{
    FILE *file = fopen("text.gpuprobe", "w");

    (void)state;
    assert_non_null(file);
    (void)fputs("this is no database, though it is long enough to have a header of one ........."
                "...............................................",
                file);
    (void)fclose(file);
    process_expect("show text.gpuprobe", 5, "", "text.gpuprobe");
    process_expect("export text.gpuprobe --format csv -o t.csv", 5, "", "text.gpuprobe");
    process_expect("show absent.gpuprobe", 1, "", "absent.gpuprobe");
    process_expect("show folder", 5, "", "folder");
    assert_false(is_there("absent.gpuprobe"));
    assert_false(is_there("t.csv"));
}

static void test_export(void **state)
{
    char *csv;
    char *printed = process_output("export mine --format csv --table run");

    (void)state;
    process_expect("export mine --format csv --table run -o run.csv", 0, NULL, NULL);
    csv = process_read("run.csv");
    assert_non_null(strstr(csv, "makespan_ns"));
    assert_string_equal(csv, printed);
    free(csv);
    free(printed);
    process_expect("export mine --format csv --table run -o run.csv", 1, "", "is there already");
    process_expect("export mine --format csv --table op -o run.csv --force", 0, NULL, NULL);
    csv = process_read("run.csv");
    assert_non_null(strstr(csv, "submit_begin"));
    free(csv);
}

/* A copy in which no operation has a source that is known. */
static void copy_damaged(const char *from, const char *to)
{
    static const char word[] = "modelled";
    const size_t length = sizeof word - 1;
    FILE *in = fopen(from, "rb");
    FILE *out = fopen(to, "wb");
    char *bytes = malloc(PROCESS_TEXT_BYTES_MAX);
    size_t count;

    assert_non_null(in);
    assert_non_null(out);
    assert_non_null(bytes);
    count = fread(bytes, 1, PROCESS_TEXT_BYTES_MAX, in);
    for (size_t i = 0; i + length <= count; i++) {
        if (memcmp(bytes + i, word, length) == 0) {
            bytes[i] = 'M';
        }
    }
    assert_int_equal(fwrite(bytes, 1, count, out), count);
    (void)fclose(in);
    (void)fclose(out);
    free(bytes);
}

/* Neither the recording itself nor an older export is lost to one that does not succeed. */
static void test_export_destroys_nothing(void **state)
{
    char *kept;

    (void)state;
    process_expect("export mine --format csv -o mine --force", 2, "",
                   "mine is the recording itself");
    assert_int_equal(link("mine", "hard"), 0);
    process_expect("export mine --format csv -o hard --force", 2, "", "the recording itself");
    process_expect("show mine", 0, "verified", NULL);

    copy_damaged("mine", "damaged");
    process_expect("export damaged --format csv -o run.csv --force", 5, "", "damaged");
    kept = process_read("run.csv");
    assert_non_null(strstr(kept, "submit_begin"));
    free(kept);
}

/* Each of several at once gets a free name of its own. */
static void test_free_names_at_once(void **state)
{
    pid_t children[6];

    (void)state;
    assert_int_equal(mkdir("at-once", 0700), 0);
    assert_int_equal(chdir("at-once"), 0);
    for (int i = 0; i < 6; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] == 0) {
            struct process process = {.arguments = {"--scenario", "batch", "--set",
                                                    "batches=1,m=64,n=64,k=64", "-r", "1", "-s",
                                                    "1", "-d", "model"}};

            process_run(&process);
            _exit(process.status);
        }
    }
    for (int i = 0; i < 6; i++) {
        int status = 0;

        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
    for (int i = 0; i < 6; i++) {
        char name[] = "batch-001.gpuprobe";

        name[strlen("batch-00")] = (char)('1' + i);
        assert_int_equal(unlink(name), 0);
    }
    assert_int_equal(chdir(".."), 0);
    assert_int_equal(rmdir("at-once"), 0);
}

/* A limit on the size of files is an error like a full disk, not the end by a signal. */
static void test_a_file_that_may_not_grow(void **state)
{
    struct rlimit before, small;

    (void)state;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = (struct rlimit){.rlim_cur = 64 << 10, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    process_expect(SMALL "-o small.gpuprobe", 1, NULL, "small.gpuprobe: ");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
}

static void test_a_wrong_profile_is_named(void **state)
{
    FILE *file = fopen("wrong.profile", "w");

    (void)state;
    assert_non_null(file);
    (void)fputs("gpuprobe-profile 1\nname wrong\nnonsense 1\n", file);
    (void)fclose(file);
    process_expect("--scenario batch -d model:./wrong.profile", 1, "",
                   "model:./wrong.profile: profile line 3");
    process_expect("--scenario batch -d model:./folder", 2, "", "./folder: Is a directory");
}

/* Nsight would see what this listener hears. */
static void test_ranges_are_emitted(void **state)
{
    struct process process = {
        .arguments = {"--scenario", "batch", "--set", "batches=2,m=64,n=64,k=64", "-d", "model",
                      "-r", "1", "-s", "1", "-p", "single", "-o", "ranges.gpuprobe"},
        .environment = {"NVTX_INJECTION64_PATH=" GP_TEST_LISTENER, "GP_TEST_NVTX_LOG=ranges.log"}};
    char *log;

    (void)state;
    if (GP_TEST_LISTENER[0] == '\0') {
        skip();
    }
    process_run(&process);
    assert_int_equal(process.status, 0);
    process_finish(&process);
    log = process_read("ranges.log");
    assert_non_null(strstr(log, "domain gpuprobe\n"));
    assert_non_null(strstr(log, "string gemm\n"));
    assert_non_null(strstr(log, "category=1"));
    assert_non_null(strstr(log, "category=2"));
    assert_non_null(strstr(log, "chain category=3 payload=1\n"));
    assert_non_null(strstr(log, "gemm category=4"));
    free(log);
}

static void test_doctor(void **state)
{
    char *text = process_output("doctor");
    char *out = process_output("doctor --json");
    json_t *root = parse(out);

    (void)state;
    assert_non_null(strstr(text, "SQLite"));
    assert_non_null(strstr(text, "-d auto uses"));
    assert_string_equal(json_string_value(json_object_get(root, "version")), GP_TEST_VERSION);
    assert_true(json_is_object(json_object_get(root, "auto")));
    assert_true(json_is_boolean(json_object_get(json_object_get(root, "driver"), "usable")));
    json_decref(root);
    free(out);
    free(text);
}

/* Where there is a driver, there is nothing to show. */
static void test_no_gpu(void **state)
{
    char *out = process_output("doctor --json");
    json_t *root = parse(out);
    bool usable = json_is_true(json_object_get(json_object_get(root, "driver"), "usable"));

    (void)state;
    json_decref(root);
    free(out);
    if (usable) {
        skip();
    }
    process_expect("--scenario batch -d cuda -o c.gpuprobe", 4, "", "libcuda.so.1");
    assert_false(is_there("c.gpuprobe"));
    process_expect("--scenario batch -d auto -r 1 -s 1 -p single -o auto.gpuprobe", 0,
                   "modelled:", "libcuda.so.1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_run_says_what_it_is_and_where),
        cmocka_unit_test(test_json_has_every_name),
        cmocka_unit_test(test_lists_are_json_too),
        cmocka_unit_test(test_run_gives_advice),
        cmocka_unit_test(test_policies_say_what_they_are),
        cmocka_unit_test(test_plans_have_parameters),
        cmocka_unit_test(test_graphs_stand_beside_streams),
        cmocka_unit_test(test_dry_run_writes_nothing),
        cmocka_unit_test(test_outputs_are_kept),
        cmocka_unit_test(test_outputs_that_cannot_be_written),
        cmocka_unit_test(test_standard_output_that_is_lost),
        cmocka_unit_test(test_interrupted_runs_leave_a_recording),
        cmocka_unit_test(test_without_utf8_all_is_ascii),
        cmocka_unit_test(test_quiet_runs_say_nothing_on_stderr),
        cmocka_unit_test(test_what_is_no_recording),
        cmocka_unit_test(test_export),
        cmocka_unit_test(test_export_destroys_nothing),
        cmocka_unit_test(test_free_names_at_once),
        cmocka_unit_test(test_a_file_that_may_not_grow),
        cmocka_unit_test(test_a_wrong_profile_is_named),
        cmocka_unit_test(test_ranges_are_emitted),
        cmocka_unit_test(test_doctor),
        cmocka_unit_test(test_no_gpu),
    };

    return cmocka_run_group_tests(tests, process_enter, process_leave);
}
