/*
 * Order inside and between streams: see sim.h.
 *
 * Connections (measured on an H200, CUDA 13.0): a stream that becomes busy leases the one with the
 * fewest streams, the lowest of equals, so that of the streams busy at once the k-th to be
 * submitted to gets connection k mod count; it gives it back when idle. A connection is a FIFO. Its
 * head leaves when its kernel is fully dispatched, or, when it must wait for the stream's earlier
 * work (the next kernel, a timed record, a flag write, a host function, D2D, memset, an event
 * wait), when that is complete. Untimed records, H2D and D2H copies and timed records after a copy
 * do not go through it.
 */
#include "core/device/model/sim.h"

#include <assert.h>

#include "core/device/model/execute.h"
#include "core/device/model/graph.h"

int gp_sim_stream_create(struct gp_sim *sim, uint32_t level, bool is_blocking,
                         struct gp_sim_stream **out, struct gp_error *err)
{
    struct gp_sim_stream *stream = gp_slab_take(&sim->streams);

    if (stream == NULL || gp_heap_reserve(&sim->heap, 1) != 0) {
        if (stream != NULL) {
            gp_slab_give(&sim->streams, stream);
        }
        return gp_fail(err, GP_ENOMEM, "no memory for a stream");
    }
    stream->level = level;
    stream->is_blocking = is_blocking;
    stream->connection = -1;
    stream->last_work = GP_SIM_KERNEL;
    stream->next = sim->first_stream;
    if (stream->next != NULL) {
        stream->next->previous = stream;
    }
    sim->first_stream = stream;
    *out = stream;
    return 0;
}

int gp_sim_stream_restrict(struct gp_sim *sim, struct gp_sim_stream *stream,
                           struct gp_sm_range range, struct gp_error *err)
{
    uint32_t part = 0;

    while (part < sim->part_count &&
           (sim->parts[part].first != range.first || sim->parts[part].end != range.end)) {
        part++;
    }
    if (part == GP_SIM_PARTS_MAX) {
        return gp_fail(err, GP_EUNSUPPORTED, "more than %d different splits of the SMs",
                       GP_SIM_PARTS_MAX / 2);
    }
    if (part == sim->part_count) {
        sim->parts[sim->part_count++] = range;
    }
    stream->part = part;
    return 0;
}

bool gp_sim_stream_is_idle(const struct gp_sim_stream *stream)
{
    return stream->head == NULL;
}

static void free_stream(struct gp_sim *sim, struct gp_sim_stream *stream)
{
    if (stream->previous != NULL) {
        stream->previous->next = stream->next;
    } else {
        sim->first_stream = stream->next;
    }
    if (stream->next != NULL) {
        stream->next->previous = stream->previous;
    }
    gp_heap_remove(&sim->heap, &stream->node);
    gp_heap_release(&sim->heap, 1);
    gp_slab_give(&sim->streams, stream);
}

void gp_sim_stream_destroy(struct gp_sim *sim, struct gp_sim_stream *stream)
{
    stream->is_destroyed = true;
    if (gp_sim_stream_is_idle(stream)) {
        free_stream(sim, stream);
    }
}

struct gp_sim_op *gp_sim_op_create(struct gp_sim *sim, enum gp_sim_kind kind)
{
    struct gp_sim_op *op = gp_slab_take(&sim->ops);

    if (op != NULL && gp_heap_reserve(&sim->heap, 1) != 0) {
        gp_slab_give(&sim->ops, op);
        op = NULL;
    }
    if (op != NULL) {
        op->kind = kind;
        op->connection = -1;
    }
    return op;
}

void gp_sim_op_destroy(struct gp_sim *sim, struct gp_sim_op *op)
{
    gp_action_destroy(op->action);
    gp_sim_marker_release(sim, op->marker);
    gp_heap_remove(&sim->heap, &op->node);
    gp_heap_release(&sim->heap, 1);
    gp_slab_give(&sim->ops, op);
}

struct gp_sim_marker *gp_sim_marker_create(struct gp_sim *sim, bool is_timed)
{
    struct gp_sim_marker *marker = gp_slab_take(&sim->markers);

    if (marker != NULL && gp_heap_reserve(&sim->heap, 1) != 0) {
        gp_slab_give(&sim->markers, marker);
        marker = NULL;
    }
    if (marker != NULL) {
        marker->references = 1;
        marker->is_timed = is_timed;
    }
    return marker;
}

