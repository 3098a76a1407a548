/* A database of another tool: see foreign.h. */
#include "probe/import/foreign.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probe/memory.h"

enum { TEXT_BYTES_MAX = 1 << 16 };

int gp_foreign_open(struct gp_foreign *source, const char *path, struct gp_error *err)
{
    char *log = gp_xalloc(strlen(path) + sizeof "-wal", 1);
    int code;

    *source = (struct gp_foreign){0};
    (void)sprintf(log, "%s-wal", path);
    if (access(log, F_OK) == 0) {
        code = gp_fail(err, GP_EFORMAT,
                       "%s is still being written: there is a log beside it (%s-wal)", path, path);
    } else {
        code = gp_db_open(&source->db, path, path, GP_DB_READ_IMMUTABLE, err);
    }
    gp_free(log);
    if (code == 0) {
        code = gp_db_exec(&source->db, "SELECT name FROM sqlite_schema", err);
    }
    if (code != 0) {
        gp_foreign_close(source);
    }
    return code;
}

int gp_foreign_stage(struct gp_foreign *source, const char *path, struct gp_error *err)
{
    static const char quick[] =
        "PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF; PRAGMA cache_size=-32768";
    int code;

    *source = (struct gp_foreign){0};
    code = gp_db_open(&source->db, "", path, GP_DB_TEMPORARY, err);
    return code == 0 ? gp_db_exec(&source->db, quick, err) : code;
}

void gp_foreign_close(struct gp_foreign *source)
{
    gp_intern_finish(&source->texts);
    gp_id_map_finish(&source->strings);
    gp_db_close(&source->db);
    *source = (struct gp_foreign){0};
}

int gp_foreign_prepare(struct gp_foreign *source, const char *sql, sqlite3_stmt **out,
                       struct gp_error *err)
{
    return sqlite3_prepare_v2(source->db.handle, sql, -1, out, NULL) == SQLITE_OK
               ? 0
               : gp_db_fail(&source->db, err);
}

int gp_foreign_table(struct gp_foreign *source, const char *name,
                     char out[GP_FOREIGN_NAME_BYTES_MAX], struct gp_error *err)
{
    static const char sql[] =
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0"
        " AND (name = ?1 OR (substr(name, 1, length(?1) + 2) = ?1 || '_V'"
        " AND ltrim(substr(name, length(?1) + 3), '0123456789') = ''))"
        " AND length(name) < 90 ORDER BY length(name) DESC, name DESC LIMIT 1";
    sqlite3_stmt *statement = NULL;
    int code = gp_foreign_prepare(source, sql, &statement, err);

    if (code != 0) {
        return code;
    }
    (void)sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
    code = gp_db_next(&source->db, statement, err);
    if (code > 0) {
        (void)snprintf(out, GP_FOREIGN_NAME_BYTES_MAX, "%s",
                       (const char *)sqlite3_column_text(statement, 0));
    }
    (void)sqlite3_finalize(statement);
    return code;
}

/* 1: the table stores a column of that name. */
static int has_column(struct gp_foreign *source, const char *table, const char *column,
                      struct gp_error *err)
{
    static const char sql[] = "SELECT 1 FROM pragma_table_xinfo(?1) WHERE name = ?2 AND hidden = 0";
    sqlite3_stmt *statement = NULL;
    int code = gp_foreign_prepare(source, sql, &statement, err);

    if (code == 0) {
        (void)sqlite3_bind_text(statement, 1, table, -1, SQLITE_STATIC);
        (void)sqlite3_bind_text(statement, 2, column, -1, SQLITE_STATIC);
        code = gp_db_next(&source->db, statement, err);
    }
    (void)sqlite3_finalize(statement);
    return code;
}

/* Writes "a AS c0, NULL AS c1, …". 1: all that are needed are there. */
static int write_columns(struct gp_foreign *source, const char *table, const char *const *columns,
                         FILE *text, struct gp_error *err)
{
    for (size_t i = 0; columns[i] != NULL; i++) {
        bool needed = columns[i][0] == '!';
        const char *name = columns[i] + (needed ? 1 : 0);
        /* A number in the place of a name is itself. */
        int code =
            strspn(name, "0123456789") == strlen(name) ? 1 : has_column(source, table, name, err);

        if (code < 0 || (code == 0 && needed)) {
            return code;
        }
        (void)fprintf(text, "%s%s AS c%zu", i > 0 ? ", " : "", code > 0 ? name : "NULL", i);
    }
    return 1;
}

int gp_foreign_text(struct gp_foreign *source, const char *table, const char *const *columns,
                    const char *rest, char **out, struct gp_error *err)
{
    char name[GP_FOREIGN_NAME_BYTES_MAX];
    char *sql = NULL;
    size_t bytes = 0;
    FILE *text;
    int code = gp_foreign_table(source, table, name, err);

    *out = NULL;
    if (code <= 0) {
        return code;
    }
    text = open_memstream(&sql, &bytes);
    if (text == NULL) {
        return gp_fail(err, GP_ENOMEM, "no memory for a statement");
    }
    (void)fputs("SELECT ", text);
    code = write_columns(source, name, columns, text, err);
    (void)fprintf(text, " FROM main.%s %s", name, rest);
    (void)fclose(text);
    if (code <= 0) {
        free(sql);
        return code;
    }
    *out = sql;
    return 0;
}

int gp_foreign_select(struct gp_foreign *source, const char *table, const char *const *columns,
                      const char *rest, sqlite3_stmt **out, struct gp_error *err)
{
    char *sql;
    int code = gp_foreign_text(source, table, columns, rest, &sql, err);

    *out = NULL;
    if (code == 0 && sql != NULL) {
        code = gp_foreign_prepare(source, sql, out, err);
    }
    free(sql);
    return code;
}

/* ---- strings ------------------------------------------------------------------------------- */

int gp_foreign_load_strings(struct gp_foreign *source, struct gp_error *err)
{
    static const char *const columns[] = {"!id", "!value", NULL};
    sqlite3_stmt *statement;
    int64_t id;
    int code = gp_foreign_select(source, "StringIds", columns, "", &statement, err);

    while (code == 0 && statement != NULL && (code = gp_db_next(&source->db, statement, err)) > 0) {
        const char *text = (const char *)sqlite3_column_text(statement, 1);

        code = 0;
        if (gp_foreign_int(statement, 0, &id) && text != NULL &&
            sqlite3_column_bytes(statement, 1) <= TEXT_BYTES_MAX) {
            gp_id_map_set(&source->strings, id, gp_intern_add(&source->texts, text) - 1);
        }
    }
    (void)sqlite3_finalize(statement);
    return code;
}

const char *gp_foreign_string(const struct gp_foreign *source, int64_t id)
{
    uint32_t index = gp_id_map_get(&source->strings, id, UINT32_MAX);

    return index != UINT32_MAX ? source->texts.texts[index] : NULL;
}

/* ---- values -------------------------------------------------------------------------------- */

bool gp_foreign_int(sqlite3_stmt *statement, int column, int64_t *out)
{
    /* One call that finds the column instead of two, which is most of what they do. */
    sqlite3_value *value = sqlite3_column_value(statement, column);

    if (sqlite3_value_type(value) != SQLITE_INTEGER) {
        return false;
    }
    *out = sqlite3_value_int64(value);
    return true;
}

int64_t gp_foreign_int_or(sqlite3_stmt *statement, int column, int64_t otherwise)
{
    int64_t value;

    return gp_foreign_int(statement, column, &value) ? value : otherwise;
}
