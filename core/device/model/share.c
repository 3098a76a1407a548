/* Sharing: see share.h. */
#include "core/device/model/share.h"

#include <assert.h>

/* Beyond these a block takes hours; products of scaled numbers stay below 2^63. */
#define CYCLES_MAX (UINT64_C(1) << 36)
#define BYTES_MAX (UINT64_C(1) << 38)
#define SPIN_NS_MAX (UINT64_C(1) << 45)

static int64_t clamp(uint64_t value, uint64_t max)
{
    return (int64_t)(value < max ? value : max);
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

void gp_share_cost(const struct gp_profile *profile, const struct gp_work *work, uint32_t warps,
                   struct gp_block_cost *out)
{
    const int64_t issue = clamp(work->issue, CYCLES_MAX);
    const int64_t bytes = clamp(work->read_bytes, BYTES_MAX) + clamp(work->write_bytes, BYTES_MAX);
    const int64_t clock_mhz = profile->sm_clock_mhz;
    int64_t compute_q16;
    int64_t memory_q16;

    assert(warps >= 1);
    /* A warp issues at most one instruction a clock; what the SM's slots allow is not the block's
     * matter but that of all on the SM. */
    compute_q16 = larger(clamp(work->latency_cycles, CYCLES_MAX) * 1000 * GP_ONE_Q16 / clock_mhz,
                         issue * 1000 / warps * GP_ONE_Q16 / clock_mhz);
    /* The curve's first point says what one block gets alone. */
    memory_q16 = bytes * profile->memory_block_warps / warps * GP_ONE_Q16 /
                 profile->memory_curve.y[0] * profile->memory_curve.x[0];
    out->time_q16 = larger(larger(compute_q16, memory_q16), profile->block_min_ns * GP_ONE_Q16);
    out->spin_ns = clamp(work->spin_ns, SPIN_NS_MAX);
    out->spread_ns = (uint32_t)clamp(work->spread_ns, UINT32_MAX);
    out->is_memory_bound = memory_q16 > 0 && memory_q16 >= compute_q16;
    out->pressure_q16 = 0;
    out->weight_q16 = 0;
    out->demand_q16 = 0;
    if (out->time_q16 > 0) {
        int64_t peak = issue * 1000 / profile->issue_per_clock * 256 / clock_mhz;
        int64_t time = out->time_q16 / 256;

        while (peak > INT64_C(1) << 46) {
            peak /= 2;
            time /= 2;
        }
        out->pressure_q16 = peak * GP_ONE_Q16 / larger(time, 1);
    }
    if (bytes > 0) {
        out->weight_q16 = warps * GP_ONE_Q16 / profile->memory_block_warps;
        out->demand_q16 = larger(bytes * GP_ONE_Q16 / larger(out->time_q16 / GP_ONE_Q16, 1), 1);
    }
}

/* How much slower blocks run whose SM is asked for `pressure` of its issue slots. Beyond the last
 * point the slots are used up: the slowdown grows as the demand. */
static int64_t slowdown(const struct gp_curve *curve, int64_t pressure_q16)
{
    const int64_t last_x = curve->x[curve->count - 1];
    const int64_t last_y = curve->y[curve->count - 1];

    if (pressure_q16 * 1000 > last_x * GP_ONE_Q16 && last_x > 0) {
        return larger(pressure_q16 * last_y / last_x, GP_ONE_Q16);
    }
    return larger(gp_curve_at(curve, pressure_q16 * 1000) / 1000, GP_ONE_Q16);
}

/* Gives out the issue slots, oldest first: each gets its part of what is left, more when the
 * younger cannot use theirs. */
static void share_slots(const struct gp_profile *profile, struct gp_share_user *users,
                        uint32_t count, int64_t pressure_q16)
{
    int64_t left = pressure_q16 * GP_ONE_Q16 / slowdown(&profile->issue_curve, pressure_q16);
    int64_t wanted = pressure_q16;

    for (uint32_t i = 0; i < count; i++) {
        int64_t part;

        if (users[i].is_memory_bound) {
            continue;
        }
        wanted -= users[i].pressure_q16;
        part = larger(left * profile->older_share_permille / 1000, left - wanted);
        part = smaller(wanted > 0 ? part : left, users[i].pressure_q16);
        left -= part;
        users[i].speed_q16 = users[i].pressure_q16 > 0
                                 ? larger(part * GP_ONE_Q16 / users[i].pressure_q16, 1)
                                 : GP_ONE_Q16;
    }
}

void gp_share_sm(const struct gp_profile *profile, struct gp_share_user *users, uint32_t count)
{
    int64_t pressure_q16 = 0;

    for (uint32_t i = 0; i < count; i++) {
        users[i].speed_q16 = GP_ONE_Q16;
        pressure_q16 += users[i].is_memory_bound ? 0 : users[i].pressure_q16;
    }
    if (pressure_q16 == 0) {
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (users[i].is_memory_bound) {
            users[i].speed_q16 =
                GP_ONE_Q16 * 1000 * GP_ONE_Q16 /
                larger(gp_curve_at(&profile->memory_slowdown_curve, pressure_q16 * 1000),
                       1000 * GP_ONE_Q16);
        }
    }
    share_slots(profile, users, count, pressure_q16);
}

int64_t gp_share_memory(const struct gp_profile *profile, struct gp_share_flow *flows,
                        uint32_t count)
{
    const int64_t alone_q16 = profile->memory_curve.y[0] * GP_ONE_Q16 / profile->memory_curve.x[0];
    bool changed = true;
    int64_t cap_q16 = INT64_MAX;
    int64_t least_q16 = 0;

    for (uint32_t i = 0; i < count; i++) {
        flows[i].is_satisfied = false;
    }
    while (changed) {
        int64_t weight = 0;
        int64_t pulling = 0; /* weight, the satisfied ones counted by what they really pull */
        int64_t taken = 0;

        changed = false;
        for (uint32_t i = 0; i < count; i++) {
            if (flows[i].is_satisfied) {
                taken += flows[i].demand_q16;
                pulling += flows[i].demand_q16 * GP_ONE_Q16 / alone_q16;
            } else {
                weight += flows[i].weight_q16;
                pulling += flows[i].weight_q16;
            }
        }
        if (weight == 0) {
            return INT64_MAX;
        }
        cap_q16 = gp_curve_at(&profile->memory_curve, pulling);
        /* Fewer than the first point counts: the curve begins as a line through the origin. */
        cap_q16 = smaller(cap_q16, pulling / 256 * (alone_q16 / 256));
        cap_q16 = larger(cap_q16 - taken, 1) * GP_ONE_Q16 / weight;
        /* Who wants less than its part takes nothing from the others: fewer pull less each of what
         * the curve says, which may be less than what the satisfied ones take. */
        cap_q16 = larger(cap_q16, least_q16);
        least_q16 = cap_q16;
        for (uint32_t i = 0; i < count; i++) {
            /* demand ÷ weight ≤ cap, without the division */
            if (!flows[i].is_satisfied &&
                flows[i].demand_q16 <= cap_q16 * (flows[i].weight_q16 / 16) / (GP_ONE_Q16 / 16)) {
                flows[i].is_satisfied = true;
                changed = true;
            }
        }
    }
    return cap_q16;
}

int64_t gp_share_memory_speed(const struct gp_block_cost *cost, int64_t cap_q16)
{
    if (cost->weight_q16 == 0 || cap_q16 == INT64_MAX) {
        return GP_ONE_Q16;
    }
    return larger(smaller(cap_q16 * cost->weight_q16 / cost->demand_q16, GP_ONE_Q16), 1);
}
