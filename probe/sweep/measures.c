/* What scenarios measure: see measures.h. */
#include "probe/sweep/measures.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "probe/analysis/summary.h"
#include "probe/memory.h"

void gp_measures_take(struct gp_measures *measures, const struct gp_workload *workload,
                      const struct gp_op_row *ops)
{
    uint32_t op_count = workload->dag->op_count;
    struct gp_op_times *times;
    uint32_t count;

    if (workload->ops->measure == NULL) {
        return;
    }
    times = gp_xalloc(op_count, sizeof *times);
    for (uint32_t i = 0; i < op_count; i++) {
        bool known = ops[i].begin != GP_UNKNOWN && ops[i].end != GP_UNKNOWN;

        times[i] = known ? (struct gp_op_times){ops[i].begin, ops[i].end}
                         : (struct gp_op_times){GP_NO_TIME, GP_NO_TIME};
    }
    measures->runs = gp_xgrow(measures->runs, &measures->capacity, measures->run_count + 1,
                              sizeof measures->runs[0]);
    memset(measures->runs[measures->run_count], 0, sizeof measures->runs[0]);
    count = workload->ops->measure(workload, times, measures->runs[measures->run_count]);
    assert(count <= GP_MEASURES_MAX);
    assert(measures->run_count == 0 || count == measures->measure_count);
    measures->measure_count = count;
    measures->run_count++;
    gp_free(times);
}

/* The median of one measure over the runs in which it is known. */
static struct gp_figure summarise(const struct gp_measures *measures, uint32_t index)
{
    double *values = gp_xalloc(measures->run_count, sizeof *values);
    struct gp_figure figure;
    uint32_t count = 0;

    for (uint32_t i = 0; i < measures->run_count; i++) {
        if (!isnan(measures->runs[i][index].value)) {
            values[count++] = measures->runs[i][index].value;
        }
    }
    figure = gp_figure_median(values, count);
    gp_free(values);
    return figure;
}

int gp_measures_record(const struct gp_measures *measures, struct gp_recorder *recorder,
                       int64_t cell, struct gp_error *err)
{
    char names[GP_MEASURES_MAX][sizeof GP_MEASURE_PREFIX + sizeof measures->runs[0][0].name];
    struct gp_metric_row rows[GP_MEASURES_MAX];

    if (measures->run_count == 0 || measures->measure_count == 0) {
        return 0;
    }
    for (uint32_t i = 0; i < measures->measure_count; i++) {
        struct gp_figure figure = summarise(measures, i);

        (void)snprintf(names[i], sizeof names[i], "%s%s", GP_MEASURE_PREFIX,
                       measures->runs[0][i].name);
        rows[i] = (struct gp_metric_row){cell, 0, names[i], figure.median, figure.lo, figure.hi};
    }
    return gp_recorder_add_metrics(recorder, rows, measures->measure_count, err);
}

void gp_measures_finish(struct gp_measures *measures)
{
    gp_free(measures->runs);
    *measures = (struct gp_measures){0};
}
