/* The sweep's rounds: see sweep.h. */
#include "probe/sweep/sweep.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "core/random.h"
#include "probe/analysis/summary.h"
#include "probe/memory.h"
#include "probe/sweep/bench.h"
#include "probe/sweep/cell.h"
#include "probe/sweep/reference.h"
#include "scenarios/workload.h"

enum {
    ROUNDS_MIN = GP_PAIRS_MIN,
    ROUNDS_MAX = 100,
    DISTURBED_MAX = 5, /* runs in turn that the machine may spoil */
};

static const int64_t default_budget_ns = INT64_C(60) * 1000 * 1000 * 1000;
/* A cell is measured well enough when its interval is no wider than this part of its median. */
static const double interval_enough = 0.01;
/* Clocks are steady when the same cell repeats within this part, after at least and at most this
 * long. */
static const double steady_enough = 0.02;
static const int64_t warm_min_ns = INT64_C(200) * 1000 * 1000;
static const int64_t warm_max_ns = INT64_C(1500) * 1000 * 1000;

/* One scenario with one set of values. */
struct part {
    struct gp_bench *bench;
    struct gp_workload *workload;
    struct gp_cell *cells;
    uint32_t cell_count;
    uint32_t *order;
    struct gp_random random;
    int64_t deadline_ns; /* host clock of the device */
    struct gp_sweep_progress progress;
};

static bool is_interrupted(const struct gp_bench *bench)
{
    return bench->options->interrupted != NULL && *bench->options->interrupted != 0;
}

static bool is_running(const struct gp_cell *cell)
{
    return cell->status == GP_STATUS_INCOMPLETE;
}

static void report(struct part *part, const struct gp_cell *cell, enum gp_pass pass)
{
    const struct gp_sweep_options *options = part->bench->options;

    if (options->progress != NULL) {
        part->progress.scenario = cell->plan.scenario->name;
        part->progress.policy = cell->plan.policy->name;
        part->progress.streams = cell->plan.streams;
        part->progress.pass = pass;
        options->progress(options->user, &part->progress);
    }
}

/* What a failed run means: the cell is over; the sweep only when the device is lost or the
 * recording cannot be written. */
static int settle(struct part *part, struct gp_cell *cell, int code, struct gp_error *err)
{
    struct gp_error lost = {0};

    if (code == 0) {
        return 0;
    }
    if (code == GP_EIO || code == GP_ENOMEM) {
        return code;
    }
    cell->status = code == GP_EUNSUPPORTED ? GP_STATUS_UNSUPPORTED : GP_STATUS_FAILED;
    cell->error = *err;
    if (gp_device_check(part->bench->device, &lost) != 0) {
        return code;
    }
    *err = (struct gp_error){0};
    return 0;
}

static void shuffle(struct part *part)
{
    for (uint32_t i = 0; i < part->cell_count; i++) {
        part->order[i] = i;
    }
    for (uint32_t i = part->cell_count; i > 1; i--) {
        uint32_t k = (uint32_t)gp_random_below(&part->random, i);
        uint32_t swap = part->order[i - 1];

        part->order[i - 1] = part->order[k];
        part->order[k] = swap;
    }
}

/* Whether data are compared in this pass of this cell: in traced runs, or, when there are none, in
 * the first plain run. The model repeats itself exactly, so there once is enough. */
static bool verifies(const struct part *part, const struct gp_cell *cell, enum gp_pass pass,
                     bool has_traced)
{
    if (part->bench->options->verify_off || !gp_workload_has_reference(part->workload)) {
        return false;
    }
    if (pass == GP_PASS_PLAIN) {
        return !has_traced && !cell->checked;
    }
    return !cell->checked || !part->bench->is_modelled;
}

