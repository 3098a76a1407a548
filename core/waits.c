/*
 * Waits by vector clocks: see waits.h. A clock says for every stream up to which of its operations,
 * counted from 1 in issue order, all are complete. Each stream has a clock, and so has every
 * operation while successors on other streams may still ask for it.
 */
#include "core/waits.h"

#include <assert.h>
#include <string.h>

#include "core/memory.h"

static const uint32_t no_slot = UINT32_MAX;

/* Clocks of operations, reused as soon as nobody can ask any more. */
struct slots {
    uint32_t *clocks; /* capacity × stream_count */
    uint32_t *free;   /* stack */
    uint32_t capacity, free_count;
};

struct derivation {
    struct gp_schedule *schedule;
    uint32_t streams;
    uint32_t *now;    /* per stream: its clock */
    uint32_t *place;  /* per operation: its number on its stream, from 1 */
    uint32_t *asking; /* per operation: successors on other streams that are still to come */
    uint32_t *slot;   /* per operation */
    uint32_t *turn;   /* per operation: its index in issue order */
    struct slots slots;
};

static int fail_memory(struct gp_error *err)
{
    return gp_fail(err, GP_ENOMEM, "out of host memory for the waits of a schedule");
}

static uint32_t stream_of(const struct derivation *d, uint32_t op)
{
    return d->schedule->choices[op].stream;
}

static uint32_t *clock_of_stream(const struct derivation *d, uint32_t stream)
{
    return &d->now[(size_t)stream * d->streams];
}

static uint32_t *clock_of_op(const struct derivation *d, uint32_t op)
{
    assert(d->slot[op] != no_slot);
    return &d->slots.clocks[(size_t)d->slot[op] * d->streams];
}

static int grow_slots(struct derivation *d, struct gp_error *err)
{
    struct slots *slots = &d->slots;
    uint32_t grown = slots->capacity > 0 ? slots->capacity * 2 : 16;
    void *clocks = slots->clocks;
    void *free_slots = slots->free;
    size_t bytes = d->streams * sizeof *slots->clocks;

    if (gp_realloc(&clocks, slots->capacity, grown, bytes) != 0) {
        return fail_memory(err);
    }
    slots->clocks = clocks;
    if (gp_realloc(&free_slots, slots->free_count, grown, sizeof *slots->free) != 0) {
        return fail_memory(err);
    }
    slots->free = free_slots;
    for (uint32_t i = grown; i > slots->capacity; i--) {
        slots->free[slots->free_count++] = i - 1;
    }
    slots->capacity = grown;
    return 0;
}

/* Keeps the stream's clock as that of the operation just submitted to it. */
static int keep_clock(struct derivation *d, uint32_t op, struct gp_error *err)
{
    if (d->slots.free_count == 0) {
        int code = grow_slots(d, err);

        if (code != 0) {
            return code;
        }
    }
    assert(d->slots.free != NULL && d->slots.free_count > 0);
    d->slot[op] = d->slots.free[--d->slots.free_count];
    memcpy(clock_of_op(d, op), clock_of_stream(d, stream_of(d, op)),
           d->streams * sizeof *d->slots.clocks);
    return 0;
}

static void advance(uint32_t *clock, const uint32_t *to, uint32_t streams)
{
    for (uint32_t i = 0; i < streams; i++) {
        if (clock[i] < to[i]) {
            clock[i] = to[i];
        }
    }
}

/* The last of op's predecessors on each other stream: the only ones that can need a wait. Returns
 * how many, as edges, latest issued first. */
