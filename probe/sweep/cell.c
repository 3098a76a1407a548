/* One cell, but for its traced runs: see cell.h. */
#include "probe/sweep/cell_run.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/graph_submit.h"
#include "probe/memory.h"
#include "probe/sweep/params.h"
#include "scenarios/workload.h"

/* ---- making and releasing ---- */

int gp_cell_add(struct gp_cell *cell, struct gp_bench *bench, const struct gp_workload *workload,
                struct gp_error *err)
{
    char *params = gp_params_write(workload->ops->parameters, workload->values);
    int code;
    struct gp_cell_row row = {
        .device = bench->device_id,
        .scenario = cell->plan.scenario->name,
        .params = params,
        .policy = cell->plan.policy->name,
        .streams = (int32_t)cell->plan.streams,
        .submit = cell->plan.submit,
        .order = cell->plan.order,
        .completion = gp_completion_name(cell->plan.completion),
        .status = GP_STATUS_INCOMPLETE,
        .error = "",
    };

    code = gp_recorder_add_cell(bench->recorder, &row, &cell->id, err);
    gp_free(params);
    return code;
}

struct gp_pool *gp_cell_pool(const struct gp_cell *cell, const struct gp_bench *bench)
{
    return cell->own_pool != NULL ? cell->own_pool : bench->pool;
}

static int choose_streams(struct gp_cell *cell, struct gp_bench *bench,
                          struct gp_workload *workload, struct gp_error *err)
{
    int code = gp_policy_create(cell->plan.policy, cell->plan.streams, &cell->policy, err);

    if (code == 0) {
        code =
            gp_schedule_create(cell->policy, workload->dag, cell->plan.order, &cell->schedule, err);
    }
    if (code == 0) {
        code = gp_policy_needs_pool(cell->policy)
                   ? gp_pool_create_for(bench->device, cell->policy, &cell->own_pool, err)
                   : 0;
    }
    if (code == 0) {
        code = gp_pool_reserve(gp_cell_pool(cell, bench), cell->schedule->event_count, err);
    }
    if (code == 0) {
        code = gp_pool_prepare(gp_cell_pool(cell, bench), cell->plan.completion, err);
    }
    if (code == 0) {
        code = gp_hazard_find(cell->schedule, &cell->hazards, err);
    }
    if (code == 0) {
        gp_check_count(cell->schedule, cell->hazards, &cell->metrics);
    }
    return code;
}

static int make_graph(struct gp_cell *cell, struct gp_bench *bench, struct gp_error *err)
{
    const struct gp_dispatch work = {.schedule = cell->schedule, .pool = gp_cell_pool(cell, bench)};
    int64_t ns = 0;
    int code = gp_graph_submit_create(&work, &cell->graph, &ns, err);

    if (code == 0) {
        cell->metrics.instantiate_ns = (double)ns;
    }
    return code;
}

/* The device's other streams are those of the driver's context. */
static int make_driver(struct gp_cell *cell, const struct gp_workload *workload,
                       struct gp_error *err)
{
    const struct gp_context_options options = {
        .policy = cell->plan.policy,
        .stream_count = cell->plan.streams,
        .order = cell->plan.order,
        .completion = cell->plan.completion,
    };

    if (cell->plan.submit == GP_SUBMIT_GRAPH) {
        return gp_fail(err, GP_EUNSUPPORTED,
                       "drive '%s' runs part by part, and a graph is launched as one",
                       gp_drive_words[workload->drive]);
    }
    return gp_driver_create(workload, &options, &cell->driver, err);
}

int gp_cell_init(struct gp_cell *cell, struct gp_bench *bench, struct gp_workload *workload,
                 const struct gp_cell_plan *plan, struct gp_error *err)
{
    int code;

    memset(cell, 0, sizeof *cell);
    cell->plan = *plan;
    cell->status = GP_STATUS_INCOMPLETE;
    code = choose_streams(cell, bench, workload, &cell->error);
    if (cell->schedule != NULL && plan->policy->fixed_streams > 0) {
        cell->plan.streams = cell->schedule->used_count;
    }
    if (code == 0 && workload->drive != GP_DRIVE_SUBMIT) {
        code = make_driver(cell, workload, &cell->error);
    } else if (code == 0 && plan->submit == GP_SUBMIT_GRAPH) {
        code = make_graph(cell, bench, &cell->error);
    }
    if (code == GP_ENOMEM) {
        *err = cell->error;
        return code;
    }
    if (code != 0) {
        cell->status = code == GP_EUNSUPPORTED ? GP_STATUS_UNSUPPORTED : GP_STATUS_FAILED;
    }
    (void)snprintf(cell->name, sizeof cell->name, "%s %s/%u%s", plan->scenario->name,
                   plan->policy->name, cell->plan.streams,
                   plan->submit == GP_SUBMIT_GRAPH ? " graph" : "");
    return 0;
}

