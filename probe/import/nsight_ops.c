/* Nsight's GPU rows as streams and operations: see nsight.h. */
#include "probe/import/nsight.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/memory.h"

/* The tables with work of the GPU, and the columns that an operation is made of, in one order: what
 * a table does not have is a number or the name of a column that is missing everywhere. */
enum table_kind { TABLE_KERNEL, TABLE_COPY, TABLE_SET, TABLE_GRAPH, TABLE_OTHER, TABLE_COUNT };

enum column {
    COLUMN_KIND,
    COLUMN_START,
    COLUMN_END,
    COLUMN_PID,
    COLUMN_DEVICE,
    COLUMN_CONTEXT,
    COLUMN_STREAM,
    COLUMN_CORRELATION,
    COLUMN_NAME,
    COLUMN_SHORT_NAME,
    COLUMN_GRID,
    COLUMN_BLOCK = COLUMN_GRID + 3,
    COLUMN_STATIC_SHARED = COLUMN_BLOCK + 3,
    COLUMN_DYNAMIC_SHARED,
    COLUMN_REGISTERS,
    COLUMN_BYTES,
    COLUMN_COPY_KIND,
    COLUMN_OP_KIND,
    COLUMN_COUNT,
};

#define ACTIVITY(number)                                                                           \
    number, "!start", "!end", "globalPid", "deviceId", "contextId", "streamId", "correlationId"
#define NO_KERNEL "none", "none", "none", "none", "none", "none", "none", "none", "none", "none"

/* Nsight has names of kernels only; the rest is for what other importers stage. */
static const struct {
    const char *name;
    const char *columns[COLUMN_COUNT + 1];
} tables[TABLE_COUNT] = {
    {"CUPTI_ACTIVITY_KIND_KERNEL",
     {ACTIVITY("0"), "demangledName", "shortName", "gridX", "gridY", "gridZ", "blockX", "blockY",
      "blockZ", "staticSharedMemory", "dynamicSharedMemory", "registersPerThread", "none", "none",
      "none", NULL}},
    {"CUPTI_ACTIVITY_KIND_MEMCPY",
     {ACTIVITY("1"), "demangledName", NO_KERNEL, "bytes", "!copyKind", "none", NULL}},
    {"CUPTI_ACTIVITY_KIND_MEMSET",
     {ACTIVITY("2"), "demangledName", NO_KERNEL, "bytes", "none", "none", NULL}},
    {"CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
     {ACTIVITY("3"), "demangledName", NO_KERNEL, "none", "none", "none", NULL}},
    {"GPUPROBE_ACTIVITY_KIND_OTHER",
     {ACTIVITY("4"), "demangledName", NO_KERNEL, "bytes", "none", "!opKind", NULL}},
};
#undef ACTIVITY
#undef NO_KERNEL

/* All GPU rows that the file has, as a compound for a FROM; *out is NULL when there are none. */
static int make_compound(struct gp_nsight *nsight, char **out, struct gp_error *err)
{
    char *sql = NULL;
    size_t bytes = 0;
    FILE *text = open_memstream(&sql, &bytes);
    unsigned count = 0;
    int code = 0;

    *out = NULL;
    if (text == NULL) {
        return gp_fail(err, GP_ENOMEM, "no memory for a statement");
    }
    for (unsigned i = 0; i < TABLE_COUNT && code == 0; i++) {
        char *part;

        code = gp_foreign_text(&nsight->source, tables[i].name, tables[i].columns, "", &part, err);
        if (code == 0 && part != NULL) {
            (void)fprintf(text, "%s%s", count++ > 0 ? " UNION ALL " : "", part);
        }
        free(part);
    }
    (void)fclose(text);
    if (code == 0 && count > 0) {
        *out = sql;
    } else {
        free(sql);
    }
    return code;
}

