/* The verb compare as a user calls it. */
#include "test.h"

#include <stdio.h>

#include "cli/process.h"

#define RUN "--scenario batch -p single,round-robin -s 2 -r 2 --set batches=4,m=64,n=64,k=64 -q"

static void test_same_twice(void **state)
{
    (void)state;
    process_expect(RUN " -d model -o a.gpuprobe", 0, NULL, NULL);
    process_expect(RUN " -d model -o b.gpuprobe", 0, NULL, NULL);
    process_expect("compare a.gpuprobe b.gpuprobe --gate 1", 0, "cannot tell", NULL);
    process_expect("compare a.gpuprobe b.gpuprobe --json", 0, "\"answer\": \"cannot tell\"", NULL);
}

/* A model whose host takes ten times as long for a launch. */
static void test_gate(void **state)
{
    FILE *file = fopen("slow.profile", "w");

    (void)state;
    assert_non_null(file);
    (void)fputs("gpuprobe-profile 1\nname slow\nmodels a slow host\nbase h200\n"
                "host_launch_ns 36500 ns assumed made up\n",
                file);
    assert_int_equal(fclose(file), 0);
    process_expect(RUN " -d model -o fast.gpuprobe", 0, NULL, NULL);
    process_expect(RUN " -d model:./slow.profile -o slow.gpuprobe", 0, NULL, NULL);
    process_expect("compare fast.gpuprobe slow.gpuprobe --gate 5", 3, "beyond the gate", NULL);
    process_expect("compare fast.gpuprobe slow.gpuprobe", 0, "slower", NULL);
    process_expect("compare slow.gpuprobe fast.gpuprobe --gate 5", 0, "faster", NULL);
    /* Another completion mode is another cell. */
    process_expect(RUN " -d model -o other.gpuprobe --completion host-func", 0, NULL, NULL);
    process_expect("compare fast.gpuprobe other.gpuprobe --gate 1", 0,
                   "Without a counterpart: 2 of A", NULL);
    process_expect("compare fast.gpuprobe other.gpuprobe", 0, "No cell is in both recordings",
                   NULL);
}

static void test_usage(void **state)
{
    (void)state;
    process_expect("compare a.gpuprobe", 2, NULL, "which two recordings?");
    process_expect("compare a.gpuprobe b.gpuprobe --gate x", 2, NULL, "--gate");
    process_expect("compare missing.gpuprobe b.gpuprobe", 1, NULL, "missing.gpuprobe");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_twice),
        cmocka_unit_test(test_gate),
        cmocka_unit_test(test_usage),
    };

    return cmocka_run_group_tests(tests, process_enter, process_leave);
}
