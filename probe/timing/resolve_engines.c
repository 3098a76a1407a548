/*
 * What copy engines say of the copies on them: see resolve_internal.h.
 *
 * Between the ends of two copies of one engine there are, in this order: the event after the first
 * if it has one, setting up the second, and its bytes. An event waits for what the other direction
 * has in flight before it takes its time, and then costs what it always does. So it is late beside
 * a copy there and hardly when that direction rests. (An H200 by the copy oracle: after uploads
 * always within 0.5 µs of the last byte; after downloads likewise, or 5 to 6 µs later, where events
 * cost 1.5 and 7.6 µs.)
 */
#include <assert.h>
#include <stdlib.h>

#include "probe/memory.h"
#include "probe/timing/resolve_internal.h"

/* What an event costs is a mean; some are late by a little more. So is what a copy takes to be set
 * up, and some take less. */
static const double late_over_measured = 1.1;
static const double setup_part_least = 0.8;

/* Of what an event costs more beside the other direction, it is late by so much at least in the
 * midst of a copy there. */
static const double loaded_part_least = 0.75;

/* The time from ready to begin also depends on what came before. */
enum { STARTS = 3 };

struct by_end {
    int64_t end_hi;
    uint32_t op;
};

/* The copies of one engine by their latest end, and room for a time of each. */
struct lane {
    const struct gp_engine *engine;
    struct by_end *copies;
    int64_t *ends;
    uint32_t count;
};

int gp_resolve_direction_of(const struct gp_op_row *row)
{
    if (row->kind == GP_OP_H2D) {
        return GP_DIRECTION_H2D;
    }
    return row->kind == GP_OP_D2H ? GP_DIRECTION_D2H : -1;
}

const struct gp_engine *gp_resolve_engine_of(const struct gp_resolver *r,
                                             const struct gp_op_row *row)
{
    int direction = gp_resolve_direction_of(row);

    return direction >= 0 ? &r->input->engines->directions[direction] : NULL;
}

/* What an event takes while the other direction rests: it is no later than that, and holds the
 * engine so long. */
static int64_t event_ns(const struct gp_engine *engine)
{
    assert(engine != NULL);
    return (int64_t)(late_over_measured * (double)engine->event_ns);
}

/* What it may wait for the other direction. */
static double wait_ns(const struct gp_engine *engine)
{
    return engine->event_loaded_ns > engine->event_ns
               ? (double)(engine->event_loaded_ns - engine->event_ns)
               : 0;
}

/* By how much it may be late: one that waited is late by that. */
static int64_t late_ns(const struct gp_engine *engine, bool waits)
{
    int64_t late = event_ns(engine);

    if (waits) {
        gp_raise(&late, (int64_t)(late_over_measured * wait_ns(engine)));
    }
    return late + engine->marks_ns;
}

int64_t gp_resolve_late_ns(const struct gp_resolver *r, uint32_t op)
{
    const struct gp_engine *engine = gp_resolve_engine_of(r, &r->rows[op]);
    int64_t most_ns = 0;

    if (engine != NULL) {
        return late_ns(engine, true);
    }
    for (int i = 0; i < GP_DIRECTION_COUNT; i++) {
        gp_raise(&most_ns, late_ns(&r->input->engines->directions[i], true));
    }
    return most_ns;
}

/* ---- events beside the other direction ---- */

/* The first copy of a lane that may end after a moment. */
static uint32_t find_after(const struct lane *lane, int64_t at_ns)
{
    uint32_t from = 0;
    uint32_t to = lane->count;

    while (from < to) {
        uint32_t middle = from + (to - from) / 2;

        if (lane->copies[middle].end_hi > at_ns) {
            to = middle;
        } else {
            from = middle + 1;
        }
    }
    return from;
}

/* The copy that may run in [from, to], the one of latest end; NULL: the engine, which makes one
 * copy at a time, rests. */
static const struct gp_op_row *may_run(const struct gp_resolver *r, const struct lane *lane,
                                       int64_t from_ns, int64_t to_ns)
{
    const struct gp_op_row *last = NULL;

    for (uint32_t i = find_after(lane, from_ns); i < lane->count; i++) {
        const struct gp_op_row *row = &r->rows[lane->copies[i].op];

        if (row->begin_lo >= to_ns) {
            break;
        }
        last = row;
    }
    return last;
}

