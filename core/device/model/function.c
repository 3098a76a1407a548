/*
 * Host functions: see sim.h. One thread of the driver runs them one after the other. Measured on an
 * H200: woken by device work it takes tens of microseconds, at once when nothing precedes, and
 * little for each of a queue; the stream goes on some microseconds after the return.
 */
#include "core/device/model/sim.h"

#include <assert.h>

void gp_sim_function_request(struct gp_sim *sim, struct gp_sim_op *op)
{
    const struct gp_profile *profile = sim->profile;
    bool is_asleep = sim->functions.head == NULL;

    gp_sim_push(&sim->functions, op);
    if (is_asleep) {
        gp_sim_schedule(sim, &op->node, GP_SIM_FUNCTION_RUN,
                        sim->now_ns + (op->has_waited ? profile->function_wait_ns
                                                      : profile->function_ready_ns));
    }
}

void gp_sim_function_run(struct gp_sim *sim, struct gp_sim_op *op)
{
    assert(sim->due_function == NULL);
    sim->due_function = op;
}

void gp_sim_function_done(struct gp_sim *sim)
{
    struct gp_sim_op *op = sim->due_function;

    assert(op != NULL);
    sim->due_function = NULL;
    gp_sim_schedule(sim, &op->node, GP_SIM_FUNCTION_END,
                    sim->now_ns + sim->profile->function_run_ns);
}

void gp_sim_function_end(struct gp_sim *sim, struct gp_sim_op *op)
{
    const struct gp_sim_op *next;

    (void)gp_sim_pop(&sim->functions);
    next = sim->functions.head;
    if (next != NULL) {
        gp_sim_schedule(sim, &sim->functions.head->node, GP_SIM_FUNCTION_RUN, sim->now_ns);
    }
    gp_sim_schedule(sim, &op->node, GP_SIM_FINISH, sim->now_ns + sim->profile->function_back_ns);
}
