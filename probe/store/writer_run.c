/* The writer's run rows: everything of one run in one transaction, and forgetting its operations.
 * See writer.h. */
#include "probe/store/writer.h"

#include <assert.h>

#include "probe/store/writer_internal.h"

/* ---- rows that contradict themselves ------------------------------------------------------- */

static int fail_row(const struct gp_writer *writer, struct gp_error *err, const char *what,
                    uint32_t index)
{
    return gp_fail(err, GP_EINVAL, "%s: %s, row %u of the run", writer->db.path, what,
                   (unsigned)index);
}

static bool is_backwards(int64_t begin, int64_t end)
{
    return begin != GP_UNKNOWN && end != GP_UNKNOWN && end < begin;
}

static int check_ops(const struct gp_writer *writer, const struct gp_run_rows *rows,
                     struct gp_error *err)
{
    for (uint32_t i = 0; i < rows->op_count; i++) {
        const struct gp_op_row *op = &rows->ops[i];

        if (op->id != writer->part_ops + i || op->chain >= writer->part_ops + rows->op_count) {
            return fail_row(writer, err, "operation or chain out of order", i);
        }
        if (op->stream >= rows->stream_count) {
            return fail_row(writer, err, "operation on a stream that the run does not have", i);
        }
        if (is_backwards(op->begin, op->end)) {
            return fail_row(writer, err, "operation that ends before it begins", i);
        }
    }
    return 0;
}

static bool is_block_in_order(const struct gp_block_row *before, const struct gp_block_row *block)
{
    return block->op > before->op || (block->op == before->op && block->block > before->block);
}

static int check_blocks(const struct gp_writer *writer, const struct gp_run_rows *rows,
                        struct gp_error *err)
{
    for (uint32_t i = 0; i < rows->block_count; i++) {
        const struct gp_block_row *block = &rows->blocks[i];

        if (block->op >= writer->part_ops + rows->op_count ||
            (i > 0 && !is_block_in_order(block - 1, block))) {
            return fail_row(writer, err, "block out of order", i);
        }
        if (block->end < block->begin) {
            return fail_row(writer, err, "block that ends before it begins", i);
        }
    }
    return 0;
}

static int check_rows(const struct gp_writer *writer, const struct gp_run_rows *rows,
                      struct gp_error *err)
{
    uint32_t op_count = writer->part_ops + rows->op_count;

    for (uint32_t i = 1; i < rows->stream_count; i++) {
        if (rows->streams[i].id <= rows->streams[i - 1].id) {
            return fail_row(writer, err, "stream out of order", i);
        }
    }
    for (uint32_t i = 1; i < rows->state_count; i++) {
        if (rows->states[i].at <= rows->states[i - 1].at) {
            return fail_row(writer, err, "state out of order", i);
        }
    }
    for (uint32_t i = 0; i < rows->edge_count; i++) {
        if (rows->edges[i].from >= op_count || rows->edges[i].to >= op_count) {
            return fail_row(writer, err, "edge to an operation that the run does not have", i);
        }
    }
    for (uint32_t i = 0; i < rows->access_count; i++) {
        if (rows->accesses[i].op >= op_count) {
            return fail_row(writer, err, "access of an operation that the run does not have", i);
        }
    }
    for (uint32_t i = 0; i < rows->range_count; i++) {
        if (is_backwards(rows->ranges[i].begin, rows->ranges[i].end)) {
            return fail_row(writer, err, "range that ends before it begins", i);
        }
    }
    for (uint32_t i = 0; i < rows->call_count; i++) {
        const struct gp_call_row *call = &rows->calls[i];

        if (is_backwards(call->begin, call->end) || call->op >= (int64_t)op_count) {
            return fail_row(writer, err, "host call that cannot be", i);
        }
    }
    if (check_blocks(writer, rows, err) != 0) {
        return GP_EINVAL;
    }
    return check_ops(writer, rows, err);
}

/* ---- one row each -------------------------------------------------------------------------- */

