/* Which operations wait for which, from Nsight's rows of events and synchronisation: see nsight.h.
 */
#include <string.h>

#include "probe/import/nsight.h"
#include "probe/memory.h"

static bool is_stream(int64_t number)
{
    return number >= 0 && number < UINT32_MAX;
}

/* The stream of a row of the run's process, as an index of the run; GP_NSIGHT_NONE: none with work.
 */
static uint32_t find_stream(const struct gp_nsight_run *run, int64_t context, int64_t number)
{
    const struct gp_nsight_part *part = &run->nsight->parts[run->part];
    const struct gp_nsight_stream key = {
        .pid = part->pid, .device = part->device, .context = context, .number = number};
    uint32_t found = gp_nsight_find_stream(run->nsight, &key);

    return found != GP_NSIGHT_NONE ? found - part->stream_first : GP_NSIGHT_NONE;
}

/* The part that a host row of a context belongs to. Synchronisation rows say device 0 whatever the
 * device is, so that the context decides; one without work is its process's. */
static uint32_t part_of(struct gp_nsight *nsight, int64_t pid, int64_t context)
{
    for (uint32_t i = 0; i < nsight->stream_count; i++) {
        const struct gp_nsight_stream *stream = &nsight->streams[i];

        if (stream->pid == pid && stream->context == context && !stream->is_unified) {
            return stream->part;
        }
    }
    return gp_nsight_main_part(nsight, pid);
}

/* Whether the row is this run's, which then has counted it; rows of processes without work are the
 * first run's, and lost. Most rows are of the context of the row before. */
static bool is_row_mine(struct gp_nsight_run *run, int64_t pid, int64_t context)
{
    struct gp_import_counts *counts = run->nsight->counts;

    if (!run->knows_context || run->context_pid != pid || run->context != context) {
        run->context_part = part_of(run->nsight, pid, context);
        run->context_pid = pid;
        run->context = context;
        run->knows_context = true;
    }
    if (run->context_part == GP_NSIGHT_NONE && run->part == 0) {
        counts->in++;
        counts->lost[GP_IMPORT_NO_DEVICE]++;
        return false;
    }
    counts->in += run->context_part == run->part;
    return run->context_part == run->part;
}

/* The columns of a synchronisation; from SYNC_KIND on, what only other importers have. */
enum {
    SYNC_BEGIN,
    SYNC_END,
    SYNC_CONTEXT,
    SYNC_STREAM,
    SYNC_CORRELATION,
    SYNC_EVENT,
    SYNC_PID,
    SYNC_KIND,
    SYNC_RECORD_STREAM,
    SYNC_RECORD_CORRELATION,
};

/* Event ids are those of a context. */
static int64_t event_key(int64_t context, int64_t event)
{
    return (int64_t)((uint64_t)context << 40 ^ (uint64_t)event);
}

/* The call of the run's process with that correlation id; NULL none. */
static const struct gp_call_entry *find_call(struct gp_nsight_run *run, int64_t correlation)
{
    struct gp_nsight *nsight = run->nsight;

    return correlation > 0
               ? gp_calls_find(&nsight->calls, nsight->parts[run->part].pid, correlation)
               : NULL;
}

static void take_record(struct gp_nsight_run *run, sqlite3_stmt *row)
{
    struct gp_nsight *nsight = run->nsight;
    int64_t context = gp_foreign_int_or(row, 0, 0);
    uint32_t stream = find_stream(run, context, gp_foreign_int_or(row, 1, -1));
    const struct gp_call_entry *call = find_call(run, gp_foreign_int_or(row, 2, 0));

    if (call == NULL) {
        nsight->counts->lost[GP_IMPORT_NO_CALL]++;
        return;
    }
    nsight->counts->dependencies++;
    if (stream != GP_NSIGHT_NONE) {
        gp_order_sort_add(&run->items,
                          &(struct gp_order_item){
                              .at = call->begin - run->epoch,
                              .event = event_key(context, gp_foreign_int_or(row, 3, 0)),
                              .stream = (uint16_t)stream,
                              .kind = GP_HOST_RECORD,
                          });
    }
}

static int load_records(struct gp_nsight_run *run, struct gp_error *err)
{
    static const char *const columns[] = {"contextId", "streamId",  "correlationId",
                                          "!eventId",  "globalPid", NULL};
    struct gp_nsight *nsight = run->nsight;
    sqlite3_stmt *row;
    int code = gp_foreign_select(&nsight->source, "CUPTI_ACTIVITY_KIND_CUDA_EVENT", columns, "",
                                 &row, err);

    while (code == 0 && row != NULL && (code = gp_db_next(&nsight->source.db, row, err)) > 0) {
        code = 0;
        if (is_row_mine(run, sqlite3_column_int64(row, 4), gp_foreign_int_or(row, 0, 0))) {
            take_record(run, row);
        }
    }
    (void)sqlite3_finalize(row);
    return code;
}

