/*
 * Blocks on SMs and how fast they run: see sim.h. Blocks of one kernel that begin together on one
 * SM, and take equally long, are one cohort and one event. A cohort's work is in ns at full speed;
 * when the speed changes, what is left is re-timed.
 */
#include "core/device/model/sim.h"

#include <assert.h>

#include "core/device/model/execute.h"

/* A change of the memory's share below 1/256 is not worth re-timing every block. */
enum { CAP_TOLERANCE = 256 };

static void mark_dirty(struct gp_sim *sim, uint32_t place)
{
    sim->dirty[place / 64] |= UINT64_C(1) << place % 64;
}

static void add_flow(struct gp_sim *sim, struct gp_sim_op *op)
{
    if (op->cost.weight_q16 > 0) {
        if (op->flow == 0) {
            sim->flows[sim->flow_count++] = op;
            op->flow = sim->flow_count;
        }
        sim->must_share = true;
    }
}

static void remove_flow(struct gp_sim *sim, struct gp_sim_op *op)
{
    if (op->flow > 0) {
        struct gp_sim_op *last = sim->flows[--sim->flow_count];

        sim->flows[op->flow - 1] = last;
        last->flow = op->flow;
        op->flow = 0;
        sim->must_share = true;
    }
}

/* The index of the block that is assigned next. */
static uint32_t next_block(const struct gp_sim_op *op)
{
    return (uint32_t)(op->blocks - op->unassigned);
}

static int64_t spin_ns_of(const struct gp_sim_op *op)
{
    return op->cost.spin_ns + gp_work_spread_ns(next_block(op), op->cost.spread_ns);
}

static void begin_block(struct gp_sim *sim, struct gp_sim_cohort *cohort, uint32_t block)
{
    if (gp_stamps_blocks(cohort->op)) {
        gp_execute_block_begin(sim, cohort, block);
    }
}

static void add_block(struct gp_sim *sim, struct gp_sim_op *op, uint32_t place)
{
    struct gp_sim_cohort *cohort = sim->on_sm[place];
    const uint32_t block = next_block(op);
    const int64_t spin_ns = spin_ns_of(op);
    const bool is_first = op->begin_ns < 0 || op->begin_ns == sim->now_ns;
    const int64_t start_ns = sim->now_ns + (is_first ? 0 : sim->profile->block_turn_ns);

    gp_sms_take(&sim->sms, place, &op->footprint, 1);
    op->unassigned--;
    op->running++;
    if (cohort != NULL && cohort->op == op && cohort->start_ns == start_ns &&
        cohort->spin_ns == spin_ns && cohort->speed_q16 == 0) {
        cohort->count++;
        begin_block(sim, cohort, block);
        return;
    }
    cohort = gp_slab_take(&sim->cohorts);
    assert(cohort != NULL); /* reserved: there cannot be more than block slots */
    cohort->op = op;
    cohort->place = place;
    cohort->count = 1;
    cohort->start_ns = start_ns;
    cohort->spin_ns = spin_ns;
    cohort->since_ns = start_ns;
    cohort->work_q16 = op->cost.time_q16;
    cohort->next = sim->on_sm[place];
    if (cohort->next != NULL) {
        cohort->next->previous = cohort;
    }
    sim->on_sm[place] = cohort;
    begin_block(sim, cohort, block);
    mark_dirty(sim, place);
}

bool gp_sim_assign(struct gp_sim *sim, struct gp_sim_op *op)
{
    while (op->unassigned > 0) {
        int32_t place = gp_sms_best(&sim->sms, &op->footprint, sim->parts[op->part]);

        if (place < 0) {
            return false;
        }
        if (op->begin_ns < 0) {
            op->begin_ns = sim->now_ns;
        }
        add_block(sim, op, (uint32_t)place);
        add_flow(sim, op);
    }
    return true;
}

void gp_sim_cohort_end(struct gp_sim *sim, struct gp_sim_cohort *cohort)
{
    struct gp_sim_op *op = cohort->op;

    gp_execute_blocks_end(sim, cohort);
    if (cohort->previous != NULL) {
        cohort->previous->next = cohort->next;
    } else {
        sim->on_sm[cohort->place] = cohort->next;
    }
    if (cohort->next != NULL) {
        cohort->next->previous = cohort->previous;
    }
    gp_sms_give(&sim->sms, cohort->place, &op->footprint, cohort->count);
    op->running -= cohort->count;
    mark_dirty(sim, cohort->place);
    sim->must_place = true;
    sim->must_share = sim->must_share || op->flow > 0;
    gp_slab_give(&sim->cohorts, cohort);
    if (op->running == 0) {
        remove_flow(sim, op);
        if (op->unassigned == 0) {
            gp_sim_grid_done(sim, op);
        }
    }
}