static int add_run(struct gp_writer *writer, const struct gp_run_rows *rows, struct gp_error *err)
{
    const struct gp_run_row *run = &rows->run;
    struct gp_row row;
    int code = gp_row_start(writer, GP_SQL_ADD_RUN, &row, err);

    if (code != 0) {
        return code;
    }
    gp_row_put_int(&row, run->id);
    gp_row_put_int(&row, run->cell);
    gp_row_put_word(&row, GP_WORDS_PASS, (int)run->pass);
    gp_row_put_word(&row, GP_WORDS_TRACE, (int)run->trace);
    gp_row_put_text(&row, run->trace_note != NULL ? run->trace_note : "");
    gp_row_put_int(&row, run->repeat);
    gp_row_put_int(&row, run->makespan_ns);
    gp_row_put_int(&row, run->submit_ns);
    gp_row_put_int(&row, run->epoch_realtime_ns);
    gp_row_put_small(&row, run->verified);
    gp_row_put_word(&row, GP_WORDS_STATUS, (int)run->status);
    gp_row_put_int(&row, writer->part_ops > 0 ? writer->part_first_row : GP_UNKNOWN);
    gp_row_put_int(&row, writer->part_ops);
    return gp_row_store(writer, &row, err);
}

static int add_clock(struct gp_writer *writer, int64_t run, uint32_t id,
                     const struct gp_clock_row *clock, struct gp_error *err)
{
    struct gp_row row;
    int code = gp_row_start(writer, GP_SQL_ADD_CLOCK, &row, err);

    if (code != 0) {
        return code;
    }
    gp_row_put_int(&row, run);
    gp_row_put_int(&row, id);
    gp_row_put_word(&row, GP_WORDS_CLOCK, gp_word_find(GP_WORDS_CLOCK, clock->kind));
    gp_row_put_int(&row, clock->host);
    gp_row_put_int(&row, clock->device);
    gp_row_put_int(&row, clock->residual);
    return gp_row_store(writer, &row, err);
}

static int add_state(struct gp_writer *writer, int64_t run, const struct gp_state_row *state,
                     struct gp_error *err)
{
    struct gp_row row;
    int code = gp_row_start(writer, GP_SQL_ADD_STATE, &row, err);

    if (code != 0) {
        return code;
    }
    gp_row_put_int(&row, run);
    gp_row_put_int(&row, state->at);
    gp_row_put_int(&row, state->sm_clock_mhz);
    gp_row_put_int(&row, state->memory_clock_mhz);
    gp_row_put_int(&row, state->throttle);
    gp_row_put_int(&row, state->power_mw);
    gp_row_put_int(&row, state->temperature_c);
    gp_row_put_int(&row, state->processes);
    gp_row_put_text(&row, state->note);
    return gp_row_store(writer, &row, err);
}

static int add_stream(struct gp_writer *writer, const struct gp_run_row *run,
                      const struct gp_stream_row *stream, struct gp_error *err)
{
    struct gp_row row;
    int code = gp_row_start(writer, GP_SQL_ADD_STREAM, &row, err);

    if (code != 0) {
        return code;
    }
    gp_row_put_int(&row, run->id);
    gp_row_put_int(&row, stream->id);
    gp_row_put_int(&row, stream->priority);
    gp_row_put_word(&row, GP_WORDS_STREAM_FLAG, (int)stream->flag);
    gp_row_put_text(&row, stream->role != NULL ? stream->role : "");
    gp_row_put_text(&row, stream->name);
    gp_row_put_int(&row, stream->device != 0 ? stream->device : GP_UNKNOWN);
    gp_row_put_int(&row, run->cell);
    return gp_row_store(writer, &row, err);
}

/* ---- rows that are many ---------------------------------------------------------------------- */

/* A value that has no word is our bug. */
static void put_word(struct gp_batch *batch, enum gp_words list, int value)
{
    assert(value >= 0 && value < gp_words_size(list));
    gp_batch_put_text(batch, gp_word(list, value));
}

static void put_shape(struct gp_batch *batch, const uint32_t *shape)
{
    for (int i = 0; i < 3; i++) {
        gp_batch_put_int(batch, shape[0] != 0 ? shape[i] : GP_UNKNOWN);
    }
}

