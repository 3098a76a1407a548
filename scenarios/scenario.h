/*
 * Scenarios: built-in workloads. A scenario allocates its buffers, builds its operations, and knows
 * what must come out. It knows no policy, no stream pool and no recording.
 */
#ifndef GP_SCENARIOS_SCENARIO_H
#define GP_SCENARIOS_SCENARIO_H

#include <stdbool.h>

#include "core/dag.h"
#include "kernels/kernels.h"

/* A parameter that `--set KEY=VALUE` changes. */
struct gp_parameter {
    const char *name;
    const char *summary; /* with the unit */
    int64_t initial;     /* the default */
    int64_t min, max;    /* inclusive */
    int64_t multiple;    /* of which it must be a multiple; 0: any */
};

enum { GP_PARAMETERS_MAX = 16 };

/* One scenario set up on one device. */
struct gp_workload {
    const struct gp_scenario_ops *ops;
    struct gp_device *device;
    struct gp_stream *stream;          /* for set-up and checks; the caller's */
    int64_t values[GP_PARAMETERS_MAX]; /* by index of ops->parameters */
    uint64_t seed;
    struct gp_dag *dag;
    void *state; /* the scenario's own */
};

struct gp_scenario_ops {
    const char *name;
    const char *summary;
    const char *expect; /* one sentence: what to expect of policies and pool sizes, and why */
    const struct gp_parameter *parameters; /* ends with name NULL */
    /* The device memory that these values take; NULL: never too much. */
    uint64_t (*bytes)(const int64_t *values);
    /* Allocates, fills inputs, builds and freezes workload->dag. Partial work is released by
     * teardown, which is called in every case, after the DAG was destroyed. */
    int (*setup)(struct gp_workload *workload, struct gp_error *err);
    /* Poisons whatever operations write; before each run, outside the makespan. A run that is not
     * verified does not need it. */
    int (*reset)(struct gp_workload *workload, struct gp_error *err);
    /* Compares the outputs with the reference. GP_EVERIFY: err->text has what, index, got,
     * expected. */
    int (*verify)(struct gp_workload *workload, struct gp_error *err);
    void (*teardown)(struct gp_workload *workload);
};

extern const struct gp_scenario_ops *const gp_scenario_table[];
extern const size_t gp_scenario_table_count;

/* The table's entry of that name, NULL when there is none. */
const struct gp_scenario_ops *gp_scenario_find(const char *name);

/* Index of a parameter by name; -1 when there is none. */
int gp_scenario_parameter(const struct gp_scenario_ops *ops, const char *name);

/* Fills the defaults into values. */
void gp_scenario_defaults(const struct gp_scenario_ops *ops, int64_t *values);

/* Checks one value against its parameter; GP_EINVAL says the allowed range. */
int gp_scenario_check(const struct gp_scenario_ops *ops, int index, int64_t value,
                      struct gp_error *err);

/* GP_EINVAL when all values together, each allowed, would take too much device memory. */
int gp_scenario_check_bytes(const struct gp_scenario_ops *ops, const int64_t *values,
                            struct gp_error *err);

/* Sets a workload up; *out is the caller's. values as many as parameters; stream outlives it.
 * Kernels are prepared on the device. */
int gp_workload_create(const struct gp_scenario_ops *ops, struct gp_device *device,
                       struct gp_stream *stream, const int64_t *values, uint64_t seed,
                       struct gp_workload **out, struct gp_error *err);
/* No operation may still run. NULL allowed. */
void gp_workload_destroy(struct gp_workload *workload);

#endif