/* One plain run, and its traced twin where one is wanted. */
static int run_once(struct part *part, struct gp_cell *cell, bool traced, struct gp_error *err)
{
    bool has_traced = cell->plan.trace != GP_TRACE_OFF && cell->driver == NULL;
    int code;

    traced = traced && has_traced;
    report(part, cell, GP_PASS_PLAIN);
    code = gp_cell_plain(cell, part->bench, part->workload,
                         verifies(part, cell, GP_PASS_PLAIN, has_traced), err);
    part->progress.runs_done++;
    if (code == 0 && traced && !cell->is_disturbed) {
        report(part, cell, GP_PASS_TRACED);
        code = gp_cell_traced(cell, part->bench, part->workload, GP_PASS_TRACED,
                              verifies(part, cell, GP_PASS_TRACED, has_traced), err);
        part->progress.runs_done++;
    }
    return code;
}

/* Says what disturbed a cell. */
static void tell_disturbed(const struct part *part, const struct gp_cell *cell, const char *what)
{
    const struct gp_sweep_options *options = part->bench->options;
    char text[sizeof cell->name + GP_MACHINE_TEXT_BYTES + 64];

    if (options->message != NULL) {
        (void)snprintf(text, sizeof text, "%s: %s: %s", cell->name, part->bench->watch.note, what);
        options->message(options->user, text);
    }
}

/* Runs it again while the machine changes, a few times at most: a GPU that is never steady ends the
 * cell rather than the user's patience. */
static int run_undisturbed(struct part *part, struct gp_cell *cell, bool traced,
                           struct gp_error *err)
{
    int code = 0;

    for (int i = 0; i < DISTURBED_MAX; i++) {
        uint32_t per_run = traced ? 2 : 1;

        code = run_once(part, cell, traced, err);
        if (code != 0 || !cell->is_disturbed || is_interrupted(part->bench)) {
            return code;
        }
        part->progress.runs_total += per_run;
        tell_disturbed(part, cell, "the run is repeated");
    }
    return gp_fail(
        err, GP_ESTATE,
        "%s, in each of %d runs in turn: let the GPU come to rest, or keep others off it",
        part->bench->watch.note, (int)DISTURBED_MAX);
}

/* A schedule with hazards is run once, so that the recording has its operations and edges. The
 * hazard says more than the wrong data that come of it. */
static int run_cell(struct part *part, struct gp_cell *cell, bool traced, struct gp_error *err)
{
    int code = run_undisturbed(part, cell, traced, err);

    if (code == 0 || code == GP_EVERIFY) {
        int hazard = gp_check_result(cell->schedule, cell->hazards, err);

        code = hazard != 0 ? hazard : code;
    }
    return settle(part, cell, code, err);
}

static bool is_measured(const struct gp_cell *cell)
{
    struct gp_figure figure = gp_figure_median(cell->plain_ns, cell->plain_count);

    return figure.hi - figure.lo <= interval_enough * figure.median;
}

/* Whether another round is wanted. */
static bool wants_round(const struct part *part, uint32_t rounds)
{
    uint32_t asked = part->bench->options->repeats;
    bool open = false;

    for (uint32_t i = 0; i < part->cell_count; i++) {
        const struct gp_cell *cell = &part->cells[i];

        open |= is_running(cell) && (asked > 0 || rounds < ROUNDS_MIN || !is_measured(cell));
    }
    if (!open || is_interrupted(part->bench)) {
        return false;
    }
    if (asked > 0) {
        return rounds < asked;
    }
    if (rounds < ROUNDS_MIN) {
        return true;
    }
    return rounds < ROUNDS_MAX && gp_device_clock_ns(part->bench->device) < part->deadline_ns;
}

static int run_rounds(struct part *part, struct gp_error *err)
{
    for (uint32_t round = 0; wants_round(part, round); round++) {
        bool traced = round < GP_PAIRS_MIN;

        shuffle(part);
        if (round >= GP_PAIRS_MIN) {
            part->progress.runs_total += part->cell_count;
        }
        for (uint32_t i = 0; i < part->cell_count && !is_interrupted(part->bench); i++) {
            struct gp_cell *cell = &part->cells[part->order[i]];
            int code = is_running(cell) ? run_cell(part, cell, traced, err) : 0;

            if (code != 0) {
                return code;
            }
        }
    }
    return 0;
}