static bool runs_throughout(const struct gp_resolver *r, const struct lane *lane, int64_t from_ns,
                            int64_t to_ns)
{
    uint32_t i = find_after(lane, from_ns);

    return i < lane->count && r->rows[lane->copies[i].op].begin_hi <= from_ns &&
           r->rows[lane->copies[i].op].end_lo >= to_ns;
}

/* The event after a copy tells more of its end when it is known what the other direction did. */
static void date_end(struct gp_resolver *r, const struct lane *lane, const struct lane *other,
                     struct gp_op_row *row)
{
    int64_t resting_ns = late_ns(lane->engine, false);
    int64_t waited_ns = late_ns(lane->engine, true);
    int64_t least_ns = (int64_t)(loaded_part_least * wait_ns(lane->engine));

    if (!other->engine->exclusive) {
        return; /* nor is it known what runs at once */
    }
    if (may_run(r, other, row->done - resting_ns, row->done - GP_EVENT_OFF_NS) == NULL) {
        gp_raise(&row->end_lo, row->done - resting_ns - GP_EVENT_OFF_NS);
    } else if (least_ns > 0 &&
               runs_throughout(r, other, row->done - waited_ns, row->done + waited_ns)) {
        gp_lower(&row->end_hi, row->done - least_ns + GP_EVENT_OFF_NS);
    }
}

/* When a copy and its event have left the engine, at the latest. */
static int64_t leaves_ns(const struct gp_resolver *r, const struct lane *lane,
                         const struct lane *other, const struct gp_op_row *row)
{
    const struct gp_op_row *beside;
    int64_t done_ns = row->done + GP_EVENT_OFF_NS;
    int64_t most_ns, rest_ns;

    if (row->done == GP_UNKNOWN) {
        return row->end_hi;
    }
    most_ns =
        done_ns + event_ns(lane->engine) + (int64_t)(late_over_measured * wait_ns(lane->engine));
    if (!other->engine->exclusive) {
        return most_ns;
    }
    beside = may_run(r, other, row->done, row->done + event_ns(lane->engine));
    rest_ns = beside != NULL ? beside->end_hi : done_ns;
    gp_raise(&rest_ns, done_ns);
    rest_ns += event_ns(lane->engine);
    gp_lower(&rest_ns, most_ns);
    return rest_ns;
}

/* ---- one copy at a time ---- */

static int compare_end(const void *a, const void *b)
{
    const struct by_end *left = a;
    const struct by_end *right = b;

    if (left->end_hi != right->end_hi) {
        return left->end_hi < right->end_hi ? -1 : 1;
    }
    return (left->op > right->op) - (left->op < right->op);
}

/* When a stream is known to be done with an operation, at the latest. What tells the next one's
 * engine waits for the other direction as an event does. */
static int64_t passed_hi(const struct gp_resolver *r, uint32_t op)
{
    const struct gp_op_row *row = &r->rows[op];
    const struct gp_engine *engine = gp_resolve_engine_of(r, row);
    int64_t passed_ns = row->end_hi;

    if (row->done != GP_UNKNOWN) {
        gp_raise(&passed_ns, row->done + GP_EVENT_OFF_NS);
    }
    return passed_ns + (engine != NULL ? (int64_t)wait_ns(engine) : 0);
}

/* When an operation can have begun as far as its stream and its dependencies go, at the latest. */
static int64_t ready_hi(const struct gp_resolver *r, uint32_t op)
{
    const struct gp_dag *dag = r->input->schedule->dag;
    const struct gp_dag_op *node = &dag->ops[op];
    const struct gp_op_row *row = &r->rows[op];
    int64_t ready_ns = row->submit_end != GP_UNKNOWN ? row->submit_end : r->input->run_end_ns;

    if (r->previous[op] != UINT32_MAX) {
        gp_raise(&ready_ns, passed_hi(r, r->previous[op]));
    }
    for (uint32_t i = 0; i < node->in_count; i++) {
        gp_raise(&ready_ns, passed_hi(r, dag->edges[node->first_in + i].from));
    }
    return ready_ns;
}

/* An engine does not rest while a copy waits for it: each is set up as soon as it is ready and
 * those before it have left, with their events, where it is certain which these are. */
