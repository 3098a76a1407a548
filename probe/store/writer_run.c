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

static void put_shape(struct gp_row *row, const uint32_t *shape)
{
    for (int i = 0; i < 3; i++) {
        gp_row_put_int(row, shape[0] != 0 ? shape[i] : GP_UNKNOWN);
    }
}

static void put_op_times(struct gp_row *row, const struct gp_op_row *op)
{
    gp_row_put_int(row, op->begin);
    gp_row_put_int(row, op->end);
    gp_row_put_int(row, op->begin_lo);
    gp_row_put_int(row, op->begin_hi);
    gp_row_put_int(row, op->end_lo);
    gp_row_put_int(row, op->end_hi);
    gp_row_put_word(row, GP_WORDS_SOURCE, (int)op->source);
    gp_row_put_int(row, op->ready);
    gp_row_put_int(row, op->done);
    gp_row_put_int(row, op->stamp_begin);
    gp_row_put_int(row, op->stamp_end);
    gp_row_put_int(row, op->ref_begin);
    gp_row_put_int(row, op->ref_end);
    gp_row_put_int(row, op->submit_begin);
    gp_row_put_int(row, op->submit_end);
}

static int add_op(struct gp_writer *writer, const struct gp_run_rows *rows,
                  const struct gp_op_row *op, struct gp_error *err)
{
    struct gp_row row;
    int64_t name, rule;
    int code = gp_writer_intern(writer, op->name, &name, err);

    if (code == 0) {
        code = gp_writer_intern(writer, op->rule, &rule, err);
    }
    if (code == 0) {
        code = gp_row_start(writer, GP_SQL_ADD_OP, &row, err);
    }
    if (code != 0) {
        return code;
    }
    gp_row_put_int(&row, writer->part_first_row + op->id);
    gp_row_put_int(&row, rows->run.id);
    gp_row_put_int(&row, op->id);
    gp_row_put_int(&row, rows->streams[op->stream].id);
    gp_row_put_word(&row, GP_WORDS_OP_KIND, (int)op->kind);
    gp_row_put_int(&row, name);
    put_op_times(&row, op);
    gp_row_put_int(&row, op->chain);
    gp_row_put_int(&row, op->bytes);
    put_shape(&row, op->grid);
    put_shape(&row, op->block);
    gp_row_put_small(&row, op->smem);
    gp_row_put_small(&row, op->regs);
    gp_row_put_small(&row, op->engine);
    gp_row_put_small(&row, op->connection);
    gp_row_put_int(&row, rule);
    gp_row_put_int(&row, op->rule_detail);
    gp_row_put_int(&row, op->release);
    return gp_row_store(writer, &row, err);
}

static int add_edge(struct gp_writer *writer, int64_t run, const struct gp_edge_row *edge,
                    struct gp_error *err)
{
    struct gp_row row;
    int code = gp_row_start(writer, GP_SQL_ADD_EDGE, &row, err);

    if (code != 0) {
        return code;
    }
    gp_row_put_int(&row, run);
    gp_row_put_int(&row, edge->to);
    gp_row_put_int(&row, edge->from);
    gp_row_put_word(&row, GP_WORDS_EDGE_KIND, (int)edge->kind);
    gp_row_put_word(&row, GP_WORDS_EDGE_HOW, (int)edge->how);
    return gp_row_store(writer, &row, err);
}

static int add_access(struct gp_writer *writer, int64_t run, uint32_t id,
                      const struct gp_access_row *access, struct gp_error *err)
{
    struct gp_row row;
    int64_t buffer;
    int code = gp_writer_intern(writer, access->buffer, &buffer, err);

    if (code == 0) {
        code = gp_row_start(writer, GP_SQL_ADD_ACCESS, &row, err);
    }
    if (code != 0) {
        return code;
    }
    gp_row_put_int(&row, run);
    gp_row_put_int(&row, id);
    gp_row_put_int(&row, access->op);
    gp_row_put_int(&row, buffer);
    gp_row_put_word(&row, GP_WORDS_ACCESS, (int)access->mode);
    gp_row_put_int(&row, access->offset);
    gp_row_put_int(&row, access->bytes);
    return gp_row_store(writer, &row, err);
}

