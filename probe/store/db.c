/* SQLite with our errors: see db.h. */
#include "probe/store/db.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probe/memory.h"
#include "probe/record.h"

enum {
    BUSY_MS = 5000,
    VALUE_BYTES_MAX = 64 << 20, /* one text or row: more is not ours */
};

/* A URI for the file, so that no path is taken for a SQLite option; the caller's. */
static char *make_uri(const char *file, enum gp_db_mode mode)
{
    static const char hex[] = "0123456789ABCDEF";
    static const char immutable[] = "?immutable=1";
    char *uri = gp_xalloc(strlen(file) * 3 + 32, 1);
    char *at = uri;

    if (mode == GP_DB_TEMPORARY) {
        return uri;
    }
    at += sprintf(at, "%s", file[0] == '/' ? "file://" : "file:./");
    for (; *file != '\0'; file++) {
        if (strchr("%?#", *file) != NULL) {
            *at++ = '%';
            *at++ = hex[(unsigned char)*file >> 4];
            *at++ = hex[(unsigned char)*file & 15];
        } else {
            *at++ = *file;
        }
    }
    if (mode == GP_DB_READ_IMMUTABLE) {
        memcpy(at, immutable, sizeof immutable);
    }
    return uri;
}

/* Nothing in a file may run code or reach beyond it (https://sqlite.org/security.html). */
static void distrust(sqlite3 *handle)
{
    (void)sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    (void)sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    (void)sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    (void)sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    (void)sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, VALUE_BYTES_MAX);
    (void)sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0);
    (void)sqlite3_busy_timeout(handle, BUSY_MS);
}

int gp_db_file_head(const char *path, unsigned char *head, size_t bytes, size_t *count,
                    int64_t *file_bytes, struct gp_error *err)
{
    struct stat info;
    ssize_t got = -1;
    int file;

    if (stat(path, &info) != 0) {
        return gp_fail(err, errno == ENOENT ? GP_ENOTFOUND : GP_EIO, "%s cannot be read: %s", path,
                       strerror(errno));
    }
    if (!S_ISREG(info.st_mode)) {
        return gp_fail(err, GP_EFORMAT, "%s is not a file", path);
    }
    file = open(path, O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        got = read(file, head, bytes);
        (void)close(file);
    }
    if (got < 0) {
        return gp_fail(err, GP_EIO, "%s cannot be read: %s", path, strerror(errno));
    }
    *count = (size_t)got;
    *file_bytes = info.st_size;
    return got == 0 ? gp_fail(err, GP_EFORMAT, "%s is empty", path) : 0;
}

int gp_db_open(struct gp_db *db, const char *file, const char *path, enum gp_db_mode mode,
               struct gp_error *err)
{
    int flags = SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    bool is_written = mode == GP_DB_WRITE || mode == GP_DB_TEMPORARY;
    char *uri = make_uri(file, mode);
    int code = 0;

    assert(db != NULL);
    *db = (struct gp_db){.path = gp_xcopy(path)};
    flags |= is_written ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
    if (sqlite3_open_v2(uri, &db->handle, flags, NULL) != SQLITE_OK) {
        code = gp_db_fail(db, err);
        gp_db_close(db);
    } else {
        distrust(db->handle);
        code = gp_db_exec(db,
                          is_written ? "PRAGMA cell_size_check=ON"
                                     : "PRAGMA cell_size_check=ON; PRAGMA query_only=ON",
                          err);
    }
    gp_free(uri);
    if (code != 0) {
        gp_db_close(db);
    }
    return code;
}

void gp_db_use(struct gp_db *db, const char *const *sql, uint32_t count)
{
    assert(db->statements == NULL);
    db->sql = sql;
    db->statement_count = count;
    db->statements = gp_xalloc(count, sizeof(sqlite3_stmt *));
}

