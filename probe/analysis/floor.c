/* The least that was seen of a workload: see floor.h. */
#include "probe/analysis/floor.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "probe/analysis/by_time.h"
#include "probe/analysis/residency.h"
#include "probe/memory.h"

static const int64_t certain_ns = 5000;

static void lower(int64_t *least, int64_t value)
{
    value = value > 0 ? value : 0;
    *least = value < *least ? value : *least;
}

/* What takes no time of its own may have no times. */
static bool is_timed(const struct gp_op_row *op)
{
    return gp_op_runs(op) || op->kind == GP_OP_HOST || op->kind == GP_OP_VALUE;
}

static int64_t duration_of(const struct gp_op_row *op)
{
    return op->begin != GP_UNKNOWN && op->end != GP_UNKNOWN ? op->end - op->begin : 0;
}

/* Not wanted before; most are from the beginning. */
static int64_t release_of(const struct gp_op_row *op)
{
    return op->release > 0 ? op->release : 0;
}

/* Whether it waits for its engine and keeps it busy. */
static bool is_through_engine(const struct gp_facts *facts, const struct gp_op_row *op)
{
    return (op->kind == GP_OP_H2D || op->kind == GP_OP_D2H) && op->bytes != GP_UNKNOWN &&
           gp_facts_waits(facts, op);
}

/* Blocks are taken as equally long, and as if another kernel's beside them did no harm. */
static void share_sms(struct gp_residencies *residencies, const struct gp_resources *all,
                      const struct gp_op_row *op, double shares[GP_SM_SHARES])
{
    struct gp_residency residency;
    double blocks; /* resident, in the mean */

    gp_residencies_of(residencies, op, &residency);
    if (residency.room == 0) {
        return;
    }
    blocks = (double)residency.blocks / ceil((double)residency.blocks / (double)residency.room);
    shares[0] = blocks * (double)residency.block.warps / (double)all->warps;
    shares[1] = blocks * (double)residency.block.blocks / (double)all->blocks;
    shares[2] = blocks * (double)residency.block.registers / (double)all->registers;
    shares[3] = blocks * (double)residency.block.shared_bytes / (double)all->shared_bytes;
}

static void begin_needs(struct gp_floor *floor, const struct gp_run_data *run)
{
    struct gp_residencies residencies = {.device = run->device};
    struct gp_resources all;
    bool knows_sms = gp_residency_device(run->device, &all);

    floor->op_count = run->op_count;
    floor->needs = gp_xalloc(run->op_count, sizeof *floor->needs);
    for (uint32_t i = 0; i < run->op_count; i++) {
        const struct gp_op_row *op = &run->ops[i];
        struct gp_need *need = &floor->needs[i];

        need->kind = op->kind;
        need->shortest_ns = INT64_MAX;
        need->release_ns = release_of(op);
        need->engine_bytes = is_through_engine(&run->facts, op) ? op->bytes : GP_UNKNOWN;
        if (knows_sms && op->kind == GP_OP_KERNEL) {
            share_sms(&residencies, &all, op, need->sm_shares);
        }
    }
    floor->knows_sms = knows_sms;
}

static void begin_floor(struct gp_floor *floor, const struct gp_run_data *run)
{
    begin_needs(floor, run);
    floor->edge_count = run->edge_count;
    floor->edges = gp_xalloc(run->edge_count, sizeof *floor->edges);
    if (run->edge_count > 0) {
        memcpy(floor->edges, run->edges, run->edge_count * sizeof *floor->edges);
    }
    floor->facts = run->facts;
    floor->device = *run->device;
    floor->is_graph = run->cell->submit == GP_SUBMIT_GRAPH;
    floor->set_up_ns[0] = floor->set_up_ns[1] = INFINITY;
    floor->start_ns = floor->finish_ns = INT64_MAX;
    floor->kernels_ns = INT64_MAX;
    for (int i = 0; i < GP_OP_KIND_COUNT; i++) {
        floor->call_ns[i] = INT64_MAX;
        for (int j = 0; j < GP_OP_KIND_COUNT; j++) {
            floor->gap_ns[i][j] = INT64_MAX;
        }
    }
}

/* Whether all of its times are known and it is the work that the floor is of. */
static bool can_note(const struct gp_floor *floor, const struct gp_run_data *run)
{
    if (run->op_count == 0 || (floor->needs != NULL && floor->op_count != run->op_count)) {
        return false;
    }
    for (uint32_t i = 0; i < run->op_count; i++) {
        if (!is_timed(&run->ops[i]) ||
            (floor->needs != NULL && floor->needs[i].kind != run->ops[i].kind)) {
            return false;
        }
    }
    return true;
}

