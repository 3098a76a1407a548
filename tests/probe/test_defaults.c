/*
 * The rules for what scenarios run by default, on the model: that a run is long enough to be timed,
 * that filling and draining the streams does not matter, that no stage hides the others, and that
 * no stream is so full that it holds the host back. A scenario that breaks one says here why.
 *
 * usage: test_probe_defaults [SHARE SHARES]: of the scenarios every SHARES-th, from SHARE on
 */
#include "trial.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "probe/analysis/load.h"
#include "scenarios/workload.h"

enum { BEST_NS = 2000000, ITEMS_PER_STREAM = 32, LAUNCHES_MAX = 1000, STAGES_MAX = 16 };
static const double stage_ratio = 1.5;
static const double close_to_best = 1.02;

enum { SHORT = 1, FEW_ITEMS = 2, UNLIKE_STAGES = 4, FULL_STREAM = 8 };

static const struct {
    const char *scenario;
    unsigned broken;
    const char *why;
} exceptions[] = {
    {"batch", FEW_ITEMS | UNLIKE_STAGES,
     "a network's layers are as they are; 8 streams are filled "
     "in the time of one gemm"},
    {"mixed", FEW_ITEMS, "of 16 MiB chunks it shows what the first and the last cost"},
    {"saturate", FEW_ITEMS, "no kernel leaves room for another"},
    {"fork-join", FEW_ITEMS | UNLIKE_STAGES, "each diamond drains at its join"},
    {"events", FEW_ITEMS, "each group drains at its join"},
    {"pipeline", FEW_ITEMS, "two frames are 270 tiles; those of a second wait for the first"},
    {"transfer", UNLIKE_STAGES, "copies of all sizes"},
    {"alloc", SHORT | FEW_ITEMS | UNLIKE_STAGES, "calls that act at once take ten times as long"},
    {"host-callback", UNLIKE_STAGES, "a host function does nothing"},
    {"null-stream", FEW_ITEMS, "kernels on the NULL stream come one by one"},
    {"priority", FEW_ITEMS | UNLIKE_STAGES, "urgent work is short beside bulk work"},
    {"serving", UNLIKE_STAGES | FULL_STREAM,
     "a small network; beyond its rate one stream is overrun"},
    {"bimodal", FEW_ITEMS | UNLIKE_STAGES, "small kernels beside large ones"},
    {"inflight", SHORT | FEW_ITEMS, "from a single chain on"},
};

static unsigned allowed_of(const char *scenario)
{
    for (size_t i = 0; i < sizeof exceptions / sizeof exceptions[0]; i++) {
        if (strcmp(exceptions[i].scenario, scenario) == 0) {
            assert_true(strlen(exceptions[i].why) > 10);
            return exceptions[i].broken;
        }
    }
    return 0;
}

/* The operations of one name. */
struct stage {
    const char *name;
    double *ns;
    uint32_t count;
};

static struct stage *stage_of(struct stage *stages, uint32_t *count, const char *name,
                              uint32_t op_count)
{
    for (uint32_t i = 0; i < *count; i++) {
        if (strcmp(stages[i].name, name) == 0) {
            return &stages[i];
        }
    }
    assert_true(*count < STAGES_MAX);
    stages[*count] = (struct stage){.name = name, .ns = gp_alloc(op_count, sizeof(double))};
    return &stages[(*count)++];
}

/* What is broken by these operations, of a cell in which each runs nearly alone. */
static unsigned judge_ops(const struct gp_op_row *ops, uint32_t op_count, uint32_t knee)
{
    uint32_t launches[GP_STREAMS_MAX + 1] = {0};
    struct stage stages[STAGES_MAX];
    double shortest = 1e300, longest = 0;
    uint32_t stage_count = 0;
    unsigned broken = 0;

    for (uint32_t i = 0; i < op_count; i++) {
        struct stage *stage =
            stage_of(stages, &stage_count, ops[i].name != NULL ? ops[i].name : "", op_count);

        stage->ns[stage->count++] = (double)(ops[i].end - ops[i].begin);
        assert_true(ops[i].stream <= GP_STREAMS_MAX);
        if (ops[i].kind == GP_OP_KERNEL && ++launches[ops[i].stream] > LAUNCHES_MAX) {
            broken |= FULL_STREAM;
        }
    }
    for (uint32_t i = 0; i < stage_count; i++) {
        double median = gp_figure_median(stages[i].ns, stages[i].count).median;

        shortest = median < shortest ? median : shortest;
        longest = median > longest ? median : longest;
        gp_free(stages[i].ns);
    }
    broken |= longest > stage_ratio * shortest ? UNLIKE_STAGES : 0;
    return broken | (op_count < ITEMS_PER_STREAM * knee * stage_count ? FEW_ITEMS : 0);
}