/* What a run may have for all of its operations or for none: see GP_OP_MORE_COLUMNS. */
static void put_more_of_op(struct gp_batch *batch, const struct gp_op_row *op, int64_t rule)
{
    gp_batch_put_int(batch, op->ready);
    gp_batch_put_int(batch, op->done);
    gp_batch_put_int(batch, op->stamp_begin);
    gp_batch_put_int(batch, op->stamp_end);
    gp_batch_put_int(batch, op->ref_begin);
    gp_batch_put_int(batch, op->ref_end);
    gp_batch_put_small(batch, op->engine);
    gp_batch_put_small(batch, op->connection);
    gp_batch_put_int(batch, rule);
    gp_batch_put_int(batch, op->rule_detail);
    gp_batch_put_int(batch, op->release);
}

static int put_op(struct gp_writer *writer, const struct gp_run_rows *rows, uint32_t index,
                  struct gp_error *err)
{
    const struct gp_op_row *op = &rows->ops[index];
    struct gp_batch *batch = &writer->batch;
    int64_t name, rule;
    int code = gp_writer_intern(writer, op->name, &name, err);

    if (code == 0) {
        code = gp_writer_intern(writer, op->rule, &rule, err);
    }
    if (code != 0) {
        return code;
    }
    gp_batch_start_row(batch);
    gp_batch_put_int(batch, rows->run.id);
    gp_batch_put_int(batch, op->id);
    gp_batch_put_int(batch, rows->streams[op->stream].id);
    put_word(batch, GP_WORDS_OP_KIND, (int)op->kind);
    gp_batch_put_int(batch, name);
    gp_batch_put_int(batch, op->begin);
    gp_batch_put_int(batch, op->end);
    gp_batch_put_int(batch, op->begin_lo);
    gp_batch_put_int(batch, op->begin_hi);
    gp_batch_put_int(batch, op->end_lo);
    gp_batch_put_int(batch, op->end_hi);
    put_word(batch, GP_WORDS_SOURCE, (int)op->source);
    gp_batch_put_int(batch, op->submit_begin);
    gp_batch_put_int(batch, op->submit_end);
    gp_batch_put_int(batch, op->chain);
    gp_batch_put_int(batch, op->bytes);
    put_shape(batch, op->grid);
    put_shape(batch, op->block);
    gp_batch_put_small(batch, op->smem);
    gp_batch_put_small(batch, op->regs);
    put_more_of_op(batch, op, rule);
    return 0;
}

static int put_edge(struct gp_writer *writer, const struct gp_run_rows *rows, uint32_t index,
                    struct gp_error *err)
{
    const struct gp_edge_row *edge = &rows->edges[index];
    struct gp_batch *batch = &writer->batch;

    (void)err;
    gp_batch_start_row(batch);
    gp_batch_put_int(batch, rows->run.id);
    gp_batch_put_int(batch, edge->to);
    gp_batch_put_int(batch, edge->from);
    put_word(batch, GP_WORDS_EDGE_KIND, (int)edge->kind);
    put_word(batch, GP_WORDS_EDGE_HOW, (int)edge->how);
    return 0;
}

static int put_access(struct gp_writer *writer, const struct gp_run_rows *rows, uint32_t index,
                      struct gp_error *err)
{
    const struct gp_access_row *access = &rows->accesses[index];
    struct gp_batch *batch = &writer->batch;
    int64_t buffer;
    int code = gp_writer_intern(writer, access->buffer, &buffer, err);

    if (code != 0) {
        return code;
    }
    gp_batch_start_row(batch);
    gp_batch_put_int(batch, rows->run.id);
    gp_batch_put_int(batch, index);
    gp_batch_put_int(batch, access->op);
    gp_batch_put_int(batch, buffer);
    put_word(batch, GP_WORDS_ACCESS, (int)access->mode);
    gp_batch_put_int(batch, access->offset);
    gp_batch_put_int(batch, access->bytes);
    return 0;
}

static int put_range(struct gp_writer *writer, const struct gp_run_rows *rows, uint32_t index,
                     struct gp_error *err)
{
    const struct gp_range_row *range = &rows->ranges[index];
    struct gp_batch *batch = &writer->batch;
    int64_t text, domain;
    int code = gp_writer_intern(writer, range->text, &text, err);

    if (code == 0) {
        code = gp_writer_intern(writer, range->domain, &domain, err);
    }
    if (code != 0) {
        return code;
    }
    gp_batch_start_row(batch);
    gp_batch_put_int(batch, rows->run.id);
    gp_batch_put_int(batch, range->id);
    gp_batch_put_int(batch, range->thread);
    gp_batch_put_int(batch, domain);
    gp_batch_put_int(batch, range->category);
    gp_batch_put_int(batch, range->color);
    gp_batch_put_int(batch, text);
    gp_batch_put_int(batch, range->level);
    gp_batch_put_int(batch, range->begin);
    gp_batch_put_int(batch, range->end);
    return 0;
}