static bool begins(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* What a synchronisation was: by the call that made it, else by the ids that it has; Nsight's own
 * number means something else in each version. GP_HOST_OP: nothing that orders (a query). */
static enum gp_host_kind kind_of_sync(const char *call, bool has_stream, bool has_event)
{
    static const struct {
        const char *call;
        enum gp_host_kind kind;
    } calls[] = {
        {"cudaStreamWaitEvent", GP_HOST_WAIT},   {"cuStreamWaitEvent", GP_HOST_WAIT},
        {"cudaEventQuery", GP_HOST_OP},          {"cuEventQuery", GP_HOST_OP},
        {"cudaStreamQuery", GP_HOST_OP},         {"cuStreamQuery", GP_HOST_OP},
        {"cudaEventSync", GP_HOST_SYNC_EVENT},   {"cuEventSync", GP_HOST_SYNC_EVENT},
        {"cudaStreamSync", GP_HOST_SYNC_STREAM}, {"cuStreamSync", GP_HOST_SYNC_STREAM},
        {"cudaDeviceSync", GP_HOST_SYNC_ALL},    {"cuCtxSync", GP_HOST_SYNC_ALL},
    };

    for (size_t i = 0; call != NULL && i < sizeof calls / sizeof calls[0]; i++) {
        if (begins(call, calls[i].call)) {
            return calls[i].kind;
        }
    }
    if (has_stream && has_event) {
        return GP_HOST_WAIT;
    }
    if (has_stream) {
        return GP_HOST_SYNC_STREAM;
    }
    return has_event ? GP_HOST_SYNC_EVENT : GP_HOST_SYNC_ALL;
}

/* What other importers stage with a wait: the kind, and which record it is for, by the call that
 * made it. Returns the id of the event. */
static int64_t take_staged_record(struct gp_nsight_run *run, sqlite3_stmt *row, int64_t context,
                                  int64_t otherwise)
{
    int64_t correlation = gp_foreign_int_or(row, SYNC_RECORD_CORRELATION, 0);
    uint32_t stream = find_stream(run, context, gp_foreign_int_or(row, SYNC_RECORD_STREAM, -1));
    const struct gp_call_entry *call = find_call(run, correlation);
    int64_t event = event_key(context, (int64_t)1 << 32 | correlation);

    if (call == NULL || stream == GP_NSIGHT_NONE) {
        return otherwise;
    }
    gp_order_sort_add(&run->items, &(struct gp_order_item){
                                       .at = call->begin - run->epoch,
                                       .event = event,
                                       .stream = (uint16_t)stream,
                                       .kind = GP_HOST_RECORD,
                                   });
    return event;
}

static void take_sync(struct gp_nsight_run *run, sqlite3_stmt *row, int64_t end)
{
    struct gp_nsight *nsight = run->nsight;
    int64_t context = gp_foreign_int_or(row, SYNC_CONTEXT, 0);
    int64_t number = gp_foreign_int_or(row, SYNC_STREAM, -1);
    int64_t event = gp_foreign_int_or(row, SYNC_EVENT, UINT32_MAX);
    int64_t kind = gp_foreign_int_or(row, SYNC_KIND, -1);
    uint32_t stream = find_stream(run, context, number);
    struct gp_order_item item = {.stream = (uint16_t)stream};
    const struct gp_call_entry *call;
    bool needs_stream;

    /* The call is asked for last, because it is valid only until another one is. */
    item.event = take_staged_record(run, row, context, event_key(context, event));
    call = find_call(run, gp_foreign_int_or(row, SYNC_CORRELATION, 0));
    item.kind =
        (uint8_t)(kind > GP_HOST_RECORD && kind <= GP_HOST_SYNC_ALL
                      ? (enum gp_host_kind)kind
                      : kind_of_sync(call != NULL ? gp_foreign_string(&nsight->source, call->name)
                                                  : NULL,
                                     is_stream(number), event != UINT32_MAX));
    needs_stream = item.kind == GP_HOST_WAIT || item.kind == GP_HOST_SYNC_STREAM;

    item.at = (item.kind == GP_HOST_WAIT && call != NULL ? call->begin : end) - run->epoch;
    nsight->counts->dependencies++;
    if (item.kind != GP_HOST_OP && (!needs_stream || stream != GP_NSIGHT_NONE)) {
        gp_order_sort_add(&run->items, &item);
    }
}

static int load_syncs(struct gp_nsight_run *run, struct gp_error *err)
{
    static const char *const columns[] = {
        "!start",  "!end",      "contextId", "streamId",       "correlationId",
        "eventId", "globalPid", "hostKind",  "recordStreamId", "recordCorrelationId",
        NULL};
    struct gp_nsight *nsight = run->nsight;
    sqlite3_stmt *row;
    int64_t begin, end;
    int code = gp_foreign_select(&nsight->source, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", columns,
                                 "", &row, err);

    while (code == 0 && row != NULL && (code = gp_db_next(&nsight->source.db, row, err)) > 0) {
        code = 0;
        if (is_row_mine(run, sqlite3_column_int64(row, SYNC_PID),
                        gp_foreign_int_or(row, SYNC_CONTEXT, 0)) &&
            gp_nsight_take_times(nsight, row, SYNC_BEGIN, &begin, &end)) {
            take_sync(run, row, end);
        }
    }
    (void)sqlite3_finalize(row);
    return code;
}

/* ---- edges ---------------------------------------------------------------------------------- */

/* Of the run `user`. */
static int write_edges(void *user, const struct gp_edge_row *edges, uint32_t count,
                       struct gp_error *err)
{
    struct gp_nsight_run *run = user;
    int code;

    run->rows.edges = edges;
    run->rows.edge_count = count;
    code = gp_writer_add_part(run->nsight->writer, &run->rows, err);
    run->rows.edges = NULL;
    run->rows.edge_count = 0;
    return code;
}

/* An edge between operations that are there, the earlier one first. */
static bool take_staged_edge(const struct gp_nsight_run *run, sqlite3_stmt *row,
                             struct gp_edge_row *out)
{
    int64_t kind = gp_foreign_int_or(row, 4, -1);
    int64_t how = gp_foreign_int_or(row, 5, -1);

    *out = (struct gp_edge_row){
        .from = gp_id_map_get(&run->op_ids, gp_foreign_int_or(row, 2, -1), UINT32_MAX),
        .to = gp_id_map_get(&run->op_ids, gp_foreign_int_or(row, 3, -1), UINT32_MAX),
        .kind = (enum gp_edge_kind)kind,
        .how = (enum gp_edge_how)how,
    };
    return kind >= 0 && kind < GP_EDGE_KIND_COUNT && how >= 0 && how < GP_EDGE_HOW_COUNT &&
           out->to != UINT32_MAX && out->from < out->to;
}

/* Edges that other importers stage as such. */
static int write_staged(struct gp_nsight_run *run, struct gp_error *err)
{
    static const char *const columns[] = {"!globalPid", "!deviceId", "!fromOp", "!toOp",
                                          "!kind",      "!how",      NULL};
    struct gp_nsight *nsight = run->nsight;
    const struct gp_nsight_part *part = &nsight->parts[run->part];
    struct gp_edge_row edge;
    sqlite3_stmt *row;
    int code = gp_foreign_select(&nsight->source, "GPUPROBE_EDGE", columns,
                                 "WHERE c0 = ?1 AND c1 = ?2", &row, err);

    if (code == 0 && row != NULL) {
        (void)sqlite3_bind_int64(row, 1, part->pid);
        (void)sqlite3_bind_int64(row, 2, part->device);
    }
    while (code == 0 && row != NULL && (code = gp_db_next(&nsight->source.db, row, err)) > 0) {
        code = 0;
        nsight->counts->in++;
        if (take_staged_edge(run, row, &edge)) {
            nsight->counts->dependencies++;
            code = write_edges(run, &edge, 1, err);
        } else {
            nsight->counts->lost[GP_IMPORT_UNKNOWN]++;
        }
    }
    (void)sqlite3_finalize(row);
    return code;
}

int gp_nsight_write_edges(struct gp_nsight_run *run, struct gp_error *err)
{
    int code = load_records(run, err);

    if (code == 0) {
        code = load_syncs(run, err);
    }
    /* Where edges are given, none need to be found. */
    if (code == 0 && run->items.count > 0 && run->op_ids.count == 0) {
        code = gp_order_edges(&run->items, run->nsight->parts[run->part].stream_count, write_edges,
                              run, err);
    }
    if (code == 0) {
        code = write_staged(run, err);
    }
    return code == 0 ? gp_calls_check(&run->nsight->calls, err) : code;
}
