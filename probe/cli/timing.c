/* Measuring for doctor --timing: see timing.h. */
#include "probe/cli/timing.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probe/cli/output.h"
#include "probe/memory.h"
#include "probe/store/writer.h"
#include "probe/sweep/sweep.h"

enum { REPEATS = 5, COPIES = 9 };

static const int64_t budget_ns = INT64_C(10) * 1000 * 1000 * 1000;

/* ---- the cells ---- */

/* The first cell is the one on which constants are fitted: one stream, no contention. */
static int run_cells(struct gp_device *device, const char *path, enum gp_trace trace,
                     struct gp_error *err)
{
    static const uint32_t streams[] = {1, 4, 8};
    const struct gp_scenario_ops *scenarios[] = {gp_scenario_find("mixed"),
                                                 gp_scenario_find("batch")};
    const struct gp_policy_ops *policy = gp_policy_find("round-robin");
    const struct gp_sweep_options options = {
        .scenarios = scenarios,
        .scenario_count = sizeof scenarios / sizeof scenarios[0],
        .policies = &policy,
        .policy_count = 1,
        .streams = streams,
        .stream_count = sizeof streams / sizeof streams[0],
        .trace = trace,
        .trace_chosen = true,
        .reference = device->info.kind == GP_DEVICE_MODEL ? GP_REFERENCE_MODEL : GP_REFERENCE_CUPTI,
        .verify_off = true, /* times are asked about, not data */
        .repeats = REPEATS,
        .budget_ns = budget_ns,
        .output = path,
        .force = true,
    };

    assert(scenarios[0] != NULL && scenarios[1] != NULL && policy != NULL);
    return gp_sweep_run(device, &options, err);
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
    }
    for (uint32_t i = 0; i < count; i++) {
        gp_free((void *)(uintptr_t)runs[i].ops);
    }
    return code;
}

static void take_costs(const struct gp_report *stamps, const struct gp_report *events,
                       struct gp_timing *out)
{
    for (uint32_t i = 0; i < stamps->results.count && i < GP_TIMING_CELLS_MAX; i++) {
        const struct gp_result *result = &stamps->results.cells[i];
        struct gp_timing_cost *cost = &out->costs[out->cost_count++];

        (void)snprintf(cost->name, sizeof cost->name, "%.60s, %d stream%s", result->cell->scenario,
                       (int)result->cell->streams, result->cell->streams == 1 ? "" : "s");
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

static int keep_rows(const char *path, const struct gp_timing *timing, struct gp_error *err)
{
    struct gp_writer *writer = NULL;
    struct gp_writer_ids last;
    int code = gp_writer_open(path, &writer, &last, err);
    int closed;

    if (code == 0) {
        code = gp_writer_add_accuracies(writer, timing->rows, timing->row_count, err);
    }
    closed = gp_writer_finish(writer, code == 0, code == 0 ? err : NULL);
    return code != 0 ? code : closed;
}

/* ---- the oracle ---- */

static int compare_doubles(const void *a, const void *b)
{
    const double *left = a, *right = b;

    return (*left > *right) - (*left < *right);
}

static double median(double values[COPIES])
{
    qsort(values, COPIES, sizeof values[0], compare_doubles);
    return values[COPIES / 2];
}

static double middle(int64_t lo, int64_t hi)
{
    return (double)lo / 2 + (double)hi / 2;
}

/* The first copy of a size is not counted: its pages and the clocks are cold. */
static int ask_oracle(struct gp_oracle *oracle, const struct gp_oracle_plan *plan,
                      struct gp_timing_copy *out, struct gp_error *err)
{
    double spans[COPIES], looks[COPIES], events[COPIES];
    int code = gp_oracle_anchor(oracle, err);

    *out = (struct gp_timing_copy){.direction = plan->direction,
                                   .bytes = plan->bytes,
                                   .is_followed = plan->is_followed,
                                   .count = COPIES};
    for (int i = -1; i < COPIES && code == 0; i++) {
        struct gp_oracle_sample sample;

        code = gp_oracle_copy(oracle, plan, &sample, err);
        if (code == 0 && i >= 0) {
            double last = middle(sample.last_lo_ns, sample.last_hi_ns);

            spans[i] = last - middle(sample.first_lo_ns, sample.first_hi_ns);
            looks[i] = (double)(sample.last_hi_ns - sample.last_lo_ns);
            events[i] = (double)sample.done_ns - last;
        }
    }
    if (code != 0) {
        return code;
    }
    out->span_ns = median(spans);
    out->look_ns = median(looks);
    out->event_ns = median(events);
    for (int i = 0; i < COPIES; i++) {
        events[i] = fabs(events[i] - out->event_ns);
    }
    (void)median(events);
    out->event_spread_ns = events[COPIES * 95 / 100];
    return 0;
}

static int measure_copies(struct gp_device *device, struct gp_timing *out, struct gp_error *err)
{
    struct gp_stream *helper = NULL;
    struct gp_oracle *oracle = NULL;
    int code = gp_stream_create(device, GP_STREAM_NON_BLOCKING, 0, &helper, err);

    code = code == 0 ? gp_oracle_create(device, helper, &oracle, err) : code;
    for (int direction = 0; direction < GP_DIRECTION_COUNT && code == 0; direction++) {
        struct gp_oracle_plan plan = {.direction = direction, .bytes = 4096};

        for (int i = 0; i < 2 * GP_TIMING_SIZES && code == 0; i++) {
            plan.is_followed = i % 2 != 0;
            if (!plan.is_followed || plan.bytes < GP_ORACLE_BYTES_MAX) {
                code = ask_oracle(oracle, &plan, &out->copies[out->copy_count++], err);
            }
            plan.bytes *= plan.is_followed ? 4 : 1;
        }
    }
    gp_oracle_destroy(oracle);
    (void)gp_stream_destroy(helper, NULL);
    if (code != 0) {
        out->copy_count = 0;
    }
    return code;
}

/* ---- all of it ---- */

/* What the oracle cannot say leaves the rest as it is. */
static void try_copies(struct gp_device *device, struct gp_timing *out)
{
    struct gp_error err = {0};

    if (measure_copies(device, out, &err) != 0) {
        (void)snprintf(out->note, sizeof out->note, "no copy oracle: %s", err.text);
    }
}

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
    try_copies(device, out); /* first: nothing has watched yet */
    code = run_cells(device, path, GP_TRACE_STAMPS, err);
    code = code == 0 ? run_cells(device, naive_path, GP_TRACE_EVENTS, err) : code;
    code = code == 0 ? load_both(path, naive_path, out, err) : code;
    (void)unlink(naive_path);
    return code == 0 ? keep_rows(path, out, err) : code;
}
