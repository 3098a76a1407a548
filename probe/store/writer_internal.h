/*
 * What the writer's two files share: its statements and how a row's parameters are bound. All SQL
 * that writes is here.
 */
#ifndef GP_PROBE_STORE_WRITER_INTERNAL_H
#define GP_PROBE_STORE_WRITER_INTERNAL_H

#include <assert.h>
#include <math.h>

#include "probe/record.h"
#include "probe/store/batch.h"
#include "probe/store/db.h"
#include "probe/store/intern.h"
#include "probe/store/words.h"

/* The first columns of table gp_batch, as many as a row has. */
#define GP_BATCH_5 "c0, c1, c2, c3, c4"
#define GP_BATCH_6 GP_BATCH_5 ", c5"
#define GP_BATCH_7 GP_BATCH_6 ", c6"
#define GP_BATCH_10 GP_BATCH_7 ", c7, c8, c9"
#define GP_BATCH_24                                                                                \
    GP_BATCH_10 ", c10, c11, c12, c13, c14, c15, c16, c17, c18, c19, c20, c21, c22, c23"
#define GP_BATCH_35 GP_BATCH_24 ", c24, c25, c26, c27, c28, c29, c30, c31, c32, c33, c34"

/* The columns of an operation in the order of put_op: what all have, and what a run may have for
 * all of its operations or for none. Without column row SQLite appends, which is the right row. */
#define GP_OP_COLUMNS                                                                              \
    "run_id, id, stream_id, kind, name_id, begin, end, begin_lo, begin_hi, end_lo, end_hi, source" \
    ", submit_begin, submit_end, chain, bytes, grid_x, grid_y, grid_z, block_x, block_y, block_z"  \
    ", smem, regs"
#define GP_OP_MORE_COLUMNS                                                                         \
    ", ready, done, stamp_begin, stamp_end, ref_begin, ref_end, engine, connection, rule_id"       \
    ", rule_detail, release"

/* Rows that are many come from gp_batch. OR ROLLBACK: the first failure ends the run's transaction
 * anyway, and a statement that need not be undone alone keeps no journal. */