void gp_db_close(struct gp_db *db)
{
    if (db == NULL) {
        return;
    }
    for (uint32_t i = 0; i < db->statement_count; i++) {
        (void)sqlite3_finalize(db->statements[i]);
    }
    gp_free(db->statements);
    (void)sqlite3_close(db->handle);
    gp_free(db->path);
    *db = (struct gp_db){0};
}

int gp_db_fail(struct gp_db *db, struct gp_error *err)
{
    int code = db->handle != NULL ? sqlite3_errcode(db->handle) & 0xff : SQLITE_NOMEM;
    int system = db->handle != NULL ? sqlite3_system_errno(db->handle) : 0;
    const char *text = db->handle != NULL ? sqlite3_errmsg(db->handle) : sqlite3_errstr(code);
    int ours = GP_EIO;

    if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB || code == SQLITE_ERROR) {
        ours = GP_EFORMAT;
    } else if (code == SQLITE_NOMEM) {
        ours = GP_ENOMEM;
    } else if (code == SQLITE_CONSTRAINT || code == SQLITE_MISMATCH) {
        ours = GP_EINVAL;
    } else if (code == SQLITE_INTERRUPT) {
        ours = GP_EINTERRUPTED;
    }
    if (ours == GP_EIO && system != 0) {
        (void)gp_fail(err, ours, "%s: %s (%s)", db->path, text, strerror(system));
    } else {
        (void)gp_fail(err, ours, "%s: %s", db->path, text);
    }
    return ours;
}

int gp_db_exec(struct gp_db *db, const char *sql, struct gp_error *err)
{
    return sqlite3_exec(db->handle, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : gp_db_fail(db, err);
}

int gp_db_statement(struct gp_db *db, uint32_t index, sqlite3_stmt **out, struct gp_error *err)
{
    assert(index < db->statement_count);
    if (db->statements[index] == NULL &&
        sqlite3_prepare_v3(db->handle, db->sql[index], -1, SQLITE_PREPARE_PERSISTENT,
                           &db->statements[index], NULL) != SQLITE_OK) {
        return gp_db_fail(db, err);
    }
    *out = db->statements[index];
    assert(sqlite3_stmt_busy(*out) == 0);
    return 0;
}

int gp_db_next(struct gp_db *db, sqlite3_stmt *statement, struct gp_error *err)
{
    int step = sqlite3_step(statement);
    int code = 0;

    if (step == SQLITE_ROW) {
        return 1;
    }
    if (step != SQLITE_DONE) {
        code = gp_db_fail(db, err);
    }
    (void)sqlite3_reset(statement);
    return code;
}

int gp_db_run(struct gp_db *db, sqlite3_stmt *statement, struct gp_error *err)
{
    int code;

    do {
        code = gp_db_next(db, statement, err);
    } while (code > 0);
    return code;
}

int gp_db_run_ints(struct gp_db *db, uint32_t index, const int64_t *values, int count,
                   struct gp_error *err)
{
    sqlite3_stmt *statement = NULL;
    int code = gp_db_statement(db, index, &statement, err);

    if (code != 0) {
        return code;
    }
    for (int i = 0; i < count; i++) {
        if (values[i] == GP_UNKNOWN) {
            (void)sqlite3_bind_null(statement, i + 1);
        } else {
            (void)sqlite3_bind_int64(statement, i + 1, values[i]);
        }
    }
    return gp_db_run(db, statement, err);
}

int gp_db_get_int(struct gp_db *db, const char *sql, int64_t otherwise, int64_t *out,
                  struct gp_error *err)
{
    sqlite3_stmt *statement = NULL;
    int code;

    if (sqlite3_prepare_v2(db->handle, sql, -1, &statement, NULL) != SQLITE_OK) {
        return gp_db_fail(db, err);
    }
    code = gp_db_next(db, statement, err);
    *out = code > 0 ? sqlite3_column_int64(statement, 0) : otherwise;
    (void)sqlite3_finalize(statement);
    return code < 0 ? code : 0;
}
