/*
 * Causes by what streams share without being asked: the order with the legacy NULL stream, hardware
 * connections and events of the recorder. See cause_rules.h.
 *
 * Connections are leased as measured on an H200: a stream that becomes busy takes the connection
 * that fewest busy streams have, and gives it back when it is idle. A connection is a FIFO; what
 * must wait for its own stream's earlier work, or for a timed event, holds everything behind it.
 * PCIe copies do not go through it.
 */
#include "probe/analysis/cause_rules.h"

#include <math.h>
#include <string.h>

#include "core/limits.h"
#include "probe/memory.h"

/* ---- the NULL stream ----------------------------------------------------------------------- */

static void index_null_stream(struct gp_cause_index *index, const struct gp_moment *by_submit,
                              uint32_t count)
{
    const struct gp_run_data *run = index->run;
    struct gp_held null = {INT64_MIN, GP_NO_OP};
    struct gp_held blocking = {INT64_MIN, GP_NO_OP};
    bool has_null = false;

    for (uint32_t i = 0; i < run->stream_count; i++) {
        has_null |= run->streams[i].flag == GP_STREAM_NULL;
    }
    if (!has_null) {
        return;
    }
    index->null = gp_cause_index_array(run->op_count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t op = by_submit[i].op;
        const struct gp_op_row *row = &run->ops[op];
        enum gp_stream_flag flag = run->streams[row->stream].flag;

        if (flag == GP_STREAM_NON_BLOCKING || !gp_op_runs(row)) {
            continue;
        }
        index->null[op] = flag == GP_STREAM_NULL ? blocking : null;
        gp_held_raise(flag == GP_STREAM_NULL ? &null : &blocking, row->end, op);
    }
}

/* ---- connections --------------------------------------------------------------------------- */

/* The latest of two different streams, so that a stream can be left out. */
struct latest {
    struct gp_held held[2];
    uint32_t stream[2];
};

static const struct latest none = {{{INT64_MIN, GP_NO_OP}, {INT64_MIN, GP_NO_OP}}, {0, 0}};

static void note_latest(struct latest *latest, uint32_t stream, int64_t until, uint32_t op)
{
    int place = latest->held[0].on == GP_NO_OP || latest->stream[0] == stream ? 0 : 1;

    if (place == 1 && until > latest->held[0].until) {
        latest->held[1] = latest->held[0];
        latest->stream[1] = latest->stream[0];
        latest->held[0] = (struct gp_held){until, op};
        latest->stream[0] = stream;
        return;
    }
    if (until > latest->held[place].until) {
        latest->held[place] = (struct gp_held){until, op};
        latest->stream[place] = stream;
    }
}

static struct gp_held latest_of_others(const struct latest *latest, uint32_t stream)
{
    return latest->held[latest->stream[0] == stream && latest->held[0].on != GP_NO_OP ? 1 : 0];
}

/* A stream's lease. */
struct lease {
    int64_t busy_until; /* of what was submitted so far */
    int32_t connection; /* -1 none */
};

struct leases {
    struct lease *streams;
    uint32_t stream_count;
    uint32_t taken[GP_CONNECTIONS_MAX];
    uint32_t connections;
};

static void give_back(struct leases *leases, int64_t now)
{
    for (uint32_t i = 0; i < leases->stream_count; i++) {
        struct lease *lease = &leases->streams[i];

        if (lease->connection >= 0 && lease->busy_until <= now) {
            leases->taken[lease->connection]--;
            lease->connection = -1;
        }
    }
}

static uint32_t lease_connection(struct leases *leases, const struct gp_op_row *op)
{
    struct lease *lease = &leases->streams[op->stream];
    uint32_t best = 0;

    if (lease->connection >= 0 && lease->busy_until > op->submit_begin) {
        lease->busy_until = op->end > lease->busy_until ? op->end : lease->busy_until;
        return (uint32_t)lease->connection;
    }
    give_back(leases, op->submit_begin);
    for (uint32_t i = 1; i < leases->connections; i++) {
        best = leases->taken[i] < leases->taken[best] ? i : best;
    }
    leases->taken[best]++;
    *lease = (struct lease){op->end, (int32_t)best};
    return best;
}

static bool goes_through(const struct gp_op_row *op)
{
    return op->kind != GP_OP_H2D && op->kind != GP_OP_D2H && op->kind != GP_OP_VALUE &&
           op->begin != GP_UNKNOWN && op->end != GP_UNKNOWN;
}

