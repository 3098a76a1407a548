/* Traces of other tools as a user gives them to the program. Our own export for Nsight is a trace
 * whose every time is known. */
#include "test.h"

#include <dirent.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/process.h"

/* Group set-up: run.gpuprobe, and run.sqlite made of it. */
static int record(void **state)
{
    (void)process_enter(state);
    process_expect("--scenario mixed -p single,round-robin -s 4 -r 5 -d model --set "
                   "chunk_kib=4096,chunks=8 -q "
                   "-o run.gpuprobe",
                   0, NULL, NULL);
    process_expect("export run.gpuprobe --format nsys-sqlite -o run.sqlite", 0, NULL, NULL);
    return 0;
}

static void test_import(void **state)
{
    (void)state;
    process_expect("import run.sqlite -o imported.gpuprobe", 0, "imported.gpuprobe", "operations");
    process_expect("import run.sqlite -o imported.gpuprobe", 1, NULL,
                   "is there already and is kept");
    process_expect("import run.sqlite", 0, "imported-001.gpuprobe", NULL);
    process_expect("import run.gpuprobe -o again.gpuprobe", 2, NULL, "is a recording already");
    process_expect("list imports", 0, "nsys-sqlite", NULL);
    process_expect("list imports --json", 0, "\"nsys-sqlite\"", NULL);
}

/* What takes a recording takes a trace. */
static void test_traces_are_recordings(void **state)
{
    char *text;

    (void)state;
    process_expect("show run.sqlite", 0, "imported: ", NULL);
    process_expect("show run.sqlite", 0, "Another tool recorded this run", NULL);
    process_expect("explain run.sqlite", 0, "cannot be told", NULL);
    process_expect("explain run.sqlite", 0, "mixed single/1 with 1 stream, cell 1", NULL);
    text = process_output("explain run.sqlite");
    assert_null(strstr(text, "to try: --")); /* options are not that program's */
    free(text);
    process_expect("explain run.sqlite --json", 0, "\"note\": \"imported: ", NULL);
    process_expect("check run.sqlite", 0, "2 runs checked, nothing is wrong", NULL);
    process_expect("export run.sqlite --format csv", 0, "kernel", NULL);
    process_expect("export run.gpuprobe --format chrome -o run.json", 0, NULL, NULL);
    process_expect("show run.json", 0, "mixed round-robin/4", NULL);
    process_expect("check run.json", 0, "nothing is wrong", NULL);
}

static void check_cell(const json_t *cell)
{
    const json_t *kind;
    size_t i;

    assert_true(json_number_value(json_object_get(cell, "residual_ns")) < 1);
    assert_int_equal(json_integer_value(json_object_get(cell, "order_same")),
                     json_integer_value(json_object_get(cell, "order_pairs")));
    assert_int_equal(json_integer_value(json_object_get(cell, "overlap_same")),
                     json_integer_value(json_object_get(cell, "overlap_pairs")));
    assert_true(json_integer_value(json_object_get(cell, "order_pairs")) > 0);
    assert_true(json_number_value(json_object_get(cell, "cost_theirs")) == 1);
    json_array_foreach(json_object_get(cell, "kinds"), i, kind)
    {
        assert_int_equal(json_integer_value(json_object_get(kind, "matched")),
                         json_integer_value(json_object_get(kind, "ours")));
        assert_true(
            json_number_value(json_object_get(json_object_get(kind, "begin"), "spread_ns")) < 1);
    }
    assert_int_equal(i, 3);
}

/* A recording beside itself, each cell beside its own: no difference anywhere. */
static void check_compare(const char *command)
{
    char *text = process_output(command);
    json_t *root = json_loads(text, 0, NULL);
    const json_t *cell;
    size_t i;

    assert_non_null(root);
    json_array_foreach(json_object_get(root, "cells"), i, cell)
    {
        check_cell(cell);
    }
    assert_int_equal(i, 2);
    json_decref(root);
    free(text);
}

static void test_compare_with_a_trace(void **state)
{
    (void)state;
    process_expect("compare run.gpuprobe run.sqlite", 0, "theirs: run.sqlite", NULL);
    process_expect("compare run.sqlite run.gpuprobe", 0, "ours: run.gpuprobe", NULL);
    check_compare("compare run.gpuprobe run.sqlite run.gpuprobe --json");
    process_expect("export run.gpuprobe --format chrome -o beside.json", 0, NULL, NULL);
    check_compare("compare run.gpuprobe beside.json run.gpuprobe --json");
}