#define GP_WRITER_SQL(X)                                                                           \
    X(BEGIN, "BEGIN IMMEDIATE")                                                                    \
    X(COMMIT, "COMMIT")                                                                            \
    X(ROLLBACK, "ROLLBACK")                                                                        \
    X(SET_KEY, "INSERT INTO recording (key, value) VALUES (?, ?)"                                  \
               " ON CONFLICT (key) DO UPDATE SET value = excluded.value")                          \
    X(ADD_STRING, "INSERT INTO string (id, text) VALUES (?, ?)")                                   \
    X(ADD_DEVICE, "INSERT INTO device (id, kind, name, uuid, image, image_note, profile,"          \
                  " ordinal, compute_major, compute_minor, sm_count, driver_version, connections," \
                  " async_engines, priority_least, priority_greatest, threads_per_sm,"             \
                  " blocks_per_sm, registers_per_sm, shared_bytes_per_sm, memory_bytes, l2_bytes," \
                  " timer_tick_ns)"                                                                \
                  " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)")                       \
    X(ADD_CELL, "INSERT INTO cell (id, device_id, scenario, params, policy, streams, submit,"      \
                " issue_order, completion, status, error) VALUES (?,?,?,?,?,?,?,?,?,?,?)")         \
    X(UPDATE_CELL, "UPDATE cell SET status = ?, error = ? WHERE id = ?")                           \
    X(ADD_RUN, "INSERT INTO run (id, cell_id, pass, trace, trace_note, repeat, makespan_ns,"       \
               " submit_ns, epoch_realtime_ns, verified, status, op_first, op_count)"              \
               " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)")                                              \
    X(NEXT_ROW, "SELECT coalesce(max(row), 0) + 1 FROM op")                                        \
    X(ADD_CLOCK, "INSERT INTO clock (run_id, id, kind, host, device, residual)"                    \
                 " VALUES (?,?,?,?,?,?)")                                                          \
    X(ADD_STATE, "INSERT INTO state (run_id, at, sm_clock_mhz, memory_clock_mhz, throttle,"        \
                 " power_mw, temperature_c, processes, note) VALUES (?,?,?,?,?,?,?,?,?)")          \
    X(ADD_STREAM, "INSERT INTO stream (run_id, id, priority, flags, role, name, device_id)"        \
                  " VALUES (?1,?2,?3,?4,?5,?6,"                                                    \
                  " coalesce(?7, (SELECT device_id FROM cell WHERE id = ?8)))")                    \
    X(ADD_OP, "INSERT OR ROLLBACK INTO op (" GP_OP_COLUMNS GP_OP_MORE_COLUMNS                      \
              ") SELECT " GP_BATCH_35 " FROM gp_batch")                                            \
    X(ADD_SHORT_OP,                                                                                \
      "INSERT OR ROLLBACK INTO op (" GP_OP_COLUMNS ") SELECT " GP_BATCH_24 " FROM gp_batch")       \
    X(ADD_EDGE,                                                                                    \
      "INSERT OR ROLLBACK INTO edge (run_id, dst_op, src_op, kind, how) SELECT " GP_BATCH_5        \
      " FROM gp_batch")                                                                            \
    X(ADD_ACCESS,                                                                                  \
      "INSERT OR ROLLBACK INTO access (run_id, id, op_id, buffer_id, mode, offset, bytes)"         \
      " SELECT " GP_BATCH_7 " FROM gp_batch")                                                      \
    X(ADD_RANGE,                                                                                   \
      "INSERT OR ROLLBACK INTO range (run_id, id, thread, domain_id, category, color, text_id,"    \
      " level, begin, end) SELECT " GP_BATCH_10 " FROM gp_batch")                                  \
    X(ADD_CALL, "INSERT OR ROLLBACK INTO call (run_id, id, thread, name_id, op_id, begin, end)"    \
                " SELECT " GP_BATCH_7 " FROM gp_batch")                                            \
    X(ADD_BLOCK, "INSERT OR ROLLBACK INTO block (run_id, op_id, block, sm, begin, end)"            \
                 " SELECT " GP_BATCH_6 " FROM gp_batch")                                           \
    X(DROP_EDGES, "DELETE FROM edge WHERE run_id = ?")                                             \
    X(DROP_ACCESSES, "DELETE FROM access WHERE run_id = ?")                                        \
    X(DROP_RANGES, "DELETE FROM range WHERE run_id = ?")                                           \
    X(DROP_CALLS, "DELETE FROM call WHERE run_id = ?")                                             \
    X(DROP_BLOCKS, "DELETE FROM block WHERE run_id = ?")                                           \
    X(DROP_OPS, "DELETE FROM op WHERE row >= (SELECT op_first FROM run WHERE id = ?1)"             \
                " AND row < (SELECT op_first + op_count FROM run WHERE id = ?1)")                  \
    X(DROP_STREAMS, "DELETE FROM stream WHERE run_id = ?")                                         \
    X(FORGET_OPS, "UPDATE run SET op_first = NULL, op_count = 0 WHERE id = ?")                     \
    X(ADD_METRIC, "INSERT INTO metric (cell_id, run_id, name, value, lo, hi)"                      \
                  " VALUES (?,?,?,?,?,?)")                                                         \
    X(ADD_ACCURACY, "INSERT INTO accuracy (device_id, kind, method, quantity, count, bias_ns, "    \
                    "spread_ns, inside)"                                                           \
                    " VALUES (?, ?, ?, ?, ?, ?, ?, ?)")                                            \
    X(ADD_VERDICT, "INSERT INTO verdict (device_id, claim, answer, evidence) VALUES (?,?,?,?)")    \
    X(ADD_CALIBRATION, "INSERT INTO calibration (device_id, name, unit, value, lo, hi, source)"    \
                       " VALUES (?,?,?,?,?,?,?)")                                                  \
    X(LAST_IDS,                                                                                    \
      "SELECT (SELECT coalesce(max(id), 0) FROM device),"                                          \
      " (SELECT coalesce(max(id), 0) FROM cell), (SELECT coalesce(max(id), 0) FROM run)")          \
    X(STRINGS, "SELECT id, text FROM string ORDER BY id")                                          \
    X(CHECK_REFERENCES,                                                                            \
      "SELECT k.\"table\", k.parent FROM sqlite_schema AS s"                                       \
      " JOIN pragma_foreign_key_check(s.name) AS k WHERE s.type = 'table'"                         \
      " AND s.name NOT IN ('op', 'edge', 'access', 'range', 'call', 'block') LIMIT 1")             \
    X(GIVE_BACK_PAGES, "PRAGMA incremental_vacuum")

