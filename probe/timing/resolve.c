/* Raw facts to intervals: see resolve.h. What the engines add is in resolve_engines.c. */
#include "probe/timing/resolve_internal.h"

#include <assert.h>
#include <string.h>

#include "probe/memory.h"

enum { ENGINE_ROUNDS = 3 };

/* A rate measured once may be beaten a little by the next copy. */
static const double peak_over_measured = 1.01;

static void start_one(struct gp_resolver *r, uint32_t op)
{
    struct gp_op_row *row = &r->rows[op];
    const struct gp_engine *engine = gp_resolve_engine_of(r, row);
    int64_t tick_ns = r->input->timer_tick_ns > 0 ? r->input->timer_tick_ns : 1;

    row->engine = engine != NULL && engine->exclusive ? gp_resolve_direction_of(row) : -1;
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
        row->end_lo = row->done - gp_resolve_late_ns(r, op) - GP_EVENT_OFF_NS;
        row->end_hi = row->done + tick_ns + GP_EVENT_OFF_NS;
    } else {
        row->source = GP_SOURCE_BOUNDED;
    }
    if (row->stamp_begin == GP_UNKNOWN && row->ready != GP_UNKNOWN) {
        gp_raise(&row->begin_lo, row->ready);
    }
    r->shortest_ns[op] = 0;
    if (engine != NULL && engine->bytes_per_second > 0) {
        r->shortest_ns[op] =
            (int64_t)((double)row->bytes * 1e9 / (engine->bytes_per_second * peak_over_measured));
    }
}

static void find_order(struct gp_resolver *r)
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

void gp_resolve_after(struct gp_resolver *r, uint32_t earlier, uint32_t later)
{
    struct gp_op_row *first = &r->rows[earlier];
    struct gp_op_row *second = &r->rows[later];

    if (!gp_resolve_is_fixed(second)) {
        gp_raise(&second->begin_lo, first->end_lo);
    }
    if (!gp_resolve_is_fixed(first)) {
        gp_lower(&first->end_hi, second->begin_hi);
    }
}

void gp_resolve_within(struct gp_resolver *r, uint32_t op)
{
    struct gp_op_row *row = &r->rows[op];

    if (!gp_resolve_is_fixed(row)) {
        gp_raise(&row->end_lo, row->begin_lo + r->shortest_ns[op]);
        gp_lower(&row->begin_hi, row->end_hi - r->shortest_ns[op]);
    }
}

/* An event is in the order of its stream: what comes after it begins later. (On an H200 CUPTI has
 * all of them begin 2.6 us and more after it.) */
static void after_event(struct gp_resolver *r, uint32_t earlier, uint32_t later)
{
    int64_t done_ns = r->rows[earlier].done;

    if (done_ns != GP_UNKNOWN && !gp_resolve_is_fixed(&r->rows[later])) {
        gp_raise(&r->rows[later].begin_lo, done_ns - GP_EVENT_OFF_NS);
    }
}

static void constrain(struct gp_resolver *r, uint32_t op)
{
    const struct gp_dag *dag = r->input->schedule->dag;
    const struct gp_dag_op *node = &dag->ops[op];

    if (r->previous[op] != UINT32_MAX) {
        gp_resolve_after(r, r->previous[op], op);
        after_event(r, r->previous[op], op);
    }
    for (uint32_t i = 0; i < node->in_count; i++) {
        gp_resolve_after(r, dag->edges[node->first_in + i].from, op);
    }
    gp_resolve_within(r, op);
}

static void sweep_both_ways(struct gp_resolver *r)
{
    for (uint32_t i = 0; i < r->count; i++) {
        constrain(r, r->order[i]);
    }
    for (uint32_t i = r->count; i > 0; i--) {
        gp_resolve_within(r, r->order[i - 1]);
        constrain(r, r->order[i - 1]);
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
static void draw_copy(struct gp_resolver *r, uint32_t op)
{
    struct gp_op_row *row = &r->rows[op];
    const struct gp_engine *engine = gp_resolve_engine_of(r, row);
    uint32_t next = r->next[op];
    int64_t likely_ns = 0;

    if (engine != NULL && engine->bytes_per_second > 0) {
        likely_ns = (int64_t)((double)row->bytes * 1e9 / engine->bytes_per_second);
    }
    if (row->done != GP_UNKNOWN || (next != UINT32_MAX && gp_resolve_is_fixed(&r->rows[next]))) {
        row->end =
            row->done != GP_UNKNOWN ? clamp(row->done, row->end_lo, row->end_hi) : row->end_hi;
        row->begin = clamp(row->end - likely_ns, row->begin_lo, row->begin_hi);
    } else {
        row->begin = row->begin_lo;
        row->end = clamp(row->begin + likely_ns, row->end_lo, row->end_hi);
    }
    if (r->input->trace == GP_TRACE_EVENTS && row->ready != GP_UNKNOWN) {
        row->begin = row->ready;
        gp_lower(&row->begin_lo, row->ready);
    }
    if (row->begin > row->end) {
        row->begin = row->end;
        gp_lower(&row->begin_lo, row->begin);
    }
}

static void draw(struct gp_resolver *r, uint32_t op)
{
    struct gp_op_row *row = &r->rows[op];

    untangle(&row->begin_lo, &row->begin_hi);
    untangle(&row->end_lo, &row->end_hi);
    if (gp_resolve_is_fixed(row)) {
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
static void draw_before(struct gp_resolver *r, uint32_t earlier, uint32_t later)
{
    struct gp_op_row *first = &r->rows[earlier];
    int64_t duration = first->end - first->begin;
    int64_t end = clamp(r->rows[later].begin, first->end_lo, first->end_hi);

    if (!gp_resolve_is_fixed(first) && end < first->end) {
        first->end = end;
        first->begin = clamp(end - duration, first->begin_lo, first->begin_hi);
        gp_lower(&first->begin, end);
        gp_lower(&first->begin_lo, first->begin);
    }
}

/* Backwards, so that the begin of the later one is final. */
static void draw_in_order(struct gp_resolver *r)
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
    struct gp_resolver r = {.input = input, .rows = rows, .count = input->schedule->dag->op_count};
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
        gp_resolve_apply_engines(&r);
    }
    sweep_both_ways(&r);
    for (uint32_t i = 0; i < r.count; i++) {
        draw(&r, i);
    }
    draw_in_order(&r);
    gp_free(r.shortest_ns);
    gp_free(r.previous);
    gp_free(r.next);
    gp_free(r.order);
}