static void test_what_does_not_go_together(void **state)
{
    (void)state;
    process_expect("compare run.sqlite run.sqlite", 2, NULL, "both traces of other tools");
    process_expect("compare run.gpuprobe run.sqlite --gate 3", 2, NULL, "--gate is about two");
    process_expect("compare run.gpuprobe run.gpuprobe run.gpuprobe", 2, NULL, "a third file");
    process_expect("--scenario batch -p single -s 1 -r 5 -d model -q -o other.gpuprobe --set "
                   "batches=4,m=64,n=64,k=64",
                   0, NULL, NULL);
    process_expect("compare other.gpuprobe run.sqlite", 1, NULL, "no NVTX range of a traced run");
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    (void)fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* A stand-in for nsys on the search path, which copies what it is told to export. */
static void run_with_nsys(const char *script, int status, const char *in_err)
{
    struct process process = {.arguments = {"show", "report.nsys-rep"},
                              .environment = {"PATH=./bin:/usr/bin:/bin"}};

    write_file("bin/nsys", script);
    assert_int_equal(chmod("bin/nsys", 0700), 0);
    process_run(&process);
    assert_int_equal(process.status, status);
    assert_non_null(strstr(status == 0 ? process.out : process.err, in_err));
    process_finish(&process);
}

static void test_nsights_own_reports(void **state)
{
    (void)state;
    write_file("report.nsys-rep", "not ours to read");
    process_expect("show report.nsys-rep", 1, NULL, "there is no nsys on the search path");
    assert_int_equal(mkdir("bin", 0700), 0);
    run_with_nsys("#!/bin/sh\n[ \"$1 $2 $3 $8\" = 'export --type sqlite report.nsys-rep' ] &&\n"
                  "cp run.sqlite \"$7\"\n",
                  0, "imported: model");
    run_with_nsys("#!/bin/sh\necho 'this version is too old' >&2\nexit 3\n", 5,
                  "made no database of report.nsys-rep: this version is too old");
    run_with_nsys("#!/bin/sh\nexit 0\n", 5, "it does not say why");
}

#define KERNEL(ts, dur)                                                                            \
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":" ts               \
    ",\"dur\":" dur ",\"args\":{\"stream\":7}}"

#define CALL(name, ts, correlation)                                                                \
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"" name "\",\"pid\":9,\"tid\":9,\"ts\":" ts  \
    ",\"dur\":0.5,\"args\":{\"correlation\":" correlation "}}"
#define OF_CALL(ts, stream, correlation)                                                           \
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":" stream ",\"ts\":" ts      \
    ",\"dur\":2,\"args\":{\"stream\":" stream ",\"correlation\":" correlation "}}"

/* Success and nothing on stderr. */
static void expect_silence(struct process *process)
{
    process_run(process);
    assert_int_equal(process->status, 0);
    assert_string_equal(process->err, "");
    process_finish(process);
}

/* Whoever reads of a trace is told what of it is not there, whatever the verb; not that arrows and
 * names are no rows. */
static void test_what_is_missing_is_told(void **state)
{
    static const char *const verbs[] = {"show", "explain", "check", "export --format csv"};
    char command[64];

    (void)state;
    write_file("gaps.json", "[" KERNEL("1", "2") "," KERNEL("5", "-2") ",null,{\"ph\":\"s\"}");
    write_file("more.json", "{\"traceEvents\":[" KERNEL("1", "2") ",{\"ph\":\"X\",");
    write_file("whole.json", "[" KERNEL("1", "2") ",{\"ph\":\"s\"}]");
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
        (void)snprintf(command, sizeof command, "%s gaps.json", verbs[i]);
        process_expect(command, 0, NULL,
                       "gpuprobe: gaps.json: not all of the trace is here: of 4 rows: 1 end before "
                       "they begin; 1 hold something else than numbers where numbers belong\n");
    }
    process_expect("explain more.json", 0, NULL, "the file breaks off");
    process_expect("import more.json -o more.gpuprobe", 0, NULL, "the file breaks off");
    process_expect("explain more.gpuprobe", 0, NULL, "the file breaks off");
    expect_silence(&(struct process){.arguments = {"explain", "whole.json"}});
    write_file("none.json", "[" KERNEL("5", "-2") "]");
    process_expect("show none.json", 5, NULL, "could be taken: 1 rows: 0 operations");
}

