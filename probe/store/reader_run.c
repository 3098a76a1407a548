/* The reader's rows of one run: see reader.h. */
#include "probe/store/reader.h"

#include <assert.h>

#include "probe/memory.h"
#include "probe/store/reader_internal.h"

static int64_t take_id(struct gp_cursor *cursor)
{
    return gp_cursor_take_int(cursor, 1, INT64_MAX);
}

static uint32_t take_u32(struct gp_cursor *cursor)
{
    return (uint32_t)gp_cursor_take_int(cursor, 0, UINT32_MAX);
}

/* -1 unknown. */
static int32_t take_small(struct gp_cursor *cursor)
{
    return (int32_t)gp_cursor_take_known_int(cursor, 0, INT32_MAX, -1);
}

static void decode_stream(struct gp_cursor *cursor, void *out)
{
    struct gp_stream_row *stream = out;

    stream->id = take_u32(cursor);
    stream->device = take_id(cursor);
    stream->priority = (int32_t)gp_cursor_take_int(cursor, INT32_MIN, INT32_MAX);
    stream->flag = (enum gp_stream_flag)gp_cursor_take_word(cursor, GP_WORDS_STREAM_FLAG);
    stream->role = gp_cursor_take_text(cursor);
    stream->name = gp_cursor_take_text(cursor);
}

static void decode_edge(struct gp_cursor *cursor, void *out)
{
    struct gp_edge_row *edge = out;

    edge->from = take_u32(cursor);
    edge->to = take_u32(cursor);
    edge->kind = (enum gp_edge_kind)gp_cursor_take_word(cursor, GP_WORDS_EDGE_KIND);
    edge->how = (enum gp_edge_how)gp_cursor_take_word(cursor, GP_WORDS_EDGE_HOW);
}

static void decode_access(struct gp_cursor *cursor, void *out)
{
    struct gp_access_row *access = out;

    access->op = take_u32(cursor);
    access->buffer = gp_cursor_take_string(cursor);
    access->mode = (enum gp_access_mode)gp_cursor_take_word(cursor, GP_WORDS_ACCESS);
    access->offset = gp_cursor_take_int(cursor, 0, INT64_MAX / 2);
    access->bytes = gp_cursor_take_int(cursor, 0, INT64_MAX / 2);
}

static void decode_range(struct gp_cursor *cursor, void *out)
{
    struct gp_range_row *range = out;

    range->id = take_u32(cursor);
    range->thread = take_u32(cursor);
    range->domain = gp_cursor_take_known_string(cursor);
    range->category = (int32_t)gp_cursor_take_int(cursor, INT32_MIN, INT32_MAX);
    range->color = gp_cursor_take_known_int(cursor, 0, UINT32_MAX, GP_UNKNOWN);
    range->text = gp_cursor_take_string(cursor);
    range->level = take_u32(cursor);
    range->begin = gp_cursor_take_time(cursor);
    if (range->begin == GP_UNKNOWN) {
        gp_cursor_fail(cursor, "a range without a begin");
    }
    range->end = gp_cursor_take_time(cursor);
    gp_cursor_check_order(cursor, range->begin, range->end);
}

static void decode_call(struct gp_cursor *cursor, void *out)
{
    struct gp_call_row *call = out;

    call->thread = take_u32(cursor);
    call->name = gp_cursor_take_string(cursor);
    call->op = gp_cursor_take_known_int(cursor, 0, UINT32_MAX, GP_UNKNOWN);
    call->begin = gp_cursor_take_time(cursor);
    call->end = gp_cursor_take_time(cursor);
    if (call->begin == GP_UNKNOWN || call->end == GP_UNKNOWN) {
        gp_cursor_fail(cursor, "a host call without its times");
    }
    gp_cursor_check_order(cursor, call->begin, call->end);
}

/* What NVML counts or measures: not negative. */
static int64_t take_measure(struct gp_cursor *cursor)
{
    return gp_cursor_take_known_int(cursor, 0, INT64_MAX / 2, GP_UNKNOWN);
}