static bool is_end_certain(const struct gp_op_row *op)
{
    return op->end_lo != GP_UNKNOWN && op->end_hi != GP_UNKNOWN &&
           op->end_hi - op->end_lo <= certain_ns;
}

/* When it has ended at the latest. */
static int64_t latest_end(const struct gp_op_row *op)
{
    return op->end_hi != GP_UNKNOWN ? op->end_hi : op->end;
}

/* A run's operations that take time on the device, in the order of their ends. */
struct ended {
    const struct gp_run_data *run;
    struct gp_moment *all; /* at: the end; what: the kind */
    uint32_t count;
    /* Per operation: when nothing but the device held it. It was submitted, and all before it by
     * the DAG and on its stream had ended. */
    int64_t *ready;
};

/* The time of a copy's bytes alone: slower when a copy of the other direction ran beside it.
 * *other: where to look for that on; it moves with the copies. */
static double bytes_time(const struct ended *ended, const struct gp_op_row *copy, uint32_t *other)
{
    const struct gp_run_data *run = ended->run;
    int direction = copy->kind == GP_OP_H2D ? 0 : 1;
    uint32_t other_kind = direction == 0 ? GP_OP_D2H : GP_OP_H2D;
    double rate = gp_facts_copy_rate_max(&run->facts, run->device, direction);
    double duplex = direction == 0 ? run->facts.h2d_duplex_rate : run->facts.d2h_duplex_rate;
    double beside_ns = run->facts.copy_duplex_setup_ns;
    bool is_beside = false;

    while (*other < ended->count) {
        const struct gp_moment *end = &ended->all[*other];

        if (end->what == other_kind && end->at > copy->begin) {
            is_beside = run->ops[end->op].begin < copy->end;
            break;
        }
        (*other)++;
    }
    if (!is_beside) {
        return (double)copy->bytes * 1e9 / rate;
    }
    return (double)copy->bytes * 1e9 / (duplex < rate ? duplex : rate) +
           (isnan(beside_ns) ? 0 : beside_ns);
}

/* Copies of one direction in the order of their ends: so many of them that were ready when the one
 * before ended take so many set-ups more than their bytes. One alone says little: when it ended is
 * known to a few µs. */
static void note_set_up(struct gp_floor *floor, const struct ended *ended, int direction)
{
    uint32_t kind = direction == 0 ? GP_OP_H2D : GP_OP_D2H;
    int64_t since = GP_UNKNOWN;
    int64_t before = INT64_MIN; /* the end of the copy before */
    double event_ns = ended->run->facts.copy_timed_ns;
    bool was_marked = false;
    double bytes_ns = 0;
    uint32_t copies = 0;
    uint32_t other = 0;

    if (isnan(gp_facts_copy_rate_max(&ended->run->facts, ended->run->device, direction)) ||
        !isnan(gp_facts_copy_set_up(&ended->run->facts, direction))) {
        return;
    }
    for (uint32_t i = 0; i < ended->count; i++) {
        const struct gp_op_row *op = &ended->run->ops[ended->all[i].op];

        if (ended->all[i].what != kind) {
            continue;
        }
        /* Else the engine had nothing to do, a stream handed it its next copy, or an event of the
         * recorder came in between, which may have cost its time. */
        if (ended->ready[ended->all[i].op] >= before || (was_marked && isnan(event_ns))) {
            since = GP_UNKNOWN;
        }
        bytes_ns += was_marked && !isnan(event_ns) ? event_ns : 0;
        was_marked = op->done != GP_UNKNOWN;
        before = op->end;
        bytes_ns += bytes_time(ended, op, &other);
        copies++;
        if (!is_end_certain(op) || (since != GP_UNKNOWN && copies < GP_SET_UP_COPIES)) {
            continue;
        }
        if (since != GP_UNKNOWN) {
            double more_ns = (double)(op->end_lo - since) - bytes_ns;

            floor->set_up_ns[direction] =
                fmax(fmin(floor->set_up_ns[direction], more_ns / copies), 0);
        }
        since = op->end_hi;
        bytes_ns = 0;
        copies = 0;
    }
}

/* A run's first and last operations, while they are walked. */
struct ends {
    int64_t begin, release; /* of the one that began first */
    int64_t end;            /* the last */
    bool is_marked;         /* an event of the recorder after it delays what ends the run */
};

