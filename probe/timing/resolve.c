/* Raw facts to intervals: see resolve.h. */
#include "probe/timing/resolve.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "probe/memory.h"

enum { ENGINE_ROUNDS = 3 };

/* A rate measured once may be beaten a little by the next copy. */
static const double peak_over_measured = 1.01;

/* What an event costs is a mean; some are late by a little more. */
static const double late_over_measured = 1.1;

/* Likewise the time from ready to begin, which also depends on what came before. */
enum { STARTS = 2 };

struct resolver {
    const struct gp_resolve_input *input;
    struct gp_op_row *rows;
    int64_t *shortest_ns; /* per operation: no shorter than this */
    uint32_t *previous;   /* on the same stream, UINT32_MAX none */
    uint32_t *next;       /* likewise */
    uint32_t *order;      /* operations in issue order */
    uint32_t count;
};

static void raise_to(int64_t *value, int64_t bound)
{
    *value = bound > *value ? bound : *value;
}

static void lower_to(int64_t *value, int64_t bound)
{
    *value = bound < *value ? bound : *value;
}

static int direction_of(const struct gp_op_row *row)
{
    if (row->kind == GP_OP_H2D) {
        return GP_DIRECTION_H2D;
    }
    return row->kind == GP_OP_D2H ? GP_DIRECTION_D2H : -1;
}

static const struct gp_engine *engine_of(const struct resolver *r, const struct gp_op_row *row)
{
    int direction = direction_of(row);

    return direction >= 0 ? &r->input->engines->directions[direction] : NULL;
}

static int64_t engine_late_ns(const struct gp_engine *engine)
{
    int64_t event_ns =
        engine->event_loaded_ns > engine->event_ns ? engine->event_loaded_ns : engine->event_ns;

    return (int64_t)(late_over_measured * (double)event_ns);
}

/* How long after its operation an event may be: no longer than what it costs. Of others than copies
 * it is not measured. */
static int64_t late_ns(const struct resolver *r, const struct gp_engine *engine)
{
    const struct gp_engine *engines = r->input->engines->directions;
    int64_t h2d_ns = engine_late_ns(&engines[GP_DIRECTION_H2D]);
    int64_t d2h_ns = engine_late_ns(&engines[GP_DIRECTION_D2H]);

    if (engine != NULL) {
        return engine_late_ns(engine);
    }
    return h2d_ns > d2h_ns ? h2d_ns : d2h_ns;
}

static void start_one(struct resolver *r, uint32_t op)
{
    struct gp_op_row *row = &r->rows[op];
    const struct gp_engine *engine = engine_of(r, row);
    int64_t tick_ns = r->input->timer_tick_ns > 0 ? r->input->timer_tick_ns : 1;

    row->engine = engine != NULL && engine->exclusive ? direction_of(row) : -1;
    row->begin_lo = row->submit_begin != GP_UNKNOWN ? row->submit_begin : 0;
    row->begin_hi = r->input->run_end_ns;
    row->end_lo = row->begin_lo;
    row->end_hi = r->input->run_end_ns;
    if (row->stamp_begin != GP_UNKNOWN) {
        row->source = GP_SOURCE_STAMP;
        row->begin_lo = row->stamp_begin;
        row->begin_hi = row->stamp_begin + tick_ns - 1;
        row->end_lo = row->stamp_end;
        row->end_hi = row->stamp_end + tick_ns - 1;
    } else if (row->done != GP_UNKNOWN) {
        row->source = GP_SOURCE_EVENT;
        row->end_lo = row->done - late_ns(r, engine);
        row->end_hi = row->done + tick_ns;
    } else {
        row->source = GP_SOURCE_BOUNDED;
    }
    if (row->stamp_begin == GP_UNKNOWN && row->ready != GP_UNKNOWN) {
        raise_to(&row->begin_lo, row->ready);
    }
    r->shortest_ns[op] = 0;
    if (engine != NULL && engine->bytes_per_second > 0) {
        r->shortest_ns[op] =
            (int64_t)((double)row->bytes * 1e9 / (engine->bytes_per_second * peak_over_measured));
    }
}

