/*
 * Copies over the bus: see sim.h.
 *
 * Measured on an H200: one engine for each direction, whatever asyncEngineCount says; strictly
 * first come, first served in the order in which copies become ready, whatever their stream; no
 * idle time between copies, but each takes some microseconds beyond its bytes; both directions
 * together are slower than alone. Small H2D copies never come here (stream.c).
 */
#include "core/device/model/sim.h"

#include <assert.h>

static bool is_busy(const struct gp_sim_engine *engine)
{
    return engine->node.slot != 0;
}

static struct gp_sim_engine *engine_of(struct gp_sim *sim, enum gp_sim_kind kind)
{
    return &sim->engines[kind == GP_SIM_D2H && sim->profile->async_engines > 1 ? 1 : 0];
}

static bool both_busy(const struct gp_sim *sim)
{
    return sim->engines[0].current != NULL && sim->engines[1].current != NULL;
}

/* Sets the running copy's rate anew, and so its end. */
static void retime(struct gp_sim *sim, struct gp_sim_engine *engine)
{
    const struct gp_profile *profile = sim->profile;
    const bool is_duplex = both_busy(sim);
    int64_t passed_ns = sim->now_ns - engine->since_ns;
    int64_t setup_ns = passed_ns < engine->setup_ns ? passed_ns : engine->setup_ns;

    if (engine->current == NULL) {
        return;
    }
    engine->setup_ns -= setup_ns;
    engine->left -= (passed_ns - setup_ns) * engine->rate;
    engine->left = engine->left > 0 ? engine->left : 0;
    engine->since_ns = sim->now_ns;
    if (engine->current->kind == GP_SIM_H2D) {
        engine->rate = is_duplex ? profile->h2d_duplex_rate : profile->h2d_rate;
    } else {
        engine->rate = is_duplex ? profile->d2h_duplex_rate : profile->d2h_rate;
    }
    gp_sim_schedule(sim, &engine->node, GP_SIM_ENGINE_FREE,
                    sim->now_ns + engine->setup_ns +
                        (engine->left + engine->rate - 1) / engine->rate);
}

static void begin_next(struct gp_sim *sim, struct gp_sim_engine *engine)
{
    const struct gp_profile *profile = sim->profile;
    struct gp_sim_op *op = gp_sim_pop(&engine->queue);

    engine->current = op;
    engine->since_ns = sim->now_ns;
    if (op != NULL) {
        engine->setup_ns = gp_curve_at(op->kind == GP_SIM_H2D ? &profile->h2d_setup_curve
                                                              : &profile->d2h_setup_curve,
                                       op->bytes * 65536) /
                               65536 +
                           (both_busy(sim) ? profile->copy_duplex_setup_ns : 0);
        engine->left = op->bytes * 1000;
        engine->rate = profile->h2d_rate;
        op->begin_ns = sim->now_ns;
    }
    retime(sim, &sim->engines[0]);
    retime(sim, &sim->engines[1]);
}

void gp_sim_engine_request(struct gp_sim *sim, struct gp_sim_op *op)
{
    struct gp_sim_engine *engine = engine_of(sim, op->kind);

    if (op->kind == GP_SIM_RECORD) {
        /* Its copy ended before it came; see gp_sim_engine_free for the other case. */
        gp_sim_schedule(sim, &op->node, GP_SIM_FINISH, sim->now_ns + sim->profile->event_timed_ns);
        return;
    }
    gp_sim_push(&engine->queue, op);
    if (!is_busy(engine)) {
        begin_next(sim, engine);
    }
}

/* A timed record right behind a copy holds the copy's engine. */
static bool begin_record(struct gp_sim *sim, struct gp_sim_engine *engine, struct gp_sim_op *op)
{
    if (op == NULL || op->kind != GP_SIM_RECORD || !op->is_timed || !op->has_arrived) {
        return false;
    }
    op->has_started = true;
    engine->current = NULL;
    gp_sim_schedule(sim, &op->node, GP_SIM_FINISH, sim->now_ns + sim->profile->event_timed_ns);
    gp_sim_schedule(sim, &engine->node, GP_SIM_ENGINE_FREE,
                    sim->now_ns + sim->profile->copy_timed_ns);
    return true;
}

void gp_sim_engine_free(struct gp_sim *sim, struct gp_sim_engine *engine)
{
    struct gp_sim_op *op = engine->current;

    if (op != NULL) {
        op->end_ns = sim->now_ns;
    }
    if (op == NULL || !begin_record(sim, engine, op->next)) {
        begin_next(sim, engine);
    } else {
        retime(sim, &sim->engines[0]);
        retime(sim, &sim->engines[1]);
    }
    if (op != NULL) {
        gp_sim_complete(sim, op);
    }
}