void gp_sim_marker_release(struct gp_sim *sim, struct gp_sim_marker *marker)
{
    if (marker == NULL || --marker->references > 0) {
        return;
    }
    gp_heap_remove(&sim->heap, &marker->node);
    gp_heap_release(&sim->heap, 1);
    gp_slab_give(&sim->markers, marker);
}

/* ---- connections ----------------------------------------------------------------------------- */

static void lease_connection(struct gp_sim *sim, struct gp_sim_stream *stream)
{
    uint32_t best = 0;

    for (uint32_t i = 1; i < sim->connection_count; i++) {
        if (sim->leases[i] < sim->leases[best]) {
            best = i;
        }
    }
    sim->leases[best]++;
    stream->connection = (int32_t)best;
}

static bool goes_through_connection(const struct gp_sim_op *op)
{
    switch (op->kind) {
    case GP_SIM_H2D:
    case GP_SIM_D2H:
    case GP_SIM_ALLOC:
    case GP_SIM_FREE:
        return false;
    case GP_SIM_RECORD:
        return op->is_timed && !op->after_copy;
    case GP_SIM_WRITE:
        return !op->after_copy;
    default:
        return true;
    }
}

static void enter_connection(struct gp_sim *sim, struct gp_sim_op *op)
{
    struct gp_sim_queue *queue = &sim->connections[op->connection];

    if (queue->tail != NULL) {
        queue->tail->connection_next = op;
    } else {
        queue->head = op;
    }
    queue->tail = op;
    op->in_connection = true;
}

void gp_sim_leave_connection(struct gp_sim *sim, struct gp_sim_op *op)
{
    struct gp_sim_queue *queue;

    if (!op->in_connection) {
        return;
    }
    queue = &sim->connections[op->connection];
    assert(queue->head == op);
    op->in_connection = false;
    queue->head = op->connection_next;
    if (queue->head == NULL) {
        queue->tail = NULL;
    } else {
        gp_sim_consider(sim, queue->head);
    }
}

/* ---- order in a stream ------------------------------------------------------------------------
 */

void gp_sim_watch(struct gp_sim *sim, struct gp_sim_op *op)
{
    bool is_work = op->kind <= GP_SIM_D2H;

    if (is_work && sim->watch_next < sim->watch_count) {
        sim->watch_log[sim->watch_next++] = (struct gp_work_times){INT64_MIN, INT64_MIN};
        op->watched = sim->watch_next;
    }
}

void gp_sim_submit(struct gp_sim *sim, struct gp_sim_stream *stream, struct gp_sim_op *op,
                   int64_t at_ns)
{
    op->stream = stream;
    op->level = stream->level;
    op->part = stream->part;
    gp_sim_watch(sim, op);
    op->has_waited = !gp_sim_stream_is_idle(stream);
    if (gp_sim_stream_is_idle(stream)) {
        sim->busy_streams++;
        lease_connection(sim, stream);
        stream->head = op;
    } else {
        stream->tail->next = op;
    }
    stream->tail = op;
    stream->submitted++;
    stream->commands++;
    stream->launches += op->kind == GP_SIM_KERNEL ? 1 : 0;
    op->after_copy = stream->last_work == GP_SIM_H2D || stream->last_work == GP_SIM_D2H;
    op->after_timed = stream->last_is_timed;
    stream->last_is_timed = op->kind == GP_SIM_RECORD && op->is_timed;
    if (op->kind != GP_SIM_RECORD && op->kind != GP_SIM_WAIT) {
        stream->last_work = op->kind;
    }
    if (goes_through_connection(op)) {
        op->connection = stream->connection;
        enter_connection(sim, op);
    }
    /* Two threads' calls may end in another order than they were admitted in; the stream's order is
     * that of admission. */
    if (at_ns < stream->arrival_ns) {
        at_ns = stream->arrival_ns;
    }
    stream->arrival_ns = at_ns;
    if (op->kind == GP_SIM_H2D || op->kind == GP_SIM_D2H) {
        op->begin_ns = at_ns + sim->profile->copy_start_ns;
    }
    gp_sim_schedule(sim, &op->node, GP_SIM_ARRIVE, at_ns);
}