static void hurry(struct gp_resolver *r, const struct lane *lane, const struct lane *other)
{
    int64_t later_end_lo = INT64_MAX; /* the least among those that are sorted after it */
    int64_t free_hi = INT64_MIN;      /* when those before it have left the engine */

    for (uint32_t i = lane->count; i > 0; i--) {
        lane->ends[i - 1] = later_end_lo;
        gp_lower(&later_end_lo, r->rows[lane->copies[i - 1].op].end_lo);
    }
    for (uint32_t i = 0; i < lane->count; i++) {
        struct gp_op_row *row = &r->rows[lane->copies[i].op];

        if (lane->ends[i] > row->begin_hi) {
            int64_t begin_hi = ready_hi(r, lane->copies[i].op) + STARTS * lane->engine->start_ns;

            gp_raise(&begin_hi, free_hi);
            begin_hi += lane->engine->setup_ns[gp_copy_size_of(row->bytes)];
            gp_raise(&begin_hi, row->begin_lo);
            gp_lower(&row->begin_hi, begin_hi);
        }
        gp_raise(&free_hi, leaves_ns(r, lane, other, row));
    }
}

/* a has left the engine before b is set up. */
static void follow(struct gp_resolver *r, const struct gp_engine *engine, uint32_t a, uint32_t b)
{
    const struct gp_op_row *first = &r->rows[a];
    int64_t setup_ns = engine->setup_least_ns[gp_copy_size_of(r->rows[b].bytes)];
    int64_t left_ns = first->done != GP_UNKNOWN ? first->done - GP_EVENT_OFF_NS : first->end_lo;

    gp_resolve_after(r, a, b);
    gp_raise(&left_ns, first->end_lo);
    gp_raise(&r->rows[b].begin_lo, left_ns + (int64_t)(setup_part_least * (double)setup_ns));
}

/* Neighbours in end order whose order is certain do not overlap. Where it is not certain nothing is
 * said. */
static void exclude(struct gp_resolver *r, const struct lane *lane)
{
    for (uint32_t i = 1; i < lane->count; i++) {
        uint32_t a = lane->copies[i - 1].op;
        uint32_t b = lane->copies[i].op;

        if (r->rows[b].end_lo > r->rows[a].begin_hi) {
            follow(r, lane->engine, a, b);
        } else if (r->rows[a].end_lo > r->rows[b].begin_hi) {
            gp_resolve_after(r, b, a);
        }
        gp_resolve_within(r, a);
        gp_resolve_within(r, b);
    }
}

static void fill_lane(const struct gp_resolver *r, int direction, struct lane *lane)
{
    lane->engine = &r->input->engines->directions[direction];
    lane->copies = gp_xalloc(r->count, sizeof lane->copies[0]);
    lane->ends = gp_xalloc(r->count, sizeof lane->ends[0]);
    for (uint32_t i = 0; i < r->count; i++) {
        const struct gp_op_row *row = &r->rows[i];

        if (gp_resolve_direction_of(row) == direction &&
            row->bytes >= lane->engine->waits_from_bytes) {
            lane->copies[lane->count++] = (struct by_end){row->end_hi, i};
        }
    }
    if (lane->count > 0) {
        qsort(lane->copies, lane->count, sizeof lane->copies[0], compare_end);
    }
}

void gp_resolve_apply_engines(struct gp_resolver *r)
{
    struct lane lanes[GP_DIRECTION_COUNT] = {0};

    for (int i = 0; i < GP_DIRECTION_COUNT; i++) {
        fill_lane(r, i, &lanes[i]);
    }
    for (int i = 0; i < GP_DIRECTION_COUNT; i++) {
        const struct lane *lane = &lanes[i];
        const struct lane *other = &lanes[i ^ 1];

        if (lane->engine->exclusive) {
            exclude(r, lane);
            hurry(r, lane, other);
        }
        for (uint32_t k = 0; k < lane->count; k++) {
            if (r->rows[lane->copies[k].op].done != GP_UNKNOWN) {
                date_end(r, lane, other, &r->rows[lane->copies[k].op]);
            }
        }
    }
    for (int i = 0; i < GP_DIRECTION_COUNT; i++) {
        gp_free(lanes[i].copies);
        gp_free(lanes[i].ends);
    }
}
