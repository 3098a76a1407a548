/*
 * Scenarios on a device that does each operation at once: their results are right, and a wrong or
 * missing operation is found and named.
 */
#include "bench.h"

#include <stdio.h>
#include <string.h>

static void check_scenario(const char *name, uint32_t chain_ops, const char *last_chain)
{
    struct bench bench;
    const struct gp_dag *dag;

    bench_open(&bench);
    bench_set_up(&bench, name, 1);
    dag = bench.workload->dag;
    assert_int_equal(dag->chain_count, 6);
    assert_int_equal(dag->op_count, 6 * chain_ops);
    bench_run_without(&bench, BENCH_ALL);
    bench_expect_right(&bench);
    /* Every operation of the last chain is needed, though the run before left right results. */
    for (uint32_t i = dag->op_count - chain_ops; i < dag->op_count; i++) {
        bench_run_without(&bench, (int)i);
        bench_expect_wrong(&bench, last_chain);
    }
    bench_expect_wrong(&bench, "got nothing (never written), expected ");
    bench_run_without(&bench, BENCH_ALL);
    bench_expect_right(&bench);
    bench_close(&bench);
}

static void test_batch_is_right_and_needs_every_operation(void **state)
{
    (void)state;
    check_scenario("batch", 5, " of batch 5: got ");
}

static void test_mixed_is_right_and_needs_every_operation(void **state)
{
    (void)state;
    check_scenario("mixed", 3, " of chunk 5: got ");
}

/* Each operation is needed, though the run before left right results. */
static void check_each_is_needed(const char *name, uint32_t op_count)
{
    struct bench bench;

    bench_open(&bench);
    bench_set_up(&bench, name, 1);
    assert_int_equal(bench.workload->dag->op_count, op_count);
    for (uint32_t i = 0; i < op_count; i++) {
        bench_run_without(&bench, (int)i);
        bench_expect_wrong(&bench, name);
    }
    bench_run_without(&bench, BENCH_ALL);
    bench_expect_right(&bench);
    bench_close(&bench);
}

static void test_words_show_each_operation(void **state)
{
    (void)state;
    check_each_is_needed("null-stream", 6);
    check_each_is_needed("many-streams", 24);
    check_each_is_needed("priority", 8);
    check_each_is_needed("serving", 30);
    check_each_is_needed("inflight", 24);
    check_each_is_needed("hazard", 6);
}

static void test_bimodal_needs_every_operation(void **state)
{
    (void)state;
    check_each_is_needed("bimodal", 9);
}

/* Six tiles, three frames: each operation is needed, though the run before left right results. */
static void test_pipeline_is_right_and_needs_every_operation(void **state)
{
    struct bench bench;

    (void)state;
    bench_open(&bench);
    bench_set_up(&bench, "pipeline", 1);
    assert_int_equal(bench.workload->dag->op_count, 3 * 6 * 4);
    for (int i = 0; i < 3 * 6 * 4; i++) {
        bench_run_without(&bench, i);
        bench_expect_wrong(&bench, "pipeline: pixel (");
    }
    bench_run_without(&bench, BENCH_ALL);
    bench_expect_right(&bench);
    bench_close(&bench);
}

/* The operation of chain `chain` that has the given place in it. */
static const struct gp_dag_op *chain_op(const struct bench *bench, uint32_t chain, uint32_t place)
{
    const struct gp_dag *dag = bench->workload->dag;

    return &dag->ops[dag->chain_ops[dag->chain_first[chain] + place]];
}