static int put_call(struct gp_writer *writer, const struct gp_run_rows *rows, uint32_t index,
                    struct gp_error *err)
{
    const struct gp_call_row *call = &rows->calls[index];
    struct gp_batch *batch = &writer->batch;
    int64_t name;
    int code = gp_writer_intern(writer, call->name, &name, err);

    if (code != 0) {
        return code;
    }
    gp_batch_start_row(batch);
    gp_batch_put_int(batch, rows->run.id);
    gp_batch_put_int(batch, writer->part_calls + index);
    gp_batch_put_int(batch, call->thread);
    gp_batch_put_int(batch, name);
    gp_batch_put_int(batch, call->op);
    gp_batch_put_int(batch, call->begin);
    gp_batch_put_int(batch, call->end);
    return 0;
}

static int put_block(struct gp_writer *writer, const struct gp_run_rows *rows, uint32_t index,
                     struct gp_error *err)
{
    const struct gp_block_row *block = &rows->blocks[index];
    struct gp_batch *batch = &writer->batch;

    (void)err;
    gp_batch_start_row(batch);
    gp_batch_put_int(batch, rows->run.id);
    gp_batch_put_int(batch, block->op);
    gp_batch_put_int(batch, block->block);
    gp_batch_put_int(batch, block->sm);
    gp_batch_put_int(batch, block->begin);
    gp_batch_put_int(batch, block->end);
    return 0;
}

/* ---- a run --------------------------------------------------------------------------------- */

static int next_row(struct gp_writer *writer, int64_t *out, struct gp_error *err)
{
    sqlite3_stmt *statement;
    int code = gp_db_statement(&writer->db, GP_SQL_NEXT_ROW, &statement, err);

    if (code == 0) {
        code = gp_db_next(&writer->db, statement, err);
    }
    if (code > 0) {
        *out = sqlite3_column_int64(statement, 0);
        (void)sqlite3_reset(statement);
        code = 0;
    }
    return code;
}

/* What becomes rows of one table: how many there are, how one is put into the batch, and the
 * statement that takes the batch. */
struct kind {
    uint32_t count;
    int (*put)(struct gp_writer *writer, const struct gp_run_rows *rows, uint32_t index,
               struct gp_error *err);
    enum gp_writer_sql sql;
};

/* The operations of the batch must have got the rows that their run says. */
static int check_place_of_ops(const struct gp_writer *writer, uint32_t last_id,
                              struct gp_error *err)
{
    return sqlite3_last_insert_rowid(writer->db.handle) == writer->part_first_row + last_id
               ? 0
               : gp_fail(err, GP_EINVAL, "%s: table op was written by others", writer->db.path);
}

static int store_batch(struct gp_writer *writer, enum gp_writer_sql sql, struct gp_error *err)
{
    int code;

    if (sql == GP_SQL_ADD_OP && writer->batch.column_count <= GP_SHORT_OP_COLUMNS) {
        sql = GP_SQL_ADD_SHORT_OP;
    }
    code = gp_db_run_ints(&writer->db, sql, NULL, 0, err);
    gp_batch_clear(&writer->batch);
    return code;
}

static int add_kind(struct gp_writer *writer, const struct gp_run_rows *rows,
                    const struct kind *kind, struct gp_error *err)
{
    int code = 0;

    gp_batch_clear(&writer->batch);
    for (uint32_t i = 0; i < kind->count && code == 0; i++) {
        code = kind->put(writer, rows, i, err);
        if (code == 0 && (gp_batch_is_full(&writer->batch) || i + 1 == kind->count)) {
            code = store_batch(writer, kind->sql, err);
        }
    }
    if (code == 0 && kind->sql == GP_SQL_ADD_OP && kind->count > 0) {
        code = check_place_of_ops(writer, rows->ops[kind->count - 1].id, err);
    }
    return code;
}

