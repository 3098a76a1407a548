/* How fast a workload could have been: see bounds.h. */
#include "probe/analysis/bounds.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "probe/analysis/by_time.h"
#include "probe/analysis/residency.h"
#include "probe/memory.h"

const char *gp_limit_name(enum gp_limit limit)
{
    static const char *const names[] = {
#define X(name, words) words,
        GP_LIMITS(X)
#undef X
    };

    assert((unsigned)limit < GP_LIMIT_COUNT);
    return names[limit];
}

enum { SET_UP_COPIES = 16 };

static const double peak_over_measured = 1.03;
static const double peak_over_slope = 1.01;
static const double least_set_up = 0.9; /* of what was measured */
static const int64_t certain_ns = 5000;

/* ---- the least seen ------------------------------------------------------------------------ */

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

static void begin_floor(struct gp_floor *floor, const struct gp_run_data *run)
{
    floor->op_count = run->op_count;
    floor->edge_count = run->edge_count;
    floor->ops = gp_xalloc(run->op_count, sizeof *floor->ops);
    floor->edges = gp_xalloc(run->edge_count, sizeof *floor->edges);
    memcpy(floor->ops, run->ops, run->op_count * sizeof *floor->ops);
    if (run->edge_count > 0) {
        memcpy(floor->edges, run->edges, run->edge_count * sizeof *floor->edges);
    }
    floor->facts = run->facts;
    floor->device = *run->device;
    floor->is_graph = run->cell->submit == GP_SUBMIT_GRAPH;
    for (uint32_t i = 0; i < run->op_count; i++) {
        floor->ops[i].end = duration_of(&run->ops[i]);
        floor->ops[i].begin = 0;
    }
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

static bool is_same_work(const struct gp_floor *floor, const struct gp_run_data *run)
{
    if (floor->op_count != run->op_count) {
        return false;
    }
    for (uint32_t i = 0; i < run->op_count; i++) {
        if (floor->ops[i].kind != run->ops[i].kind) {
            return false;
        }
    }
    return true;
}

/* What a copy takes of its engine beside its bytes; NAN: it was not measured alone. */
static double set_up_of(const struct gp_facts *facts, int direction)
{
    return direction == 0 ? facts->h2d_setup : facts->d2h_setup;
}

/* The highest rate that copies may have. A rate that was measured may be beaten a little; more
 * where the set-up, and an event, are in it. */
static double rate_of(const struct gp_facts *facts, const struct gp_device_row *device,
                      int direction)
{
    double rate = direction == 0 ? facts->h2d_rate : facts->d2h_rate;

    if (device->kind == GP_ORIGIN_MODEL) {
        return rate;
    }
    return rate * (isnan(set_up_of(facts, direction)) ? peak_over_measured : peak_over_slope);
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

/* When nothing but the device held each operation: submitted, and all before it by the DAG and on
 * its stream has ended. by_end has those that run. */
static int64_t *find_ready(const struct gp_run_data *run, const struct gp_moment *by_end,
                           uint32_t count)
{
    int64_t *ready = gp_xalloc(run->op_count, sizeof *ready);
    int64_t *stream_end = gp_xalloc(run->stream_count, sizeof *stream_end);

    for (uint32_t i = 0; i < run->op_count; i++) {
        ready[i] = run->ops[i].submit_end;
    }
    for (uint32_t i = 0; i < run->edge_count; i++) {
        const struct gp_op_row *from = &run->ops[run->edges[i].from];
        int64_t *to = &ready[run->edges[i].to];

        *to = from->end != GP_UNKNOWN && from->end > *to ? from->end : *to;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t op = by_end[i].op;
        int64_t *end = &stream_end[run->ops[op].stream];

        ready[op] = *end > ready[op] ? *end : ready[op];
        *end = run->ops[op].end;
    }
    gp_free(stream_end);
    return ready;
}

/* What note_set_up goes through: a run's operations in the order of their ends. */
struct ended {
    const struct gp_run_data *run;
    struct gp_moment *all;
    uint32_t count;
    int64_t *ready; /* per operation */
};

/* The time of a copy's bytes alone: slower when a copy of the other direction ran beside it.
 * *other: where to look for that on; it moves with the copies. */
static double bytes_time(const struct ended *ended, const struct gp_op_row *copy, uint32_t *other)
{
    const struct gp_run_data *run = ended->run;
    int direction = copy->kind == GP_OP_H2D ? 0 : 1;
    enum gp_op_kind other_kind = direction == 0 ? GP_OP_D2H : GP_OP_H2D;
    double rate = rate_of(&run->facts, run->device, direction);
    double duplex = direction == 0 ? run->facts.h2d_duplex_rate : run->facts.d2h_duplex_rate;
    double beside_ns = run->facts.copy_duplex_setup_ns;
    bool is_beside = false;

    while (*other < ended->count) {
        const struct gp_op_row *op = &run->ops[ended->all[*other].op];

        if (op->kind == other_kind && op->end > copy->begin) {
            is_beside = op->begin < copy->end;
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
    enum gp_op_kind kind = direction == 0 ? GP_OP_H2D : GP_OP_D2H;
    int64_t since = GP_UNKNOWN;
    int64_t before = INT64_MIN; /* the end of the copy before */
    double event_ns = ended->run->facts.copy_timed_ns;
    bool was_marked = false;
    double bytes_ns = 0;
    uint32_t copies = 0;
    uint32_t other = 0;

    if (isnan(rate_of(&ended->run->facts, ended->run->device, direction)) ||
        !isnan(set_up_of(&ended->run->facts, direction))) {
        return;
    }
    for (uint32_t i = 0; i < ended->count; i++) {
        const struct gp_op_row *op = &ended->run->ops[ended->all[i].op];

        if (op->kind != kind) {
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
        if (!is_end_certain(op) || (since != GP_UNKNOWN && copies < SET_UP_COPIES)) {
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

/* The device's first work, and what arrives later: how long after it was wanted it began. */
static void note_start(struct gp_floor *floor, const struct gp_run_data *run)
{
    const struct gp_op_row *first = NULL;

    for (uint32_t i = 0; i < run->op_count; i++) {
        const struct gp_op_row *op = &run->ops[i];

        if (!gp_op_runs(op)) {
            continue;
        }
        first = first == NULL || op->begin < first->begin ? op : first;
        if (release_of(op) > 0) {
            lower(&floor->start_ns, op->begin - release_of(op));
        }
    }
    if (first != NULL) {
        lower(&floor->start_ns, first->begin - release_of(first));
    }
}

/* From the last end to its being known. */
static void note_finish(struct gp_floor *floor, const struct gp_run_data *run)
{
    int64_t last = INT64_MIN;
    bool is_marked = false; /* an event of the recorder after it delays what ends the run */

    for (uint32_t i = 0; i < run->op_count; i++) {
        const struct gp_op_row *op = &run->ops[i];
        int64_t end = is_end_certain(op) ? op->end : latest_end(op);

        if (gp_op_runs(op) && end > last) {
            last = end;
            is_marked = op->done != GP_UNKNOWN;
        }
    }
    if (last != INT64_MIN) {
        lower(&floor->finish_ns,
              run->run.makespan_ns == GP_UNKNOWN || is_marked ? 0 : run->run.makespan_ns - last);
    }
}

/* The time in which kernels ran, from the last end back. */
static void note_kernels(struct gp_floor *floor, const struct ended *ended)
{
    int64_t covered_from = INT64_MAX;
    int64_t ns = 0;

    for (uint32_t i = ended->count; i > 0; i--) {
        const struct gp_op_row *op = &ended->run->ops[ended->all[i - 1].op];
        int64_t until = op->end < covered_from ? op->end : covered_from;

        if (op->kind == GP_OP_KERNEL && op->begin < until) {
            ns += until - op->begin;
            covered_from = op->begin;
        }
    }
    lower(&floor->kernels_ns, ns);
}

static void note_times(struct gp_floor *floor, const struct gp_run_data *run)
{
    struct ended ended = {.run = run, .all = gp_xalloc(run->op_count, sizeof *ended.all)};

    for (uint32_t i = 0; i < run->op_count; i++) {
        const struct gp_op_row *op = &run->ops[i];

        lower(&floor->ops[i].end, duration_of(op));
        if (op->submit_begin != GP_UNKNOWN && op->submit_end != GP_UNKNOWN) {
            lower(&floor->call_ns[op->kind], op->submit_end - op->submit_begin);
        }
        if (gp_op_runs(op)) {
            ended.all[ended.count++] = (struct gp_moment){op->end, i, 0};
        }
    }
    gp_moments_sort(ended.all, ended.count);
    ended.ready = find_ready(run, ended.all, ended.count);
    note_set_up(floor, &ended, 0);
    note_set_up(floor, &ended, 1);
    note_kernels(floor, &ended);
    gp_free(ended.ready);
    gp_free(ended.all);
    note_start(floor, run);
    note_finish(floor, run);
}

static void note_gaps(struct gp_floor *floor, const struct gp_run_data *run)
{
    for (uint32_t i = 0; i < run->edge_count; i++) {
        const struct gp_op_row *from = &run->ops[run->edges[i].from];
        const struct gp_op_row *to = &run->ops[run->edges[i].to];

        if (gp_op_runs(from) && gp_op_runs(to)) {
            lower(&floor->gap_ns[from->kind][to->kind], to->begin - from->end);
        }
    }
}

bool gp_floor_note(struct gp_floor *floor, const struct gp_run_data *run)
{
    assert(floor != NULL && run != NULL);
    for (uint32_t i = 0; i < run->op_count; i++) {
        if (!is_timed(&run->ops[i])) {
            return false;
        }
    }
    if (run->op_count == 0 || (floor->ops != NULL && !is_same_work(floor, run))) {
        return false;
    }
    if (floor->ops == NULL) {
        begin_floor(floor, run);
    }
    note_times(floor, run);
    note_gaps(floor, run);
    return true;
}

void gp_floor_finish(struct gp_floor *floor)
{
    if (floor == NULL) {
        return;
    }
    gp_free(floor->ops);
    gp_free(floor->edges);
    *floor = (struct gp_floor){0};
}

/* ---- the parts ----------------------------------------------------------------------------- */

static int64_t seen(int64_t least)
{
    return least == INT64_MAX ? 0 : least;
}

/* The longest way through the DAG. Edges that are not kept count: the work needs them. Ids are a
 * topological order; an edge that is not in it is passed over. */
static double longest_chain(const struct gp_floor *floor, bool with_gaps)
{
    int64_t *end = gp_xalloc(floor->op_count, sizeof *end);
    int64_t longest = 0;
    uint32_t next = 0;

    for (uint32_t op = 0; op < floor->op_count; op++) {
        const struct gp_op_row *row = &floor->ops[op];
        int64_t begin = release_of(row);

        for (; next < floor->edge_count && floor->edges[next].to == op; next++) {
            uint32_t from = floor->edges[next].from;
            int64_t gap_ns = with_gaps ? seen(floor->gap_ns[floor->ops[from].kind][row->kind]) : 0;

            if (from < op && end[from] + gap_ns > begin) {
                begin = end[from] + gap_ns;
            }
        }
        end[op] = begin + row->end;
        longest = end[op] > longest ? end[op] : longest;
    }
    gp_free(end);
    return (double)longest;
}

static bool is_through_engine(const struct gp_facts *facts, const struct gp_op_row *op,
                              int direction)
{
    return op->kind == (direction == 0 ? GP_OP_H2D : GP_OP_D2H) && op->bytes != GP_UNKNOWN &&
           gp_facts_waits(facts, op);
}

/* Of so many copies; measured alone, or seen in the runs: there the first and the last few may be
 * none of those that told of it. */
static double all_set_ups(const struct gp_floor *floor, int direction, uint32_t copies)
{
    double measured_ns = set_up_of(&floor->facts, direction);
    double seen_ns = floor->set_up_ns[direction];

    if (!isnan(measured_ns)) {
        return copies * least_set_up * measured_ns;
    }
    return copies > 2 * SET_UP_COPIES && !isinf(seen_ns) ? (copies - 2 * SET_UP_COPIES) * seen_ns
                                                         : 0;
}

/* Time of an engine that has all of its copies one after another; NAN: its rate is not known. */
static double engine_time(const struct gp_floor *floor, int direction, bool with_set_up)
{
    double bytes = 0;
    uint32_t copies = 0;

    for (uint32_t i = 0; i < floor->op_count; i++) {
        if (is_through_engine(&floor->facts, &floor->ops[i], direction)) {
            bytes += (double)floor->ops[i].bytes;
            copies++;
        }
    }
    if (copies == 0) {
        return 0;
    }
    return bytes * 1e9 / rate_of(&floor->facts, &floor->device, direction) +
           (with_set_up ? all_set_ups(floor, direction, copies) : 0);
}

/* Both directions share the bus. The shorter one's copies are beside the other's all the time, at
 * best. h2d_ns and d2h_ns: of the bytes alone. */
static void slow_down_both(const struct gp_facts *facts, double h2d_ns, double d2h_ns,
                           struct gp_bound *bound)
{
    double h2d_times = facts->h2d_rate / facts->h2d_duplex_rate;
    double d2h_times = facts->d2h_rate / facts->d2h_duplex_rate;
    double both_ns = fmin(h2d_ns * h2d_times, d2h_ns * d2h_times);

    if (h2d_times >= 1 && d2h_times >= 1 && !isnan(h2d_ns) && !isnan(d2h_ns)) {
        bound->parts[GP_LIMIT_H2D] += both_ns * (1 - 1 / h2d_times);
        bound->parts[GP_LIMIT_D2H] += both_ns * (1 - 1 / d2h_times);
    }
}

/* What kernels take of the SMs, of that which they take most of. Blocks are taken as equally long,
 * and as if another kernel's beside them did no harm, so it is not more than what was seen to do.
 */
static double sm_time(const struct gp_floor *floor)
{
    struct gp_resources all;
    double used[4] = {0};

    if (!gp_residency_device(&floor->device, &all)) {
        return NAN;
    }
    for (uint32_t i = 0; i < floor->op_count; i++) {
        struct gp_residency residency;
        double block_ns;

        if (floor->ops[i].kind != GP_OP_KERNEL) {
            continue;
        }
        gp_residency_of(&floor->device, &floor->ops[i], &residency);
        if (residency.room == 0) {
            continue;
        }
        block_ns = (double)floor->ops[i].end /
                   ceil((double)residency.blocks / (double)residency.room) *
                   (double)residency.blocks;
        used[0] += block_ns * (double)residency.block.warps / (double)all.warps;
        used[1] += block_ns * (double)residency.block.blocks / (double)all.blocks;
        used[2] += block_ns * (double)residency.block.registers / (double)all.registers;
        used[3] += block_ns * (double)residency.block.shared_bytes / (double)all.shared_bytes;
    }
    return fmin(fmax(fmax(used[0], used[1]), fmax(used[2], used[3])), (double)floor->kernels_ns);
}

/* Kernels one beside another, as many as the device holds, each as short as it was ever seen. NAN:
 * how many that are is not known. */
static double grids_time(const struct gp_floor *floor)
{
    int64_t most = gp_facts_grids(&floor->facts, &floor->device);
    double ns = 0;

    for (uint32_t i = 0; i < floor->op_count; i++) {
        ns += floor->ops[i].kind == GP_OP_KERNEL ? (double)floor->ops[i].end : 0;
    }
    return most > 0 ? ns / (double)most : NAN;
}

static double host_time(const struct gp_floor *floor)
{
    double ns = 0;

    if (floor->is_graph) {
        return (double)seen(floor->call_ns[floor->ops[0].kind]);
    }
    for (uint32_t i = 0; i < floor->op_count; i++) {
        ns += (double)seen(floor->call_ns[floor->ops[i].kind]);
    }
    return ns;
}

static void take_longest(struct gp_bound *bound)
{
    bound->ns = NAN;
    bound->limit = GP_LIMIT_CHAIN;
    for (int i = 0; i < GP_LIMIT_COUNT; i++) {
        if (!isnan(bound->parts[i]) && !(bound->parts[i] <= bound->ns)) {
            bound->ns = bound->parts[i];
            bound->limit = (enum gp_limit)i;
        }
    }
}

/* The device's parts begin when the first operation does; the host submits from the beginning. */
static void add_ends(const struct gp_floor *floor, struct gp_bound *bound)
{
    double host_ns = bound->parts[GP_LIMIT_HOST];

    bound->parts[GP_LIMIT_HOST] = NAN;
    take_longest(bound);
    bound->ns += (double)seen(floor->start_ns);
    bound->parts[GP_LIMIT_HOST] = host_ns;
    if (host_ns > bound->ns) {
        bound->ns = host_ns;
        bound->limit = GP_LIMIT_HOST;
    }
    bound->ns += (double)seen(floor->finish_ns);
}

void gp_bounds_measure(const struct gp_floor *floor, struct gp_bounds *out)
{
    double sms_ns, grids_ns, host_ns;

    assert(floor != NULL && floor->ops != NULL && out != NULL);
    sms_ns = sm_time(floor);
    grids_ns = grids_time(floor);
    host_ns = host_time(floor);
    out->ideal = (struct gp_bound){
        .parts = {[GP_LIMIT_CHAIN] = longest_chain(floor, false),
                  [GP_LIMIT_H2D] = engine_time(floor, 0, false),
                  [GP_LIMIT_D2H] = engine_time(floor, 1, false),
                  [GP_LIMIT_SMS] = sms_ns,
                  [GP_LIMIT_GRIDS] = grids_ns,
                  [GP_LIMIT_HOST] = host_ns},
    };
    take_longest(&out->ideal);
    out->device = (struct gp_bound){
        .parts = {[GP_LIMIT_CHAIN] = longest_chain(floor, true),
                  [GP_LIMIT_H2D] = engine_time(floor, 0, true),
                  [GP_LIMIT_D2H] = engine_time(floor, 1, true),
                  [GP_LIMIT_SMS] = sms_ns,
                  [GP_LIMIT_GRIDS] = grids_ns,
                  [GP_LIMIT_HOST] = host_ns},
    };
    out->lowered_ns = 0;
    slow_down_both(&floor->facts, out->ideal.parts[GP_LIMIT_H2D], out->ideal.parts[GP_LIMIT_D2H],
                   &out->device);
    add_ends(floor, &out->device);
}
