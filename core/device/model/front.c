/*
 * From a stream's head to the block scheduler: see sim.h.
 *
 * Measured on an H200: the front end takes one command at a time, whichever connection it comes
 * from (800 small kernels on 8 streams take as long as one after the other through it; a timed
 * record occupies it too). At most grids_resident kernels are on the device. Each priority has one
 * queue; blocks are taken only from its head until that is fully dispatched, and from a lower
 * priority only while every higher queue is empty (strict head-of-line). Parts of the SMs have
 * queues of their own (assumed).
 */
#include "core/device/model/sim.h"

#include <assert.h>

static bool is_grid(const struct gp_sim_op *op)
{
    return op->kind == GP_SIM_KERNEL || op->kind == GP_SIM_D2D || op->kind == GP_SIM_SET;
}

static int64_t occupancy_ns(const struct gp_profile *profile, const struct gp_sim_op *op)
{
    if (is_grid(op)) {
        return op->stream != NULL ? profile->front_kernel_ns : profile->front_graph_ns;
    }
    if (op->kind == GP_SIM_WRITE) {
        return profile->front_write_ns;
    }
    return op->after_timed ? profile->event_event_ns : profile->front_timed_ns;
}

static void begin(struct gp_sim *sim, struct gp_sim_op *op)
{
    struct gp_sim_front *front = &sim->front;
    const struct gp_profile *profile = sim->profile;
    const int64_t until_ns = sim->now_ns + occupancy_ns(profile, op);

    assert(!front->is_busy);
    front->is_busy = true;
    front->current = is_grid(op) ? op : NULL;
    gp_sim_schedule(sim, &front->node, GP_SIM_FRONT_FREE, until_ns);
    if (op->kind == GP_SIM_WRITE) {
        gp_sim_schedule(sim, &op->node, GP_SIM_FINISH, until_ns);
    } else if (op->kind == GP_SIM_RECORD) {
        gp_sim_schedule(sim, &op->node, GP_SIM_FINISH,
                        sim->now_ns +
                            (op->after_timed ? profile->event_event_ns : profile->event_timed_ns));
    }
}

void gp_sim_front_request(struct gp_sim *sim, struct gp_sim_op *op)
{
    if (sim->front.is_busy) {
        gp_sim_push(&sim->front.queue, op);
    } else {
        begin(sim, op);
    }
}

static void admit(struct gp_sim *sim, struct gp_sim_op *op)
{
    sim->grids++;
    op->age = sim->age++;
    gp_sim_push(&sim->levels[op->part][op->level], op);
    sim->must_place = true;
}

void gp_sim_front_free(struct gp_sim *sim)
{
    struct gp_sim_front *front = &sim->front;
    struct gp_sim_op *op = front->current;
    struct gp_sim_op *next = gp_sim_pop(&front->queue);

    front->is_busy = false;
    front->current = NULL;
    if (next != NULL) {
        begin(sim, next);
    }
    if (op == NULL) {
        return;
    }
    if (sim->grids < sim->profile->grids_resident) {
        admit(sim, op);
    } else {
        gp_sim_push(&sim->grid_queue, op);
    }
}

void gp_sim_grid_done(struct gp_sim *sim, struct gp_sim_op *op)
{
    struct gp_sim_op *next = gp_sim_pop(&sim->grid_queue);

    sim->grids--;
    if (next != NULL) {
        admit(sim, next);
    }
    op->end_ns = sim->now_ns;
    gp_sim_complete(sim, op);
}

static void place_part(struct gp_sim *sim, uint32_t part)
{
    for (uint32_t level = 0; level < GP_PRIORITY_LEVELS_MAX; level++) {
        struct gp_sim_queue *queue = &sim->levels[part][level];

        while (queue->head != NULL) {
            if (!gp_sim_assign(sim, queue->head)) {
                return;
            }
            gp_sim_leave_connection(sim, gp_sim_pop(queue));
        }
    }
}

void gp_sim_place(struct gp_sim *sim)
{
    sim->must_place = false;
    for (uint32_t part = 0; part < sim->part_count; part++) {
        place_part(sim, part);
    }
}