static void decode_clock(struct gp_cursor *cursor, void *out)
{
    struct gp_clock_row *clock = out;

    clock->kind = gp_word(GP_WORDS_CLOCK, gp_cursor_take_word(cursor, GP_WORDS_CLOCK));
    clock->host = gp_cursor_take_int(cursor, INT64_MIN / 2, INT64_MAX / 2);
    clock->device = gp_cursor_take_int(cursor, INT64_MIN / 2, INT64_MAX / 2);
    clock->residual = gp_cursor_take_time(cursor);
}

static void decode_block(struct gp_cursor *cursor, void *out)
{
    struct gp_block_row *block = out;

    block->op = take_u32(cursor);
    block->block = take_u32(cursor);
    block->sm = take_u32(cursor);
    block->begin = gp_cursor_take_time(cursor);
    block->end = gp_cursor_take_time(cursor);
    if (block->begin == GP_UNKNOWN || block->end == GP_UNKNOWN) {
        gp_cursor_fail(cursor, "a block without its times");
    }
    gp_cursor_check_order(cursor, block->begin, block->end);
}

static void decode_state(struct gp_cursor *cursor, void *out)
{
    struct gp_state_row *state = out;

    state->at = gp_cursor_take_int(cursor, INT64_MIN / 2, INT64_MAX / 2);
    state->sm_clock_mhz = take_measure(cursor);
    state->memory_clock_mhz = take_measure(cursor);
    state->throttle = take_measure(cursor);
    state->power_mw = take_measure(cursor);
    state->temperature_c = gp_cursor_take_known_int(cursor, -1000, 1000000, GP_UNKNOWN);
    state->processes = take_measure(cursor);
    state->note = gp_cursor_take_text(cursor);
}

/* ---- operations ---------------------------------------------------------------------------- */

/* One request for operations. */
struct op_request {
    int64_t run;
    uint32_t first, count; /* ids asked for */
    uint32_t op_count;     /* of the run */
    size_t row_bytes;      /* of the struct that take fills */
    void (*take)(struct gp_cursor *cursor, const struct op_request *request, void *out);
};

/* Index in the run's streams of the pool index in the next column. */
static uint32_t take_stream(struct gp_cursor *cursor)
{
    const struct gp_stream_ids *known = &cursor->reader->stream_ids;
    uint32_t id = take_u32(cursor);
    uint32_t low = 0, high = known->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (known->ids[middle] < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == known->count || known->ids[low] != id) {
        gp_cursor_fail(cursor, "the run has no such stream");
        return 0;
    }
    return low;
}

/* Blocks or threads: three numbers ≥ 1, or three NULL, which are 0. */
static void take_shape(struct gp_cursor *cursor, uint32_t *shape)
{
    for (int i = 0; i < 3; i++) {
        shape[i] = (uint32_t)gp_cursor_take_known_int(cursor, 1, UINT32_MAX, 0);
        if ((shape[i] == 0) != (shape[0] == 0)) {
            gp_cursor_fail(cursor, "a launch without all its dimensions");
        }
    }
}

/* The first columns: whose and which operation it is, and its stream. */
static uint32_t take_head(struct gp_cursor *cursor, const struct op_request *request,
                          uint32_t *stream)
{
    int64_t expected = (int64_t)request->first + (int64_t)cursor->row - 1;
    uint32_t id;

    if (take_id(cursor) != request->run) {
        gp_cursor_fail(cursor, "an operation of another run");
    }
    id = (uint32_t)gp_cursor_take_int(cursor, expected, expected);
    *stream = take_stream(cursor);
    return id;
}

