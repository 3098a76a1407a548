/* --connections: a process each, one recording, and what is refused. */
#include "test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <jansson.h>

#include "process.h"

#define SMALL "--scenario mixed --set chunk_kib=64,chunks=4 -d model -r 2 -s 2 -q "

/* The cells of a result, the caller's to release; takes the text. */
static json_t *parse(char *text)
{
    json_error_t error;
    json_t *root = json_loads(text, 0, &error);
    json_t *cells;

    if (root == NULL) {
        fail_msg("%s in: %s", error.text, text);
    }
    free(text);
    cells = json_incref(json_object_get(root, "cells"));
    json_decref(root);
    return cells;
}

static int64_t connections_of(const json_t *cells, size_t index)
{
    return json_integer_value(json_object_get(json_array_get(cells, index), "connections"));
}

/* Each number's cells are there, measured, verified and compared among themselves alone. */
static void test_each_number_is_a_device_of_one_recording(void **state)
{
    json_t *cells;

    (void)state;
    process_expect(SMALL "--connections 32,1 -o c.gpuprobe", 0, "32 connections", NULL);
    process_expect("show c.gpuprobe", 0, "; no GPU was measured\n\nmixed", NULL);
    process_expect("show c.gpuprobe", 0, "1 connection;", NULL);
    cells = parse(process_output("show --json c.gpuprobe"));
    assert_int_equal(json_array_size(cells), 4);
    for (size_t i = 0; i < 4; i++) {
        const json_t *cell = json_array_get(cells, i);

        assert_int_equal(connections_of(cells, i), i < 2 ? 32 : 1);
        assert_true(json_is_true(json_object_get(cell, "verified")));
        assert_int_equal(json_integer_value(json_object_get(cell, "repeats")), 2);
    }
    assert_true(json_is_true(json_object_get(json_array_get(cells, 1), "recommended")));
    assert_true(json_is_true(json_object_get(json_array_get(cells, 3), "recommended")));
    json_decref(cells);
}

static void test_one_number_needs_no_process(void **state)
{
    json_t *cells;

    (void)state;
    cells = parse(process_output(SMALL "--connections 5 -p single --json -o one.gpuprobe"));
    assert_int_equal(json_array_size(cells), 1);
    assert_int_equal(connections_of(cells, 0), 5);
    json_decref(cells);
}

static void test_dry_run_lists_each(void **state)
{
    char *out = process_output(SMALL "--connections 1,8 -p single --dry-run");
    json_t *cells;

    (void)state;
    assert_string_equal(out, "mixed single 1 chunk_kib=64,chunks=4 connections=1\n"
                             "mixed single 1 chunk_kib=64,chunks=4 connections=8\n");
    free(out);
    cells = parse(process_output(SMALL "--connections 2,3 -p single --dry-run --json"));
    assert_int_equal(json_array_size(cells), 2);
    assert_int_equal(connections_of(cells, 0), 2);
    assert_int_equal(connections_of(cells, 1), 3);
    json_decref(cells);
}

static void test_refusals(void **state)
{
    (void)state;
    process_expect(SMALL "--connections 0", 2, NULL, "'0' is not a whole number from 1 to 32");
    process_expect(SMALL "--connections 8,33", 2, NULL, "'33' is not a whole number from 1 to 32");
    process_expect(SMALL "--connections 8,8", 2, NULL, "'8' is listed twice");
    process_expect(SMALL "--connections many", 2, NULL, "'many' is not a whole number");
}

/* What the first process cannot do, the others do not try; nothing is left behind. */
static void test_a_failure_ends_it(void **state)
{
    (void)state;
    process_expect(SMALL "--connections 1,2 -d model:nothing -o bad.gpuprobe", 2, NULL, "nothing");
    assert_int_equal(access("bad.gpuprobe", F_OK), -1);
    process_expect(SMALL "-p single -o there.gpuprobe", 0, "there.gpuprobe", NULL);
    process_expect(SMALL "--connections 1,2 -o there.gpuprobe", 1, NULL, "is there already");
    process_expect(SMALL "--connections 1,2 -o there.gpuprobe --force", 0, "2 connections", NULL);
}

static void test_refused_under_mps(void **state)
{
    struct process process = {
        .arguments = {"--scenario", "mixed", "--connections", "4", "-d", "auto", "--dry-run"},
        .environment = {"CUDA_MPS_PIPE_DIRECTORY=mps"},
    };
    int file;

    (void)state;
    assert_int_equal(mkdir("mps", 0700), 0);
    file = open("mps/control", O_CREAT | O_WRONLY, 0600);
    assert_true(file >= 0);
    (void)close(file);
    process_run(&process);
    assert_int_equal(process.status, 2);
    assert_non_null(strstr(process.err, "shared through MPS (mps/control)"));
    process_finish(&process);
    process.arguments[5] = "model";
    process_run(&process);
    assert_int_equal(process.status, 0);
    process_finish(&process);
    assert_int_equal(unlink("mps/control"), 0);
    assert_int_equal(rmdir("mps"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_number_is_a_device_of_one_recording),
        cmocka_unit_test(test_one_number_needs_no_process),
        cmocka_unit_test(test_dry_run_lists_each),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_a_failure_ends_it),
        cmocka_unit_test(test_refused_under_mps),
    };

    return cmocka_run_group_tests(tests, process_enter, process_leave);
}
