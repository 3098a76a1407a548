/* Witnesses: see witness.h. */
#include "probe/sweep/witness.h"

#include <assert.h>
#include <stdio.h>

#include "probe/memory.h"

/* ---- CUPTI ---- */

static int open_cupti(struct gp_witness *witness, struct gp_error *err)
{
    int code;

    if (witness->device->info.kind == GP_DEVICE_MODEL) {
        return gp_fail(err, GP_EUNSUPPORTED,
                       "the model has no CUPTI; --reference model has its "
                       "own times");
    }
    code = gp_cupti_create(&witness->cupti, err);
    if (code == 0) {
        (void)snprintf(witness->description, sizeof witness->description, "cupti %u (%s)",
                       gp_cupti_version(witness->cupti), gp_cupti_path(witness->cupti));
    }
    return code;
}

static void close_cupti(struct gp_witness *witness)
{
    gp_cupti_destroy(witness->cupti);
}

static int watch_cupti(struct gp_witness *witness, bool on, struct gp_error *err)
{
    return gp_cupti_watch(witness->cupti, on, err);
}

static int collect_cupti(struct gp_witness *witness, const struct gp_schedule *schedule,
                         struct gp_work_times *times, struct gp_error *err)
{
    return gp_cupti_collect(witness->cupti, schedule, times, err);
}

static const struct gp_witness_ops cupti = {open_cupti, close_cupti, watch_cupti, collect_cupti};

/* ---- the model's own truth ---- */

/* More than a DAG may have. */
enum { LOG_COUNT = GP_OPS_MAX };

static int open_model(struct gp_witness *witness, struct gp_error *err)
{
    int code = gp_device_watch(witness->device, NULL, 0, err);

    if (code == 0) {
        witness->log = gp_xalloc(LOG_COUNT, sizeof witness->log[0]);
        (void)snprintf(witness->description, sizeof witness->description, "%s",
                       witness->device->info.name);
    }
    return code;
}

static int watch_model(struct gp_witness *witness, bool on, struct gp_error *err)
{
    return gp_device_watch(witness->device, on ? witness->log : NULL, on ? LOG_COUNT : 0, err);
}

static void close_model(struct gp_witness *witness)
{
    if (witness->log != NULL) {
        (void)watch_model(witness, false, NULL);
    }
    gp_free(witness->log);
}

static bool is_work(enum gp_op_kind kind)
{
    return kind == GP_OP_KERNEL || kind == GP_OP_MEMSET || kind == GP_OP_H2D || kind == GP_OP_D2H ||
           kind == GP_OP_D2D;
}

static int collect_model(struct gp_witness *witness, const struct gp_schedule *schedule,
                         struct gp_work_times *times, struct gp_error *err)
{
    uint32_t next = 0;

    (void)err;
    for (uint32_t i = 0; i < schedule->step_count; i++) {
        const struct gp_step *step = &schedule->steps[i];

        if (step->kind != GP_STEP_OP) {
            continue;
        }
        times[step->op] = is_work(schedule->dag->ops[step->op].kind)
                              ? witness->log[next++]
                              : (struct gp_work_times){INT64_MIN, INT64_MIN};
        assert(next <= LOG_COUNT);
    }
    return 0;
}

static const struct gp_witness_ops model = {open_model, close_model, watch_model, collect_model};

const struct gp_witness_ops *const gp_witness_table[GP_REFERENCE_COUNT] = {
    [GP_REFERENCE_CUPTI] = &cupti,
    [GP_REFERENCE_MODEL] = &model,
};