static void take_times(struct gp_cursor *cursor, struct gp_op_row *op)
{
    op->begin = gp_cursor_take_time(cursor);
    op->end = gp_cursor_take_time(cursor);
    gp_cursor_check_order(cursor, op->begin, op->end);
    op->begin_lo = gp_cursor_take_time(cursor);
    op->begin_hi = gp_cursor_take_time(cursor);
    op->end_lo = gp_cursor_take_time(cursor);
    op->end_hi = gp_cursor_take_time(cursor);
    op->source = (enum gp_source)gp_cursor_take_word(cursor, GP_WORDS_SOURCE);
    op->ready = gp_cursor_take_time(cursor);
    op->done = gp_cursor_take_time(cursor);
    op->stamp_begin = gp_cursor_take_time(cursor);
    op->stamp_end = gp_cursor_take_time(cursor);
    op->ref_begin = gp_cursor_take_time(cursor);
    op->ref_end = gp_cursor_take_time(cursor);
    op->submit_begin = gp_cursor_take_time(cursor);
    op->submit_end = gp_cursor_take_time(cursor);
    gp_cursor_check_order(cursor, op->submit_begin, op->submit_end);
}

static void take_op(struct gp_cursor *cursor, const struct op_request *request, void *out)
{
    struct gp_op_row *op = out;

    op->id = take_head(cursor, request, &op->stream);
    op->kind = (enum gp_op_kind)gp_cursor_take_word(cursor, GP_WORDS_OP_KIND);
    op->name = gp_cursor_take_string(cursor);
    take_times(cursor, op);
    op->chain = (uint32_t)gp_cursor_take_int(cursor, 0, (int64_t)request->op_count - 1);
    op->bytes = gp_cursor_take_known_int(cursor, 0, INT64_MAX / 2, GP_UNKNOWN);
    take_shape(cursor, op->grid);
    take_shape(cursor, op->block);
    op->smem = take_small(cursor);
    op->regs = take_small(cursor);
    op->engine = take_small(cursor);
    op->connection = take_small(cursor);
    op->rule = gp_cursor_take_known_string(cursor);
    op->rule_detail = gp_cursor_take_known_int(cursor, INT64_MIN + 1, INT64_MAX, GP_UNKNOWN);
    op->release = gp_cursor_take_time(cursor);
}

static void take_outline(struct gp_cursor *cursor, const struct op_request *request, void *out)
{
    struct gp_op_outline *op = out;

    (void)take_head(cursor, request, &op->stream);
    op->kind = (enum gp_op_kind)gp_cursor_take_word(cursor, GP_WORDS_OP_KIND);
    op->name = gp_cursor_take_string_index(cursor);
    op->begin = gp_cursor_take_time(cursor);
    op->end = gp_cursor_take_time(cursor);
    gp_cursor_check_order(cursor, op->begin, op->end);
    op->begin_lo = gp_cursor_take_time(cursor);
    op->begin_hi = gp_cursor_take_time(cursor);
    op->end_lo = gp_cursor_take_time(cursor);
    op->end_hi = gp_cursor_take_time(cursor);
    op->source = (enum gp_source)gp_cursor_take_word(cursor, GP_WORDS_SOURCE);
    op->ready = gp_cursor_take_time(cursor);
    op->engine = take_small(cursor);
}

/* Makes reader->stream_ids those of the run. */
static int load_stream_ids(struct gp_reader *reader, int64_t run, struct gp_error *err)
{
    struct gp_stream_ids *known = &reader->stream_ids;
    struct gp_stream_row *streams = NULL;
    uint32_t count;
    int code;

    if (known->run == run) {
        return 0;
    }
    code = gp_reader_streams(reader, run, &streams, &count, err);
    if (code != 0) {
        return code;
    }
    gp_free(known->ids);
    known->ids = gp_xalloc(count, sizeof *known->ids);
    for (uint32_t i = 0; i < count; i++) {
        known->ids[i] = streams[i].id;
    }
    known->count = count;
    known->run = run;
    gp_free(streams);
    return 0;
}

/* Where the run's operations are; the row of operation 0. */
static int find_ops(struct gp_reader *reader, int64_t run, int64_t *first_row, uint32_t *op_count,
                    struct gp_error *err)
{
    struct gp_cursor cursor = {.reader = reader, .table = "run", .row = 1, .err = err};
    int code = gp_db_statement(&reader->db, GP_READ_RUN_OPS, &cursor.statement, err);

