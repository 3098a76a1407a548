/*
 * What the reader's files share: its statements and how the columns of a row are taken and checked.
 * All SQL that reads is here.
 */
#ifndef GP_PROBE_STORE_READER_INTERNAL_H
#define GP_PROBE_STORE_READER_INTERNAL_H

#include <stddef.h>

#include "probe/store/db.h"
#include "probe/store/intern.h"
#include "probe/store/reader.h"
#include "probe/store/words.h"

#define GP_READ_OP_COLUMNS                                                                         \
    "SELECT run_id, id, stream_id, kind, name_id, begin, end, begin_lo, begin_hi, end_lo,"         \
    " end_hi, source, ready, done, stamp_begin, stamp_end, ref_begin, ref_end, submit_begin,"      \
    " submit_end, chain, bytes, grid_x, grid_y, grid_z, block_x, block_y, block_z, smem, regs,"    \
    " engine, connection, rule_id, rule_detail, "
#define GP_READ_OP_ROWS " FROM op WHERE row >= ?1 AND row < ?2 ORDER BY row"

/* The table and the statement; OPS_1 is for schema 1. Parameter 1 is the run, the cell or the lower
 * bound. */
#define GP_READER_SQL(X)                                                                           \
    X(KEYS, "recording", "SELECT key, value FROM recording ORDER BY key")                          \
    X(STRINGS, "string", "SELECT id, text FROM string ORDER BY id")                                \
    X(DEVICES, "device",                                                                           \
      "SELECT id, kind, name, uuid, image, image_note, profile, ordinal, compute_major,"           \
      " compute_minor, sm_count, driver_version, connections, async_engines, priority_least,"      \
      " priority_greatest, threads_per_sm, blocks_per_sm, registers_per_sm, shared_bytes_per_sm,"  \
      " memory_bytes, l2_bytes, timer_tick_ns FROM device ORDER BY id")                            \
    X(CELLS, "cell",                                                                               \
      "SELECT id, device_id, scenario, params, policy, streams, submit, issue_order, completion,"  \
      " status, error FROM cell ORDER BY id")                                                      \
    X(RUNS, "run",                                                                                 \
      "SELECT id, cell_id, pass, trace, trace_note, repeat, makespan_ns, submit_ns,"               \
      " epoch_realtime_ns, verified, status, op_first, op_count FROM run WHERE cell_id = ?1"       \
      " ORDER BY id")                                                                              \
    X(RUN_OPS, "run", "SELECT op_first, op_count FROM run WHERE id = ?1")                          \
    X(OPS, "op", GP_READ_OP_COLUMNS "release" GP_READ_OP_ROWS)                                     \
    X(OPS_1, "op", GP_READ_OP_COLUMNS "NULL" GP_READ_OP_ROWS)                                      \
    X(OUTLINES, "op",                                                                              \
      "SELECT run_id, id, stream_id, kind, name_id, begin, end, begin_lo, begin_hi, end_lo,"       \
      " end_hi, source, ready, engine FROM op WHERE row >= ?1 AND row < ?2 ORDER BY row")          \
    X(STREAMS, "stream",                                                                           \
      "SELECT id, device_id, priority, flags, role, name FROM stream WHERE run_id = ?1"            \
      " ORDER BY id")                                                                              \
    X(EDGES, "edge",                                                                               \
      "SELECT src_op, dst_op, kind, how FROM edge WHERE run_id = ?1"                               \
      " ORDER BY dst_op, src_op, kind")                                                            \
    X(ACCESSES, "access",                                                                          \
      "SELECT op_id, buffer_id, mode, offset, bytes FROM access WHERE run_id = ?1 ORDER BY id")    \
    X(RANGES, "range",                                                                             \
      "SELECT id, thread, domain_id, category, color, text_id, level, begin, end FROM range"       \
      " WHERE run_id = ?1 ORDER BY id")                                                            \
    X(CALLS, "call",                                                                               \
      "SELECT thread, name_id, op_id, begin, end FROM call WHERE run_id = ?1 ORDER BY id")         \
    X(CLOCKS, "clock",                                                                             \
      "SELECT kind, host, device, residual FROM clock WHERE run_id = ?1 ORDER BY id")              \
    X(STATES, "state",                                                                             \
      "SELECT at, sm_clock_mhz, memory_clock_mhz, throttle, power_mw, temperature_c, processes,"   \
      " note FROM state WHERE run_id = ?1 ORDER BY at")                                            \
    X(BLOCKS, "block",                                                                             \
      "SELECT op_id, block, sm, begin, end FROM block WHERE run_id = ?1 ORDER BY op_id, block")    \
    X(METRICS, "metric", "SELECT cell_id, run_id, name, value, lo, hi FROM metric ORDER BY id")    \
    X(CALIBRATIONS, "calibration",                                                                 \
      "SELECT device_id, name, unit, source, value, lo, hi FROM calibration"                       \
      " ORDER BY device_id, name")                                                                 \
    X(VERDICTS, "verdict", "SELECT device_id, claim, answer, evidence FROM verdict ORDER BY id")