/* Runs every cell until clocks are steady. The model has none. */
static int warm_up(struct part *part, struct gp_error *err)
{
    struct gp_device *device = part->bench->device;
    int64_t start_ns = gp_device_clock_ns(device);
    int64_t last_ns = 0;

    if (part->bench->is_modelled) {
        return 0;
    }
    for (;;) {
        int64_t elapsed_ns;
        int64_t first_ns = 0;
        double change;

        for (uint32_t i = 0; i < part->cell_count && !is_interrupted(part->bench); i++) {
            struct gp_cell *cell = &part->cells[i];
            int64_t ns = 0;
            int code = 0;

            if (is_running(cell)) {
                code = settle(part, cell, gp_cell_warm(cell, part->bench, part->workload, &ns, err),
                              err);
            }
            if (code != 0) {
                return code;
            }
            first_ns = first_ns == 0 ? ns : first_ns;
        }
        elapsed_ns = gp_device_clock_ns(device) - start_ns;
        change = (double)(first_ns - last_ns) / (double)(first_ns > 0 ? first_ns : 1);
        if (elapsed_ns > warm_max_ns || is_interrupted(part->bench) ||
            (elapsed_ns > warm_min_ns && change < steady_enough && change > -steady_enough)) {
            return 0;
        }
        last_ns = first_ns;
    }
}

static int make_cells(struct part *part, const struct gp_cell_plan *plan, uint32_t count,
                      struct gp_error *err)
{
    int code = 0;

    part->cells = gp_xalloc(count, sizeof part->cells[0]);
    part->order = gp_xalloc(count, sizeof part->order[0]);
    while (part->cell_count < count && code == 0) {
        code = gp_cell_init(&part->cells[part->cell_count], part->bench, part->workload,
                            &plan[part->cell_count], err);
        if (code == 0) {
            code = gp_cell_add(&part->cells[part->cell_count], part->bench, part->workload, err);
        }
        part->cell_count++;
    }
    return code;
}

/* Ends the cells that ran through; after a failure the others stay as they are, `incomplete`. */
static int close_cells(struct part *part, int code, struct gp_error *err)
{
    struct gp_error first = err != NULL ? *err : (struct gp_error){0};
    bool whole = code == 0 && !is_interrupted(part->bench);

    for (uint32_t i = 0; i < part->cell_count; i++) {
        struct gp_cell *cell = &part->cells[i];
        struct gp_error also = {0};
        int closed;

        if (whole && is_running(cell)) {
            cell->status = GP_STATUS_COMPLETE;
        }
        closed = gp_cell_close(cell, part->bench, &also);
        part->bench->outcomes[cell->plan.index] = (struct gp_outcome){cell->id, cell->status};
        if (closed != 0 && code == 0) {
            code = closed;
            first = also;
        }
        gp_cell_finish(cell);
    }
    if (code != 0 && err != NULL) {
        *err = first;
    }
    return code;
}

static int run_part(struct gp_bench *bench, const struct gp_cell_plan *plan, uint32_t count,
                    struct gp_sweep_progress *progress, int64_t budget_ns, struct gp_error *err)
{
    const struct gp_sweep_options *options = bench->options;
    struct part part = {.bench = bench, .progress = *progress};
    int code;

    part.random.state = options->seed;
    code = gp_workload_create(plan->scenario, bench->device, bench->helper, plan->values,
                              options->seed, &part.workload, err);
    if (code != 0) {
        return gp_fail_context(err, "scenario %s", plan->scenario->name);
    }
    code = gp_nvtx_prepare(bench->nvtx, part.workload->dag, err);
    if (code == 0) {
        code = make_cells(&part, plan, count, err);
    }
    if (code == 0) {
        code = warm_up(&part, err);
    }
    part.deadline_ns = gp_device_clock_ns(bench->device) + budget_ns;
    if (code == 0) {
        code = run_rounds(&part, err);
    }
    code = close_cells(&part, code, err);
    gp_workload_destroy(part.workload);
    gp_free(part.cells);
    gp_free(part.order);
    *progress = part.progress;
    return code;
}

