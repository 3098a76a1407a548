/* What the program says when the driver fails: run for real, on a driver made for tests. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "cli/process.h"

/* A small run on cuda:0 of the test driver, which was told `plan`. */
static void run(struct process *process, const char *device, const char *plan)
{
    *process = (struct process){.arguments = {"--scenario", "batch", "--set",
                                              "batches=4,m=64,n=64,k=64", "-s", "1,2", "-r", "2",
                                              "-d", device, "--force", "-o", "f.gpuprobe"},
                                .environment = {GP_TEST_DRIVER, plan}};
    process_run(process);
}

static void expect(struct process *process, int status, const char *in_err)
{
    if (process->status != status || strstr(process->err, in_err) == NULL) {
        fail_msg("exit %d, expected %d with '%s'\n%s%s", process->status, status, in_err,
                 process->out, process->err);
    }
}

static void test_a_good_driver_is_measured(void **state)
{
    struct process process;

    (void)state;
    run(&process, "cuda", "GPUPROBE_FAKE_CUDA=");
    expect(&process, 0, "");
    assert_memory_equal(process.out, "measured: ", strlen("measured: "));
    assert_non_null(strstr(process.out, "driver for CUDA 13.0"));
    process_finish(&process);
}

/* Five rounds of one cell on a GPU whose machine does what the plan says. */
static void run_watched(struct process *process, const char *plan)
{
    *process = (struct process){
        .arguments = {"--scenario", "batch", "--set", "batches=4,m=64,n=64,k=64", "-s", "1", "-p",
                      "round-robin", "-r", "5", "-d", "cuda", "--force", "-o", "w.gpuprobe"},
        .environment = {GP_TEST_DRIVER, "GPUPROBE_FAKE_CUDA=", plan}};
    process_run(process);
}

static int occurrences(const char *text, const char *part)
{
    int found = 0;

    for (const char *at = strstr(text, part); at != NULL; at = strstr(at + 1, part)) {
        found++;
    }
    return found;
}

static void test_a_run_during_which_the_machine_changed_is_repeated(void **state)
{
    struct process process;
    char *runs;

    (void)state;
    /* Sample 1 is of the start; each run has two. 7 is behind the second plain run. */
    run_watched(&process, "GPUPROBE_FAKE_NVML=from=7,sm=1755,throttle=4");
    expect(&process, 0,
           "the SM clock went from 1980 to 1755 MHz, reasons to slow down went from "
           "none to power cap: the run is repeated");
    assert_int_equal(occurrences(process.err, "the run is repeated"), 1);
    process_finish(&process);
    runs = process_output("export w.gpuprobe --format csv --table run");
    assert_int_equal(occurrences(runs, ",disturbed"), 1);
    assert_int_equal(occurrences(runs, ",plain,"), 6);
    assert_int_equal(occurrences(runs, ",complete"), 10);
    free(runs);
}

static void test_a_machine_that_is_never_steady_ends_the_cell(void **state)
{
    struct process process;

    (void)state;
    run_watched(&process, "GPUPROBE_FAKE_NVML=from=1,flip=1,memory=2619");
    expect(&process, 1, "the run is repeated");
    assert_non_null(strstr(process.out, "in each of 5 runs in turn: let the GPU come to rest"));
    process_finish(&process);
}

static void test_others_on_the_gpu_and_no_nvml_are_told(void **state)
{
    struct process process;

    (void)state;
    run_watched(&process, "GPUPROBE_FAKE_NVML=from=1,processes=3");
    expect(&process, 0, "2 other processes have contexts on this GPU");
    process_finish(&process);
    run_watched(&process, "GPUPROBE_FAKE_NVML=absent=1");
    expect(&process, 0, "cannot be watched: no NVML: nvmlInit_v2: Not Supported");
    process_finish(&process);
}

static void test_doctor_tells_of_the_machine(void **state)
{
    struct process process = {
        .arguments = {"doctor"},
        .environment = {GP_TEST_DRIVER, "GPUPROBE_FAKE_CUDA=",
                        "GPUPROBE_FAKE_NVML=from=1,processes=3,throttle=0x44"}};

    (void)state;
    process_run(&process);
    expect(&process, 0, "");
    assert_non_null(strstr(process.out, "SM clock 1980 MHz, memory clock 3201 MHz, power 131202 "
                                        "mW, other processes 2"));
    assert_non_null(
        strstr(process.out, "it is slowed down: power cap, thermal slowdown by hardware"));
    process_finish(&process);
}

static void test_graphs_on_a_good_driver(void **state)
{
    struct process process = {
        .arguments = {"--scenario", "batch", "--set", "batches=4,m=64,n=64,k=64", "-p",
                      "round-robin,null-stream", "-s", "2", "-r", "2", "-d", "cuda", "--submit",
                      "graph", "--force", "-o", "f.gpuprobe"},
        .environment = {GP_TEST_DRIVER, "GPUPROBE_FAKE_CUDA="}};

    (void)state;
    process_run(&process);
    expect(&process, 0, "");
    assert_non_null(strstr(process.out, "verified"));
    assert_non_null(strstr(process.out, "null-stream (graph) 1 unsupported: "));
    process_finish(&process);
}