enum gp_reader_sql {
#define X(name, table, sql) GP_READ_##name,
    GP_READER_SQL(X)
#undef X
        GP_READ_COUNT
};

/* Pool indices of the run whose operations were read last. */
struct gp_stream_ids {
    int64_t run;
    uint32_t *ids; /* ascending */
    uint32_t count;
};

struct gp_reader {
    struct gp_db db;
    int64_t bytes;            /* of the database, its log included */
    enum gp_reader_sql ops;   /* the statement that reads operations of its schema */
    struct gp_intern strings; /* by id, as in table string */
    struct gp_intern texts;   /* of small tables */
    struct gp_key_row *keys;
    uint32_t key_count;
    struct gp_device_row *devices;
    uint32_t device_count;
    struct gp_cell_row *cells;
    uint32_t cell_count;
    struct gp_stream_ids stream_ids;
    struct gp_heed heed;
};

/* ---- the file (reader_file.c) -------------------------------------------------------------- */

/* Opens the database that is at path, its log included, and says what else it is when it is no
 * database. On a failure db is as if closed. */
int gp_reader_open_file(const char *path, struct gp_db *db, struct gp_error *err);

/* ---- one row (reader_row.c) ---------------------------------------------------------------- */

/*
 * The columns of the current row, taken from left to right. The first that does not fit sets code
 * and *err; the rest of the row is then taken as zero, so that decoders need no checks.
 */
struct gp_cursor {
    struct gp_reader *reader;
    sqlite3_stmt *statement;
    const char *table;
    uint64_t row; /* of the result, from 1 */
    int column;   /* the next one */
    int code;
    struct gp_error *err;
};

/* Fails for the column taken last: "FILE: damaged: table op, row 3, column begin: …". */
void gp_cursor_fail(struct gp_cursor *cursor, const char *what);

/* An integer in [min, max]; anything else, NULL included, fails. */
int64_t gp_cursor_take_int(struct gp_cursor *cursor, int64_t min, int64_t max);
/* The same; NULL is `unknown`. */
int64_t gp_cursor_take_known_int(struct gp_cursor *cursor, int64_t min, int64_t max,
                                 int64_t unknown);
/* Nanoseconds that can be subtracted from each other without overflow; NULL is GP_UNKNOWN. */
int64_t gp_cursor_take_time(struct gp_cursor *cursor);
/* A finite number; NULL is NAN. */
double gp_cursor_take_double(struct gp_cursor *cursor);
/* A word of the list. */
int gp_cursor_take_word(struct gp_cursor *cursor, enum gp_words list);
/* The same; NULL is the list's size. */
int gp_cursor_take_known_word(struct gp_cursor *cursor, enum gp_words list);
/* A text, borrowed until the next step; NULL after a failure. */
const char *gp_cursor_take_bytes(struct gp_cursor *cursor);
/* A text kept by the reader; NULL fails, or is NULL. */
const char *gp_cursor_take_text(struct gp_cursor *cursor);
const char *gp_cursor_take_known_text(struct gp_cursor *cursor);
/* The text of a string id; NULL fails, or is NULL. */
const char *gp_cursor_take_string(struct gp_cursor *cursor);
/* Its index among the reader's strings; NULL fails. */
uint32_t gp_cursor_take_string_index(struct gp_cursor *cursor);
const char *gp_cursor_take_known_string(struct gp_cursor *cursor);
/* begin ≤ end where both are known. */
void gp_cursor_check_order(struct gp_cursor *cursor, int64_t begin, int64_t end);

/* Fills one row struct; *row is zeroed before. */
typedef void gp_decode_fn(struct gp_cursor *cursor, void *row);

struct gp_query {
    enum gp_reader_sql index;
    int64_t key; /* parameter 1, if the statement has one */
    gp_decode_fn *decode;
    size_t row_bytes; /* of the struct that decode fills */
};

/* All rows of the query as an array of the caller's; NULL when there are none or on a failure. */
int gp_reader_collect(struct gp_reader *reader, const struct gp_query *query, void **out,
                      uint32_t *count, struct gp_error *err);

/* The table that a statement reads. */
const char *gp_reader_table(enum gp_reader_sql index);

#endif