/* Prepares "SELECT columns FROM (all GPU rows) rest". */
static int select_rows(struct gp_nsight *nsight, const char *columns, const char *rest,
                       sqlite3_stmt **out, struct gp_error *err)
{
    char *compound;
    char *sql;
    size_t bytes;
    int code = make_compound(nsight, &compound, err);

    *out = NULL;
    if (code != 0) {
        return code;
    }
    if (compound == NULL) {
        return gp_fail(err, GP_EFORMAT,
                       "%s is not a gpuprobe recording, and read as Nsight's it has no work of a "
                       "GPU: no table of CUPTI activities (was it recorded with --trace cuda?)",
                       nsight->source.db.path);
    }
    bytes = strlen(compound) + strlen(columns) + strlen(rest) + 32;
    sql = gp_xalloc(bytes, 1);
    (void)snprintf(sql, bytes, "SELECT %s FROM (%s) %s", columns, compound, rest);
    code = gp_foreign_prepare(&nsight->source, sql, out, err);
    gp_free(sql);
    free(compound);
    return code;
}

/* ---- streams ------------------------------------------------------------------------------- */

/* Process and device of a row, by the aliases of foreign.h, with 0 for what is no number. */
#define PID "ifnull(CAST(c3 AS INTEGER), 0)"
#define DEVICE "ifnull(CAST(c4 AS INTEGER), 0)"
_Static_assert(COLUMN_START == 1 && COLUMN_PID == 3 && COLUMN_STREAM == 6 && COLUMN_COPY_KIND == 20,
               "the statements name columns by number");

static bool is_unified(int64_t copy_kind)
{
    return copy_kind >= 11 && copy_kind <= 13;
}

static int64_t stream_number(int64_t number)
{
    return number == UINT32_MAX ? GP_NSIGHT_ANY_STREAM : number;
}

static int compare(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int by_key(const void *a, const void *b)
{
    const struct gp_nsight_stream *x = a;
    const struct gp_nsight_stream *y = b;
    int order = compare(x->pid, y->pid);

    order = order != 0 ? order : compare(x->device, y->device);
    order = order != 0 ? order : compare(x->is_unified, y->is_unified);
    order = order != 0 ? order : compare(x->context, y->context);
    return order != 0 ? order : compare(x->number, y->number);
}

/* The columns pid, device, context, stream, copy kind, from `first` on. */
static struct gp_nsight_stream take_key(sqlite3_stmt *row, int pid, int context, int copy_kind)
{
    struct gp_nsight_stream key = {
        .pid = sqlite3_column_int64(row, pid),
        .device = sqlite3_column_int64(row, pid + 1),
        .is_unified = is_unified(gp_foreign_int_or(row, copy_kind, 0)),
    };

    if (!key.is_unified) {
        key.context = gp_foreign_int_or(row, context, 0);
        key.number = stream_number(gp_foreign_int_or(row, context + 1, 0));
    }
    return key;
}

uint32_t gp_nsight_find_stream(const struct gp_nsight *nsight, const struct gp_nsight_stream *key)
{
    const struct gp_nsight_stream *found =
        nsight->stream_count == 0
            ? NULL
            : bsearch(key, nsight->streams, nsight->stream_count, sizeof *nsight->streams, by_key);

    return found != NULL ? (uint32_t)(found - nsight->streams) : GP_NSIGHT_NONE;
}

/* Sorted and each once, a part for each process and device; those beyond the limits are forgotten,
 * and their rows counted when they are met. */
static void make_parts(struct gp_nsight *nsight)
{
    struct gp_nsight_stream *streams = nsight->streams;
    uint32_t kept = 0;

    if (nsight->stream_count == 0) {
        return;
    }
    qsort(streams, nsight->stream_count, sizeof *streams, by_key);
    for (uint32_t i = 0; i < nsight->stream_count; i++) {
        struct gp_nsight_part *part;

        if (kept > 0 && by_key(&streams[kept - 1], &streams[i]) == 0) {
            continue;
        }
        if (kept == 0 || streams[kept - 1].pid != streams[i].pid ||
            streams[kept - 1].device != streams[i].device) {
            if (nsight->part_count == GP_NSIGHT_PARTS_MAX) {
                break;
            }
            nsight->parts[nsight->part_count++] = (struct gp_nsight_part){
                .pid = streams[i].pid,
                .device = streams[i].device,
                .stream_first = kept,
                .is_main = kept == 0 || streams[kept - 1].pid != streams[i].pid,
            };
        }
        part = &nsight->parts[nsight->part_count - 1];
        streams[kept] = streams[i];
        streams[kept].part = nsight->part_count - 1;
        part->stream_count++;
        kept++;
    }
    nsight->stream_count = kept;
}

int gp_nsight_find_streams(struct gp_nsight *nsight, struct gp_error *err)
{
    sqlite3_stmt *row;
    size_t capacity = 0;
    int code = select_rows(nsight, "DISTINCT " PID ", " DEVICE ", c5, c6, c20", "LIMIT 1000000",
                           &row, err);

    while (code == 0 && (code = gp_db_next(&nsight->source.db, row, err)) > 0) {
        code = 0;
        if (nsight->stream_count < GP_NSIGHT_STREAMS_MAX) {
            nsight->streams = gp_xgrow(nsight->streams, &capacity, nsight->stream_count + 1,
                                       sizeof *nsight->streams);
            nsight->streams[nsight->stream_count++] = take_key(row, 0, 2, 4);
        }
    }
    (void)sqlite3_finalize(row);
    make_parts(nsight);
    return code;
}

/* ---- operations ---------------------------------------------------------------------------- */

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
    int32_t shared = small(row, COLUMN_STATIC_SHARED);
    int32_t dynamic = small(row, COLUMN_DYNAMIC_SHARED);

    op->kind = GP_OP_KERNEL;
    op->name = gp_foreign_string(&nsight->source, gp_foreign_int_or(row, COLUMN_SHORT_NAME, -1));
    if (op->name == NULL) {
        op->name = "kernel without a name";
    }
    take_shape(row, COLUMN_GRID, op->grid);
    take_shape(row, COLUMN_BLOCK, op->block);
    op->regs = small(row, COLUMN_REGISTERS);
    op->smem = shared >= 0 && dynamic >= 0 && shared <= INT32_MAX - dynamic ? shared + dynamic : -1;
}