static void find_order(struct resolver *r)
{
    const struct gp_schedule *schedule = r->input->schedule;
    uint32_t last[GP_STREAMS_MAX];
    uint32_t n = 0;

    memset(last, 0xff, sizeof last);
    for (uint32_t i = 0; i < schedule->step_count; i++) {
        const struct gp_step *step = &schedule->steps[i];

        if (step->kind == GP_STEP_OP) {
            r->order[n++] = step->op;
            r->previous[step->op] = last[step->stream];
            r->next[step->op] = UINT32_MAX;
            if (last[step->stream] != UINT32_MAX) {
                r->next[last[step->stream]] = step->op;
            }
            last[step->stream] = step->op;
        }
    }
    assert(n == r->count);
}

static bool is_fixed(const struct gp_op_row *row)
{
    return row->stamp_begin != GP_UNKNOWN;
}

/* The rows of stamped kernels are facts and only bound others. */
static void after(struct resolver *r, uint32_t earlier, uint32_t later)
{
    struct gp_op_row *first = &r->rows[earlier];
    struct gp_op_row *second = &r->rows[later];

    if (!is_fixed(second)) {
        raise_to(&second->begin_lo, first->end_lo);
    }
    if (!is_fixed(first)) {
        lower_to(&first->end_hi, second->begin_hi);
    }
}

static void within(struct resolver *r, uint32_t op)
{
    struct gp_op_row *row = &r->rows[op];

    if (!is_fixed(row)) {
        raise_to(&row->end_lo, row->begin_lo + r->shortest_ns[op]);
        lower_to(&row->begin_hi, row->end_hi - r->shortest_ns[op]);
    }
}

static void constrain(struct resolver *r, uint32_t op)
{
    const struct gp_dag *dag = r->input->schedule->dag;
    const struct gp_dag_op *node = &dag->ops[op];

    if (r->previous[op] != UINT32_MAX) {
        after(r, r->previous[op], op);
    }
    for (uint32_t i = 0; i < node->in_count; i++) {
        after(r, dag->edges[node->first_in + i].from, op);
    }
    within(r, op);
}

static void sweep_both_ways(struct resolver *r)
{
    for (uint32_t i = 0; i < r->count; i++) {
        constrain(r, r->order[i]);
    }
    for (uint32_t i = r->count; i > 0; i--) {
        within(r, r->order[i - 1]);
        constrain(r, r->order[i - 1]);
    }
}

struct by_end {
    int64_t end_hi;
    uint32_t op;
};

static int compare_end(const void *a, const void *b)
{
    const struct by_end *left = a;
    const struct by_end *right = b;

    if (left->end_hi != right->end_hi) {
        return left->end_hi < right->end_hi ? -1 : 1;
    }
    return (left->op > right->op) - (left->op < right->op);
}

/* When an operation can have begun as far as its stream and its dependencies go, at the latest. */
static int64_t ready_hi(const struct resolver *r, uint32_t op)
{
    const struct gp_dag *dag = r->input->schedule->dag;
    const struct gp_dag_op *node = &dag->ops[op];
    const struct gp_op_row *row = &r->rows[op];
    int64_t ready_ns = row->submit_end != GP_UNKNOWN ? row->submit_end : r->input->run_end_ns;

    if (r->previous[op] != UINT32_MAX) {
        raise_to(&ready_ns, r->rows[r->previous[op]].end_hi);
    }
    for (uint32_t i = 0; i < node->in_count; i++) {
        raise_to(&ready_ns, r->rows[dag->edges[node->first_in + i].from].end_hi);
    }
    return ready_ns;
}