void gp_cell_finish(struct gp_cell *cell)
{
    gp_driver_destroy(cell->driver);
    (void)gp_graph_destroy(cell->graph, NULL);
    (void)gp_graph_destroy(cell->traced_graph, NULL);
    gp_pool_destroy(cell->own_pool);
    gp_hazard_report_destroy(cell->hazards);
    gp_schedule_destroy(cell->schedule);
    gp_policy_destroy(cell->policy);
    gp_measures_finish(&cell->measures);
    gp_free(cell->plain_ns);
    gp_free(cell->pairs);
    memset(cell, 0, sizeof *cell);
}

/* ---- running ---- */

int64_t gp_cell_realtime_ns(const struct gp_bench *bench)
{
    struct timespec now = {0};

    if (bench->is_modelled) {
        return 0;
    }
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int gp_cell_prepare(struct gp_bench *bench, struct gp_workload *workload, bool verify,
                    struct gp_error *err)
{
    int code = gp_recorder_wait(bench->recorder, err);

    bench->executes = verify || !bench->is_modelled;
    return code == 0 && bench->executes ? gp_workload_reset(workload, err) : code;
}

int gp_cell_dispatch(struct gp_cell *cell, struct gp_bench *bench, const struct gp_probe *probes,
                     struct gp_sink *sink, struct gp_run_times *times, struct gp_error *err)
{
    int code;
    struct gp_dispatch work = {
        .schedule = cell->schedule,
        .pool = gp_cell_pool(cell, bench),
        .probes = probes,
        .sink = sink,
        .graph = probes != NULL ? cell->traced_graph : cell->graph,
        .completion = cell->plan.completion,
    };

    /* The cell before may have completed in another way. */
    code = gp_pool_prepare(work.pool, work.completion, err);
    if (code != 0) {
        return code;
    }
    gp_device_set_execute(bench->device, bench->executes);
    gp_nvtx_cell_begin(bench->nvtx, cell->name);
    gp_nvtx_run_begin(bench->nvtx, probes != NULL ? "traced run" : "plain run");
    code = cell->driver != NULL ? gp_driver_run(cell->driver, times, err)
                                : gp_dispatch_run(&work, times, err);
    gp_nvtx_run_end(bench->nvtx);
    gp_nvtx_cell_end(bench->nvtx);
    gp_device_set_execute(bench->device, true);
    return code;
}

int gp_cell_check_data(struct gp_cell *cell, struct gp_workload *workload, bool verify,
                       int32_t *verified, struct gp_error *err)
{
    int code;

    *verified = -1;
    if (!verify || !gp_workload_has_reference(workload)) {
        return 0;
    }
    code = gp_workload_verify(workload, err);
    if (code == 0 || code == GP_EVERIFY) {
        *verified = code == 0 ? 1 : 0;
        cell->checked = true;
    }
    return code;
}

struct gp_run_row gp_cell_run_row(const struct gp_cell *cell, enum gp_pass pass, uint32_t repeat,
                                  const struct gp_run_times *times, int64_t epoch_realtime_ns)
{
    return (struct gp_run_row){
        .cell = cell->id,
        .pass = pass,
        .trace = GP_TRACE_OFF,
        .trace_note = "",
        .repeat = (int32_t)repeat,
        .makespan_ns = times->end_ns - times->begin_ns,
        .submit_ns = times->submitted_ns - times->begin_ns,
        .epoch_realtime_ns = epoch_realtime_ns,
        .verified = -1,
        .status = GP_STATUS_COMPLETE,
    };
}

void gp_cell_record_failure(struct gp_cell *cell, struct gp_bench *bench, enum gp_pass pass,
                            uint32_t repeat)
{
    struct gp_run_times none = {0};
    struct gp_run_rows rows = {.run = gp_cell_run_row(cell, pass, repeat, &none, 0)};
    struct gp_error ignored = {0};
    int64_t id;

    rows.run.makespan_ns = GP_UNKNOWN;
    rows.run.submit_ns = GP_UNKNOWN;
    rows.run.status = GP_STATUS_FAILED;
    (void)gp_recorder_add_run(bench->recorder, &rows, &id, &ignored);
}

int gp_cell_warm(struct gp_cell *cell, struct gp_bench *bench, struct gp_workload *workload,
                 int64_t *out_ns, struct gp_error *err)
{
    struct gp_run_times times = {0};
    int code = gp_cell_prepare(bench, workload, false, err);

    if (code == 0) {
        code = gp_cell_dispatch(cell, bench, NULL, NULL, &times, err);
    }
    *out_ns = times.end_ns - times.begin_ns;
    return code;
}

void gp_cell_keep_plain(struct gp_cell *cell, int64_t makespan_ns)
{
    cell->plain_ns = gp_xgrow(cell->plain_ns, &cell->plain_capacity, cell->plain_count + 1,
                              sizeof cell->plain_ns[0]);
    cell->plain_ns[cell->plain_count++] = (double)makespan_ns;
}

int gp_cell_plain(struct gp_cell *cell, struct gp_bench *bench, struct gp_workload *workload,
                  bool verify, struct gp_error *err)
{
    struct gp_run_times times = {0};
    struct gp_run_rows rows = {0};
    int64_t realtime;
    int64_t id;
    int checked;
    int code = gp_cell_prepare(bench, workload, verify, err);

    realtime = gp_cell_realtime_ns(bench);
    gp_watch_begin(&bench->watch);
    if (code == 0) {
        code = gp_cell_dispatch(cell, bench, NULL, NULL, &times, err);
    }
    gp_watch_end(&bench->watch);
    if (code != 0) {
        gp_cell_record_failure(cell, bench, GP_PASS_PLAIN, cell->plain_count);
        return code;
    }
    rows.run = gp_cell_run_row(cell, GP_PASS_PLAIN, cell->plain_count, &times, realtime);
    checked = gp_cell_check_data(cell, workload, verify, &rows.run.verified, err);
    cell->is_disturbed = gp_watch_record(&bench->watch, times.begin_ns, &rows);
    if (!cell->is_disturbed) {
        gp_cell_keep_plain(cell, rows.run.makespan_ns);
    }
    code = gp_recorder_add_run(bench->recorder, &rows, &id, err);
    return code != 0 ? code : checked;
}

/* ---- the end ---- */

static int compare_pairs(const void *a, const void *b)
{
    const struct gp_pair *left = a;
    const struct gp_pair *right = b;

    if (left->traced_ns != right->traced_ns) {
        return left->traced_ns < right->traced_ns ? -1 : 1;
    }
    return (left->run > right->run) - (left->run < right->run);
}

int gp_cell_keep_median(struct gp_cell *cell, struct gp_bench *bench, struct gp_error *err)
{
    int code = 0;

    if (cell->pair_count > 0) {
        qsort(cell->pairs, cell->pair_count, sizeof cell->pairs[0], compare_pairs);
    }
    for (uint32_t i = 0; i < cell->pair_count && code == 0; i++) {
        if (i != (cell->pair_count - 1) / 2) {
            code = gp_recorder_drop_ops(bench->recorder, cell->pairs[i].run, err);
        }
    }
    return code;
}

int gp_cell_close(struct gp_cell *cell, struct gp_bench *bench, struct gp_error *err)
{
    int code = gp_cell_keep_median(cell, bench, err);

    if (code == 0 && cell->hazards != NULL) {
        code = gp_check_record(bench->recorder, cell->id, &cell->metrics, err);
    }
    if (code == 0) {
        code = gp_measures_record(&cell->measures, bench->recorder, cell->id, err);
    }
    if (code == 0) {
        code =
            gp_recorder_update_cell(bench->recorder, cell->id, cell->status, cell->error.text, err);
    }
    return code;
}