/* A number that stands for a kind here; GP_OP_KIND_COUNT: it stands for none. */
static enum gp_op_kind kind_of(int64_t number)
{
    return number >= 0 && number < GP_OP_KIND_COUNT ? (enum gp_op_kind)number : GP_OP_KIND_COUNT;
}

static void take_kind(const struct gp_nsight *nsight, sqlite3_stmt *row, struct gp_op_row *op)
{
    const char *name = gp_foreign_string(&nsight->source, gp_foreign_int_or(row, COLUMN_NAME, -1));

    switch (sqlite3_column_int(row, COLUMN_KIND)) {
    case TABLE_KERNEL:
        take_kernel(nsight, row, op);
        break;
    case TABLE_COPY:
        op->kind = copy_of(gp_foreign_int_or(row, COLUMN_COPY_KIND, 0), &op->name);
        break;
    case TABLE_SET:
        op->kind = GP_OP_MEMSET;
        op->name = "memset";
        break;
    case TABLE_GRAPH:
        op->kind = GP_OP_GRAPH;
        op->name = "graph";
        break;
    default:
        op->kind = kind_of(gp_foreign_int_or(row, COLUMN_OP_KIND, -1));
        op->name = "operation without a name";
        break;
    }
    op->name = name != NULL ? name : op->name;
    if (op->kind != GP_OP_KERNEL) {
        op->bytes = gp_foreign_int_or(row, COLUMN_BYTES, GP_UNKNOWN);
        op->bytes = op->bytes < 0 || op->bytes > INT64_MAX / 2 ? GP_UNKNOWN : op->bytes;
    }
}