/* A database that does not fit leaves nothing, also no journal. */
static void test_an_export_that_may_not_grow(void **state)
{
    struct rlimit before, small;
    struct dirent *entry;
    DIR *folder;

    (void)state;
    assert_int_equal(mkdir("full", 0700), 0);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = (struct rlimit){.rlim_cur = 96 << 10, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    process_expect("export run.gpuprobe --format nsys-sqlite -o full/run.sqlite", 1, NULL,
                   "full/run.sqlite");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    folder = opendir("full");
    assert_non_null(folder);
    while ((entry = readdir(folder)) != NULL) {
        assert_true(entry->d_name[0] == '.');
    }
    (void)closedir(folder);
}

/* Waits of an imported recording are known, but not the calls that made them: a database of
 * Nsight's schema cannot have them, and it is said how many. */
static void test_waits_that_an_export_lacks(void **state)
{
    (void)state;
    write_file(
        "waits.json",
        "[" CALL("cudaLaunchKernel", "1", "1") "," CALL("cudaStreamSynchronize", "2", "2") "," CALL(
            "cudaLaunchKernel", "9",
            "3") ","
                 "{\"ph\":\"X\",\"cat\":\"cuda_sync\",\"name\":\"Stream Sync\",\"pid\":0,"
                 "\"tid\":7,\"ts\":2,\"dur\":6,\"args\":{\"stream\":7,\"correlation\":2}}," OF_CALL(
                     "3", "7", "1") "," OF_CALL("11", "8", "3") "]");
    process_expect("export waits.json --format nsys-sqlite -o waits.sqlite", 0, NULL,
                   "nsys-sqlite has 0 of 1 waits of operations for one another");
    process_expect("--scenario events -p round-robin -s 4 -r 5 -d model -q -o events.gpuprobe", 0,
                   NULL, NULL);
    expect_silence(&(struct process){.arguments = {"export", "events.gpuprobe", "--format",
                                                   "nsys-sqlite", "-o", "events.sqlite"}});
}

/* The name is not what a trace is. */
static void test_other_extensions(void **state)
{
    (void)state;
    write_file("json.nsys-rep", "[" KERNEL("1", "2") "]");
    process_expect("check json.nsys-rep", 0, "1 run checked", NULL);
    write_file("json.sqlite", "\xef\xbb\xbf[" KERNEL("1", "2") "]");
    process_expect("check json.sqlite", 0, "1 run checked", NULL);
}

/* --force replaces recordings, not the trace that is read, whatever it is called. */
static void test_the_trace_is_not_replaced(void **state)
{
    (void)state;
    write_file("kept.json", "[" KERNEL("1", "2") "]");
    assert_int_equal(symlink("kept.json", "link.json"), 0);
    process_expect("import kept.json -o kept.json --force", 2, NULL, "is the trace itself");
    process_expect("import kept.json -o link.json --force", 2, NULL, "is the trace itself");
    process_expect("import link.json -o kept.json --force", 2, NULL, "is the trace itself");
    process_expect("check kept.json", 0, "1 run checked", NULL);
}

static void test_what_is_no_trace(void **state)
{
    (void)state;
    write_file("empty.sqlite", "");
    write_file("hello.txt", "hello");
    process_expect("show empty.sqlite", 5, NULL, "is empty");
    process_expect("check hello.txt", 5, NULL, "neither a recording nor a trace");
    process_expect("import hello.txt -o x.gpuprobe", 5, NULL, "neither a recording nor a trace");
    process_expect("export none.sqlite --format csv", 1, NULL, "none.sqlite");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_import),
        cmocka_unit_test(test_traces_are_recordings),
        cmocka_unit_test(test_compare_with_a_trace),
        cmocka_unit_test(test_what_does_not_go_together),
        cmocka_unit_test(test_nsights_own_reports),
        cmocka_unit_test(test_what_is_missing_is_told),
        cmocka_unit_test(test_an_export_that_may_not_grow),
        cmocka_unit_test(test_waits_that_an_export_lacks),
        cmocka_unit_test(test_other_extensions),
        cmocka_unit_test(test_the_trace_is_not_replaced),
        cmocka_unit_test(test_what_is_no_trace),
    };

    return cmocka_run_group_tests(tests, record, process_leave);
}
