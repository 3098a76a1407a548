/* Measuring for doctor --timing: see timing.h. */
#include "probe/cli/timing.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "probe/cli/output.h"
#include "probe/memory.h"
#include "probe/store/writer.h"
#include "probe/sweep/sweep.h"
#include "scenarios/workload.h"

enum { REPEATS = 5 };

static const int64_t budget_ns = INT64_C(10) * 1000 * 1000 * 1000;

/* ---- the cells ---- */

struct fixed_cell {
    const char *label, *scenario;
    struct gp_setting settings[2];
    uint32_t streams;
};

/* The first is the one on which constants are fitted: one stream, no contention. */
static const struct fixed_cell fixed_cells[] = {
    {"mixed, 1 stream", "mixed", {{"chunk_kib", "4096"}}, 1},
    {"mixed, 4 streams", "mixed", {{"chunk_kib", "4096"}}, 4},
    {"mixed, 8 streams", "mixed", {{"chunk_kib", "4096"}}, 8},
    {"copies alone, 8 streams", "mixed", {{"chunk_kib", "4096"}, {"iterations", "1"}}, 8},
    {"batch, 4 streams", "batch", {{NULL, NULL}}, 4},
    {"small, 8 streams", "small", {{"us", "15"}}, 8},
};

enum { FIXED_CELLS = sizeof fixed_cells / sizeof fixed_cells[0] };

_Static_assert((int)FIXED_CELLS <= (int)GP_TIMING_CELLS_MAX, "a cost for each cell");

static int plan_cells(const struct gp_device *device, struct gp_cell_plan plan[FIXED_CELLS],
                      struct gp_error *err)
{
    int code = 0;

    for (uint32_t i = 0; i < FIXED_CELLS && code == 0; i++) {
        const struct fixed_cell *cell = &fixed_cells[i];
        const struct gp_scenario_ops *scenario = gp_scenario_find(cell->scenario);
        uint32_t settings = 0;

        assert(scenario != NULL);
        while (settings < 2 && cell->settings[settings].name != NULL) {
            settings++;
        }
        code = gp_sweep_plan_line(scenario, cell->settings, settings, &device->info, &plan[i], err);
        plan[i].policy = gp_policy_find("round-robin");
        plan[i].streams = cell->streams;
        plan[i].index = i;
        plan[i].part = i;
    }
    return code;
}

static int run_cells(struct gp_device *device, const char *path, enum gp_trace trace,
                     struct gp_error *err)
{
    bool is_modelled = device->info.kind == GP_DEVICE_MODEL;
    struct gp_cell_plan plan[FIXED_CELLS];
    const struct gp_sweep_options options = {
        .trace = trace,
        .trace_chosen = true,
        .reference = is_modelled ? GP_REFERENCE_MODEL : GP_REFERENCE_CUPTI,
        .verify_off = true,                   /* times are asked about, not data */
        .repeats = is_modelled ? 1 : REPEATS, /* there they are all the same */
        .budget_ns = budget_ns,
        .output = path,
        .force = true,
    };
    int code = plan_cells(device, plan, err);

    for (uint32_t i = 0; i < FIXED_CELLS; i++) {
        plan[i].trace = trace;
    }
    return code == 0 ? gp_sweep_run_plan(device, &options, plan, FIXED_CELLS, err) : code;
}

/* The operations of a cell's reference run that were kept; none: count 0. */
static int load_run(struct gp_reader *reader, int64_t cell, struct gp_accuracy_run *out,
                    struct gp_error *err)
{
    struct gp_run_row *runs = NULL;
    struct gp_op_row *ops = NULL;
    uint32_t count = 0;
    int code = gp_reader_runs(reader, cell, &runs, &count, err);

    *out = (struct gp_accuracy_run){NULL, 0};
    for (uint32_t i = 0; i < count && code == 0; i++) {
        if (runs[i].pass == GP_PASS_REFERENCE && runs[i].op_count > 0 && ops == NULL) {
            ops = gp_xalloc(runs[i].op_count, sizeof ops[0]);
            code = gp_reader_ops(reader, runs[i].id, 0, runs[i].op_count, ops, err);
            *out = (struct gp_accuracy_run){ops, runs[i].op_count};
        }
    }
    gp_free(runs);
    return code;
}

/* Adds the rows of one recorder's recording. */
static int score(struct gp_report *report, enum gp_accuracy_method method, struct gp_timing *out,
                 struct gp_error *err)
{
    struct gp_accuracy_run runs[GP_TIMING_CELLS_MAX];
    uint32_t count = 0;
    int code = 0;

    for (uint32_t i = 0; i < report->results.count && i < GP_TIMING_CELLS_MAX && code == 0; i++) {
        code = load_run(report->reader, report->results.cells[i].cell->id, &runs[count], err);
        count += runs[count].count > 0 ? 1 : 0;
    }
    if (code == 0 && count >= 2) {
        out->row_count += gp_accuracy_measure(method, runs, count, out->rows + out->row_count);
        out->drift = method == GP_ACCURACY_RESOLVED ? gp_accuracy_drift(&runs[0]) : out->drift;
    }
    for (uint32_t i = 0; i < count; i++) {
        gp_free((void *)(uintptr_t)runs[i].ops);
    }
    return code;
}

