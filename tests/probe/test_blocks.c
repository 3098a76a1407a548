/* Sweeps on the model with --trace blocks, read back from their recordings. */
#include "trial.h"

#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "probe/timing/tracer.h"
#include "scenarios/workload.h"

static uint32_t grid_of(const struct gp_op_row *op)
{
    return op->grid[0] * op->grid[1] * op->grid[2];
}

/* The run of a cell whose operations were kept, and how many traced runs there are. */
static struct gp_run_row kept_run(struct trial *trial, int64_t cell, uint32_t *traced)
{
    struct gp_run_row *runs = NULL, kept = {0};
    uint32_t count = 0;

    *traced = 0;
    gp_assert_ok(gp_reader_runs(trial->reader, cell, &runs, &count, &trial->err), trial->err);
    for (uint32_t i = 0; i < count; i++) {
        *traced += runs[i].pass == GP_PASS_TRACED;
        if (runs[i].op_count > 0) {
            kept = runs[i];
        }
    }
    gp_free(runs);
    assert_true(kept.id > 0);
    return kept;
}

/* A kernel's blocks: all of them, each within the kernel, which begins with the first of them and
 * ends with the last. Returns how many. */
static uint32_t check_op(const struct gp_op_row *op, const struct gp_block_row *blocks,
                         uint32_t sm_count)
{
    int64_t begin = INT64_MAX, end = INT64_MIN;

    for (uint32_t i = 0; i < grid_of(op); i++) {
        assert_int_equal(blocks[i].op, op->id);
        assert_int_equal(blocks[i].block, i);
        assert_true(blocks[i].sm < sm_count);
        assert_true(blocks[i].end >= blocks[i].begin);
        begin = blocks[i].begin < begin ? blocks[i].begin : begin;
        end = blocks[i].end > end ? blocks[i].end : end;
    }
    assert_int_equal(op->stamp_begin, begin);
    assert_int_equal(op->stamp_end, end);
    return grid_of(op);
}

static void check_cell(struct trial *trial, uint32_t cell)
{
    const struct gp_device_row *device = gp_reader_device(trial->reader, trial->cells[cell].device);
    struct gp_block_row *blocks = NULL;
    uint32_t count = 0, at = 0, traced = 0;
    struct gp_run_row run = kept_run(trial, trial->cells[cell].id, &traced);
    struct gp_op_row *ops = gp_alloc(run.op_count, sizeof *ops);

    assert_int_equal(run.trace, GP_TRACE_BLOCKS);
    assert_string_equal(run.trace_note, "");
    gp_assert_ok(gp_reader_ops(trial->reader, run.id, 0, run.op_count, ops, &trial->err),
                 trial->err);
    gp_assert_ok(gp_reader_blocks(trial->reader, run.id, &blocks, &count, &trial->err), trial->err);
    for (uint32_t i = 0; i < run.op_count; i++) {
        if (ops[i].kind == GP_OP_KERNEL) {
            assert_true(at + grid_of(&ops[i]) <= count);
            at += check_op(&ops[i], blocks + at, (uint32_t)device->sm_count);
        }
    }
    assert_true(at > 0);
    assert_int_equal(at, count);
    gp_free(blocks);
    gp_free(ops);
}

/* One launch after the other, and a graph whose nodes have the slots. */
static void test_every_block_is_recorded(void **state)
{
    static const struct gp_setting few[][1] = {{{"kernels", "12"}}, {{"kernels", "2"}}};
    static const char *const names[] = {"small", "saturate"};

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const struct gp_scenario_ops *scenario = gp_scenario_find(names[i]);
        struct trial trial;

        trial_start(&trial, &scenario);
        trial.options.settings = few[i];
        trial.options.setting_count = 1;
        trial.options.repeats = 2;
        trial.options.trace = GP_TRACE_BLOCKS;
        trial.options.submits = 1u << GP_SUBMIT_STREAMS | 1u << GP_SUBMIT_GRAPH;
        trial_run(&trial);
        gp_assert_ok(trial.code, trial.err);
        trial_read_back(&trial);
        assert_true(trial.cell_count > 2);
        for (uint32_t cell = 0; cell < trial.cell_count; cell++) {
            check_cell(&trial, cell);
        }
        trial_finish(&trial);
    }
}