static void test_a_refused_instantiation_fails_its_cell(void **state)
{
    struct process process = {
        .arguments = {"--scenario", "batch", "--set", "batches=4,m=64,n=64,k=64", "-p",
                      "round-robin", "-s", "2", "-r", "2", "-d", "cuda", "--submit",
                      "streams,graph", "--force", "-o", "f.gpuprobe"},
        .environment = {GP_TEST_DRIVER, "GPUPROBE_FAKE_CUDA=fail=cuGraphInstantiate:1:2"}};

    (void)state;
    process_run(&process);
    expect(&process, 1, "");
    assert_non_null(strstr(process.out, "round-robin (graph) 2 failed: "));
    assert_non_null(strstr(process.out, "verified"));
    process_finish(&process);
}

static void test_a_fault_names_the_operation_and_leaves_a_recording(void **state)
{
    struct process process;

    (void)state;
    run(&process, "auto", "GPUPROBE_FAKE_CUDA=fault-after=142");
    expect(&process, 1, "CUDA_ERROR_ILLEGAL_ADDRESS");
    assert_non_null(strstr(process.err, "operation "));
    assert_non_null(strstr(process.out, "f.gpuprobe (incomplete)"));
    process_finish(&process);
    process_expect("show f.gpuprobe", 0, "failed: ", NULL);
    process_expect("show f.gpuprobe --json", 0, "\"status\": \"failed\"", NULL);
}

static void test_wrong_data_are_told_by_the_exit_code(void **state)
{
    struct process process;

    (void)state;
    run(&process, "cuda", "GPUPROBE_FAKE_CUDA=lose=relu");
    expect(&process, 3, "");
    assert_non_null(strstr(process.out, "WRONG DATA"));
    process_finish(&process);
    process_expect("show f.gpuprobe", 0, "WRONG DATA", NULL);
    process_expect("show f.gpuprobe --json", 0, "\"verified\": false", NULL);
}

static void test_out_of_device_memory_names_the_buffer(void **state)
{
    struct process process;

    (void)state;
    run(&process, "cuda", "GPUPROBE_FAKE_CUDA=fail=cuMemAlloc_v2:5:2");
    expect(&process, 1, "CUDA_ERROR_OUT_OF_MEMORY");
    assert_non_null(strstr(process.err, "buffer '"));
    process_finish(&process);
    process_expect("show f.gpuprobe", 0, "(incomplete)", NULL);
}

static void test_no_gpu_or_an_old_driver(void **state)
{
    struct process process;

    (void)state;
    run(&process, "cuda", "GPUPROBE_FAKE_CUDA=driver=9000");
    expect(&process, 4, "9.0");
    process_finish(&process);
    run(&process, "cuda", "GPUPROBE_FAKE_CUDA=devices=0");
    expect(&process, 4, "CUDA_ERROR_NO_DEVICE");
    process_finish(&process);
    run(&process, "cuda:7", "GPUPROBE_FAKE_CUDA=devices=2");
    expect(&process, 4, "cuda:7");
    process_finish(&process);
    run(&process, "auto", "GPUPROBE_FAKE_CUDA=devices=0");
    expect(&process, 0, "using model:h200");
    process_finish(&process);
}

static void test_doctor_says_which_image_is_used(void **state)
{
    struct process process = {.arguments = {"doctor"},
                              .environment = {GP_TEST_DRIVER, "GPUPROBE_FAKE_CUDA=refuse-fatbin"}};

    (void)state;
    process_run(&process);
    expect(&process, 0, "");
    assert_non_null(strstr(process.out, "ptx"));
    assert_non_null(strstr(process.out, "cuda:0"));
    process_finish(&process);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_good_driver_is_measured),
        cmocka_unit_test(test_a_run_during_which_the_machine_changed_is_repeated),
        cmocka_unit_test(test_a_machine_that_is_never_steady_ends_the_cell),
        cmocka_unit_test(test_others_on_the_gpu_and_no_nvml_are_told),
        cmocka_unit_test(test_doctor_tells_of_the_machine),
        cmocka_unit_test(test_graphs_on_a_good_driver),
        cmocka_unit_test(test_a_refused_instantiation_fails_its_cell),
        cmocka_unit_test(test_a_fault_names_the_operation_and_leaves_a_recording),
        cmocka_unit_test(test_wrong_data_are_told_by_the_exit_code),
        cmocka_unit_test(test_out_of_device_memory_names_the_buffer),
        cmocka_unit_test(test_no_gpu_or_an_old_driver),
        cmocka_unit_test(test_doctor_says_which_image_is_used),
    };

    return cmocka_run_group_tests(tests, process_enter, process_leave);
}