static uint32_t find_candidates(const struct derivation *d, uint32_t op, uint32_t *edges)
{
    const struct gp_dag *dag = d->schedule->dag;
    uint32_t count = 0;

    for (uint32_t e = dag->ops[op].first_in; e < dag->ops[op].first_in + dag->ops[op].in_count;
         e++) {
        uint32_t from = dag->edges[e].from;
        uint32_t i;

        if (stream_of(d, from) == stream_of(d, op)) {
            d->schedule->hows[e] = GP_HOW_STREAM;
            continue;
        }
        d->schedule->hows[e] = GP_HOW_ELIDED;
        for (i = 0; i < count && stream_of(d, dag->edges[edges[i]].from) != stream_of(d, from);
             i++) {
        }
        if (i == count) {
            edges[count++] = e;
        } else if (d->turn[dag->edges[edges[i]].from] < d->turn[from]) {
            edges[i] = e;
        }
    }
    for (uint32_t i = 1; i < count; i++) {
        uint32_t e = edges[i];
        uint32_t j = i;

        for (; j > 0 && d->turn[dag->edges[edges[j - 1]].from] < d->turn[dag->edges[e].from]; j--) {
            edges[j] = edges[j - 1];
        }
        edges[j] = e;
    }
    return count;
}

/* Decides op's edges. Only what was issued later can imply a wait, so going backwards in issue
 * order leaves no wait that another at the same place implies. */
static void decide_edges(struct derivation *d, uint32_t op)
{
    const struct gp_dag *dag = d->schedule->dag;
    uint32_t *clock = clock_of_stream(d, stream_of(d, op));
    uint32_t edges[GP_STREAMS_MAX];
    uint32_t count = find_candidates(d, op, edges);

    for (uint32_t i = 0; i < count; i++) {
        uint32_t from = dag->edges[edges[i]].from;

        if (clock[stream_of(d, from)] < d->place[from]) {
            d->schedule->hows[edges[i]] = GP_HOW_EVENT;
            advance(clock, clock_of_op(d, from), d->streams);
        }
    }
    for (uint32_t e = dag->ops[op].first_in; e < dag->ops[op].first_in + dag->ops[op].in_count;
         e++) {
        uint32_t from = dag->edges[e].from;

        if (d->schedule->hows[e] == GP_HOW_STREAM) {
            continue;
        }
        d->schedule->waits_elided += d->schedule->hows[e] == GP_HOW_ELIDED ? 1 : 0;
        assert(d->asking[from] > 0 && d->slots.free != NULL);
        if (--d->asking[from] == 0) {
            d->slots.free[d->slots.free_count++] = d->slot[from];
        }
    }
}

static int derive(struct derivation *d, const uint32_t *issue, struct gp_error *err)
{
    const struct gp_dag *dag = d->schedule->dag;

    for (uint32_t e = 0; e < dag->edge_count; e++) {
        if (stream_of(d, dag->edges[e].from) != stream_of(d, dag->edges[e].to)) {
            d->asking[dag->edges[e].from]++;
        }
    }
    for (uint32_t i = 0; i < dag->op_count; i++) {
        d->turn[issue[i]] = i;
        d->slot[issue[i]] = no_slot;
    }
    for (uint32_t i = 0; i < dag->op_count; i++) {
        uint32_t op = issue[i];
        uint32_t stream = stream_of(d, op);

        decide_edges(d, op);
        d->place[op] = ++clock_of_stream(d, stream)[stream];
        if (d->asking[op] > 0) {
            int code = keep_clock(d, op, err);

            if (code != 0) {
                return code;
            }
        }
    }
    return 0;
}

int gp_waits_derive(struct gp_schedule *schedule, const uint32_t *issue, struct gp_error *err)
{
    struct derivation d = {.schedule = schedule, .streams = schedule->stream_count};
    size_t count = schedule->dag->op_count;
    int code;

    schedule->waits_elided = 0;
    d.now = gp_alloc((size_t)d.streams * d.streams, sizeof *d.now);
    d.place = gp_alloc(count, sizeof *d.place);
    d.asking = gp_alloc(count, sizeof *d.asking);
    d.slot = gp_alloc(count, sizeof *d.slot);
    d.turn = gp_alloc(count, sizeof *d.turn);
    if (d.now == NULL || d.place == NULL || d.asking == NULL || d.slot == NULL || d.turn == NULL) {
        code = fail_memory(err);
    } else {
        code = derive(&d, issue, err);
    }
    gp_free(d.now);
    gp_free(d.place);
    gp_free(d.asking);
    gp_free(d.slot);
    gp_free(d.turn);
    gp_free(d.slots.clocks);
    gp_free(d.slots.free);
    return code;
}
