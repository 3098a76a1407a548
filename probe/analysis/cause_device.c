/*
 * Causes by what the device has no room for: copy engines, resident kernels, SMs and the order in
 * which blocks go to them. See cause_rules.h.
 *
 * One sweep in time. Kernels are given SMs in the order in which they are free to go; a kernel's
 * blocks come before those of all later ones of its priority until the last one has its SM. When an
 * operation begins, what the device looked like before the last few changes says what held it.
 */
#include "probe/analysis/cause_rules.h"

#include <math.h>
#include <string.h>

#include "probe/analysis/residency.h"
#include "probe/memory.h"

enum {
    ENGINES_MAX = 16,
    SMALL_SET_BYTES = 16 * 1024, /* a memset below this needs no SM */
    CHANGES = 32,                /* that are looked back at */
};

/* A change longer ago than this let nobody begin now. */
static const int64_t look_back_ns = 20000;
/* Kernels on the device at once, where its number is not known: that of compute capability 7.5 and
 * later (CUDA C++ Programming Guide). */
static const double grids_resident = 128;

/* ---- copy engines -------------------------------------------------------------------------- */

/* The engine that an operation goes through, or -1. Other tools do not name it: there it is that of
 * its direction. */
static int32_t engine_of(const struct gp_run_data *run, const struct gp_op_row *op)
{
    bool is_copy = op->kind == GP_OP_H2D || op->kind == GP_OP_D2H;

    if (is_copy && !gp_facts_waits(&run->facts, op)) {
        return -1;
    }
    if (op->engine >= 0 && op->engine < ENGINES_MAX) {
        return op->engine;
    }
    if (run->device->kind != GP_ORIGIN_IMPORTED) {
        return -1;
    }
    return op->kind == GP_OP_H2D ? 0 : op->kind == GP_OP_D2H ? 1 : -1;
}

static void index_engines(struct gp_cause_index *index)
{
    const struct gp_run_data *run = index->run;
    struct gp_held engines[ENGINES_MAX];

    for (int i = 0; i < ENGINES_MAX; i++) {
        engines[i] = (struct gp_held){INT64_MIN, GP_NO_OP};
    }
    index->engine = gp_cause_index_array(run->op_count);
    for (uint32_t i = 0; i < index->begun; i++) {
        uint32_t op = index->by_begin[i].op;
        int32_t engine = engine_of(run, &run->ops[op]);

        if (engine >= 0) {
            index->engine[op] = engines[engine];
            gp_held_raise(&engines[engine], run->ops[op].end, op);
        }
    }
}

/* ---- the sweep over the SMs ---------------------------------------------------------------- */

enum change { CHANGE_END, CHANGE_FULL, CHANGE_BEGIN };

/* The device before a change. */
struct state {
    struct gp_resources used;
    uint32_t grids;
    int64_t at;  /* of the change */
    uint32_t op; /* that changed */
    enum change what;
};

struct sweep {
    struct gp_cause_index *index;
    struct gp_residencies residencies;
    struct gp_resources all;
    struct state now;
    struct state past[CHANGES]; /* the last changes, in a ring */
    uint32_t changes;
    struct gp_held first_in_line; /* the latest `full` of those that began */
    struct gp_held overtaking;    /* likewise, of the most urgent priority */
    int32_t most_urgent;
    double grids_max;
};

static bool needs_sms(const struct gp_op_row *op)
{
    return op->kind == GP_OP_KERNEL || op->kind == GP_OP_D2D ||
           (op->kind == GP_OP_MEMSET && op->bytes >= SMALL_SET_BYTES);
}

static void take(struct gp_resources *used, const struct gp_resources *block, int64_t blocks)
{
    used->warps += blocks * block->warps;
    used->blocks += blocks * block->blocks;
    used->registers += blocks * block->registers;
    used->shared_bytes += blocks * block->shared_bytes;
}

/* Whether no block more has room. */
static bool is_full_for(const struct sweep *sweep, const struct gp_resources *used,
                        const struct gp_resources *block)
{
    return used->warps + block->warps > sweep->all.warps ||
           used->blocks + block->blocks > sweep->all.blocks ||
           used->registers + block->registers > sweep->all.registers ||
           used->shared_bytes + block->shared_bytes > sweep->all.shared_bytes;
}

/* When everything but the device had let it go. */
static int64_t ready_from(const struct gp_cause_index *index, uint32_t op)
{
    int64_t from = gp_cause_index_free_from(index, op);
    int64_t submitted = index->run->ops[op].submit_end;

    return submitted > from ? submitted : from;
}

/* One kernel uses shared memory and the other does not. */
static bool wants_other_share(const struct gp_op_row *a, const struct gp_op_row *b)
{
    return a->kind == GP_OP_KERNEL && b->kind == GP_OP_KERNEL && a->smem >= 0 && b->smem >= 0 &&
           (a->smem > 0) != (b->smem > 0);
}

