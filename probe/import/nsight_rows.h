/*
 * The rows of the GPU that a source of Nsight's schema has, of all its tables in one form.
 */
#ifndef GP_PROBE_IMPORT_NSIGHT_ROWS_H
#define GP_PROBE_IMPORT_NSIGHT_ROWS_H

#include <stdbool.h>

#include "probe/import/foreign.h"

enum gp_nsight_table {
    GP_NSIGHT_TABLE_KERNEL,
    GP_NSIGHT_TABLE_COPY,
    GP_NSIGHT_TABLE_SET,
    GP_NSIGHT_TABLE_GRAPH,
    GP_NSIGHT_TABLE_OTHER,
    GP_NSIGHT_TABLE_COUNT
};

/* What an operation is made of, in the order of a row; NULL: its table does not have it. */
enum gp_nsight_column {
    GP_NSIGHT_COLUMN_KIND,
    GP_NSIGHT_COLUMN_START,
    GP_NSIGHT_COLUMN_END,
    GP_NSIGHT_COLUMN_PID,
    GP_NSIGHT_COLUMN_DEVICE,
    GP_NSIGHT_COLUMN_CONTEXT,
    GP_NSIGHT_COLUMN_STREAM,
    GP_NSIGHT_COLUMN_CORRELATION,
    GP_NSIGHT_COLUMN_NAME,
    GP_NSIGHT_COLUMN_SHORT_NAME,
    GP_NSIGHT_COLUMN_GRID,
    GP_NSIGHT_COLUMN_BLOCK = GP_NSIGHT_COLUMN_GRID + 3,
    GP_NSIGHT_COLUMN_STATIC_SHARED = GP_NSIGHT_COLUMN_BLOCK + 3,
    GP_NSIGHT_COLUMN_DYNAMIC_SHARED,
    GP_NSIGHT_COLUMN_REGISTERS,
    GP_NSIGHT_COLUMN_BYTES,
    GP_NSIGHT_COLUMN_COPY_KIND,
    GP_NSIGHT_COLUMN_OP_KIND,
    GP_NSIGHT_COLUMN_OP, /* its number where it comes from */
    GP_NSIGHT_COLUMN_COUNT,
};

/* What of a row says whose it is and when, in the order of a row of keys. */
enum gp_nsight_key {
    GP_NSIGHT_KEY_PID,
    GP_NSIGHT_KEY_DEVICE,
    GP_NSIGHT_KEY_CONTEXT,
    GP_NSIGHT_KEY_STREAM,
    GP_NSIGHT_KEY_COPY_KIND,
    GP_NSIGHT_KEY_START,
    GP_NSIGHT_KEY_END,
};

/* Prepares the keys of a table's rows in the order in which they lie (enum gp_nsight_key); *out is
 * NULL when there is no such table, else the caller finalizes it. */
int gp_nsight_rows_keys(struct gp_foreign *source, enum gp_nsight_table table, sqlite3_stmt **out,
                        struct gp_error *err);

/* The rows of all tables, merged. Zeroed: none. */
struct gp_nsight_rows {
    struct gp_foreign *source;
    sqlite3_stmt *rows[GP_NSIGHT_TABLE_COUNT]; /* NULL: no such table, or no more rows */
    int64_t begins[GP_NSIGHT_TABLE_COUNT], ends[GP_NSIGHT_TABLE_COUNT]; /* of the rows in hand */
    unsigned current;                                                   /* index + 1; 0: none */
};

/* The rows of a process on a device in the order of their begins and ends, with the columns of enum
 * gp_nsight_column. Tables that are known to be sorted (is_sorted, by table) are not sorted again.
 * To be closed in every case. */
int gp_nsight_rows_open(struct gp_nsight_rows *rows, struct gp_foreign *source, int64_t pid,
                        int64_t device, const bool *is_sorted, struct gp_error *err);

/* 1: *row is the next one, valid until the next call; 0: there is none; else the database's error.
 */
int gp_nsight_rows_next(struct gp_nsight_rows *rows, sqlite3_stmt **row, struct gp_error *err);

/* Takes a zeroed struct. */
void gp_nsight_rows_close(struct gp_nsight_rows *rows);

#endif