/* ---- speeds -----------------------------------------------------------------------------------
 */

static void set_speed(struct gp_sim *sim, struct gp_sim_cohort *cohort, int64_t speed_q16)
{
    int64_t end_ns;

    assert(speed_q16 >= 1);
    if (speed_q16 == cohort->speed_q16) {
        return;
    }
    if (cohort->speed_q16 > 0 && sim->now_ns > cohort->since_ns) {
        cohort->work_q16 -= (sim->now_ns - cohort->since_ns) * cohort->speed_q16;
        cohort->work_q16 = cohort->work_q16 > 0 ? cohort->work_q16 : 0;
        cohort->since_ns = sim->now_ns;
    }
    cohort->speed_q16 = speed_q16;
    end_ns = cohort->since_ns + (cohort->work_q16 + speed_q16 - 1) / speed_q16;
    if (end_ns < cohort->start_ns + cohort->spin_ns) {
        end_ns = cohort->start_ns + cohort->spin_ns;
    }
    gp_sim_schedule(sim, &cohort->node, GP_SIM_COHORT_END, end_ns);
}

/* The kernels on one SM, from the oldest, with what their blocks there want together. */
static uint32_t gather(const struct gp_sim_cohort *cohort, const struct gp_sim_op **ops,
                       struct gp_share_user *users)
{
    uint32_t count = 0;

    for (; cohort != NULL; cohort = cohort->next) {
        const struct gp_sim_op *op = cohort->op;
        uint32_t i = count;

        while (i > 0 && ops[i - 1]->age > op->age) {
            i--;
        }
        if (i == 0 || ops[i - 1] != op) {
            for (uint32_t j = count++; j > i; j--) {
                ops[j] = ops[j - 1];
                users[j] = users[j - 1];
            }
            ops[i] = op;
            users[i] = (struct gp_share_user){0, op->cost.is_memory_bound, 0};
        } else {
            i--;
        }
        users[i].pressure_q16 += cohort->count * op->cost.pressure_q16;
    }
    return count;
}

static int64_t combine(const struct gp_sim *sim, const struct gp_sim_op *op, int64_t speed_q16)
{
    int64_t memory_q16 = gp_share_memory_speed(&op->cost, sim->memory_cap_q16);

    if (op->cost.is_memory_bound) {
        speed_q16 = speed_q16 * memory_q16 / GP_ONE_Q16;
    } else if (memory_q16 < speed_q16) {
        speed_q16 = memory_q16;
    }
    return speed_q16 > 0 ? speed_q16 : 1;
}

static void set_speeds_on(struct gp_sim *sim, uint32_t place)
{
    const struct gp_sim_op *ops[GP_SM_BLOCKS_MAX];
    struct gp_share_user users[GP_SM_BLOCKS_MAX];
    uint32_t count = gather(sim->on_sm[place], ops, users);

    gp_share_sm(sim->profile, users, count);
    for (struct gp_sim_cohort *cohort = sim->on_sm[place]; cohort != NULL; cohort = cohort->next) {
        uint32_t i = 0;

        while (i + 1 < count && ops[i] != cohort->op) {
            i++;
        }
        assert(i < count);
        set_speed(sim, cohort, combine(sim, cohort->op, users[i].speed_q16));
    }
}

static void share_memory(struct gp_sim *sim)
{
    int64_t old = sim->memory_cap_q16;
    int64_t cap;
    bool is_same;

    for (uint32_t i = 0; i < sim->flow_count; i++) {
        const struct gp_sim_op *op = sim->flows[i];

        sim->flow_shares[i].weight_q16 = (int64_t)op->running * op->cost.weight_q16;
        sim->flow_shares[i].demand_q16 = (int64_t)op->running * op->cost.demand_q16;
    }
    cap = gp_share_memory(sim->profile, sim->flow_shares, sim->flow_count);
    is_same = old == cap || (old != INT64_MAX && cap != INT64_MAX &&
                             (old > cap ? old - cap : cap - old) <= old / CAP_TOLERANCE);
    if (!is_same) {
        sim->memory_cap_q16 = cap;
        for (uint32_t place = 0; place < sim->sms.count; place++) {
            mark_dirty(sim, place);
        }
    }
}

void gp_sim_set_speeds(struct gp_sim *sim)
{
    if (sim->must_share) {
        sim->must_share = false;
        share_memory(sim);
    }
    for (uint32_t w = 0; w < GP_SM_WORDS; w++) {
        for (uint32_t place = w * 64; sim->dirty[w] != 0; place++) {
            if ((sim->dirty[w] & 1) != 0 && sim->on_sm[place] != NULL) {
                set_speeds_on(sim, place);
            }
            sim->dirty[w] >>= 1;
        }
    }
}