/* Says that `other` held `op` until then. Most runs need few of these arrays. */
static void hold(struct gp_held **all, const struct gp_run_data *run, uint32_t op, int64_t until,
                 uint32_t other)
{
    if (*all == NULL) {
        *all = gp_cause_index_array(run->op_count);
    }
    gp_held_raise(&(*all)[op], until, other);
}

/* What the last changes say: each may have been what it waited for. */
static void judge_changes(struct sweep *sweep, uint32_t op, const struct gp_residency *residency,
                          int64_t since)
{
    struct gp_cause_index *index = sweep->index;
    const struct gp_op_row *row = &index->run->ops[op];
    uint32_t count = sweep->changes < CHANGES ? sweep->changes : CHANGES;

    for (uint32_t back = 1; back <= count; back++) {
        const struct state *state = &sweep->past[(sweep->changes - back) % CHANGES];
        const struct gp_op_row *other = &index->run->ops[state->op];
        /* Waves are not of equal length: its last blocks may have got their SMs any time later. */
        bool may_be_later = state->what == CHANGE_FULL && other->end >= row->begin;
        int64_t until = may_be_later ? row->begin : state->at;

        if (state->at <= since) {
            return;
        }
        if (until < row->begin - look_back_ns) {
            continue;
        }
        if (state->what == CHANGE_END && state->grids >= sweep->grids_max) {
            hold(&index->grids, index->run, op, state->at, state->op);
        }
        if (residency->room > 0 && state->what != CHANGE_BEGIN &&
            is_full_for(sweep, &state->used, &residency->block)) {
            hold(&index->sms, index->run, op, until, state->op);
        }
        if (state->what == CHANGE_END && wants_other_share(row, other)) {
            hold(&index->carve_out, index->run, op, state->at, state->op);
        }
    }
}

/* What was free to go earlier and had blocks to give out until just before. */
static void judge_line(struct sweep *sweep, uint32_t op, int64_t since)
{
    struct gp_cause_index *index = sweep->index;
    const struct gp_op_row *row = &index->run->ops[op];
    int64_t earliest = row->begin - look_back_ns > since ? row->begin - look_back_ns : since + 1;

    if (sweep->overtaking.on != GP_NO_OP && sweep->overtaking.until >= earliest &&
        sweep->most_urgent < index->run->streams[row->stream].priority) {
        hold(&index->priority, index->run, op, sweep->overtaking.until, sweep->overtaking.on);
    }
    if (sweep->first_in_line.on != GP_NO_OP && sweep->first_in_line.until >= earliest &&
        ready_from(index, sweep->first_in_line.on) <= since) {
        hold(&index->line, index->run, op, sweep->first_in_line.until, sweep->first_in_line.on);
    }
}

/* Whether the device itself held it almost until its begin. */
static bool was_held(const struct gp_held *all, const struct gp_op_row *row)
{
    return all != NULL && all[row->id].until >= row->begin - look_back_ns;
}

/* Only what has to wait for the device is in front of others: its later waves, or all of it. What
 * got its SMs at once, all of them, kept nobody. */
static bool is_in_line(const struct gp_cause_index *index, uint32_t op, int64_t full)
{
    const struct gp_op_row *row = &index->run->ops[op];

    return full > row->begin || was_held(index->sms, row) || was_held(index->grids, row) ||
           was_held(index->line, row) || was_held(index->carve_out, row) ||
           was_held(index->priority, row);
}

static void join_line(struct sweep *sweep, uint32_t op, int64_t full)
{
    const struct gp_run_data *run = sweep->index->run;
    int32_t priority = run->streams[run->ops[op].stream].priority;

    if (!is_in_line(sweep->index, op, full)) {
        return;
    }
    gp_held_raise(&sweep->first_in_line, full, op);
    if (sweep->overtaking.on == GP_NO_OP || priority < sweep->most_urgent) {
        sweep->most_urgent = priority;
        sweep->overtaking = (struct gp_held){full, op};
    } else if (priority == sweep->most_urgent) {
        gp_held_raise(&sweep->overtaking, full, op);
    }
}

static void apply_change(struct sweep *sweep, const struct gp_moment *moment)
{
    const struct gp_op_row *op = &sweep->index->run->ops[moment->op];
    struct gp_residency residency;
    int64_t full;
    int64_t blocks[2];

    gp_residencies_of(&sweep->residencies, op, &residency);
    gp_residency_waves(&residency, op, &full, blocks);
    if (moment->what == CHANGE_BEGIN) {
        int64_t since = ready_from(sweep->index, moment->op);

        judge_changes(sweep, moment->op, &residency, since);
        judge_line(sweep, moment->op, since);
        join_line(sweep, moment->op, full);
    }
    sweep->now.at = moment->at;
    sweep->now.op = moment->op;
    sweep->now.what = (enum change)moment->what;
    sweep->past[sweep->changes++ % CHANGES] = sweep->now;
    switch ((enum change)moment->what) {
    case CHANGE_BEGIN:
        take(&sweep->now.used, &residency.block, blocks[0]);
        sweep->now.grids += op->kind == GP_OP_KERNEL ? 1 : 0;
        break;
    case CHANGE_FULL:
        take(&sweep->now.used, &residency.block, blocks[1] - blocks[0]);
        break;
    case CHANGE_END:
        take(&sweep->now.used, &residency.block, -blocks[1]);
        sweep->now.grids -= op->kind == GP_OP_KERNEL ? 1 : 0;
        break;
    }
}

