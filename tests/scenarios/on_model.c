/* See on_model.h. */
#include "on_model.h"

#include <stdio.h>
#include <string.h>

#include "core/memory.h"

static void read_values(const struct gp_scenario_ops *ops, const struct on_model_value *given,
                        int64_t *values)
{
    gp_scenario_defaults(ops, values);
    for (; given != NULL && given->name != NULL; given++) {
        int index = gp_scenario_parameter(ops, given->name);
        struct gp_error err = {0};

        assert_true(index >= 0);
        gp_assert_ok(gp_parameter_read(ops->name, &ops->parameters[index], given->text,
                                       &values[index], &err),
                     err);
    }
}

static void choose_streams(struct on_model *run, uint32_t streams, struct gp_error *err)
{
    const struct gp_policy_ops *policy = gp_policy_find(streams == 0 ? "single" : "round-robin");

    gp_assert_ok(gp_policy_create(policy, streams == 0 ? 1 : streams, &run->policy, err), *err);
    gp_assert_ok(
        gp_schedule_create(run->policy, run->workload->dag, GP_ORDER_DEPTH, &run->schedule, err),
        *err);
    gp_assert_ok(gp_pool_create(run->device, run->schedule->stream_count, &run->pool, err), *err);
    gp_assert_ok(gp_pool_reserve(run->pool, run->schedule->event_count, err), *err);
}

static bool is_watched(enum gp_op_kind kind)
{
    return kind == GP_OP_KERNEL || kind == GP_OP_H2D || kind == GP_OP_D2H || kind == GP_OP_D2D ||
           kind == GP_OP_MEMSET;
}

/* The device's log is in order of submission. */
static void keep_times(struct on_model *run, const struct gp_work_times *log, int64_t begin_ns)
{
    uint32_t next = 0;

    for (uint32_t i = 0; i < run->schedule->step_count; i++) {
        const struct gp_step *step = &run->schedule->steps[i];

        if (step->kind == GP_STEP_OP) {
            struct gp_op_times *times = &run->times[step->op];

            *times = (struct gp_op_times){GP_NO_TIME, GP_NO_TIME};
            if (is_watched(run->workload->dag->ops[step->op].kind)) {
                times->begin_ns = log[next].begin_ns - begin_ns;
                times->end_ns = log[next++].end_ns - begin_ns;
            }
        }
    }
}

static void run_once(struct on_model *run)
{
    const struct gp_dispatch work = {.schedule = run->schedule, .pool = run->pool};
    uint32_t count = run->workload->dag->op_count;
    struct gp_work_times *log = gp_alloc(count, sizeof *log);
    struct gp_run_times times = {0};
    struct gp_error err = {0};

    assert_non_null(log);
    gp_assert_ok(run->workload->ops->reset(run->workload, &err), err);
    gp_assert_ok(gp_device_watch(run->device, log, count, &err), err);
    gp_assert_ok(gp_dispatch_run(&work, &times, &err), err);
    gp_assert_ok(gp_device_watch(run->device, NULL, 0, &err), err);
    run->makespan_ns = times.end_ns - times.begin_ns;
    keep_times(run, log, times.begin_ns);
    gp_free(log);
}

void on_model_open(struct on_model *run, const struct on_model_cell *cell)
{
    const struct gp_scenario_ops *ops = gp_scenario_find(cell->scenario);
    int64_t values[GP_PARAMETERS_MAX];
    struct gp_error err = {0};

    memset(run, 0, sizeof *run);
    assert_non_null(ops);
    read_values(ops, cell->values, values);
    gp_assert_ok(gp_device_open("model", NULL, &run->device, &err), err);
    gp_assert_ok(gp_stream_create(run->device, GP_STREAM_NON_BLOCKING, 0, &run->stream, &err), err);
    gp_assert_ok(gp_workload_create(ops, run->device, run->stream, values, 1, &run->workload, &err),
                 err);
    choose_streams(run, cell->streams, &err);
    run->times = gp_alloc(run->workload->dag->op_count, sizeof *run->times);
    assert_non_null(run->times);
    run_once(run);
    gp_assert_ok(ops->verify(run->workload, &err), err);
}

void on_model_close(struct on_model *run)
{
    gp_free(run->times);
    gp_schedule_destroy(run->schedule);
    gp_policy_destroy(run->policy);
    gp_pool_destroy(run->pool);
    gp_workload_destroy(run->workload);
    (void)gp_stream_destroy(run->stream, NULL);
    gp_device_close(run->device);
    memset(run, 0, sizeof *run);
}

/* One step fewer: what depends on it runs as if it had been done. */
const char *on_model_run_without(struct on_model *run, uint32_t left_out)
{
    static struct gp_error err;
    struct gp_schedule *schedule = run->schedule;
    uint32_t place = 0;

    while (schedule->steps[place].kind != GP_STEP_OP || schedule->steps[place].op != left_out) {
        place++;
    }
    schedule->step_count--;
    memmove(&schedule->steps[place], &schedule->steps[place + 1],
            (schedule->step_count - place) * sizeof schedule->steps[0]);
    run_once(run);
    err = (struct gp_error){0};
    assert_int_equal(run->workload->ops->verify(run->workload, &err), GP_EVERIFY);
    return err.text;
}

double on_model_makespan_ns(const struct on_model_cell *cell)
{
    struct on_model run;
    double makespan_ns;

    on_model_open(&run, cell);
    makespan_ns = (double)run.makespan_ns;
    on_model_close(&run);
    return makespan_ns;
}

double on_model_measure(const struct on_model *run, const char *name)
{
    struct gp_measure measures[GP_MEASURES_MAX] = {0};
    uint32_t count = run->workload->ops->measure(run->workload, run->times, measures);

    assert_true(count <= GP_MEASURES_MAX);
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(measures[i].name, name) == 0) {
            return measures[i].value;
        }
    }
    fail_msg("%s measures no %s", run->workload->ops->name, name);
    return 0;
}

void on_model_expect(double value, double low, double high)
{
    if (!(value >= low && value <= high)) {
        fail_msg("%.4g is not from %.4g to %.4g", value, low, high);
    }
}