static void take_costs(const struct gp_report *stamps, const struct gp_report *events,
                       struct gp_timing *out)
{
    for (uint32_t i = 0; i < stamps->results.count && i < FIXED_CELLS; i++) {
        const struct gp_result *result = &stamps->results.cells[i];
        struct gp_timing_cost *cost = &out->costs[out->cost_count++];

        (void)snprintf(cost->name, sizeof cost->name, "%s", fixed_cells[i].label);
        cost->stamps = result->summary.perturbation;
        cost->reference = result->metrics.reference_perturbation;
        cost->events = i < events->results.count ? events->results.cells[i].summary.perturbation
                                                 : (struct gp_figure){NAN, NAN, NAN};
    }
}

static int load_both(const char *path, const char *naive_path, struct gp_timing *out,
                     struct gp_error *err)
{
    struct gp_report stamps = {0};
    struct gp_report events = {0};
    int code = gp_report_load(path, &stamps, err);

    code = code == 0 ? gp_report_load(naive_path, &events, err) : code;
    code = code == 0 ? score(&events, GP_ACCURACY_NAIVE, out, err) : code;
    code = code == 0 ? score(&stamps, GP_ACCURACY_RESOLVED, out, err) : code;
    if (code == 0) {
        const char *reference = gp_reader_key(stamps.reader, "reference");

        take_costs(&stamps, &events, out);
        (void)snprintf(out->reference, sizeof out->reference, "%s",
                       reference != NULL ? reference : "none");
        for (uint32_t i = 0; i < out->row_count; i++) {
            out->rows[i].device = stamps.device != NULL ? stamps.device->id : 0;
        }
    }
    gp_report_finish(&stamps);
    gp_report_finish(&events);
    return code;
}

/* What the copy oracle said, as rows beside the others: whose end it is, of what size, in which
 * traffic. */
static int keep_copies(struct gp_writer *writer, const struct gp_timing *timing,
                       struct gp_error *err)
{
    int64_t device = timing->row_count > 0 ? timing->rows[0].device : 1;
    int code = 0;

    for (uint32_t i = 0; i < timing->copy_count && code == 0; i++) {
        const struct gp_timing_copy *copy = &timing->copies[i];
        const struct gp_oracle_plan *plan = &copy->plan;
        enum { METHODS = 3 };
        static const char *const names[METHODS] = {"event", "resolved", "reference"};
        char methods[METHODS][64];
        struct gp_accuracy_row rows[METHODS] = {
            {.bias_ns = copy->event_ns, .spread_ns = copy->event_spread_ns, .inside = NAN},
            {.bias_ns = NAN, .spread_ns = NAN, .inside = copy->inside},
            {.bias_ns = copy->reference_end_ns,
             .spread_ns = copy->reference_end_spread_ns,
             .inside = NAN},
        };

        for (int k = 0; k < METHODS; k++) {
            (void)snprintf(methods[k], sizeof methods[k], "%s against oracle, %llu KiB %s",
                           names[k], (unsigned long long)(plan->bytes / 1024),
                           gp_oracle_traffic_name(plan->traffic));
            rows[k].device = device;
            rows[k].kind =
                gp_op_kind_name(plan->direction == GP_DIRECTION_H2D ? GP_OP_H2D : GP_OP_D2H);
            rows[k].method = methods[k];
            rows[k].quantity = "end";
            rows[k].count = GP_TIMING_COPIES;
        }
        code = gp_writer_add_accuracies(writer, rows,
                                        isnan(copy->reference_end_ns) ? METHODS - 1 : METHODS, err);
    }
    return code;
}

static int keep_rows(const char *path, const struct gp_timing *timing, struct gp_error *err)
{
    struct gp_writer *writer = NULL;
    struct gp_writer_ids last;
    int code = gp_writer_open(path, &writer, &last, err);
    int closed;

    if (code == 0) {
        code = gp_writer_add_accuracies(writer, timing->rows, timing->row_count, err);
    }
    code = code == 0 ? keep_copies(writer, timing, err) : code;
    closed = gp_writer_finish(writer, code == 0, code == 0 ? err : NULL);
    return code != 0 ? code : closed;
}

/* ---- all of it ---- */

int gp_timing_measure(struct gp_device *device, const char *path, struct gp_timing *out,
                      struct gp_error *err)
{
    char naive_path[GP_PATH_BYTES_MAX];
    int length = snprintf(naive_path, sizeof naive_path, "%s.naive", path);
    int code;

    memset(out, 0, sizeof *out);
    out->is_modelled = device->info.kind == GP_DEVICE_MODEL;
    if (length < 0 || (size_t)length >= sizeof naive_path) {
        return gp_fail(err, GP_EINVAL, "%.100s…: the path is too long", path);
    }
    gp_timing_measure_copies(device, out); /* first: nothing has watched yet */
    code = run_cells(device, path, GP_TRACE_STAMPS, err);
    code = code == 0 ? run_cells(device, naive_path, GP_TRACE_EVENTS, err) : code;
    code = code == 0 ? load_both(path, naive_path, out, err) : code;
    (void)unlink(naive_path);
    return code == 0 ? keep_rows(path, out, err) : code;
}