    if (code != 0) {
        return code;
    }
    (void)sqlite3_bind_int64(cursor.statement, 1, run);
    code = gp_db_next(&reader->db, cursor.statement, err);
    if (code == 0) {
        code =
            gp_fail(err, GP_ENOTFOUND, "%s: there is no run %lld", reader->db.path, (long long)run);
    }
    if (code < 0) {
        return code;
    }
    *first_row = gp_cursor_take_known_int(&cursor, 1, INT64_MAX - UINT32_MAX, 1);
    *op_count = take_u32(&cursor);
    (void)sqlite3_reset(cursor.statement);
    return cursor.code;
}

static int read_ops(struct gp_reader *reader, enum gp_reader_sql sql, struct op_request *request,
                    char *out, struct gp_error *err)
{
    struct gp_cursor cursor = {.reader = reader, .table = gp_reader_table(sql), .err = err};
    int64_t first_row = 0;
    int code;

    assert(reader != NULL && (out != NULL || request->count == 0));
    code = find_ops(reader, request->run, &first_row, &request->op_count, err);
    if (code == 0) {
        code = load_stream_ids(reader, request->run, err);
    }
    if (code == 0) {
        code = gp_db_statement(&reader->db, sql, &cursor.statement, err);
    }
    if (code != 0) {
        return code;
    }
    assert((uint64_t)request->first + request->count <= request->op_count);
    (void)sqlite3_bind_int64(cursor.statement, 1, first_row + request->first);
    (void)sqlite3_bind_int64(cursor.statement, 2, first_row + request->first + request->count);
    while (cursor.row < request->count && cursor.code == 0 &&
           (code = gp_db_next(&reader->db, cursor.statement, err)) > 0) {
        cursor.column = 0;
        cursor.row++;
        request->take(&cursor, request, out + (cursor.row - 1) * request->row_bytes);
    }
    (void)sqlite3_reset(cursor.statement);
    if (cursor.code != 0) {
        return cursor.code;
    }
    if (code >= 0 && cursor.row != request->count) {
        return gp_fail(err, GP_EFORMAT, "%s: damaged: run %lld lacks operations", reader->db.path,
                       (long long)request->run);
    }
    return code < 0 ? code : 0;
}

int gp_reader_ops(struct gp_reader *reader, int64_t run, uint32_t first, uint32_t count,
                  struct gp_op_row *out, struct gp_error *err)
{
    struct op_request request = {run, first, count, 0, sizeof *out, take_op};

    return read_ops(reader, reader->ops, &request, (char *)out, err);
}

int gp_reader_outlines(struct gp_reader *reader, int64_t run, uint32_t first, uint32_t count,
                       struct gp_op_outline *out, struct gp_error *err)
{
    struct op_request request = {run, first, count, 0, sizeof *out, take_outline};

    return read_ops(reader, GP_READ_OUTLINES, &request, (char *)out, err);
}

/* ---- the rest ------------------------------------------------------------------------------ */

/* Rows of a run that name operations: whether row i names only those that the run has. */
typedef bool inside_fn(const void *rows, uint32_t i, uint32_t op_count);

static bool is_edge_inside(const void *rows, uint32_t i, uint32_t op_count)
{
    const struct gp_edge_row *edges = rows;

    return edges[i].from < op_count && edges[i].to < op_count;
}

static bool is_access_inside(const void *rows, uint32_t i, uint32_t op_count)
{
    const struct gp_access_row *accesses = rows;

    return accesses[i].op < op_count;
}

/* GP_UNKNOWN is the smallest int64. */
static bool is_call_inside(const void *rows, uint32_t i, uint32_t op_count)
{
    const struct gp_call_row *calls = rows;

    return calls[i].op < (int64_t)op_count;
}

static bool is_block_inside(const void *rows, uint32_t i, uint32_t op_count)
{
    const struct gp_block_row *blocks = rows;

    return blocks[i].op < op_count;
}