static void test_wrong_elements_are_named(void **state)
{
    struct bench bench;
    float *y, *c;
    char text[96];

    (void)state;
    bench_open(&bench);
    bench_set_up(&bench, "batch", 2);
    bench_run_without(&bench, BENCH_ALL);
    y = (float *)(uintptr_t)chain_op(&bench, 3, 4)->to;
    (void)snprintf(text, sizeof text, "batch: y[17] of batch 3: got %g, expected %g",
                   (double)y[17] + 1.0, (double)y[17]);
    y[17] += 1.0f;
    bench_expect_wrong(&bench, text);
    y[17] -= 1.0f;
    bench_expect_right(&bench);
    c = gp_launch_pointer(&chain_op(&bench, 5, 1)->launch, 2);
    (void)snprintf(text, sizeof text, "batch: c[2][9] of batch 5: got %g, expected %g",
                   (double)c[2 * 64 + 9] - 1.0, (double)c[2 * 64 + 9]);
    c[2 * 64 + 9] -= 1.0f;
    bench_expect_wrong(&bench, text);
    bench_close(&bench);

    bench_open(&bench);
    bench_set_up(&bench, "mixed", 2);
    bench_run_without(&bench, BENCH_ALL);
    y = (float *)(uintptr_t)chain_op(&bench, 4, 2)->to;
    (void)snprintf(text, sizeof text, "mixed: output[1023] of chunk 4: got %g, expected %g",
                   (double)y[1023] + 2.0, (double)y[1023]);
    y[1023] += 2.0f;
    bench_expect_wrong(&bench, text);
    bench_close(&bench);
}

/* Of both kinds of kernels; which is which only their names say. */
static void test_wrong_elements_of_both_kinds_are_named(void **state)
{
    struct bench bench;
    uint32_t seen[2] = {0, 0};

    (void)state;
    bench_open(&bench);
    bench_set_up(&bench, "bimodal", 3);
    bench_run_without(&bench, BENCH_ALL);
    for (uint32_t i = 0; i < bench.workload->dag->op_count; i++) {
        const struct gp_dag_op *op = &bench.workload->dag->ops[i];
        bool is_large = strcmp(op->name, "large") == 0;
        float *data = gp_launch_pointer(&op->launch, is_large ? 2 : 0);
        char text[96];

        if (is_large) {
            (void)snprintf(text, sizeof text, "bimodal: c[0][7] of large kernel %u: got %g",
                           seen[1]++, (double)data[7] + 1.0);
        } else {
            (void)snprintf(text, sizeof text, "bimodal: data[%u]: got %g", 384 * seen[0]++ + 7,
                           (double)data[7] + 1.0);
        }
        data[7] += 1.0f;
        bench_expect_wrong(&bench, text);
        data[7] -= 1.0f;
    }
    bench_expect_right(&bench);
    assert_true(seen[0] == 6 && seen[1] == 3);
    bench_close(&bench);
}

/* A run that used another batch's data must not pass for right. */
static void test_inputs_differ(void **state)
{
    struct bench bench;
    struct gp_dag_op op;

    (void)state;
    bench_open(&bench);
    bench_set_up(&bench, "batch", 3);
    bench_run_without(&bench, BENCH_ALL);
    op = *chain_op(&bench, 0, 4);
    op.to = chain_op(&bench, 1, 4)->to;
    bench_submit(&bench, &op);
    bench_expect_wrong(&bench, "of batch 1: got");
    bench_close(&bench);
}

static void test_seeds_repeat(void **state)
{
    struct bench benches[3];
    const uint64_t seeds[3] = {7, 7, 8};
    const void *inputs[3];
    size_t bytes = 0;

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        bench_open(&benches[i]);
        bench_set_up(&benches[i], "mixed", seeds[i]);
        inputs[i] = (const void *)(uintptr_t)benches[i].workload->dag->ops[0].from;
        bytes = benches[i].workload->dag->ops[0].bytes;
    }
    assert_memory_equal(inputs[0], inputs[1], bytes);
    assert_memory_not_equal(inputs[0], inputs[2], bytes);
    for (size_t i = 0; i < 3; i++) {
        bench_close(&benches[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_batch_is_right_and_needs_every_operation),
        cmocka_unit_test(test_mixed_is_right_and_needs_every_operation),
        cmocka_unit_test(test_words_show_each_operation),
        cmocka_unit_test(test_pipeline_is_right_and_needs_every_operation),
        cmocka_unit_test(test_wrong_elements_are_named),
        cmocka_unit_test(test_bimodal_needs_every_operation),
        cmocka_unit_test(test_wrong_elements_of_both_kinds_are_named),
        cmocka_unit_test(test_inputs_differ),
        cmocka_unit_test(test_seeds_repeat),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
