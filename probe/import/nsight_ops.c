/* Nsight's GPU rows as operations: see nsight.h. */
#include <string.h>

#include "probe/import/nsight.h"
#include "probe/import/nsight_rows.h"
#include "probe/memory.h"

/* Nsight's copyKind; GP_OP_KIND_COUNT for what gpuprobe does not know. Arrays lie on the device. */
static enum gp_op_kind copy_of(int64_t kind, const char **name)
{
    static const struct {
        enum gp_op_kind kind;
        const char *name;
    } kinds[] = {
        {GP_OP_KIND_COUNT, ""},
        {GP_OP_H2D, "memcpy Host-to-Device"},
        {GP_OP_D2H, "memcpy Device-to-Host"},
        {GP_OP_H2D, "memcpy Host-to-Array"},
        {GP_OP_D2H, "memcpy Array-to-Host"},
        {GP_OP_D2D, "memcpy Array-to-Array"},
        {GP_OP_D2D, "memcpy Array-to-Device"},
        {GP_OP_D2D, "memcpy Device-to-Array"},
        {GP_OP_D2D, "memcpy Device-to-Device"},
        {GP_OP_HOST, "memcpy Host-to-Host"},
        {GP_OP_D2D, "memcpy Peer-to-Peer"},
        {GP_OP_H2D, "Unified Host-to-Device"},
        {GP_OP_D2H, "Unified Device-to-Host"},
        {GP_OP_D2D, "Unified Device-to-Device"},
    };

    if (kind < 0 || kind >= (int64_t)(sizeof kinds / sizeof kinds[0])) {
        kind = 0;
    }
    *name = kinds[kind].name;
    return kinds[kind].kind;
}

static int32_t small(sqlite3_stmt *row, int column)
{
    int64_t value = gp_foreign_int_or(row, column, -1);

    return value < 0 || value > INT32_MAX ? -1 : (int32_t)value;
}

/* All three, or none is known. */
static void take_shape(sqlite3_stmt *row, int column, uint32_t *shape)
{
    for (int i = 0; i < 3; i++) {
        int64_t value = gp_foreign_int_or(row, column + i, 0);

        if (value < 1 || value > UINT32_MAX) {
            memset(shape, 0, 3 * sizeof *shape);
            return;
        }
        shape[i] = (uint32_t)value;
    }
}

static void take_kernel(const struct gp_nsight *nsight, sqlite3_stmt *row, struct gp_op_row *op)
{
    int32_t shared = small(row, GP_NSIGHT_COLUMN_STATIC_SHARED);
    int32_t dynamic = small(row, GP_NSIGHT_COLUMN_DYNAMIC_SHARED);

    op->kind = GP_OP_KERNEL;
    op->name =
        gp_foreign_string(&nsight->source, gp_foreign_int_or(row, GP_NSIGHT_COLUMN_SHORT_NAME, -1));
    if (op->name == NULL) {
        op->name = "kernel without a name";
    }
    take_shape(row, GP_NSIGHT_COLUMN_GRID, op->grid);
    take_shape(row, GP_NSIGHT_COLUMN_BLOCK, op->block);
    op->regs = small(row, GP_NSIGHT_COLUMN_REGISTERS);
    op->smem = shared >= 0 && dynamic >= 0 && shared <= INT32_MAX - dynamic ? shared + dynamic : -1;
}

/* A number that stands for a kind here; GP_OP_KIND_COUNT: it stands for none. */
static enum gp_op_kind kind_of(int64_t number)
{
    return number >= 0 && number < GP_OP_KIND_COUNT ? (enum gp_op_kind)number : GP_OP_KIND_COUNT;
}

static void take_kind(const struct gp_nsight *nsight, sqlite3_stmt *row, struct gp_op_row *op)
{
    const char *name =
        gp_foreign_string(&nsight->source, gp_foreign_int_or(row, GP_NSIGHT_COLUMN_NAME, -1));

    switch (sqlite3_column_int(row, GP_NSIGHT_COLUMN_KIND)) {
    case GP_NSIGHT_TABLE_KERNEL:
        take_kernel(nsight, row, op);
        break;
    case GP_NSIGHT_TABLE_COPY:
        op->kind = copy_of(gp_foreign_int_or(row, GP_NSIGHT_COLUMN_COPY_KIND, 0), &op->name);
        break;
    case GP_NSIGHT_TABLE_SET:
        op->kind = GP_OP_MEMSET;
        op->name = "memset";
        break;
    case GP_NSIGHT_TABLE_GRAPH:
        op->kind = GP_OP_GRAPH;
        op->name = "graph";
        break;
    default:
        op->kind = kind_of(gp_foreign_int_or(row, GP_NSIGHT_COLUMN_OP_KIND, -1));
        op->name = "operation without a name";
        break;
    }
    op->name = name != NULL ? name : op->name;
    if (op->kind != GP_OP_KERNEL) {
        op->bytes = gp_foreign_int_or(row, GP_NSIGHT_COLUMN_BYTES, GP_UNKNOWN);
        op->bytes = op->bytes < 0 || op->bytes > INT64_MAX / 2 ? GP_UNKNOWN : op->bytes;
    }
}