void gp_sim_consider(struct gp_sim *sim, struct gp_sim_op *op)
{
    if (op->is_ready_listed) {
        return;
    }
    op->is_ready_listed = true;
    op->ready_next = NULL;
    if (sim->ready.tail != NULL) {
        sim->ready.tail->ready_next = op;
    } else {
        sim->ready.head = op;
    }
    sim->ready.tail = op;
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Goes on at at_ns, through start_ready of the loop. */
static void start_at(struct gp_sim *sim, struct gp_sim_op *op, int64_t at_ns)
{
    gp_sim_schedule(sim, &op->node, GP_SIM_READY, later(at_ns, sim->now_ns));
}

static int64_t front_ns(const struct gp_profile *profile, const struct gp_sim_op *op)
{
    return op->stream != NULL ? profile->front_kernel_ns : profile->front_graph_ns;
}

/* Commands are fetched from the host's memory, over the bus that H2D copies fill. */
static int64_t fetch_ns(const struct gp_sim *sim)
{
    return sim->engines[0].current != NULL && sim->engines[0].current->kind == GP_SIM_H2D
               ? sim->profile->bus_fetch_ns
               : 0;
}

static void start_grid(struct gp_sim *sim, struct gp_sim_op *op, int64_t floor_ns)
{
    start_at(sim, op, later(floor_ns - front_ns(sim->profile, op), sim->now_ns) + fetch_ns(sim));
}

static void start_set(struct gp_sim *sim, struct gp_sim_op *op, int64_t floor_ns)
{
    if (op->unassigned > 0) {
        start_grid(sim, op, floor_ns);
    } else {
        op->begin_ns = later(floor_ns, sim->now_ns);
        gp_sim_schedule(sim, &op->node, GP_SIM_FINISH,
                        op->begin_ns + sim->profile->memset_small_ns);
    }
}

void gp_sim_start(struct gp_sim *sim, struct gp_sim_op *op, const int64_t *floor_ns)
{
    const struct gp_profile *profile = sim->profile;

    switch (op->kind) {
    case GP_SIM_KERNEL:
    case GP_SIM_D2D:
        start_grid(sim, op, floor_ns[GP_SIM_TO_SM]);
        break;
    case GP_SIM_SET:
        start_set(sim, op, floor_ns[GP_SIM_TO_SM]);
        break;
    case GP_SIM_H2D:
        if (op->bytes <= profile->h2d_inline_bytes) {
            op->begin_ns = later(floor_ns[GP_SIM_TO_H2D], sim->now_ns);
            gp_sim_schedule(sim, &op->node, GP_SIM_FINISH, op->begin_ns + profile->h2d_inline_ns);
        } else {
            start_at(sim, op, later(floor_ns[GP_SIM_TO_H2D], op->begin_ns));
        }
        break;
    case GP_SIM_D2H:
        /* A copy right behind another one has been fetched by then. */
        start_at(sim, op,
                 later(floor_ns[GP_SIM_TO_D2H], op->begin_ns) +
                     (floor_ns[GP_SIM_TO_D2H] > sim->now_ns ? fetch_ns(sim) : 0));
        break;
    case GP_SIM_RECORD:
        if (!op->is_timed) {
            gp_sim_complete(sim, op);
        } else if (op->after_copy) {
            gp_sim_engine_request(sim, op);
        } else {
            gp_sim_front_request(sim, op);
        }
        break;
    case GP_SIM_WAIT:
        if (op->marker->is_done) {
            gp_sim_complete(sim, op);
        } else {
            gp_sim_push(&op->marker->waiters, op);
        }
        break;
    case GP_SIM_WRITE:
        gp_sim_front_request(sim, op);
        break;
    case GP_SIM_FUNCTION:
        gp_sim_leave_connection(sim, op);
        gp_sim_function_request(sim, op);
        break;
    case GP_SIM_ALLOC:
    case GP_SIM_FREE:
        /* As an event of its own: a graph that is just being started must see it later. */
        gp_sim_schedule(sim, &op->node, GP_SIM_FINISH, sim->now_ns);
        break;
    case GP_SIM_GRAPH:
        start_at(sim, op, later(floor_ns[GP_SIM_TO_SM], sim->now_ns) + profile->graph_start_ns);
        break;
    }
}

void gp_sim_settle(struct gp_sim *sim)
{
    while (sim->ready.head != NULL) {
        struct gp_sim_op *op = sim->ready.head;

        sim->ready.head = op->ready_next;
        if (sim->ready.head == NULL) {
            sim->ready.tail = NULL;
        }
        op->is_ready_listed = false;
        if (op->has_arrived && !op->has_started && op->stream->head == op &&
            (!op->in_connection || sim->connections[op->connection].head == op)) {
            op->has_started = true;
            gp_sim_start(sim, op, op->stream->floor_ns);
        }
    }
}

/* ---- the end of an operation ------------------------------------------------------------------
 */

static void raise_floor(int64_t *floor_ns, const int64_t *by_ns)
{
    for (int i = 0; i < GP_SIM_TARGETS; i++) {
        floor_ns[i] = later(floor_ns[i], by_ns[i]);
    }
}

void gp_sim_floors_after(const struct gp_sim *sim, const struct gp_sim_op *op, int64_t *floor_ns)
{
    const struct gp_profile *profile = sim->profile;
    const int64_t now = sim->now_ns;
    int64_t by_ns[GP_SIM_TARGETS] = {now, now, now};

    switch (op->kind) {
    case GP_SIM_KERNEL:
    case GP_SIM_D2D:
    case GP_SIM_SET:
    case GP_SIM_GRAPH:
        by_ns[GP_SIM_TO_SM] =
            now + (op->stream != NULL ? profile->gap_kernel_kernel_ns : profile->gap_graph_ns);
        by_ns[GP_SIM_TO_H2D] = by_ns[GP_SIM_TO_D2H] = now + profile->gap_kernel_copy_ns;
        break;
    case GP_SIM_H2D:
        if (op->bytes <= profile->h2d_inline_bytes) {
            by_ns[GP_SIM_TO_SM] = now + profile->gap_kernel_kernel_ns;
            break;
        }
        by_ns[GP_SIM_TO_SM] = now + profile->gap_copy_kernel_ns;
        by_ns[GP_SIM_TO_D2H] = now + profile->gap_copy_copy_ns;
        break;
    case GP_SIM_D2H:
        by_ns[GP_SIM_TO_SM] = now + profile->gap_copy_kernel_ns;
        by_ns[GP_SIM_TO_H2D] = now + profile->gap_copy_copy_ns;
        break;
    case GP_SIM_RECORD:
        if (!op->is_timed) {
            return;
        }
        if (!op->after_copy) {
            by_ns[GP_SIM_TO_SM] = now + profile->gap_kernel_kernel_ns;
        }
        break;
    case GP_SIM_WAIT:
        raise_floor(floor_ns, op->marker->floor_ns);
        return;
    default:
        break;
    }
    raise_floor(floor_ns, by_ns);
}

static void finish_marker(struct gp_sim *sim, struct gp_sim_op *op)
{
    struct gp_sim_marker *marker = op->marker;
    struct gp_sim_op *waiter;

    marker->is_done = true;
    marker->time_ns = sim->now_ns;
    for (int i = 0; i < GP_SIM_TARGETS; i++) {
        marker->floor_ns[i] = op->stream->floor_ns[i];
    }
    marker->references++; /* the pending event's */
    gp_sim_schedule(sim, &marker->node, GP_SIM_MARKER_VISIBLE,
                    sim->now_ns + sim->profile->visible_event_ns);
    while ((waiter = gp_sim_pop(&marker->waiters)) != NULL) {
        gp_sim_complete(sim, waiter);
    }
}

static void end_in_stream(struct gp_sim *sim, struct gp_sim_op *op)
{
    struct gp_sim_stream *stream = op->stream;

    assert(stream->head == op);
    stream->completed++;
    stream->commands--;
    stream->launches -= op->kind == GP_SIM_KERNEL ? 1 : 0;
    stream->head = op->next;
    if (stream->head != NULL) {
        gp_sim_consider(sim, stream->head);
        return;
    }
    stream->tail = NULL;
    stream->idle_ns = sim->now_ns;
    sim->busy_streams--;
    sim->leases[stream->connection]--;
    stream->connection = -1;
    if (stream->is_destroyed) {
        free_stream(sim, stream);
    } else if (stream->is_watched) {
        stream->is_watched = false;
        gp_sim_schedule(sim, &stream->node, GP_SIM_STREAM_VISIBLE,
                        sim->now_ns + sim->profile->visible_event_ns);
    }
}

void gp_sim_complete(struct gp_sim *sim, struct gp_sim_op *op)
{
    struct gp_error err = {0};

    if (op->watched > 0) {
        sim->watch_log[op->watched - 1] = (struct gp_work_times){op->begin_ns, sim->now_ns};
    }
    if (gp_execute(sim, op, &err) != 0) {
        gp_sim_fail(sim, &err);
    }
    if (op->stream == NULL) {
        gp_graph_node_done(sim, op);
        gp_sim_op_destroy(sim, op);
        return;
    }
    gp_sim_floors_after(sim, op, op->stream->floor_ns);
    if (op->kind == GP_SIM_RECORD) {
        finish_marker(sim, op);
    }
    if (op->kind == GP_SIM_WRITE || op->kind == GP_SIM_FUNCTION) {
        sim->observations++;
    }
    gp_sim_leave_connection(sim, op);
    end_in_stream(sim, op);
    gp_graph_run_destroy(op->run);
    gp_sim_op_destroy(sim, op);
}
