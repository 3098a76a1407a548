/* A watched copy as the resolver sees it: see oracle.h. */
#include <assert.h>

#include "probe/timing/oracle.h"
#include "probe/timing/resolve.h"

/* Its times are of the run that began so long before it was submitted; what came before it was
 * submitted then, and nothing ended later than so long after it. */
static const int64_t around_ns = INT64_C(1000000000);

static void add_copy(struct gp_dag *dag, struct gp_op_row *rows, int direction, uint64_t bytes,
                     int64_t done_ns)
{
    uint32_t op = dag->op_count++;

    dag->ops[op] = (struct gp_dag_op){.kind = direction == GP_DIRECTION_H2D ? GP_OP_H2D : GP_OP_D2H,
                                      .chain = op};
    rows[op] = (struct gp_op_row){
        .id = op,
        .kind = dag->ops[op].kind,
        .bytes = (int64_t)bytes,
        .submit_begin = 0,
        .submit_end = 0,
        .ready = GP_UNKNOWN,
        .done = done_ns,
        .stamp_begin = GP_UNKNOWN,
        .stamp_end = GP_UNKNOWN,
    };
}

void gp_oracle_resolve(const struct gp_oracle_plan *plan, const struct gp_oracle_sample *sample,
                       const struct gp_engines *engines, struct gp_op_row *out)
{
    int64_t begin_ns = sample->submit_begin_ns - around_ns;
    struct gp_dag_op ops[GP_ORACLE_OPERATIONS_MAX];
    struct gp_op_row rows[GP_ORACLE_OPERATIONS_MAX];
    struct gp_step steps[GP_ORACLE_OPERATIONS_MAX];
    struct gp_dag dag = {.ops = ops};
    struct gp_schedule schedule = {.dag = &dag, .steps = steps, .stream_count = 3};
    struct gp_resolve_input input = {.schedule = &schedule,
                                     .engines = engines,
                                     .trace = GP_TRACE_STAMPS,
                                     .run_end_ns = sample->done_ns - begin_ns + around_ns};
    uint32_t loads = plan->traffic == GP_ORACLE_LOADED ? GP_ORACLE_LOADS : 0;

    assert(sample->done_ns != GP_UNKNOWN && out != NULL);
    for (uint32_t i = 0; i < loads; i++) {
        add_copy(&dag, rows, plan->direction ^ 1, GP_ORACLE_BYTES_MAX / 4, GP_UNKNOWN);
    }
    if (sample->before_ns != GP_UNKNOWN) {
        add_copy(&dag, rows, plan->direction, plan->bytes, sample->before_ns - begin_ns);
    }
    add_copy(&dag, rows, plan->direction, plan->bytes, sample->done_ns - begin_ns);
    rows[dag.op_count - 1].submit_begin = around_ns;
    rows[dag.op_count - 1].submit_end = sample->submit_end_ns - begin_ns;
    for (uint32_t i = 0; i < dag.op_count; i++) {
        uint32_t stream = i < loads ? 0 : 1 + (i == dag.op_count - 1);

        steps[schedule.step_count++] = (struct gp_step){GP_STEP_OP, i, stream, 0};
    }
    gp_resolve(&input, rows);
    *out = rows[dag.op_count - 1];
    out->begin += begin_ns;
    out->begin_lo += begin_ns;
    out->begin_hi += begin_ns;
    out->end += begin_ns;
    out->end_lo += begin_ns;
    out->end_hi += begin_ns;
}
