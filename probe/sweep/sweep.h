/*
 * The sweep: runs every cell (scenario × variant × submit mode × policy × pool size) in rounds of
 * plain runs and traced twins on one device and records it. It prints nothing; the command line
 * does.
 */
#ifndef GP_PROBE_SWEEP_SWEEP_H
#define GP_PROBE_SWEEP_SWEEP_H

#include <signal.h>

#include "probe/record.h"
#include "scenarios/scenario.h"

/* --set KEY=VALUE for each scenario that has the key. */
struct gp_setting {
    const char *name;
    const char *text; /* as gp_parameter_read takes it */
};

/* Who says beside us when operations began and ended. */
#define GP_REFERENCES(X) X(NONE, "none") X(CUPTI, "cupti") X(MODEL, "model")

enum gp_reference {
#define X(name, word) GP_REFERENCE_##name,
    GP_REFERENCES(X)
#undef X
        GP_REFERENCE_COUNT
};

struct gp_sweep_progress {
    uint32_t runs_done, runs_total; /* total may grow while repeats are adaptive */
    const char *scenario, *policy;
    uint32_t streams;
    enum gp_pass pass;
};

/* Zero means default. All pointers are borrowed while the sweep runs. */
struct gp_sweep_options {
    const struct gp_scenario_ops *const *scenarios;
    uint32_t scenario_count;
    const struct gp_policy_ops *const *policies; /* none: each scenario's own */
    uint32_t policy_count;
    const uint32_t *streams; /* pool sizes, each 1 … GP_STREAMS_MAX; none: each scenario's own */
    uint32_t stream_count;
    const struct gp_setting *settings;
    uint32_t setting_count;
    uint32_t submits; /* bits 1 << enum gp_submit; 0: streams */
    enum gp_issue_order order;
    enum gp_completion completion;
    enum gp_trace trace;         /* GP_TRACE_OFF: no traced runs */
    bool trace_chosen;           /* false: auto */
    enum gp_reference reference; /* other than NONE: watched runs at the end */
    bool verify_off;
    uint32_t repeats;         /* rounds; 0: adaptive, at least 5 */
    int64_t budget_ns;        /* of measuring, host clock of the device; 0: 60 s */
    uint64_t seed;            /* of inputs and of the order of runs; any value */
    const char *command_line; /* recorded */
    const char *output;       /* path of the recording */
    bool force;               /* replace an existing output */
    bool append;              /* go on with an existing output, a recording */
    volatile sig_atomic_t
        *interrupted; /* non-zero: finish the run in hand and close; NULL: never */
    void (*progress)(void *user, const struct gp_sweep_progress *progress); /* NULL: none */
    void (*message)(void *user, const char *text); /* warnings, one line each; NULL: none */
    void *user;
};

/* One line of what would be run. */
struct gp_cell_plan {
    const struct gp_scenario_ops *scenario;
    const struct gp_policy_ops *policy;
    uint32_t streams;
    enum gp_submit submit;
    enum gp_issue_order order;
    enum gp_completion completion;
    enum gp_trace trace; /* GP_TRACE_OFF: no traced runs */
    uint32_t index;      /* of the line in the plan */
    uint32_t part; /* cells of one part have one scenario and the same values, and stand together */
    int64_t values[GP_PARAMETERS_MAX]; /* of the scenario's parameters */
};

/* What every scenario runs that has no wish of its own: names, ends with NULL; sizes, ends with 0.
 */
extern const char *const gp_sweep_policies[];
extern const uint32_t gp_sweep_streams[];

/* GP_EINVAL for a setting that none of the scenarios has, or whose value one that has it does not
 * allow. Needs no device. */
int gp_sweep_check_settings(const struct gp_sweep_options *options, struct gp_error *err);

/* The cells in recorded order: scenario, variant, submit mode, policy, pool size; policies with a
 * fixed size get one. The device's figures are what parameters adapt to. *out is the caller's
 * (gp_free). GP_EINVAL when a scenario's values are not allowed. */
int gp_sweep_plan(const struct gp_sweep_options *options, const struct gp_device_info *info,
                  struct gp_cell_plan **out, uint32_t *count, struct gp_error *err);

/* Fills in the scenario and its values, the defaults but for the settings, for a plan of the
 * caller's own; the rest is zero. GP_EINVAL when a setting is none of its, or a value is not
 * allowed. */
int gp_sweep_plan_line(const struct gp_scenario_ops *scenario, const struct gp_setting *settings,
                       uint32_t setting_count, const struct gp_device_info *info,
                       struct gp_cell_plan *out, struct gp_error *err);

/* Runs it all on an open device, whose attached thread calls. 0 also when cells failed or data were
 * wrong: the recording says so. GP_EINTERRUPTED when stopped on request, with a readable file. */
int gp_sweep_run(struct gp_device *device, const struct gp_sweep_options *options,
                 struct gp_error *err);

/* The same of these lines, which say all that the options say of cells; count ≥ 1. Their index
 * counts from 0, and so does their part. */
int gp_sweep_run_plan(struct gp_device *device, const struct gp_sweep_options *options,
                      const struct gp_cell_plan *plan, uint32_t count, struct gp_error *err);

#endif