static uint32_t expected_runs(const struct gp_sweep_options *options,
                              const struct gp_cell_plan *plan, uint32_t count)
{
    uint32_t rounds = options->repeats > 0 ? options->repeats : ROUNDS_MIN;
    uint32_t traced = rounds < GP_PAIRS_MIN ? rounds : GP_PAIRS_MIN;
    uint32_t reference = options->reference != GP_REFERENCE_NONE ? GP_PAIRS_MIN : 0;
    uint32_t runs = 0;

    for (uint32_t i = 0; i < count; i++) {
        runs += rounds + (plan[i].trace != GP_TRACE_OFF ? traced : 0) + reference;
    }
    return runs;
}

static int run_all(struct gp_bench *bench, const struct gp_cell_plan *plan, uint32_t count,
                   struct gp_error *err)
{
    const struct gp_sweep_options *options = bench->options;
    struct gp_sweep_progress progress = {.runs_total = expected_runs(options, plan, count)};
    int64_t budget_ns = options->budget_ns > 0 ? options->budget_ns : default_budget_ns;
    uint32_t parts = count > 0 ? plan[count - 1].part + 1 : 1;
    uint32_t first = 0;

    while (first < count && !is_interrupted(bench)) {
        uint32_t end = first;
        int code;

        while (end < count && plan[end].part == plan[first].part) {
            end++;
        }
        code = run_part(bench, plan + first, end - first, &progress, budget_ns / parts, err);
        if (code != 0) {
            return code;
        }
        first = end;
    }
    if (options->reference != GP_REFERENCE_NONE && !is_interrupted(bench)) {
        int code = gp_reference_run(bench, plan, count, &progress, err);

        if (code != 0) {
            return code;
        }
    }
    return is_interrupted(bench) ? gp_fail(err, GP_EINTERRUPTED, "interrupted") : 0;
}

/* Sets up once what depends on a file of the user's, before anything is recorded: when the driver
 * refuses it, no recording is begun, and none is overwritten. */
static int try_out(struct gp_device *device, const struct gp_sweep_options *options,
                   const struct gp_cell_plan *plan, uint32_t count, struct gp_error *err)
{
    struct gp_stream *stream = NULL;
    int code = 0;

    for (uint32_t i = 0; i < count && code == 0; i++) {
        bool is_first = i == 0 || plan[i].part != plan[i - 1].part;
        struct gp_workload *workload = NULL;

        if (!is_first || (plan[i].scenario->flags & GP_SCENARIO_NEEDS_FILE) == 0) {
            continue;
        }
        code =
            stream != NULL ? 0 : gp_stream_create(device, GP_STREAM_NON_BLOCKING, 0, &stream, err);
        if (code == 0) {
            code = gp_workload_create(plan[i].scenario, device, stream, plan[i].values,
                                      options->seed, &workload, err);
            code = code == 0 ? 0 : gp_fail_context(err, "scenario %s", plan[i].scenario->name);
        }
        gp_workload_destroy(workload);
    }
    (void)gp_stream_destroy(stream, NULL);
    return code;
}

int gp_sweep_run_plan(struct gp_device *device, const struct gp_sweep_options *options,
                      const struct gp_cell_plan *plan, uint32_t count, struct gp_error *err)
{
    struct gp_bench bench;
    int code;

    assert(device != NULL && options->output != NULL && plan != NULL && count > 0);
    code = try_out(device, options, plan, count, err);
    if (code != 0) {
        return code;
    }
    code = gp_bench_init(&bench, device, options, plan, count, err);
    if (code == 0) {
        code = run_all(&bench, plan, count, err);
    }
    return gp_bench_finish(&bench, code, err);
}

int gp_sweep_run(struct gp_device *device, const struct gp_sweep_options *options,
                 struct gp_error *err)
{
    struct gp_cell_plan *plan = NULL;
    struct gp_error own = {0};
    uint32_t count = 0;
    int code;

    err = err != NULL ? err : &own;
    code = gp_sweep_plan(options, &device->info, &plan, &count, err);
    if (code == 0) {
        code = gp_sweep_run_plan(device, options, plan, count, err);
    }
    gp_free(plan);
    return code;
}
