/* The order that the steps of a schedule give, by brute force: see trees.h. */
#include "test.h"

#include "trees.h"

void gp_test_happens_before(const struct gp_schedule *schedule, uint32_t skipped, uint32_t *before)
{
    uint32_t streams[GP_STREAMS_MAX] = {0};
    uint32_t events[GP_TEST_OPS_MAX] = {0};

    for (uint32_t i = 0; i < schedule->step_count; i++) {
        const struct gp_step *step = &schedule->steps[i];

        if (i == skipped) {
            continue;
        }
        if (step->kind == GP_STEP_OP) {
            before[step->op] = streams[step->stream];
            streams[step->stream] |= 1u << step->op;
        } else if (step->kind == GP_STEP_RECORD) {
            events[step->event] = streams[step->stream];
        } else {
            streams[step->stream] |= events[step->event];
        }
    }
}

static int covers(const struct gp_dag *dag, const uint32_t *before, uint32_t op)
{
    for (uint32_t e = dag->ops[op].first_in; e < dag->ops[op].first_in + dag->ops[op].in_count;
         e++) {
        if ((before[op] >> dag->edges[e].from & 1) == 0) {
            return 0;
        }
    }
    return 1;
}

void gp_test_check_schedule(const struct gp_schedule *schedule)
{
    const struct gp_dag *dag = schedule->dag;
    uint32_t before[GP_TEST_OPS_MAX] = {0};
    uint32_t ops = 0;
    uint32_t waits = 0;
    uint32_t same_stream = 0;

    gp_test_happens_before(schedule, UINT32_MAX, before);
    for (uint32_t op = 0; op < dag->op_count; op++) {
        assert_true(covers(dag, before, op));
    }
    for (uint32_t i = 0; i < schedule->step_count; i++) {
        ops += schedule->steps[i].kind == GP_STEP_OP ? 1 : 0;
        if (schedule->steps[i].kind == GP_STEP_WAIT) {
            waits++;
            gp_test_happens_before(schedule, i, before);
            assert_false(covers(dag, before, schedule->steps[i].op));
        }
    }
    for (uint32_t e = 0; e < dag->edge_count; e++) {
        same_stream += schedule->hows[e] == GP_HOW_STREAM ? 1 : 0;
    }
    assert_int_equal(ops, dag->op_count);
    assert_int_equal(waits + same_stream + schedule->waits_elided, dag->edge_count);
    assert_int_equal(schedule->step_count, ops + waits + schedule->event_count);
}
