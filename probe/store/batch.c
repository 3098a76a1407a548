/* Rows in memory as a table: see batch.h. What SQLite asks of a virtual table that is only read
 * from its first row to its last. */
#include "probe/store/batch.h"

#include "probe/memory.h"

struct table {
    sqlite3_vtab base;
    const struct gp_batch *batch;
};

struct cursor {
    sqlite3_vtab_cursor base;
    const struct gp_batch *batch;
    uint32_t row;
};

static int connect_table(sqlite3 *db, void *batch, int argc, const char *const *argv,
                         sqlite3_vtab **out, char **message)
{
    static const char columns[] =
        "CREATE TABLE x (c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15, c16,"
        " c17, c18, c19, c20, c21, c22, c23, c24, c25, c26, c27, c28, c29, c30, c31, c32, c33, "
        "c34)";
    struct table *table;
    int code = sqlite3_declare_vtab(db, columns);

    (void)argc;
    (void)argv;
    (void)message;
    _Static_assert(GP_BATCH_COLUMNS_MAX == 35, "the columns are written out");
    if (code != SQLITE_OK) {
        return code;
    }
    /* Nothing that lies in a file may read it. */
    (void)sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
    table = gp_xalloc(1, sizeof *table);
    table->batch = batch;
    *out = &table->base;
    return SQLITE_OK;
}

static int disconnect(sqlite3_vtab *table)
{
    gp_free(table);
    return SQLITE_OK;
}

static int find_plan(sqlite3_vtab *table, sqlite3_index_info *plan)
{
    (void)table;
    plan->estimatedCost = GP_BATCH_ROWS_MAX;
    plan->estimatedRows = GP_BATCH_ROWS_MAX;
    return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **out)
{
    struct cursor *cursor = gp_xalloc(1, sizeof *cursor);

    cursor->batch = ((const struct table *)table)->batch;
    *out = &cursor->base;
    return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *cursor)
{
    gp_free(cursor);
    return SQLITE_OK;
}

static int go_to_first(sqlite3_vtab_cursor *cursor, int plan, const char *plan_text, int argc,
                       sqlite3_value **argv)
{
    (void)plan;
    (void)plan_text;
    (void)argc;
    (void)argv;
    ((struct cursor *)cursor)->row = 0;
    return SQLITE_OK;
}

static int go_on(sqlite3_vtab_cursor *cursor)
{
    ((struct cursor *)cursor)->row++;
    return SQLITE_OK;
}

static int is_behind_last(sqlite3_vtab_cursor *cursor)
{
    const struct cursor *mine = (const struct cursor *)cursor;

    return mine->row >= mine->batch->row_count;
}

static int get_value(sqlite3_vtab_cursor *cursor, sqlite3_context *out, int column)
{
    const struct cursor *mine = (const struct cursor *)cursor;
    const struct gp_batch_value *value = &mine->batch->values[mine->row][column];

    if (value->text != NULL) {
        sqlite3_result_text(out, value->text, -1, SQLITE_STATIC);
    } else if (value->number != GP_UNKNOWN) {
        sqlite3_result_int64(out, value->number);
    }
    return SQLITE_OK; /* without a result it is NULL */
}

static int get_row_id(sqlite3_vtab_cursor *cursor, sqlite3_int64 *out)
{
    *out = ((const struct cursor *)cursor)->row;
    return SQLITE_OK;
}

/* Without xCreate there is one such table, under the module's name, and no other can be made. */
static const sqlite3_module module = {
    .iVersion = 0,
    .xConnect = connect_table,
    .xDisconnect = disconnect,
    .xBestIndex = find_plan,
    .xOpen = open_cursor,
    .xClose = close_cursor,
    .xFilter = go_to_first,
    .xNext = go_on,
    .xEof = is_behind_last,
    .xColumn = get_value,
    .xRowid = get_row_id,
};

int gp_batch_attach(struct gp_batch *batch, struct gp_db *db, struct gp_error *err)
{
    return sqlite3_create_module(db->handle, "gp_batch", &module, batch) == SQLITE_OK
               ? 0
               : gp_db_fail(db, err);
}