/* When a kernel's last wave begins; false when that is its first. */
static bool fills_later(struct gp_residencies *residencies, const struct gp_op_row *op, int64_t *at)
{
    struct gp_residency residency;
    int64_t blocks[2];

    gp_residencies_of(residencies, op, &residency);
    gp_residency_waves(&residency, op, at, blocks);
    return *at != op->begin;
}

/* At the same moment what ends makes room for what begins. */
static struct gp_moment *order_changes(struct sweep *sweep, uint32_t *count)
{
    const struct gp_cause_index *index = sweep->index;
    struct gp_moment *moments = gp_xalloc(index->begun, 3 * sizeof *moments);

    *count = 0;
    for (int what = CHANGE_END; what <= CHANGE_BEGIN; what++) {
        for (uint32_t i = 0; i < index->begun && gp_cause_index_goes_on(index, i); i++) {
            const struct gp_op_row *op = &index->run->ops[index->by_begin[i].op];
            int64_t at = what == CHANGE_END ? op->end : op->begin;

            if (needs_sms(op) &&
                (what != CHANGE_FULL || fills_later(&sweep->residencies, op, &at))) {
                moments[(*count)++] = (struct gp_moment){at, index->by_begin[i].op, (uint32_t)what};
            }
        }
    }
    if (gp_goes_on(&index->run->heed)) {
        gp_moments_sort(moments, *count);
    }
    return moments;
}

static void index_sms(struct gp_cause_index *index)
{
    const struct gp_run_data *run = index->run;
    struct sweep sweep = {
        .index = index,
        .residencies = {.device = run->device},
        .first_in_line = {INT64_MIN, GP_NO_OP},
        .overtaking = {INT64_MIN, GP_NO_OP},
        .grids_max = isnan(run->facts.grids_resident) ? grids_resident : run->facts.grids_resident,
    };
    struct gp_moment *changes;
    uint32_t count;

    if (!gp_residency_device(run->device, &sweep.all)) {
        return;
    }
    changes = order_changes(&sweep, &count);
    for (uint32_t i = 0; i < count && gp_cause_index_goes_on(index, i); i++) {
        apply_change(&sweep, &changes[i]);
    }
    gp_free(changes);
}

void gp_cause_index_device(struct gp_cause_index *index)
{
    index_engines(index);
    index_sms(index);
}

/* ---- the rules ----------------------------------------------------------------------------- */

bool gp_cause_engine_busy(const struct gp_cause_index *index, uint32_t op, int64_t from, int64_t to,
                          struct gp_hold *out)
{
    (void)from;
    (void)to;
    return gp_cause_held(index->engine, op, out);
}

bool gp_cause_grid_limit(const struct gp_cause_index *index, uint32_t op, int64_t from, int64_t to,
                         struct gp_hold *out)
{
    double most = index->run->facts.grids_resident;

    (void)from;
    (void)to;
    if (!gp_cause_held(index->grids, op, out)) {
        return false;
    }
    out->figure = (int64_t)(isnan(most) ? grids_resident : most);
    return true;
}

bool gp_cause_priority(const struct gp_cause_index *index, uint32_t op, int64_t from, int64_t to,
                       struct gp_hold *out)
{
    (void)from;
    (void)to;
    return gp_cause_held(index->priority, op, out);
}

bool gp_cause_sm_full(const struct gp_cause_index *index, uint32_t op, int64_t from, int64_t to,
                      struct gp_hold *out)
{
    struct gp_residency residency;

    (void)from;
    (void)to;
    if (!gp_cause_held(index->sms, op, out)) {
        return false;
    }
    gp_residency_of(index->run->device, &index->run->ops[op], &residency);
    out->figure = residency.room;
    return true;
}

bool gp_cause_head_of_line(const struct gp_cause_index *index, uint32_t op, int64_t from,
                           int64_t to, struct gp_hold *out)
{
    (void)from;
    (void)to;
    return gp_cause_held(index->line, op, out);
}

bool gp_cause_carve_out(const struct gp_cause_index *index, uint32_t op, int64_t from, int64_t to,
                        struct gp_hold *out)
{
    (void)from;
    (void)to;
    return gp_cause_held(index->carve_out, op, out);
}
