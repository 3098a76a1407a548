/*
 * One cell of a sweep and the bench that all cells of a device run on: making it, one plain run,
 * one traced run. Internal to probe/sweep.
 */
#ifndef GP_PROBE_SWEEP_CELL_H
#define GP_PROBE_SWEEP_CELL_H

#include "probe/nvtx/nvtx.h"
#include "probe/recorder/recorder.h"
#include "probe/sweep/check.h"
#include "probe/sweep/drive.h"
#include "probe/sweep/measures.h"
#include "probe/sweep/observer.h"
#include "probe/sweep/sweep.h"
#include "probe/sweep/watch.h"
#include "probe/timing/engines.h"
#include "probe/timing/tracer.h"

struct gp_witness;

/* What became of a line of the plan. */
struct gp_outcome {
    int64_t cell; /* its id in the recording */
    enum gp_status status;
};

/* What is made once per device and used by every cell. */
struct gp_bench {
    struct gp_device *device;
    const struct gp_sweep_options *options;
    struct gp_recorder *recorder;
    struct gp_pool *pool;     /* of the largest size, made first */
    struct gp_stream *helper; /* set-up, checks, clock marks */
    struct gp_tracer *tracer;
    struct gp_observer observer;
    struct gp_nvtx *nvtx;
    struct gp_watch watch;
    struct gp_engines engines;
    struct gp_witness *witness;  /* NULL until the reference pass */
    struct gp_outcome *outcomes; /* one a line of the plan */
    int64_t device_id;
    bool is_modelled;
    bool executes; /* whether the run in hand moves data and computes; set per run */
};

/* A traced run and its plain twin. */
struct gp_pair {
    int64_t run; /* id of the traced run in the recording */
    int64_t traced_ns, plain_ns;
};

enum { GP_PAIRS_MIN = 5 };

struct gp_cell {
    struct gp_cell_plan plan;
    struct gp_policy *policy;
    struct gp_schedule *schedule;
    struct gp_hazard_report *hazards; /* of the schedule */
    struct gp_cell_metrics metrics;   /* recorded when the cell is closed */
    struct gp_measures measures;      /* likewise, of the traced runs */
    struct gp_pool *own_pool;      /* for a policy whose streams are of a kind; NULL: the bench's */
    struct gp_driver *driver;      /* NULL: run by dispatch; its runs are not traced */
    struct gp_graph *graph;        /* submit mode graph: of plain runs; NULL none */
    struct gp_graph *traced_graph; /* with stamps, of traced runs; made before the first */
    gp_addr traced_slots;          /* where those stamps are */
    int64_t id;                    /* in the recording */
    char name[GP_NAME_BYTES_MAX];
    double *plain_ns; /* one a plain run */
    uint32_t plain_count;
    size_t plain_capacity;
    struct gp_pair *pairs;
    uint32_t pair_count;
    size_t pair_capacity;
    bool is_note_told;
    bool is_disturbed; /* the machine changed during the run in hand, which does not count */
    bool checked;      /* its data were compared at least once */
    enum gp_status status;
    struct gp_error error; /* why failed or unsupported */
};

/* Chooses, schedules and looks for hazards. What the policy or the device cannot do leaves the cell
 * `unsupported` or `failed`, which is no error of this call. */
int gp_cell_init(struct gp_cell *cell, struct gp_bench *bench, struct gp_workload *workload,
                 const struct gp_cell_plan *plan, struct gp_error *err);
void gp_cell_finish(struct gp_cell *cell);

/* Adds it to the recording, which gives it its id. */
int gp_cell_add(struct gp_cell *cell, struct gp_bench *bench, const struct gp_workload *workload,
                struct gp_error *err);

/* One run that nothing watches and nobody records: for warming up. */
int gp_cell_warm(struct gp_cell *cell, struct gp_bench *bench, struct gp_workload *workload,
                 int64_t *out_ns, struct gp_error *err);

/* One recorded run without instrumentation. verify: compare the data afterwards. When the machine
 * changed meanwhile, the run is recorded as disturbed and does not count (cell->is_disturbed). */
int gp_cell_plain(struct gp_cell *cell, struct gp_bench *bench, struct gp_workload *workload,
                  bool verify, struct gp_error *err);

/* One recorded run with it, the twin of the plain run made last. pass: TRACED, or REFERENCE, which
 * is also watched by the bench's witness. Likewise. */
int gp_cell_traced(struct gp_cell *cell, struct gp_bench *bench, struct gp_workload *workload,
                   enum gp_pass pass, bool verify, struct gp_error *err);

/* A plain run that took this long: the twin of the traced run made next. */
void gp_cell_keep_plain(struct gp_cell *cell, int64_t makespan_ns);

/* Keeps the operations of the traced run of median makespan and drops the others'. */
int gp_cell_keep_median(struct gp_cell *cell, struct gp_bench *bench, struct gp_error *err);

/* The same, and stores the cell's figures and final status. */
int gp_cell_close(struct gp_cell *cell, struct gp_bench *bench, struct gp_error *err);

#endif