/* Cells first … end − 1 have the same values; operations are kept of the first. */
static unsigned judge_cells(struct trial *trial, const struct gp_results *results, uint32_t first,
                            uint32_t end)
{
    const struct gp_result *cells = results->cells;
    struct gp_run_row *runs = NULL;
    uint32_t run_count = 0, knee = UINT32_MAX;
    double best_ns = 1e300;
    unsigned broken;

    for (uint32_t i = first; i < end; i++) {
        double ns = cells[i].summary.makespan_ns.median;

        assert_int_equal(cells[i].cell->status, GP_STATUS_COMPLETE);
        best_ns = ns < best_ns ? ns : best_ns;
    }
    for (uint32_t i = first; i < end; i++) {
        uint32_t streams = (uint32_t)cells[i].cell->streams;

        if (cells[i].summary.makespan_ns.median <= close_to_best * best_ns && streams < knee) {
            knee = streams;
        }
    }
    broken = best_ns < BEST_NS ? SHORT : 0;
    gp_assert_ok(
        gp_reader_runs(trial->reader, cells[first].cell->id, &runs, &run_count, &trial->err),
        trial->err);
    for (uint32_t i = 0; i < run_count; i++) {
        if (runs[i].op_count > 0) {
            struct gp_op_row *ops = gp_alloc(runs[i].op_count, sizeof *ops);

            gp_assert_ok(
                gp_reader_ops(trial->reader, runs[i].id, 0, runs[i].op_count, ops, &trial->err),
                trial->err);
            broken |= judge_ops(ops, runs[i].op_count, knee);
            gp_free(ops);
        }
    }
    gp_free(runs);
    return broken;
}

static unsigned judge(const struct gp_scenario_ops *scenario)
{
    struct gp_cell_plan *plan;
    struct gp_results results;
    struct trial trial;
    unsigned broken = 0;
    uint32_t count;

    trial_start(&trial, &scenario);
    trial.options.policy_count = 0;
    trial.options.stream_count = 0;
    trial.options.repeats = 1;
    trial.options.verify_off = true;
    gp_assert_ok(gp_sweep_plan(&trial.options, &trial.device->info, &plan, &count, &trial.err),
                 trial.err);
    for (uint32_t i = 1; i < count; i++) {
        plan[i].trace = plan[i].part == plan[i - 1].part ? GP_TRACE_OFF : plan[i].trace;
    }
    trial.code = gp_sweep_run_plan(trial.device, &trial.options, plan, count, &trial.err);
    gp_device_close(trial.device);
    gp_free(plan);
    gp_assert_ok(trial.code, trial.err);
    trial_read_back(&trial);
    gp_assert_ok(gp_results_load(trial.reader, &results, &trial.err), trial.err);
    for (uint32_t first = 0, end; first < results.count; first = end) {
        end = gp_results_group(&results, first);
        broken |= judge_cells(&trial, &results, first, end);
    }
    gp_results_finish(&results);
    trial_finish(&trial);
    return broken;
}

static size_t share, shares = 1;

/* What is excepted is really broken, so that no exception stays behind. */
static void check(const struct gp_scenario_ops *scenario)
{
    unsigned broken = judge(scenario), allowed = allowed_of(scenario->name);

    if (broken != allowed) {
        fail_msg("%s breaks rules %#x, and may break %#x", scenario->name, broken, allowed);
    }
}

static void test_defaults_keep_the_rules(void **state)
{
    (void)state;
    for (size_t i = share; i < gp_scenario_table_count; i += shares) {
        if (gp_scenario_table[i]->flags == 0) {
            check(gp_scenario_table[i]);
        }
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults_keep_the_rules),
    };

    if (argc == 3) {
        share = strtoul(argv[1], NULL, 10);
        shares = strtoul(argv[2], NULL, 10);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
