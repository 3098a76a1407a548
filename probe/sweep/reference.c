/* The reference pass: see reference.h. */
#include "probe/sweep/reference.h"

#include <stdio.h>

#include "probe/analysis/summary.h"
#include "probe/memory.h"
#include "probe/sweep/bench.h"
#include "probe/sweep/witness.h"
#include "scenarios/workload.h"

enum { REFERENCE_PAIRS = GP_PAIRS_MIN };

static bool is_interrupted(const struct gp_bench *bench)
{
    return bench->options->interrupted != NULL && *bench->options->interrupted != 0;
}

static int watch(struct gp_bench *bench, bool on, struct gp_error *err)
{
    return bench->witness->ops->watch(bench->witness, on, err);
}

static void report(const struct gp_bench *bench, const struct gp_cell *cell,
                   struct gp_sweep_progress *progress)
{
    if (bench->options->progress != NULL) {
        progress->scenario = cell->plan.scenario->name;
        progress->policy = cell->plan.policy->name;
        progress->streams = cell->plan.streams;
        progress->pass = GP_PASS_REFERENCE;
        bench->options->progress(bench->options->user, progress);
    }
}

/* One run that nobody watches, then one that the witness does. */
static int run_pair(struct gp_cell *cell, struct gp_bench *bench, struct gp_workload *workload,
                    struct gp_error *err)
{
    int64_t plain_ns = 0;
    int code = watch(bench, false, err);

    if (code == 0) {
        code = gp_cell_warm(cell, bench, workload, &plain_ns, err);
    }
    if (code == 0) {
        gp_cell_keep_plain(cell, plain_ns);
        code = watch(bench, true, err);
    }
    return code == 0 ? gp_cell_traced(cell, bench, workload, GP_PASS_REFERENCE,
                                      !bench->options->verify_off, err)
                     : code;
}

static int record_cost(const struct gp_cell *cell, struct gp_bench *bench, struct gp_error *err)
{
    double ratios[REFERENCE_PAIRS];
    struct gp_metric_row row = {.cell = cell->id, .name = "reference_perturbation"};
    struct gp_figure figure;

    for (uint32_t i = 0; i < cell->pair_count; i++) {
        ratios[i] = (double)cell->pairs[i].traced_ns / (double)cell->pairs[i].plain_ns;
    }
    figure = gp_figure_median(ratios, cell->pair_count);
    row.value = figure.median;
    row.lo = figure.lo;
    row.hi = figure.hi;
    return gp_recorder_add_metrics(bench->recorder, &row, 1, err);
}

/* CUPTI instruments kernels when it first sees them: one watched run that is not kept. */
static int run_cell(struct gp_cell *cell, struct gp_bench *bench, struct gp_workload *workload,
                    struct gp_sweep_progress *progress, struct gp_error *err)
{
    int64_t ignored_ns = 0;
    int code = watch(bench, true, err);

    if (code == 0) {
        code = gp_cell_warm(cell, bench, workload, &ignored_ns, err);
    }
    for (int i = 0; i < REFERENCE_PAIRS && code == 0 && !is_interrupted(bench); i++) {
        report(bench, cell, progress);
        code = run_pair(cell, bench, workload, err);
        progress->runs_done++;
    }
    if (code == 0 && cell->pair_count > 0) {
        code = record_cost(cell, bench, err);
    }
    return code == 0 ? gp_cell_keep_median(cell, bench, err) : code;
}

/* What stops one cell's reference leaves its other runs as they are. */
static int try_cell(struct gp_bench *bench, struct gp_workload *workload,
                    const struct gp_cell_plan *plan, struct gp_sweep_progress *progress,
                    struct gp_error *err)
{
    struct gp_cell cell;
    struct gp_error lost = {0};
    char text[sizeof cell.name + sizeof err->text];
    int code = gp_cell_init(&cell, bench, workload, plan, err);

    cell.id = bench->outcomes[plan->index].cell;
    if (code == 0 && cell.status != GP_STATUS_INCOMPLETE) {
        *err = cell.error;
        code = err->code;
    }
    if (code == 0 && cell.driver == NULL) {
        code = run_cell(&cell, bench, workload, progress, err);
    }
    if (code != 0 && code != GP_EIO && code != GP_ENOMEM &&
        gp_device_check(bench->device, &lost) == 0) {
        (void)snprintf(text, sizeof text, "%s: no reference: %s", cell.name, err->text);
        if (bench->options->message != NULL) {
            bench->options->message(bench->options->user, text);
        }
        *err = (struct gp_error){0};
        code = 0;
    }
    gp_cell_finish(&cell);
    return code;
}

static int run_part(struct gp_bench *bench, const struct gp_cell_plan *plan, uint32_t count,
                    struct gp_sweep_progress *progress, struct gp_error *err)
{
    struct gp_workload *workload = NULL;
    int code = gp_workload_create(plan->scenario, bench->device, bench->helper, plan->values,
                                  bench->options->seed, &workload, err);
    for (uint32_t i = 0; i < count && code == 0 && !is_interrupted(bench); i++) {
        if (bench->outcomes[plan[i].index].status == GP_STATUS_COMPLETE) {
            code = try_cell(bench, workload, &plan[i], progress, err);
        }
    }
    gp_workload_destroy(workload);
    return code;
}

static int refuse(struct gp_bench *bench, struct gp_error *err)
{
    char text[sizeof err->text + 32];

    (void)snprintf(text, sizeof text, "none: %s", err->text);
    if (bench->options->message != NULL) {
        char line[sizeof text + 32];

        (void)snprintf(line, sizeof line, "reference: %s", text);
        bench->options->message(bench->options->user, line);
    }
    *err = (struct gp_error){0};
    return gp_recorder_set_key(bench->recorder, "reference", text, err);
}

int gp_reference_run(struct gp_bench *bench, const struct gp_cell_plan *plan, uint32_t count,
                     struct gp_sweep_progress *progress, struct gp_error *err)
{
    struct gp_witness witness = {.ops = gp_witness_table[bench->options->reference],
                                 .device = bench->device};
    const struct gp_engines plain = bench->engines;
    uint32_t first = 0;
    int code = witness.ops->open(&witness, err);

    if (code != 0) {
        return refuse(bench, err);
    }
    bench->witness = &witness;
    code = gp_recorder_set_key(bench->recorder, "reference", witness.description, err);
    code = code == 0 ? watch(bench, true, err) : code;
    code = code == 0 ? gp_bench_measure_engines(bench, "_watched", err) : code;
    gp_engines_watched(&plain, &bench->engines, &bench->engines);
    while (first < count && code == 0 && !is_interrupted(bench)) {
        uint32_t end = first;

        while (end < count && plan[end].part == plan[first].part) {
            end++;
        }
        code = run_part(bench, plan + first, end - first, progress, err);
        first = end;
    }
    witness.ops->close(&witness);
    bench->witness = NULL;
    return code;
}