static int add_kinds(struct gp_writer *writer, const struct gp_run_rows *rows, struct gp_error *err)
{
    const struct kind kinds[] = {
        {rows->op_count, put_op, GP_SQL_ADD_OP},
        {rows->edge_count, put_edge, GP_SQL_ADD_EDGE},
        {rows->access_count, put_access, GP_SQL_ADD_ACCESS},
        {rows->range_count, put_range, GP_SQL_ADD_RANGE},
        {rows->call_count, put_call, GP_SQL_ADD_CALL},
        {rows->block_count, put_block, GP_SQL_ADD_BLOCK},
    };
    int code = 0;

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0] && code == 0; i++) {
        code = add_kind(writer, rows, &kinds[i], err);
    }
    return code;
}

/* ---- runs ---------------------------------------------------------------------------------- */

int gp_writer_begin_run(struct gp_writer *writer, struct gp_error *err)
{
    int code;

    assert(writer != NULL);
    writer->part_ops = 0;
    writer->part_calls = 0;
    writer->part_streams = 0;
    code = gp_writer_begin(writer, err);
    if (code != 0) {
        return code;
    }
    code = next_row(writer, &writer->part_first_row, err);
    return code == 0 ? 0 : gp_writer_end(writer, code, err);
}

int gp_writer_add_part(struct gp_writer *writer, const struct gp_run_rows *rows,
                       struct gp_error *err)
{
    int code;

    assert(writer != NULL && rows->run.id > 0);
    code = check_rows(writer, rows, err);
    if (code == 0) {
        code = add_kinds(writer, rows, err);
    }
    writer->part_ops += rows->op_count;
    writer->part_calls += rows->call_count;
    if (rows->op_count > 0 && rows->stream_count > writer->part_streams) {
        writer->part_streams = rows->stream_count;
    }
    return code == 0 ? 0 : gp_writer_end(writer, code, err);
}

int gp_writer_end_run(struct gp_writer *writer, const struct gp_run_rows *rows,
                      struct gp_error *err)
{
    int code = rows->stream_count < writer->part_streams
                   ? fail_row(writer, err, "streams that its operations need are missing",
                              rows->stream_count)
                   : add_run(writer, rows, err);

    for (uint32_t i = 0; i < rows->clock_count && code == 0; i++) {
        code = add_clock(writer, rows->run.id, i, &rows->clocks[i], err);
    }
    for (uint32_t i = 0; i < rows->state_count && code == 0; i++) {
        code = add_state(writer, rows->run.id, &rows->states[i], err);
    }
    for (uint32_t i = 0; i < rows->stream_count && code == 0; i++) {
        code = add_stream(writer, &rows->run, &rows->streams[i], err);
    }
    code = gp_writer_end(writer, code, err);
    writer->part_ops = 0;
    return code;
}

void gp_writer_abandon_run(struct gp_writer *writer)
{
    if (sqlite3_get_autocommit(writer->db.handle) == 0) {
        (void)gp_writer_end(writer, GP_EINTERRUPTED, NULL);
    }
}

int gp_writer_add_run(struct gp_writer *writer, const struct gp_run_rows *rows,
                      struct gp_error *err)
{
    int code = gp_writer_begin_run(writer, err);

    if (code == 0) {
        code = gp_writer_add_part(writer, rows, err);
    }
    return code == 0 ? gp_writer_end_run(writer, rows, err) : code;
}

int gp_writer_drop_ops(struct gp_writer *writer, int64_t run, struct gp_error *err)
{
    static const enum gp_writer_sql steps[] = {
        GP_SQL_DROP_EDGES,  GP_SQL_DROP_ACCESSES, GP_SQL_DROP_RANGES,  GP_SQL_DROP_CALLS,
        GP_SQL_DROP_BLOCKS, GP_SQL_DROP_OPS,      GP_SQL_DROP_STREAMS, GP_SQL_FORGET_OPS,
    };
    int code = gp_writer_begin(writer, err);

    if (code != 0) {
        return code;
    }
    for (size_t i = 0; i < sizeof steps / sizeof steps[0] && code == 0; i++) {
        code = gp_db_run_ints(&writer->db, steps[i], &run, 1, err);
    }
    if (code == 0 && sqlite3_changes(writer->db.handle) != 1) {
        code = gp_fail(err, GP_EINVAL, "%s: there is no run %lld", writer->db.path, (long long)run);
    }
    return gp_writer_end(writer, code, err);
}