static void note_ends(struct gp_floor *floor, const struct gp_op_row *op, struct ends *ends)
{
    int64_t end = is_end_certain(op) ? op->end : latest_end(op);
    int64_t release = release_of(op);

    if (op->begin < ends->begin) {
        ends->begin = op->begin;
        ends->release = release;
    }
    /* What arrives later: how long after it was wanted it began. */
    if (release > 0) {
        lower(&floor->start_ns, op->begin - release);
    }
    if (end > ends->end) {
        ends->end = end;
        ends->is_marked = op->done != GP_UNKNOWN;
    }
}

/* Each operation by itself. Those that run go to `ended`, whose `ready` gets when they were
 * submitted. */
static void note_ops(struct gp_floor *floor, struct ended *ended)
{
    const struct gp_run_data *run = ended->run;
    struct ends ends = {.begin = INT64_MAX, .end = INT64_MIN};

    for (uint32_t i = 0; i < run->op_count; i++) {
        const struct gp_op_row *op = &run->ops[i];

        lower(&floor->needs[i].shortest_ns, duration_of(op));
        if (op->submit_begin != GP_UNKNOWN && op->submit_end != GP_UNKNOWN) {
            lower(&floor->call_ns[op->kind], op->submit_end - op->submit_begin);
        }
        ended->ready[i] = op->submit_end;
        if (gp_op_runs(op)) {
            ended->all[ended->count++] = (struct gp_moment){op->end, i, op->kind};
            note_ends(floor, op, &ends);
        }
    }
    if (ended->count > 0) {
        lower(&floor->start_ns, ends.begin - ends.release);
        lower(&floor->finish_ns, run->run.makespan_ns == GP_UNKNOWN || ends.is_marked
                                     ? 0
                                     : run->run.makespan_ns - ends.end);
    }
}

static void note_edges(struct gp_floor *floor, const struct ended *ended)
{
    const struct gp_run_data *run = ended->run;

    for (uint32_t i = 0; i < run->edge_count; i++) {
        const struct gp_op_row *from = &run->ops[run->edges[i].from];
        const struct gp_op_row *to = &run->ops[run->edges[i].to];
        int64_t *ready = &ended->ready[run->edges[i].to];

        if (gp_op_runs(from) && gp_op_runs(to)) {
            lower(&floor->gap_ns[from->kind][to->kind], to->begin - from->end);
        }
        *ready = from->end != GP_UNKNOWN && from->end > *ready ? from->end : *ready;
    }
}

static void find_ready(const struct ended *ended)
{
    const struct gp_run_data *run = ended->run;
    int64_t *stream_end = gp_xalloc(run->stream_count, sizeof *stream_end);

    for (uint32_t i = 0; i < ended->count; i++) {
        const struct gp_moment *moment = &ended->all[i];
        int64_t *end = &stream_end[run->ops[moment->op].stream];

        if (*end > ended->ready[moment->op]) {
            ended->ready[moment->op] = *end;
        }
        *end = moment->at;
    }
    gp_free(stream_end);
}

/* The time in which kernels ran, from the last end back. */
static void note_kernels(struct gp_floor *floor, const struct ended *ended)
{
    int64_t covered_from = INT64_MAX;
    int64_t ns = 0;

    for (uint32_t i = ended->count; i > 0; i--) {
        const struct gp_moment *end = &ended->all[i - 1];
        int64_t until = end->at < covered_from ? end->at : covered_from;
        int64_t begin;

        if (end->what != GP_OP_KERNEL) {
            continue;
        }
        begin = ended->run->ops[end->op].begin;
        if (begin < until) {
            ns += until - begin;
            covered_from = begin;
        }
    }
    lower(&floor->kernels_ns, ns);
}

bool gp_floor_note(struct gp_floor *floor, const struct gp_run_data *run)
{
    struct ended ended = {.run = run};

    assert(floor != NULL && run != NULL);
    if (!can_note(floor, run)) {
        return false;
    }
    if (floor->needs == NULL) {
        begin_floor(floor, run);
    }
    ended.all = gp_xalloc(run->op_count, sizeof *ended.all);
    ended.ready = gp_xalloc(run->op_count, sizeof *ended.ready);
    note_ops(floor, &ended);
    note_edges(floor, &ended);
    gp_moments_sort(ended.all, ended.count);
    find_ready(&ended);
    note_set_up(floor, &ended, 0);
    note_set_up(floor, &ended, 1);
    note_kernels(floor, &ended);
    gp_free(ended.ready);
    gp_free(ended.all);
    return true;
}

void gp_floor_finish(struct gp_floor *floor)
{
    if (floor == NULL) {
        return;
    }
    gp_free(floor->needs);
    gp_free(floor->edges);
    *floor = (struct gp_floor){0};
}