/* Ties the operation to its call. */
static void take_call(struct gp_nsight_run *run, sqlite3_stmt *row, struct gp_op_row *op)
{
    struct gp_nsight *nsight = run->nsight;
    int64_t correlation = gp_foreign_int_or(row, GP_NSIGHT_COLUMN_CORRELATION, 0);
    struct gp_call_entry *call =
        correlation > 0 ? gp_calls_find(&nsight->calls, nsight->parts[run->part].pid, correlation)
                        : NULL;

    if (call == NULL) {
        return;
    }
    op->submit_begin = call->begin - run->epoch;
    op->submit_end = call->end - run->epoch;
    nsight->counts->early += op->begin < op->submit_begin;
    if (call->part == 0) {
        call->part = run->part + 1;
        call->op = op->id;
    }
}

/* Whether the row is an operation; counts it as lost when not. */
static bool take_op(struct gp_nsight_run *run, sqlite3_stmt *row, struct gp_op_row *op)
{
    struct gp_nsight *nsight = run->nsight;
    struct gp_import_counts *counts = nsight->counts;
    struct gp_nsight_stream key = gp_nsight_key(row, GP_NSIGHT_COLUMN_PID, GP_NSIGHT_COLUMN_CONTEXT,
                                                GP_NSIGHT_COLUMN_COPY_KIND);
    uint32_t stream = gp_nsight_find_stream(nsight, &key);
    int64_t begin, end, number;

    if (!gp_nsight_take_times(nsight, row, GP_NSIGHT_COLUMN_START, &begin, &end)) {
        return false;
    }
    if (stream == GP_NSIGHT_NONE || run->op_count >= GP_OPS_MAX) {
        counts->lost[GP_IMPORT_LIMIT]++;
        return false;
    }
    *op = (struct gp_op_row){.begin = begin - run->epoch, .end = end - run->epoch};
    op->begin_lo = op->begin_hi = op->begin;
    op->end_lo = op->end_hi = op->end;
    op->ready = op->done = op->stamp_begin = op->stamp_end = GP_UNKNOWN;
    op->ref_begin = op->ref_end = op->submit_begin = op->submit_end = GP_UNKNOWN;
    op->bytes = op->rule_detail = op->release = GP_UNKNOWN;
    op->smem = op->regs = op->engine = op->connection = -1;
    op->source = GP_SOURCE_CUPTI;
    op->id = op->chain = run->op_count;
    op->stream = stream - nsight->parts[run->part].stream_first;
    take_kind(nsight, row, op);
    if (op->kind == GP_OP_KIND_COUNT) {
        counts->lost[GP_IMPORT_UNKNOWN]++;
        return false;
    }
    if (gp_foreign_int(row, GP_NSIGHT_COLUMN_OP, &number)) {
        gp_id_map_set(&run->op_ids, number, op->id);
    }
    take_call(run, row, op);
    return true;
}

static void add_item(struct gp_nsight_run *run, const struct gp_op_row *op)
{
    if (!run->keeps_items) {
        return;
    }
    gp_order_sort_add(&run->items,
                      &(struct gp_order_item){
                          .at = op->submit_begin != GP_UNKNOWN ? op->submit_begin : op->begin,
                          .end = op->end,
                          .stream = (uint16_t)op->stream,
                          .op = op->id,
                          .kind = GP_HOST_OP,
                      });
}

/* Hands over the batch; the next one goes to the other half. */
static int flush(struct gp_nsight_run *run, struct gp_op_row *ops, struct gp_error *err)
{
    int code;

    run->rows.ops = gp_nsight_half(run, ops, sizeof *ops);
    code = gp_pen_write(&run->pen, &run->rows, err);
    run->fills_second = !run->fills_second;
    run->rows.op_count = 0;
    return code;
}

static int write_rows(struct gp_nsight_run *run, struct gp_nsight_rows *rows, struct gp_op_row *ops,
                      struct gp_error *err)
{
    struct gp_nsight *nsight = run->nsight;
    sqlite3_stmt *row;
    int code;

    while ((code = gp_nsight_rows_next(rows, &row, err)) > 0) {
        struct gp_op_row *half = gp_nsight_half(run, ops, sizeof *ops);
        struct gp_op_row *op = &half[run->rows.op_count];

        nsight->counts->in++;
        nsight->rows_met++;
        if (!take_op(run, row, op)) {
            continue;
        }
        nsight->counts->operations++;
        run->last_end = op->end > run->last_end ? op->end : run->last_end;
        add_item(run, op);
        run->op_count++;
        run->rows.op_count++;
        if (run->rows.op_count == GP_NSIGHT_ROWS_AT_ONCE) {
            code = flush(run, ops, err);
            if (code != 0) {
                return code;
            }
        }
    }
    return code == 0 ? flush(run, ops, err) : code;
}

int gp_nsight_write_ops(struct gp_nsight_run *run, struct gp_error *err)
{
    struct gp_nsight *nsight = run->nsight;
    const struct gp_nsight_part *part = &nsight->parts[run->part];
    struct gp_op_row *ops = gp_xalloc((size_t)2 * GP_NSIGHT_ROWS_AT_ONCE, sizeof *ops);
    struct gp_nsight_rows rows;
    int code = gp_nsight_rows_open(&rows, &nsight->source, part->pid, part->device,
                                   nsight->is_sorted, err);

    if (code == 0) {
        code = write_rows(run, &rows, ops, err);
    }
    gp_nsight_rows_close(&rows);
    code = gp_nsight_settle(run, code, err);
    gp_free(ops);
    run->rows.ops = NULL;
    return code == 0 ? gp_calls_check(&nsight->calls, err) : code;
}
