/*
 * A device that does each operation at once, and a scenario set up on it with small sizes: what the
 * tests of scenarios share.
 */
#ifndef GP_TESTS_SCENARIOS_BENCH_H
#define GP_TESTS_SCENARIOS_BENCH_H

#include "test.h"

#include "fake_device.h"
#include "scenarios/workload.h"

struct bench {
    struct gp_fake fake;
    struct gp_device_ops ops;
    struct gp_stream *stream;
    struct gp_workload *workload;
};

void bench_open(struct bench *bench);
/* Destroys the workload too; fails the test when something still lives. */
void bench_close(struct bench *bench);

/* Sizes small enough for every sanitizer; more chains than distinct inputs. */
void bench_small_values(const struct gp_scenario_ops *ops, int64_t *values);

/* Sets the scenario of that name up with those sizes. */
void bench_set_up(struct bench *bench, const char *name, uint64_t seed);

/* Does one operation, a kernel or a copy. */
void bench_submit(struct bench *bench, const struct gp_dag_op *op);

enum { BENCH_ALL = -1 };

/* All operations in id order, but one. */
void bench_run_without(struct bench *bench, int left_out);

/* What the scenario says of the results; wrong ones with `text` in the message. */
void bench_expect_right(struct bench *bench);
void bench_expect_wrong(struct bench *bench, const char *text);

#endif