/* An engine does not rest while a copy waits for it: each begins as soon as it is ready and those
 * before it have ended, with their events, where it is certain which these are. Needs room for
 * count in ends. */
static void hurry(struct resolver *r, const struct by_end *sorted, uint32_t count, int64_t *ends)
{
    int64_t later_end_lo = INT64_MAX; /* the least among those that are sorted after it */
    int64_t free_hi = INT64_MIN;      /* when those before it have left the engine */

    for (uint32_t i = count; i > 0; i--) {
        ends[i - 1] = later_end_lo;
        lower_to(&later_end_lo, r->rows[sorted[i - 1].op].end_lo);
    }
    for (uint32_t i = 0; i < count; i++) {
        struct gp_op_row *row = &r->rows[sorted[i].op];
        const struct gp_engine *engine = engine_of(r, row);

        if (ends[i] > row->begin_hi) {
            int64_t begin_hi =
                ready_hi(r, sorted[i].op) + STARTS * engine->start_ns + engine->setup_ns;

            raise_to(&begin_hi, free_hi);
            raise_to(&begin_hi, row->begin_lo);
            lower_to(&row->begin_hi, begin_hi);
        }
        raise_to(&free_hi, row->end_hi + (row->done != GP_UNKNOWN ? engine_late_ns(engine) : 0));
    }
}

/* Neighbours in end order whose order is certain do not overlap, and an event after the first is
 * done with before the second begins. Where it is not certain nothing is said. */
static void exclude(struct resolver *r, const struct by_end *sorted, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        uint32_t a = sorted[i - 1].op;
        uint32_t b = sorted[i].op;

        if (r->rows[b].end_lo > r->rows[a].begin_hi) {
            after(r, a, b);
            if (r->rows[a].done != GP_UNKNOWN) {
                raise_to(&r->rows[b].begin_lo, r->rows[a].done);
            }
        } else if (r->rows[a].end_lo > r->rows[b].begin_hi) {
            after(r, b, a);
        }
        within(r, a);
        within(r, b);
    }
}

static void apply_engines(struct resolver *r, struct by_end *sorted, int64_t *ends)
{
    for (int direction = 0; direction < GP_DIRECTION_COUNT; direction++) {
        uint32_t count = 0;

        if (!r->input->engines->directions[direction].exclusive) {
            continue;
        }
        for (uint32_t i = 0; i < r->count; i++) {
            const struct gp_op_row *row = &r->rows[i];

            if (direction_of(row) == direction && row->bytes >= GP_ENGINE_BYTES_MIN) {
                sorted[count++] = (struct by_end){row->end_hi, i};
            }
        }
        qsort(sorted, count, sizeof sorted[0], compare_end);
        exclude(r, sorted, count);
        hurry(r, sorted, count, ends);
    }
}

static int64_t clamp(int64_t value, int64_t lo, int64_t hi)
{
    if (value < lo) {
        return lo;
    }
    return value > hi ? hi : value;
}

/* Constraints that contradict each other by a latency taken as zero, or by the clocks' residual,
 * leave lo > hi: the interval then is what lies between. */
static void untangle(int64_t *lo, int64_t *hi)
{
    if (*lo > *hi) {
        int64_t swap = *lo;

        *lo = *hi;
        *hi = swap;
    }
}

/* Where the end is close to something known, a copy is drawn back from it: before an event, or
 * before the stamped kernel that comes next. Else it is drawn from its earliest begin. */
