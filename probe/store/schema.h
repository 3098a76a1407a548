/*
 * The schema of a recording as embedded text, and the two numbers that mark a file as one.
 */
#ifndef GP_PROBE_STORE_SCHEMA_H
#define GP_PROBE_STORE_SCHEMA_H

enum {
    GP_SCHEMA_APPLICATION = 0x47505242, /* "GPRB": SQLite's application_id */
    GP_SCHEMA_VERSION = 2,              /* SQLite's user_version; 1 can be read too */
};

/* schema.sql, NUL-terminated. */
extern const char gp_schema_sql[];

#endif