enum { GP_SHORT_OP_COLUMNS = 24 };

enum gp_writer_sql {
#define X(name, sql) GP_SQL_##name,
    GP_WRITER_SQL(X)
#undef X
        GP_SQL_COUNT
};

struct gp_writer {
    struct gp_db db;
    int hold;                 /* keeps others from replacing the file: place.h */
    struct gp_intern strings; /* by id, as in table string */
    size_t strings_committed;
    /* Of the run that was begun: where its operations start, and what there is of it. */
    int64_t part_first_row;
    uint32_t part_ops, part_calls, part_streams;
    struct gp_batch batch; /* rows that are about to be stored */
};

/* The parameters of one statement, bound from left to right. */
struct gp_row {
    sqlite3_stmt *statement;
    int column;
};

/* GP_UNKNOWN is NULL. */
static inline void gp_row_put_int(struct gp_row *row, int64_t value)
{
    if (value == GP_UNKNOWN) {
        (void)sqlite3_bind_null(row->statement, ++row->column);
    } else {
        (void)sqlite3_bind_int64(row->statement, ++row->column, value);
    }
}

/* -1 is unknown. */
static inline void gp_row_put_small(struct gp_row *row, int32_t value)
{
    gp_row_put_int(row, value < 0 ? GP_UNKNOWN : value);
}

/* NAN is NULL. */
static inline void gp_row_put_double(struct gp_row *row, double value)
{
    if (isnan(value)) {
        (void)sqlite3_bind_null(row->statement, ++row->column);
    } else {
        (void)sqlite3_bind_double(row->statement, ++row->column, value);
    }
}

/* The text must live until the statement has run. */
static inline void gp_row_put_text(struct gp_row *row, const char *text)
{
    (void)sqlite3_bind_text(row->statement, ++row->column, text, -1, SQLITE_STATIC);
}

/* A value that has no word is our bug. */
static inline void gp_row_put_word(struct gp_row *row, enum gp_words list, int value)
{
    assert(value >= 0 && value < gp_words_size(list));
    gp_row_put_text(row, gp_word(list, value));
}

/* The value after the last word is unknown. */
static inline void gp_row_put_known_word(struct gp_row *row, enum gp_words list, int value)
{
    if (value == gp_words_size(list)) {
        gp_row_put_int(row, GP_UNKNOWN);
    } else {
        gp_row_put_word(row, list, value);
    }
}

/* Binds from the first parameter of statement `index` on. */
int gp_row_start(struct gp_writer *writer, enum gp_writer_sql index, struct gp_row *row,
                 struct gp_error *err);

/* Runs the statement; every parameter must be bound. */
int gp_row_store(struct gp_writer *writer, struct gp_row *row, struct gp_error *err);

/* The id of a text, which is stored when it is new. NULL is GP_UNKNOWN. Inside a transaction. */
int gp_writer_intern(struct gp_writer *writer, const char *text, int64_t *out,
                     struct gp_error *err);

/* Opens a transaction, if the file is still where it was made. */
int gp_writer_begin(struct gp_writer *writer, struct gp_error *err);

/* Commits when code is 0, else rolls back; returns what became of it. */
int gp_writer_end(struct gp_writer *writer, int code, struct gp_error *err);

#endif
