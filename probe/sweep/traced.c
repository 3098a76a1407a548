/* A cell's traced runs: see cell.h. */
#include "probe/sweep/cell_run.h"

#include <assert.h>
#include <stdio.h>

#include "core/graph_submit.h"
#include "probe/memory.h"
#include "probe/sweep/rows.h"
#include "probe/sweep/witness.h"
#include "probe/timing/resolve.h"

/* One run on its way into the recording. */
struct traced_run {
    enum gp_pass pass;
    struct gp_traced_rows observed;
    struct gp_run_rows rows; /* borrows from observed */
    struct gp_run_times times;
};

static void keep_pair(struct gp_cell *cell, int64_t run, int64_t traced_ns)
{
    assert(cell->plain_count > 0);
    cell->pairs =
        gp_xgrow(cell->pairs, &cell->pair_capacity, cell->pair_count + 1, sizeof cell->pairs[0]);
    cell->pairs[cell->pair_count++] = (struct gp_pair){
        .run = run,
        .traced_ns = traced_ns,
        .plain_ns = (int64_t)cell->plain_ns[cell->plain_count - 1],
    };
}

/* The clock map as rows: the two ping-pong samples, and the event anchor. */
static uint32_t clock_rows(const struct gp_tracer *tracer, int64_t epoch_ns,
                           struct gp_clock_row out[3])
{
    const struct gp_clock *clock = gp_tracer_clock(tracer);
    const struct gp_clock_sample *samples[2] = {&clock->before, &clock->after};

    for (int i = 0; i < 2; i++) {
        int64_t width_ns = samples[i]->host_after_ns - samples[i]->host_before_ns;

        out[i] = (struct gp_clock_row){
            .kind = "ping",
            .host = samples[i]->host_before_ns + width_ns / 2 - epoch_ns,
            .device = samples[i]->device_ns,
            .residual = (width_ns + 1) / 2,
        };
    }
    out[2] = (struct gp_clock_row){
        .kind = "event",
        .host = gp_clock_host_ns(clock, clock->anchor_device_ns) - epoch_ns,
        .device = clock->anchor_device_ns,
        .residual = clock->anchor_residual_ns,
    };
    return 3;
}

/* Brings what was observed into rows and hands them to the recorder. */
static int record_traced(struct gp_cell *cell, struct gp_bench *bench, struct traced_run *run,
                         struct gp_error *err)
{
    const struct gp_traced_rows *observed = &run->observed;
    struct gp_run_rows *rows = &run->rows;
    struct gp_resolve_input input = {
        .schedule = cell->schedule,
        .engines = &bench->engines,
        .trace = rows->run.trace,
        .timer_tick_ns = bench->device->info.timer_tick_ns,
        .run_end_ns = rows->run.makespan_ns,
        .is_modelled = bench->is_modelled,
    };
    int64_t id;
    int code;

    gp_resolve(&input, observed->ops);
    rows->ops = observed->ops;
    rows->op_count = observed->op_count;
    rows->edges = observed->edges;
    rows->edge_count = observed->edge_count;
    rows->accesses = observed->accesses;
    rows->access_count = observed->access_count;
    rows->ranges = observed->ranges;
    rows->range_count = observed->range_count;
    rows->streams = observed->streams;
    rows->stream_count = observed->stream_count;
    rows->blocks = gp_tracer_blocks(bench->tracer, &rows->block_count);
    rows->calls = bench->observer.calls;
    rows->call_count = bench->observer.call_count;
    rows->clocks = observed->clocks;
    rows->clock_count = clock_rows(bench->tracer, run->times.begin_ns, run->observed.clocks);
    cell->is_disturbed = gp_watch_record(&bench->watch, run->times.begin_ns, rows);
    code = gp_recorder_add_run(bench->recorder, rows, &id, err);
    if (code == 0 && cell->is_disturbed) {
        code = gp_recorder_drop_ops(bench->recorder, id, err);
    } else if (code == 0) {
        keep_pair(cell, id, rows->run.makespan_ns);
    }
    return code;
}

static int arm(struct gp_cell *cell, struct gp_bench *bench, const struct gp_probe **probes,
               struct gp_error *err)
{
    struct gp_trace_plan plan = {
        .trace = cell->plan.trace != GP_TRACE_OFF ? cell->plan.trace : GP_TRACE_STAMPS,
        .is_graph = cell->plan.submit == GP_SUBMIT_GRAPH,
        .engines = &bench->engines,
        .plain_ns = cell->plain_count > 0 ? (int64_t)cell->plain_ns[cell->plain_count - 1] : 0,
    };

    return gp_tracer_arm(bench->tracer, cell->schedule, &plan, probes, err);
}

/* The slots of stamps are fixed in a graph's nodes, so traced runs have a graph of their own. It is
 * launched once before it is measured, as the plain one was. */
static int ready_traced_graph(struct gp_cell *cell, struct gp_bench *bench,
                              struct gp_workload *workload, struct gp_error *err)
{
    struct gp_dispatch work = {.schedule = cell->schedule, .pool = gp_cell_pool(cell, bench)};
    struct gp_run_times times = {0};
    int64_t ns = 0;
    int code;