/* Releases *rows when one of them names an operation that is not there. */
static int check_inside(struct gp_reader *reader, int64_t run, void **rows, uint32_t *count,
                        inside_fn *inside, struct gp_error *err)
{
    uint32_t op_count = 0;
    int64_t first_row;
    int code = *count == 0 ? 0 : find_ops(reader, run, &first_row, &op_count, err);

    for (uint32_t i = 0; i < *count && code == 0; i++) {
        if (!inside(*rows, i, op_count)) {
            code = gp_fail(err, GP_EFORMAT,
                           "%s: damaged: run %lld has no operation that one of its rows names",
                           reader->db.path, (long long)run);
        }
    }
    if (code != 0) {
        gp_free(*rows);
        *rows = NULL;
        *count = 0;
    }
    return code;
}

int gp_reader_streams(struct gp_reader *reader, int64_t run, struct gp_stream_row **out,
                      uint32_t *count, struct gp_error *err)
{
    void *rows;
    int code = gp_reader_collect(
        reader, &(struct gp_query){GP_READ_STREAMS, run, decode_stream, sizeof **out}, &rows, count,
        err);

    *out = rows;
    return code;
}

int gp_reader_edges(struct gp_reader *reader, int64_t run, struct gp_edge_row **out,
                    uint32_t *count, struct gp_error *err)
{
    void *rows;
    int code =
        gp_reader_collect(reader, &(struct gp_query){GP_READ_EDGES, run, decode_edge, sizeof **out},
                          &rows, count, err);

    if (code == 0) {
        code = check_inside(reader, run, &rows, count, is_edge_inside, err);
    }
    *out = rows;
    return code;
}

int gp_reader_accesses(struct gp_reader *reader, int64_t run, struct gp_access_row **out,
                       uint32_t *count, struct gp_error *err)
{
    void *rows;
    int code = gp_reader_collect(
        reader, &(struct gp_query){GP_READ_ACCESSES, run, decode_access, sizeof **out}, &rows,
        count, err);

    if (code == 0) {
        code = check_inside(reader, run, &rows, count, is_access_inside, err);
    }
    *out = rows;
    return code;
}

int gp_reader_ranges(struct gp_reader *reader, int64_t run, struct gp_range_row **out,
                     uint32_t *count, struct gp_error *err)
{
    void *rows;
    int code = gp_reader_collect(
        reader, &(struct gp_query){GP_READ_RANGES, run, decode_range, sizeof **out}, &rows, count,
        err);

    *out = rows;
    return code;
}

int gp_reader_calls(struct gp_reader *reader, int64_t run, struct gp_call_row **out,
                    uint32_t *count, struct gp_error *err)
{
    void *rows;
    int code =
        gp_reader_collect(reader, &(struct gp_query){GP_READ_CALLS, run, decode_call, sizeof **out},
                          &rows, count, err);

    if (code == 0) {
        code = check_inside(reader, run, &rows, count, is_call_inside, err);
    }
    *out = rows;
    return code;
}

int gp_reader_clocks(struct gp_reader *reader, int64_t run, struct gp_clock_row **out,
                     uint32_t *count, struct gp_error *err)
{
    void *rows;
    int code = gp_reader_collect(
        reader, &(struct gp_query){GP_READ_CLOCKS, run, decode_clock, sizeof **out}, &rows, count,
        err);

    *out = rows;
    return code;
}

int gp_reader_states(struct gp_reader *reader, int64_t run, struct gp_state_row **out,
                     uint32_t *count, struct gp_error *err)
{
    void *rows;
    int code = gp_reader_collect(
        reader, &(struct gp_query){GP_READ_STATES, run, decode_state, sizeof **out}, &rows, count,
        err);

    *out = rows;
    return code;
}

int gp_reader_blocks(struct gp_reader *reader, int64_t run, struct gp_block_row **out,
                     uint32_t *count, struct gp_error *err)
{
    void *rows;
    int code = gp_reader_collect(
        reader, &(struct gp_query){GP_READ_BLOCKS, run, decode_block, sizeof **out}, &rows, count,
        err);

    if (code == 0) {
        code = check_inside(reader, run, &rows, count, is_block_inside, err);
    }
    *out = rows;
    return code;
}
