/*
 * SQLite with our errors: opening, statements cached by number, stepping. For the store's two sides
 * only; nobody above them sees SQLite. One thread at a time.
 */
#ifndef GP_PROBE_STORE_DB_H
#define GP_PROBE_STORE_DB_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/error.h"

enum gp_db_mode {
    GP_DB_WRITE,          /* of an existing file (may be empty) */
    GP_DB_READ,           /* read-only; SQLite may make its side files beside it */
    GP_DB_READ_IMMUTABLE, /* read-only and nobody writes: no lock, no side file */
    GP_DB_TEMPORARY,      /* a new one of our own, gone when it is closed; `file` is not used */
};

struct gp_db {
    sqlite3 *handle;
    char *path; /* as the user knows it, for messages */
    const char *const *sql;
    sqlite3_stmt **statements;
    uint32_t statement_count;
};

/* Opens `file`; messages call it `path`. sql: the side's statements, static. Nothing of the file's
 * schema is trusted, whatever the mode. On a failure db is as if closed. */
int gp_db_open(struct gp_db *db, const char *file, const char *path, enum gp_db_mode mode,
               struct gp_error *err);

/* The first `bytes` of a file, *count when it has fewer, and how long it is; needs no database.
 * GP_ENOTFOUND, GP_EIO; GP_EFORMAT when it is empty, a folder or a pipe. */
int gp_db_file_head(const char *path, unsigned char *head, size_t bytes, size_t *count,
                    int64_t *file_bytes, struct gp_error *err);

/* Says which statements gp_db_statement numbers; static array. */
void gp_db_use(struct gp_db *db, const char *const *sql, uint32_t count);

/* Takes a zeroed or closed struct. */
void gp_db_close(struct gp_db *db);

/* Runs SQL text without parameters, ignoring its rows. */
int gp_db_exec(struct gp_db *db, const char *sql, struct gp_error *err);

/* Statement `index`, prepared on first use, with its old bindings. Whoever leaves one before its
 * last row resets it. */
int gp_db_statement(struct gp_db *db, uint32_t index, sqlite3_stmt **out, struct gp_error *err);

/* 1: a row is there; 0: no more, and the statement is reset; negative: GP_E*, reset too. */
int gp_db_next(struct gp_db *db, sqlite3_stmt *statement, struct gp_error *err);

/* Steps to the end, ignoring rows. */
int gp_db_run(struct gp_db *db, sqlite3_stmt *statement, struct gp_error *err);

/* Statement `index` with int64 parameters (GP_UNKNOWN is NULL), run to the end. */
int gp_db_run_ints(struct gp_db *db, uint32_t index, const int64_t *values, int count,
                   struct gp_error *err);

/* One integer: the first column of the first row; `otherwise` when there is no row. */
int gp_db_get_int(struct gp_db *db, const char *sql, int64_t otherwise, int64_t *out,
                  struct gp_error *err);

/* Fails with SQLite's last error: GP_EFORMAT for a damaged or foreign file, GP_ENOMEM, else
 * GP_EIO; the text names the file and has SQLite's and the system's words. */
int gp_db_fail(struct gp_db *db, struct gp_error *err);

#endif
