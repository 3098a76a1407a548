/*
 * A scenario's workload on the model device, run once under a policy: what came out, how long it
 * took, and when each operation really ran. For tests of what is to be expected of a scenario.
 */
#ifndef GP_TESTS_SCENARIOS_ON_MODEL_H
#define GP_TESTS_SCENARIOS_ON_MODEL_H

#include "test.h"

#include "core/dispatch.h"
#include "core/policy/policy.h"
#include "scenarios/workload.h"

/* A value as --set takes it. */
struct on_model_value {
    const char *name, *text;
};

struct on_model {
    struct gp_device *device;
    struct gp_stream *stream;
    struct gp_workload *workload;
    struct gp_policy *policy;
    struct gp_schedule *schedule;
    struct gp_pool *pool;
    struct gp_op_times *times; /* by operation, from the run's begin */
    int64_t makespan_ns;
};

/* What to run: `single` when there are no streams, else round-robin with so many. */
struct on_model_cell {
    const char *scenario;
    const struct on_model_value *values; /* ends with name NULL; NULL: the defaults */
    uint32_t streams;
};

/* Sets it up and runs it; fails the test unless its data are right. The rest is for looking, and
 * released by close. */
void on_model_open(struct on_model *run, const struct on_model_cell *cell);
void on_model_close(struct on_model *run);

/* Runs it again without operation `left_out`; the text of the error that verifying it gives. Valid
 * until the next call. */
const char *on_model_run_without(struct on_model *run, uint32_t left_out);

/* The makespan of a cell that is opened, checked and closed. */
double on_model_makespan_ns(const struct on_model_cell *cell);

/* A figure that the scenario measures of the run. */
double on_model_measure(const struct on_model *run, const char *name);

/* Fails the test unless low ≤ value ≤ high. */
void on_model_expect(double value, double low, double high);

#endif
