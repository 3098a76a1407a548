/* All rows of the GPU: see nsight_rows.h. */
#include "probe/import/nsight_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/memory.h"

#define ACTIVITY(number)                                                                           \
    number, "!start", "!end", "globalPid", "deviceId", "contextId", "streamId", "correlationId"
#define NO_KERNEL "none", "none", "none", "none", "none", "none", "none", "none", "none", "none"

/* What a table does not have is a number, or the name of a column that is missing everywhere.
 * Nsight has names of kernels only; the rest is for what other importers stage. */
static const struct {
    const char *name;
    const char *columns[GP_NSIGHT_COLUMN_COUNT + 1];
} tables[GP_NSIGHT_TABLE_COUNT] = {
    {"CUPTI_ACTIVITY_KIND_KERNEL",
     {ACTIVITY("0"), "demangledName", "shortName", "gridX", "gridY", "gridZ", "blockX", "blockY",
      "blockZ", "staticSharedMemory", "dynamicSharedMemory", "registersPerThread", "none", "none",
      "none", "gpuprobeOp", NULL}},
    {"CUPTI_ACTIVITY_KIND_MEMCPY",
     {ACTIVITY("1"), "demangledName", NO_KERNEL, "bytes", "!copyKind", "none", "gpuprobeOp", NULL}},
    {"CUPTI_ACTIVITY_KIND_MEMSET",
     {ACTIVITY("2"), "demangledName", NO_KERNEL, "bytes", "none", "none", "gpuprobeOp", NULL}},
    {"CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
     {ACTIVITY("3"), "demangledName", NO_KERNEL, "none", "none", "none", "gpuprobeOp", NULL}},
    {"GPUPROBE_ACTIVITY_KIND_OTHER",
     {ACTIVITY("4"), "demangledName", NO_KERNEL, "bytes", "none", "!opKind", "gpuprobeOp", NULL}},
};
#undef ACTIVITY
#undef NO_KERNEL

/* Process and device of a row, by the aliases of foreign.h, with 0 for what is no number. */
#define PID "ifnull(CAST(c3 AS INTEGER), 0)"
#define DEVICE "ifnull(CAST(c4 AS INTEGER), 0)"
_Static_assert(GP_NSIGHT_COLUMN_START == 1 && GP_NSIGHT_COLUMN_PID == 3 &&
                   GP_NSIGHT_COLUMN_STREAM == 6 && GP_NSIGHT_COLUMN_COPY_KIND == 20,
               "the statements name columns by number");

/* Prepares "SELECT columns FROM (a table's rows) rest"; *out is NULL when there is no such table.
 */
static int prepare(struct gp_foreign *source, unsigned table, const char *columns, const char *rest,
                   sqlite3_stmt **out, struct gp_error *err)
{
    char *inner, *sql;
    size_t bytes;
    int code = gp_foreign_text(source, tables[table].name, tables[table].columns, "", &inner, err);

    *out = NULL;
    if (code != 0 || inner == NULL) {
        return code;
    }
    bytes = strlen(inner) + strlen(columns) + strlen(rest) + 32;
    sql = gp_xalloc(bytes, 1);
    (void)snprintf(sql, bytes, "SELECT %s FROM (%s) %s", columns, inner, rest);
    code = gp_foreign_prepare(source, sql, out, err);
    gp_free(sql);
    free(inner);
    return code;
}

int gp_nsight_rows_keys(struct gp_foreign *source, enum gp_nsight_table table, sqlite3_stmt **out,
                        struct gp_error *err)
{
    return prepare(source, table, "c3, c4, c5, c6, c20, c1, c2", "", out, err);
}

/* Where the row in hand comes, as SQLite sorts: what is nothing first, what is no number last. */
static int64_t place_of(sqlite3_stmt *row, int column)
{
    int64_t place;

    if (gp_foreign_int(row, column, &place)) {
        return place;
    }
    return sqlite3_column_type(row, column) == SQLITE_NULL ? INT64_MIN : INT64_MAX;
}

/* Goes to a table's next row. */
static int step(struct gp_nsight_rows *rows, unsigned table, struct gp_error *err)
{
    int code = gp_db_next(&rows->source->db, rows->rows[table], err);

    if (code > 0) {
        rows->begins[table] = place_of(rows->rows[table], GP_NSIGHT_COLUMN_START);
        rows->ends[table] = place_of(rows->rows[table], GP_NSIGHT_COLUMN_END);
    } else {
        (void)sqlite3_finalize(rows->rows[table]);
        rows->rows[table] = NULL;
    }
    return code < 0 ? code : 0;
}

int gp_nsight_rows_open(struct gp_nsight_rows *rows, struct gp_foreign *source, int64_t pid,
                        int64_t device, const bool *is_sorted, struct gp_error *err)
{
    static const char mine[] = "WHERE " PID " = ?1 AND " DEVICE " = ?2";
    static const char sorted[] = "WHERE " PID " = ?1 AND " DEVICE " = ?2 ORDER BY c1, c2";
    int code = 0;

    *rows = (struct gp_nsight_rows){.source = source};
    for (unsigned i = 0; i < GP_NSIGHT_TABLE_COUNT && code == 0; i++) {
        code = prepare(source, i, "*", is_sorted[i] ? mine : sorted, &rows->rows[i], err);
        if (code == 0 && rows->rows[i] != NULL) {
            (void)sqlite3_bind_int64(rows->rows[i], 1, pid);
            (void)sqlite3_bind_int64(rows->rows[i], 2, device);
            code = step(rows, i, err);
        }
    }
    return code;
}

int gp_nsight_rows_next(struct gp_nsight_rows *rows, sqlite3_stmt **row, struct gp_error *err)
{
    unsigned first = GP_NSIGHT_TABLE_COUNT;
    int code = 0;

    if (rows->current > 0) {
        code = step(rows, rows->current - 1, err);
    }
    for (unsigned i = 0; i < GP_NSIGHT_TABLE_COUNT && code == 0; i++) {
        if (rows->rows[i] != NULL &&
            (first == GP_NSIGHT_TABLE_COUNT || rows->begins[i] < rows->begins[first] ||
             (rows->begins[i] == rows->begins[first] && rows->ends[i] < rows->ends[first]))) {
            first = i;
        }
    }
    if (code != 0 || first == GP_NSIGHT_TABLE_COUNT) {
        rows->current = 0;
        return code;
    }
    rows->current = first + 1;
    *row = rows->rows[first];
    return 1;
}

void gp_nsight_rows_close(struct gp_nsight_rows *rows)
{
    for (unsigned i = 0; i < GP_NSIGHT_TABLE_COUNT; i++) {
        (void)sqlite3_finalize(rows->rows[i]);
    }
    *rows = (struct gp_nsight_rows){0};
}