static int add_range(struct gp_writer *writer, int64_t run, const struct gp_range_row *range,
                     struct gp_error *err)
{
    struct gp_row row;
    int64_t text, domain;
    int code = gp_writer_intern(writer, range->text, &text, err);

    if (code == 0) {
        code = gp_writer_intern(writer, range->domain, &domain, err);
    }
    if (code == 0) {
        code = gp_row_start(writer, GP_SQL_ADD_RANGE, &row, err);
    }
    if (code != 0) {
        return code;
    }
    gp_row_put_int(&row, run);
    gp_row_put_int(&row, range->id);
    gp_row_put_int(&row, range->thread);
    gp_row_put_int(&row, domain);
    gp_row_put_int(&row, range->category);
    gp_row_put_int(&row, range->color);
    gp_row_put_int(&row, text);
    gp_row_put_int(&row, range->level);
    gp_row_put_int(&row, range->begin);
    gp_row_put_int(&row, range->end);
    return gp_row_store(writer, &row, err);
}

static int add_call(struct gp_writer *writer, int64_t run, uint32_t id,
                    const struct gp_call_row *call, struct gp_error *err)
{
    struct gp_row row;
    int64_t name;
    int code = gp_writer_intern(writer, call->name, &name, err);

    if (code == 0) {
        code = gp_row_start(writer, GP_SQL_ADD_CALL, &row, err);
    }
    if (code != 0) {
        return code;
    }
    gp_row_put_int(&row, run);
    gp_row_put_int(&row, id);
    gp_row_put_int(&row, call->thread);
    gp_row_put_int(&row, name);
    gp_row_put_int(&row, call->op);
    gp_row_put_int(&row, call->begin);
    gp_row_put_int(&row, call->end);
    return gp_row_store(writer, &row, err);
}

static int add_block(struct gp_writer *writer, int64_t run, const struct gp_block_row *block,
                     struct gp_error *err)
{
    struct gp_row row;
    int code = gp_row_start(writer, GP_SQL_ADD_BLOCK, &row, err);

    if (code != 0) {
        return code;
    }
    gp_row_put_int(&row, run);
    gp_row_put_int(&row, block->op);
    gp_row_put_int(&row, block->block);
    gp_row_put_int(&row, block->sm);
    gp_row_put_int(&row, block->begin);
    gp_row_put_int(&row, block->end);
    return gp_row_store(writer, &row, err);
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

static int add_rest(struct gp_writer *writer, const struct gp_run_rows *rows, struct gp_error *err)
{
    int64_t run = rows->run.id;
    int code = 0;

    for (uint32_t i = 0; i < rows->edge_count && code == 0; i++) {
        code = add_edge(writer, run, &rows->edges[i], err);
    }
    for (uint32_t i = 0; i < rows->access_count && code == 0; i++) {
        code = add_access(writer, run, i, &rows->accesses[i], err);
    }
    for (uint32_t i = 0; i < rows->range_count && code == 0; i++) {
        code = add_range(writer, run, &rows->ranges[i], err);
    }
    for (uint32_t i = 0; i < rows->call_count && code == 0; i++) {
        code = add_call(writer, run, writer->part_calls + i, &rows->calls[i], err);
    }
    for (uint32_t i = 0; i < rows->block_count && code == 0; i++) {
        code = add_block(writer, run, &rows->blocks[i], err);
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
    for (uint32_t i = 0; i < rows->op_count && code == 0; i++) {
        code = add_op(writer, rows, &rows->ops[i], err);
    }
    if (code == 0) {
        code = add_rest(writer, rows, err);
    }
    writer->part_ops += rows->op_count;
    writer->part_calls += rows->call_count;
    return code == 0 ? 0 : gp_writer_end(writer, code, err);
}

int gp_writer_end_run(struct gp_writer *writer, const struct gp_run_rows *rows,
                      struct gp_error *err)
{
    int code = add_run(writer, rows, err);

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