static void draw_copy(struct resolver *r, uint32_t op)
{
    struct gp_op_row *row = &r->rows[op];
    const struct gp_engine *engine = engine_of(r, row);
    uint32_t next = r->next[op];
    int64_t likely_ns = 0;

    if (engine != NULL && engine->bytes_per_second > 0) {
        likely_ns = (int64_t)((double)row->bytes * 1e9 / engine->bytes_per_second);
    }
    if (row->done != GP_UNKNOWN || (next != UINT32_MAX && is_fixed(&r->rows[next]))) {
        row->end =
            row->done != GP_UNKNOWN ? clamp(row->done, row->end_lo, row->end_hi) : row->end_hi;
        row->begin = clamp(row->end - likely_ns, row->begin_lo, row->begin_hi);
    } else {
        row->begin = row->begin_lo;
        row->end = clamp(row->begin + likely_ns, row->end_lo, row->end_hi);
    }
    if (r->input->trace == GP_TRACE_EVENTS && row->ready != GP_UNKNOWN) {
        row->begin = row->ready;
        lower_to(&row->begin_lo, row->ready);
    }
    if (row->begin > row->end) {
        row->begin = row->end;
        lower_to(&row->begin_lo, row->begin);
    }
}

static void draw(struct resolver *r, uint32_t op)
{
    struct gp_op_row *row = &r->rows[op];

    untangle(&row->begin_lo, &row->begin_hi);
    untangle(&row->end_lo, &row->end_hi);
    if (is_fixed(row)) {
        row->begin = row->stamp_begin;
        row->end = row->stamp_end;
    } else {
        draw_copy(r, op);
    }
    if (r->input->is_modelled) {
        row->source = GP_SOURCE_MODELLED;
    }
}

/* What is drawn keeps the order that is known: intervals may touch or overlap by a tick, the drawn
 * operations of a stream, or of a dependency, do not. The earlier one gives way, as far as its
 * interval allows, and keeps its duration. */
static void draw_before(struct resolver *r, uint32_t earlier, uint32_t later)
{
    struct gp_op_row *first = &r->rows[earlier];
    int64_t duration = first->end - first->begin;
    int64_t end = clamp(r->rows[later].begin, first->end_lo, first->end_hi);

    if (!is_fixed(first) && end < first->end) {
        first->end = end;
        first->begin = clamp(end - duration, first->begin_lo, first->begin_hi);
        lower_to(&first->begin, end);
        lower_to(&first->begin_lo, first->begin);
    }
}

/* Backwards, so that the begin of the later one is final. */
static void draw_in_order(struct resolver *r)
{
    const struct gp_dag *dag = r->input->schedule->dag;

    for (uint32_t i = r->count; i > 0; i--) {
        uint32_t op = r->order[i - 1];
        const struct gp_dag_op *node = &dag->ops[op];

        if (r->previous[op] != UINT32_MAX) {
            draw_before(r, r->previous[op], op);
        }
        for (uint32_t in = 0; in < node->in_count; in++) {
            draw_before(r, dag->edges[node->first_in + in].from, op);
        }
    }
}

void gp_resolve(const struct gp_resolve_input *input, struct gp_op_row *rows)
{
    struct resolver r = {.input = input, .rows = rows, .count = input->schedule->dag->op_count};
    struct by_end *sorted = gp_xalloc(r.count, sizeof *sorted);
    int64_t *ends = gp_xalloc(r.count, sizeof *ends);

    assert(input->engines != NULL);
    r.shortest_ns = gp_xalloc(r.count, sizeof r.shortest_ns[0]);
    r.previous = gp_xalloc(r.count, sizeof r.previous[0]);
    r.next = gp_xalloc(r.count, sizeof r.next[0]);
    r.order = gp_xalloc(r.count, sizeof r.order[0]);
    find_order(&r);
    for (uint32_t i = 0; i < r.count; i++) {
        start_one(&r, i);
    }
    for (int round = 0; round < ENGINE_ROUNDS; round++) {
        sweep_both_ways(&r);
        apply_engines(&r, sorted, ends);
    }
    sweep_both_ways(&r);
    for (uint32_t i = 0; i < r.count; i++) {
        draw(&r, i);
    }
    draw_in_order(&r);
    gp_free(sorted);
    gp_free(ends);
    gp_free(r.shortest_ns);
    gp_free(r.previous);
    gp_free(r.next);
    gp_free(r.order);
}