/* What is measured is the same: plain runs take as long as beside stamps, and the copies, the order
 * and the kernels' own times are known as well. */
static void test_the_rest_is_as_with_stamps(void **state)
{
    static const enum gp_trace traces[2] = {GP_TRACE_STAMPS, GP_TRACE_BLOCKS};
    const struct gp_scenario_ops *scenario = gp_scenario_find("batch");
    struct gp_op_row ops[2][24 * 5];
    int64_t makespans[2];

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct gp_run_row run;
        struct trial trial;
        uint32_t traced;

        trial_start(&trial, &scenario);
        trial.options.settings = trial_small_batch;
        trial.options.setting_count = 4;
        trial.options.trace = traces[i];
        trial.options.repeats = 2;
        trial_run(&trial);
        gp_assert_ok(trial.code, trial.err);
        trial_read_back(&trial);
        run = kept_run(&trial, trial.cells[2].id, &traced);
        assert_int_equal(run.op_count, 24 * 5);
        makespans[i] = run.makespan_ns;
        gp_assert_ok(gp_reader_ops(trial.reader, run.id, 0, run.op_count, ops[i], &trial.err),
                     trial.err);
        trial_finish(&trial);
    }
    assert_int_equal(makespans[0], makespans[1]);
    for (uint32_t k = 0; k < 24 * 5; k++) {
        /* The device's timer began elsewhere, so whole ticks may fall otherwise. */
        assert_in_range(ops[1][k].begin - ops[0][k].begin + 32, 0, 64);
        assert_in_range(ops[1][k].end - ops[0][k].end + 32, 0, 64);
        assert_int_equal(ops[1][k].source, ops[0][k].source);
    }
}

/* More blocks than a run has room for: the kernels beyond are stamped as a whole, and it is said.
 */
static void test_too_many_blocks(void **state)
{
    static const struct gp_setting many[] = {
        {"kernels", "8"}, {"wave_blocks", "8192"}, {"waves", "20"}, {"us", "3"}};
    const struct gp_scenario_ops *scenario = gp_scenario_find("saturate");
    const uint32_t each = 8192 * 20, fitting = GP_TRACED_BLOCKS_MAX / each;
    struct gp_block_row *blocks = NULL;
    struct gp_op_row ops[8];
    uint32_t count = 0, traced = 0;
    struct gp_run_row run;
    struct trial trial;

    (void)state;
    trial_start(&trial, &scenario);
    trial.options.policy_count = 1;
    trial.options.settings = many;
    trial.options.setting_count = 4;
    trial.options.trace = GP_TRACE_BLOCKS;
    trial.options.repeats = 1;
    trial.options.verify_off = true;
    trial_run(&trial);
    gp_assert_ok(trial.code, trial.err);
    trial_read_back(&trial);
    run = kept_run(&trial, trial.cells[0].id, &traced);
    assert_string_equal(run.trace_note, "2 of 8 kernels are stamped as a whole: a run has room for "
                                        "1048576 blocks");
    gp_assert_ok(gp_reader_ops(trial.reader, run.id, 0, 8, ops, &trial.err), trial.err);
    gp_assert_ok(gp_reader_blocks(trial.reader, run.id, &blocks, &count, &trial.err), trial.err);
    assert_int_equal(count, fitting * each);
    assert_int_equal(blocks[count - 1].op, fitting - 1);
    for (uint32_t i = 0; i < 8; i++) {
        assert_int_equal(grid_of(&ops[i]), each);
        assert_true(ops[i].stamp_end > ops[i].stamp_begin);
    }
    gp_free(blocks);
    trial_finish(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_block_is_recorded),
        cmocka_unit_test(test_the_rest_is_as_with_stamps),
        cmocka_unit_test(test_too_many_blocks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
