/*
 * Scenarios: workloads, built in or brought by a shared object (plugin.h). A scenario allocates its
 * buffers, builds its operations, and knows what must come out. It knows no policy, no stream pool
 * and no recording. Who runs one includes workload.h.
 */
#ifndef GP_SCENARIOS_SCENARIO_H
#define GP_SCENARIOS_SCENARIO_H

#include <stdbool.h>

#include "core/dag.h"
#include "core/kernel.h"
#include "scenarios/parameter.h"

/* Values that a sweep gives a scenario one after another, beside the defaults. */
struct gp_preset {
    const char *name; /* of a parameter */
    int64_t value;    /* allowed for it */
};

enum { GP_PRESETS_MAX = 4 };

/* One set of values; each gives the scenario cells of its own. What the user sets is not changed by
 * it. */
struct gp_variant {
    struct gp_preset presets[GP_PRESETS_MAX]; /* name NULL: no more */
};

/* What people say and a scenario tests. */
struct gp_claim {
    const char *id;       /* short, of the characters a-z, 0-9 and -; unique in all scenarios */
    const char *sentence; /* as said, true or not */
};

enum gp_scenario_flag {
    GP_SCENARIO_FAULTY = 1,     /* wrong on purpose */
    GP_SCENARIO_NEEDS_FILE = 2, /* does nothing without a file of the user's */
};

/* How the host drives a workload: all of it submitted in the order of issue, by one dispatch; or
 * each part of the DAG that nothing connects with the rest by itself: awaited, all in flight on one
 * thread; each synchronised before the next; or by threads that each synchronise one at a time. */
#define GP_DRIVES(X) X(SUBMIT, "submit") X(AWAIT, "await") X(SYNC, "sync") X(THREADS, "threads")

enum gp_drive {
#define X(name, word) GP_DRIVE_##name,
    GP_DRIVES(X)
#undef X
        GP_DRIVE_COUNT
};

enum { GP_DRIVE_WORKERS_MAX = 32 };

/* One scenario set up on one device. */
struct gp_workload {
    const struct gp_scenario_ops *ops;
    struct gp_device *device;
    struct gp_stream *stream;          /* for set-up and checks; the caller's */
    int64_t values[GP_PARAMETERS_MAX]; /* by index of ops->parameters */
    uint64_t seed;
    struct gp_dag *dag;
    enum gp_drive drive;   /* of setup, as the next */
    uint32_t worker_count; /* 1 … GP_DRIVE_WORKERS_MAX threads of GP_DRIVE_THREADS */
    void *state;           /* the scenario's own */
};

/* When an operation ran, from the run's begin; both GP_NO_TIME when that is not known. */
struct gp_op_times {
    int64_t begin_ns, end_ns;
};

#define GP_NO_TIME INT64_MIN

/* A figure of one run that only its scenario knows to compute. */
struct gp_measure {
    char name[40]; /* of the characters a-z, 0-9 and _; the unit comes last */
    double value;  /* NAN: unknown */
};

enum { GP_MEASURES_MAX = 32 };

struct gp_scenario_ops {
    const char *name;
    const char *summary;
    const char *expect; /* one sentence: what to expect of policies and pool sizes, and why */
    const struct gp_parameter *parameters; /* ends with name NULL */
    const struct gp_variant *variants;     /* ends with one without presets; NULL: one, without */
    const struct gp_claim *claims;         /* ends with id NULL; NULL: none */
    /* What a sweep runs unless it is told; NULL: as for all. */
    const char *const *policies; /* names; ends with NULL */
    const uint32_t *streams;     /* pool sizes; ends with 0 */
    uint32_t flags;              /* of enum gp_scenario_flag; with any it is left out of `all` */
    /* Replaces each GP_AUTO by what suits the device and the other values. NULL: no parameter
     * adapts. */
    void (*adapt)(const struct gp_device_info *info, int64_t *values);
    /* The device memory that these values take; NULL: never too much. */
    uint64_t (*bytes)(const int64_t *values);
    /* GP_EINVAL when these values, each allowed, do not go together or do not suit the device; says
     * what does. NULL: they always do. */
    int (*check)(const struct gp_device_info *info, const int64_t *values, struct gp_error *err);
    /* Allocates, fills inputs, builds and freezes workload->dag. Partial work is released by
     * teardown, which is called in every case, after the DAG was destroyed. */
    int (*setup)(struct gp_workload *workload, struct gp_error *err);
    /* Poisons whatever operations write; before each run, outside the makespan. A run that is not
     * verified does not need it. NULL: nothing to poison. */
    int (*reset)(struct gp_workload *workload, struct gp_error *err);
    /* Compares the outputs with the reference. GP_EVERIFY: err->text has what, index, got,
     * expected. NULL: there is no reference, and results say "not checked". */
    int (*verify)(struct gp_workload *workload, struct gp_error *err);
    void (*teardown)(struct gp_workload *workload);
    /* Figures of a traced run, from the times of the DAG's operations: fills in at most
     * GP_MEASURES_MAX and returns how many, of the same names each time. NULL: none. */
    uint32_t (*measure)(const struct gp_workload *workload, const struct gp_op_times *times,
                        struct gp_measure *out);
};

#endif
