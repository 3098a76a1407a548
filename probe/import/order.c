/* Dependencies from the order of calls: see order.h. */
#include "probe/import/order.h"

#include <stdlib.h>

#include "probe/import/id_map.h"
#include "probe/memory.h"

#define NO_OP UINT32_MAX

/* What is known of a stream on the way through the calls. */
struct stream {
    uint32_t last;     /* operation it got last */
    int64_t last_end;  /* its end */
    uint32_t *pending; /* what its next operation waits for */
    size_t pending_count, pending_capacity;
    uint32_t joined; /* the operation that the host has waited for since its last operation */
};

enum { EDGES_AT_ONCE = 4096 };

struct sweep {
    struct stream *streams;
    uint32_t stream_count;
    struct gp_id_map records; /* by event: the operation that its last record stands for */
    gp_order_take_fn *give;
    void *user;
    struct gp_edge_row edges[EDGES_AT_ONCE];
    uint32_t edge_count;
    int code; /* of the first failure */
    struct gp_error *err;
};

static int by_number(const void *a, const void *b)
{
    const uint32_t *x = a;
    const uint32_t *y = b;

    return (*x > *y) - (*x < *y);
}

/* The operation that the event stands for. */
static uint32_t recorded(const struct sweep *sweep, int64_t event)
{
    return gp_id_map_get(&sweep->records, event, NO_OP);
}

static void note_record(struct sweep *sweep, const struct gp_order_item *item)
{
    gp_id_map_set(&sweep->records, item->event, sweep->streams[item->stream].last);
}

static void give_edges(struct sweep *sweep)
{
    if (sweep->code == 0 && sweep->edge_count > 0) {
        sweep->code = sweep->give(sweep->user, sweep->edges, sweep->edge_count, sweep->err);
    }
    sweep->edge_count = 0;
}

static void add_edge(struct sweep *sweep, uint32_t from, uint32_t to, enum gp_edge_kind kind)
{
    /* Operations are numbered by their begin: one that began later held nobody, whatever the order
     * of the calls seems to say. */
    if (from == NO_OP || from >= to) {
        return;
    }
    if (sweep->edge_count == EDGES_AT_ONCE) {
        give_edges(sweep);
    }
    sweep->edges[sweep->edge_count++] = (struct gp_edge_row){from, to, kind, GP_HOW_EVENT};
}

static void note_op(struct sweep *sweep, const struct gp_order_item *item)
{
    struct stream *stream = &sweep->streams[item->stream];

    if (stream->pending_count > 0) {
        qsort(stream->pending, stream->pending_count, sizeof *stream->pending, by_number);
    }
    for (size_t i = 0; i < stream->pending_count; i++) {
        if (i == 0 || stream->pending[i] != stream->pending[i - 1]) {
            add_edge(sweep, stream->pending[i], item->op, GP_EDGE_EVENT);
        }
    }
    stream->pending_count = 0;
    add_edge(sweep, stream->joined, item->op, GP_EDGE_JOIN);
    stream->joined = NO_OP;
    stream->last = item->op;
    stream->last_end = item->end;
}

static void note_wait(struct sweep *sweep, const struct gp_order_item *item)
{
    struct stream *stream = &sweep->streams[item->stream];
    uint32_t op = recorded(sweep, item->event);

    if (op != NO_OP) {
        stream->pending = gp_xgrow(stream->pending, &stream->pending_capacity,
                                   stream->pending_count + 1, sizeof *stream->pending);
        stream->pending[stream->pending_count++] = op;
    }
}

/* The host has waited for an operation: whatever comes next comes after it. */
static void join(struct sweep *sweep, uint32_t op)
{
    for (uint32_t i = 0; i < sweep->stream_count && op != NO_OP; i++) {
        sweep->streams[i].joined = op;
    }
}

static void join_all(struct sweep *sweep)
{
    const struct stream *last = NULL;

    for (uint32_t i = 0; i < sweep->stream_count; i++) {
        const struct stream *stream = &sweep->streams[i];

        if (stream->last != NO_OP && (last == NULL || stream->last_end > last->last_end)) {
            last = stream;
        }
    }
    if (last != NULL) {
        join(sweep, last->last);
    }
}

static void take(struct sweep *sweep, const struct gp_order_item *item)
{
    switch ((enum gp_host_kind)item->kind) {
    case GP_HOST_OP:
        note_op(sweep, item);
        break;
    case GP_HOST_RECORD:
        note_record(sweep, item);
        break;
    case GP_HOST_WAIT:
        note_wait(sweep, item);
        break;
    case GP_HOST_SYNC_EVENT:
        join(sweep, recorded(sweep, item->event));
        break;
    case GP_HOST_SYNC_STREAM:
        join(sweep, sweep->streams[item->stream].last);
        break;
    case GP_HOST_SYNC_ALL:
        join_all(sweep);
        break;
    }
}

int gp_order_edges(struct gp_order_sort *items, uint32_t stream_count, gp_order_take_fn *take_edges,
                   void *user, struct gp_error *err)
{
    struct sweep *sweep = gp_xalloc(1, sizeof *sweep);
    struct gp_order_item item;
    int code = 0;

    sweep->streams = gp_xalloc(stream_count, sizeof *sweep->streams);
    sweep->stream_count = stream_count;
    sweep->give = take_edges;
    sweep->user = user;
    sweep->err = err;
    for (uint32_t i = 0; i < stream_count; i++) {
        sweep->streams[i].last = NO_OP;
        sweep->streams[i].joined = NO_OP;
    }
    while (sweep->code == 0 && (code = gp_order_sort_next(items, &item, err)) > 0) {
        take(sweep, &item);
    }
    if (code == 0) {
        give_edges(sweep);
    }
    code = code < 0 ? code : sweep->code;
    for (uint32_t i = 0; i < stream_count; i++) {
        gp_free(sweep->streams[i].pending);
    }
    gp_free(sweep->streams);
    gp_id_map_finish(&sweep->records);
    gp_free(sweep);
    return code;
}
