/*
 * A database of another tool: which tables and columns it has, and statements made of those that
 * are there. A column that is missing reads as NULL, a table that is missing has no rows; views,
 * virtual tables and computed columns count as missing, because reading them runs what the file
 * says.
 */
#ifndef GP_PROBE_IMPORT_FOREIGN_H
#define GP_PROBE_IMPORT_FOREIGN_H

#include <stdbool.h>

#include "probe/import/id_map.h"
#include "probe/store/db.h"
#include "probe/store/intern.h"

struct gp_foreign {
    struct gp_db db;
    struct gp_intern texts;   /* of StringIds and others */
    struct gp_id_map strings; /* id → index in texts */
};

/* Opens the file read-only; immutable: SQLite makes nothing beside it. GP_EFORMAT: not a database,
 * or one with a log beside it. */
int gp_foreign_open(struct gp_foreign *source, const char *path, struct gp_error *err);
/* Instead of a file: an empty database of our own, gone when it is closed, that is to be filled
 * before it is read. Messages call it `path`. */
int gp_foreign_stage(struct gp_foreign *source, const char *path, struct gp_error *err);
/* Takes a zeroed struct. */
void gp_foreign_close(struct gp_foreign *source);

enum { GP_FOREIGN_NAME_BYTES_MAX = 96 };

/* A table of that name or, as newer exports have them, of that name and _V2, _V3, …: its name into
 * out. 1: there is one; 0: none. */
int gp_foreign_table(struct gp_foreign *source, const char *name,
                     char out[GP_FOREIGN_NAME_BYTES_MAX], struct gp_error *err);

/* Prepares "SELECT columns FROM table rest": columns are names, with "!" before those that the
 * table must have to be of use; their aliases are c0, c1, …. *out is NULL when there is no such
 * table or it lacks one of those; else the caller finalizes it. */
int gp_foreign_select(struct gp_foreign *source, const char *table, const char *const *columns,
                      const char *rest, sqlite3_stmt **out, struct gp_error *err);

/* The same as text, for a part of a compound; *out is the caller's (free), or NULL. */
int gp_foreign_text(struct gp_foreign *source, const char *table, const char *const *columns,
                    const char *rest, char **out, struct gp_error *err);

/* Prepares any statement of ours. */
int gp_foreign_prepare(struct gp_foreign *source, const char *sql, sqlite3_stmt **out,
                       struct gp_error *err);

/* Reads StringIds. */
int gp_foreign_load_strings(struct gp_foreign *source, struct gp_error *err);

/* A text of StringIds; NULL: there is none of that id. Borrowed until the source is closed. */
const char *gp_foreign_string(const struct gp_foreign *source, int64_t id);

/* Whether a column of the current row is an integer; *out gets it. */
bool gp_foreign_int(sqlite3_stmt *statement, int column, int64_t *out);

/* The same with a value for anything else. */
int64_t gp_foreign_int_or(sqlite3_stmt *statement, int column, int64_t otherwise);

#endif