/* Ties the operation to its call. */
static void take_call(struct gp_nsight_run *run, sqlite3_stmt *row, struct gp_op_row *op)
{
    struct gp_nsight *nsight = run->nsight;
    int64_t correlation = gp_foreign_int_or(row, COLUMN_CORRELATION, 0);
    struct gp_call_entry *call =
        correlation > 0
            ? gp_call_map_find(&nsight->calls, nsight->parts[run->part].pid, correlation)
            : NULL;

    if (call == NULL) {
        return;
    }
    op->submit_begin = call->begin - nsight->epoch;
    op->submit_end = call->end - nsight->epoch;
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
    struct gp_nsight_stream key = take_key(row, COLUMN_PID, COLUMN_CONTEXT, COLUMN_COPY_KIND);
    uint32_t stream = gp_nsight_find_stream(nsight, &key);
    int64_t begin, end;

    if (!gp_foreign_int(row, COLUMN_START, &begin) || !gp_foreign_int(row, COLUMN_END, &end)) {
        bool is_null = sqlite3_column_type(row, COLUMN_START) == SQLITE_NULL ||
                       sqlite3_column_type(row, COLUMN_END) == SQLITE_NULL;

        counts->lost[is_null ? GP_IMPORT_NO_TIME : GP_IMPORT_TYPE]++;
        return false;
    }
    if (!gp_nsight_check_activity(nsight, begin, end)) {
        return false;
    }
    if (stream == GP_NSIGHT_NONE || run->op_count >= GP_OPS_MAX) {
        counts->lost[GP_IMPORT_LIMIT]++;
        return false;
    }
    *op = (struct gp_op_row){.begin = begin - nsight->epoch, .end = end - nsight->epoch};
    op->begin_lo = op->begin_hi = op->begin;
    op->end_lo = op->end_hi = op->end;
    op->ready = op->done = op->stamp_begin = op->stamp_end = GP_UNKNOWN;
    op->ref_begin = op->ref_end = op->submit_begin = op->submit_end = GP_UNKNOWN;
    op->bytes = op->rule_detail = GP_UNKNOWN;
    op->smem = op->regs = op->engine = op->connection = -1;
    op->source = GP_SOURCE_CUPTI;
    op->id = op->chain = run->op_count;
    op->stream = stream - nsight->parts[run->part].stream_first;
    take_kind(nsight, row, op);
    if (op->kind == GP_OP_KIND_COUNT) {
        counts->lost[GP_IMPORT_UNKNOWN]++;
        return false;
    }
    take_call(run, row, op);
    return true;
}

static void add_item(struct gp_nsight_run *run, const struct gp_op_row *op)
{
    if (!run->keeps_items) {
        return;
    }
    run->items = gp_xgrow(run->items, &run->item_capacity, run->item_count + 1, sizeof *run->items);
    run->items[run->item_count++] = (struct gp_order_item){
        .at = op->submit_begin != GP_UNKNOWN ? op->submit_begin : op->begin,
        .end = op->end,
        .stream = op->stream,
        .op = op->id,
        .kind = GP_HOST_OP,
    };
}

static int flush(struct gp_nsight_run *run, struct gp_error *err)
{
    int code = gp_writer_add_part(run->nsight->writer, &run->rows, err);

    run->rows.op_count = 0;
    return code;
}

static int write_rows(struct gp_nsight_run *run, sqlite3_stmt *row, struct gp_op_row *ops,
                      struct gp_error *err)
{
    struct gp_nsight *nsight = run->nsight;
    int code;

    while ((code = gp_db_next(&nsight->source.db, row, err)) > 0) {
        struct gp_op_row *op = &ops[run->rows.op_count];

        nsight->counts->in++;
        if (!take_op(run, row, op)) {
            continue;
        }
        nsight->counts->operations++;
        run->last_end = op->end > run->last_end ? op->end : run->last_end;
        add_item(run, op);
        run->op_count++;
        run->rows.op_count++;
        if (run->rows.op_count == GP_NSIGHT_ROWS_AT_ONCE) {
            code = flush(run, err);
            if (code != 0) {
                return code;
            }
        }
    }
    return code == 0 ? flush(run, err) : code;
}

int gp_nsight_write_ops(struct gp_nsight_run *run, struct gp_error *err)
{
    const struct gp_nsight_part *part = &run->nsight->parts[run->part];
    struct gp_op_row *ops = gp_xalloc(GP_NSIGHT_ROWS_AT_ONCE, sizeof *ops);
    sqlite3_stmt *row;
    int code = select_rows(run->nsight, "*",
                           "WHERE " PID " = ?1 AND " DEVICE " = ?2 ORDER BY c1, c2", &row, err);

    run->rows.ops = ops;
    if (code == 0) {
        (void)sqlite3_bind_int64(row, 1, part->pid);
        (void)sqlite3_bind_int64(row, 2, part->device);
        code = write_rows(run, row, ops, err);
    }
    (void)sqlite3_finalize(row);
    gp_free(ops);
    run->rows.ops = NULL;
    return code;
}