static void index_connections(struct gp_cause_index *index, const struct gp_moment *by_submit,
                              uint32_t count)
{
    const struct gp_run_data *run = index->run;
    struct leases leases = {
        .streams = gp_xalloc(run->stream_count, sizeof *leases.streams),
        .stream_count = run->stream_count,
        .connections = (uint32_t)run->device->connections,
    };
    struct latest waits[GP_CONNECTIONS_MAX], events[GP_CONNECTIONS_MAX];

    for (uint32_t i = 0; i < GP_CONNECTIONS_MAX; i++) {
        waits[i] = events[i] = none;
    }
    for (uint32_t i = 0; i < run->stream_count; i++) {
        leases.streams[i].connection = -1;
    }
    index->connection = gp_cause_index_array(run->op_count);
    index->timed = gp_cause_index_array(run->op_count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t op = by_submit[i].op;
        const struct gp_op_row *row = &run->ops[op];
        uint32_t lease;

        if (row->end == GP_UNKNOWN) {
            continue;
        }
        lease = lease_connection(&leases, row);
        lease = row->connection >= 0 ? (uint32_t)row->connection % GP_CONNECTIONS_MAX : lease;
        if (!goes_through(row)) {
            continue;
        }
        index->connection[op] = latest_of_others(&waits[lease], row->stream);
        index->timed[op] = latest_of_others(&events[lease], row->stream);
        note_latest(&waits[lease], row->stream, gp_cause_index_free_from(index, op), op);
        if (index->records[op] > 0) {
            note_latest(&events[lease], row->stream, row->end, op);
        }
    }
    gp_free(leases.streams);
}

/* ---- the recorder's events ----------------------------------------------------------------- */

static void index_records(struct gp_cause_index *index)
{
    const struct gp_run_data *run = index->run;

    index->records = gp_xalloc(run->op_count, sizeof *index->records);
    for (uint32_t i = 0; i < run->call_count; i++) {
        const struct gp_call_row *call = &run->calls[i];

        if (call->op != GP_UNKNOWN && strcmp(call->name, "timed record") == 0) {
            index->records[call->op] =
                (uint8_t)(index->records[call->op] < 2 ? index->records[call->op] + 1 : 2);
        }
    }
}

void gp_cause_index_shared(struct gp_cause_index *index, const struct gp_moment *by_submit,
                           uint32_t submitted)
{
    const struct gp_run_data *run = index->run;

    index_records(index);
    index_null_stream(index, by_submit, submitted);
    if (run->cell->submit != GP_SUBMIT_GRAPH && run->device->connections > 0 &&
        run->device->connections <= GP_CONNECTIONS_MAX &&
        run->stream_count > (uint32_t)run->device->connections) {
        index_connections(index, by_submit, submitted);
    }
}

/* ---- the rules ----------------------------------------------------------------------------- */

bool gp_cause_null_stream(const struct gp_cause_index *index, uint32_t op, int64_t from, int64_t to,
                          struct gp_hold *out)
{
    (void)from;
    (void)to;
    return gp_cause_held(index->null, op, out);
}

/* What is derived from the order of submission is not said against what was seen: that it began
 * while it would have been held. */
static bool held_before_begin(const struct gp_cause_index *index, const struct gp_held *all,
                              uint32_t op, struct gp_hold *out)
{
    return gp_cause_held(all, op, out) && out->until <= index->run->ops[op].begin;
}

bool gp_cause_connection(const struct gp_cause_index *index, uint32_t op, int64_t from, int64_t to,
                         struct gp_hold *out)
{
    (void)from;
    (void)to;
    return held_before_begin(index, index->connection, op, out);
}

bool gp_cause_timed_event(const struct gp_cause_index *index, uint32_t op, int64_t from, int64_t to,
                          struct gp_hold *out)
{
    (void)from;
    (void)to;
    return held_before_begin(index, index->timed, op, out);
}

/* An event after the kernel before it on the stream, or one of two around itself. Events after
 * copies are hidden behind what a copy takes to get going. */
bool gp_cause_recorder(const struct gp_cause_index *index, uint32_t op, int64_t from, int64_t to,
                       struct gp_hold *out)
{
    const struct gp_run_data *run = index->run;
    uint32_t behind = index->behind[op].on;

    (void)to;
    if (isnan(run->facts.event_timed_ns) || behind == GP_NO_OP ||
        !goes_through(&run->ops[behind]) ||
        (index->records[behind] == 0 && index->records[op] < 2)) {
        return false;
    }
    *out = (struct gp_hold){
        .until = run->ops[behind].end + (int64_t)run->facts.event_timed_ns,
        .figure = GP_UNKNOWN,
        .on = behind,
    };
    return out->until > from;
}