    if (cell->traced_graph != NULL && cell->traced_slots == gp_tracer_slots(bench->tracer)) {
        return 0;
    }
    code = arm(cell, bench, &work.probes, err);
    if (code != 0) {
        return code;
    }
    (void)gp_graph_destroy(cell->traced_graph, NULL);
    cell->traced_graph = NULL;
    code = gp_graph_submit_create(&work, &cell->traced_graph, &ns, err);
    if (code == 0) {
        cell->traced_slots = gp_tracer_slots(bench->tracer);
        code = gp_cell_prepare(bench, workload, false, err);
    }
    return code == 0 ? gp_cell_dispatch(cell, bench, work.probes, NULL, &times, err) : code;
}

/* The reference's word beside ours. */
static int collect_reference(const struct gp_cell *cell, struct gp_bench *bench,
                             struct traced_run *run, struct gp_error *err)
{
    uint32_t count = cell->schedule->dag->op_count;
    struct gp_work_times *times = gp_xalloc(count, sizeof times[0]);
    struct gp_op_row *rows = run->observed.ops;
    int code = bench->witness->ops->collect(bench->witness, cell->schedule, times, err);

    for (uint32_t i = 0; i < count && code == 0; i++) {
        if (times[i].begin_ns != INT64_MIN) {
            rows[i].ref_begin = times[i].begin_ns - run->times.begin_ns;
            rows[i].ref_end = times[i].end_ns - run->times.begin_ns;
        }
    }
    gp_free(times);
    return code;
}

/* Who is told what the run does. */
static size_t gather_sinks(struct gp_bench *bench, struct gp_sink *sinks[2])
{
    size_t count = 0;

    sinks[count++] = &bench->observer.base;
    if (gp_nvtx_sink(bench->nvtx) != NULL) {
        sinks[count++] = gp_nvtx_sink(bench->nvtx);
    }
    return count;
}

/* Arms, runs and collects. */
static int run_traced(struct gp_cell *cell, struct gp_bench *bench, struct traced_run *run,
                      struct gp_error *err)
{
    struct gp_run_times *times = &run->times;
    struct gp_sink *sinks[2];
    struct gp_sink_tee tee;
    const struct gp_probe *probes = NULL;
    int64_t cell_begin_ns = gp_device_clock_ns(bench->device);
    int64_t realtime;
    int code = arm(cell, bench, &probes, err);

    gp_sink_tee_init(&tee, sinks, gather_sinks(bench, sinks));
    if (code == 0 && run->pass == GP_PASS_REFERENCE) {
        code = bench->witness->ops->watch(bench->witness, true, err);
    }
    realtime = gp_cell_realtime_ns(bench);
    gp_watch_begin(&bench->watch);
    if (code == 0) {
        code = gp_cell_dispatch(cell, bench, probes, &tee.base, times, err);
    }
    gp_watch_end(&bench->watch);
    if (code == 0 && run->pass == GP_PASS_REFERENCE) {
        code = collect_reference(cell, bench, run, err);
    }
    if (code == 0) {
        code = gp_tracer_collect(bench->tracer, cell->schedule, times->begin_ns, run->observed.ops,
                                 err);
    }
    if (code != 0) {
        return code;
    }
    run->rows.run = gp_cell_run_row(cell, run->pass, cell->plain_count - 1, times, realtime);
    run->rows.run.trace = gp_tracer_trace(bench->tracer);
    run->rows.run.trace_note = gp_tracer_note(bench->tracer);
    gp_observer_rebase(&bench->observer, cell->schedule->dag->op_count, times->begin_ns);
    gp_traced_rows_observe(&run->observed, &bench->observer, run->rows.run.makespan_ns,
                           cell_begin_ns - times->begin_ns,
                           gp_device_clock_ns(bench->device) - times->begin_ns);
    return 0;
}

/* What the recorder left out or spoils, once a cell. */
static void tell_note(struct gp_cell *cell, const struct gp_bench *bench, const char *note)
{
    char text[sizeof cell->name + 256];

    if (note[0] == '\0' || cell->is_note_told || bench->options->message == NULL) {
        return;
    }
    (void)snprintf(text, sizeof text, "%s: %s", cell->name, note);
    bench->options->message(bench->options->user, text);
    cell->is_note_told = true;
}

int gp_cell_traced(struct gp_cell *cell, struct gp_bench *bench, struct gp_workload *workload,
                   enum gp_pass pass, bool verify, struct gp_error *err)
{
    struct traced_run run = {.pass = pass};
    int checked = 0;
    int code =
        cell->plan.submit == GP_SUBMIT_GRAPH ? ready_traced_graph(cell, bench, workload, err) : 0;

    assert(pass == GP_PASS_TRACED || (pass == GP_PASS_REFERENCE && bench->witness != NULL));
    if (code == 0) {
        code = gp_cell_prepare(bench, workload, verify, err);
    }
    gp_observer_reserve(&bench->observer, cell->schedule);
    gp_traced_rows_init(&run.observed, cell->schedule, cell->hazards, gp_cell_pool(cell, bench),
                        cell->name);
    if (code == 0) {
        code = run_traced(cell, bench, &run, err);
    }
    if (code != 0) {
        gp_cell_record_failure(cell, bench, pass, cell->pair_count);
        goto out;
    }
    tell_note(cell, bench, run.rows.run.trace_note);
    checked = gp_cell_check_data(cell, workload, verify, &run.rows.run.verified, err);
    code = record_traced(cell, bench, &run, err);
    if (code == 0) {
        gp_measures_take(&cell->measures, workload, run.observed.ops);
    }
out:
    gp_traced_rows_finish(&run.observed);
    return code != 0 ? code : checked;
}
