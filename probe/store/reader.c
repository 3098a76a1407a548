/* The reader: what the file is, and its small tables. See reader.h. */
#include "probe/store/reader.h"

#include <assert.h>
#include <string.h>

#include "probe/memory.h"
#include "probe/store/reader_internal.h"
#include "probe/store/schema.h"

enum { HEED_STEPS = 20000 /* of SQLite's machine between two questions whether to go on */ };
enum { OP_BYTES_MIN = 35 }; /* a row of op is never smaller: one header byte a column */

static const char *const reader_sql[] = {
#define X(name, table, sql) sql,
    GP_READER_SQL(X)
#undef X
};

static const char *const reader_tables[] = {
#define X(name, table, sql) table,
    GP_READER_SQL(X)
#undef X
};

const char *gp_reader_table(enum gp_reader_sql index)
{
    assert(index < GP_READ_COUNT);
    return reader_tables[index];
}

/* ---- what the file is ---------------------------------------------------------------------- */

static int check_version(struct gp_reader *reader, struct gp_error *err)
{
    int64_t application, version;
    int code = gp_db_get_int(&reader->db, "PRAGMA application_id", 0, &application, err);

    if (code == 0) {
        code = gp_db_get_int(&reader->db, "PRAGMA user_version", 0, &version, err);
    }
    if (code != 0) {
        return code;
    }
    if (application != GP_SCHEMA_APPLICATION) {
        return gp_fail(err, GP_EFORMAT, "%s is a SQLite database, but not a gpuprobe recording",
                       reader->db.path);
    }
    if (version > GP_SCHEMA_VERSION) {
        return gp_fail(err, GP_EFORMAT,
                       "%s has schema %lld, this gpuprobe reads up to %d: use a newer gpuprobe",
                       reader->db.path, (long long)version, GP_SCHEMA_VERSION);
    }
    if (version < 1) {
        return gp_fail(err, GP_EFORMAT, "%s is damaged: schema %lld does not exist",
                       reader->db.path, (long long)version);
    }
    reader->ops = version == 1 ? GP_READ_OPS_1 : GP_READ_OPS;
    return 0;
}

/* A table of that name, and neither a view, a virtual table nor one with computed columns, which
 * would run code of the file when it is read. */
static int check_table(struct gp_reader *reader, sqlite3_stmt *statement, const char *table,
                       struct gp_error *err)
{
    int code;

    (void)sqlite3_reset(statement);
    (void)sqlite3_bind_text(statement, 1, table, -1, SQLITE_STATIC);
    code = gp_db_next(&reader->db, statement, err);
    if (code > 0 && sqlite3_column_int(statement, 0) != 1) {
        code =
            gp_fail(err, GP_EFORMAT, "%s is damaged: it has no table %s", reader->db.path, table);
    }
    return code > 0 ? 0 : code;
}

static int check_tables(struct gp_reader *reader, struct gp_error *err)
{
    static const char sql[] =
        "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?1 AND rootpage > 0"
        " AND NOT EXISTS (SELECT 1 FROM pragma_table_xinfo(?1) WHERE hidden <> 0)";
    sqlite3_stmt *statement = NULL;
    int code = 0;

    if (sqlite3_prepare_v2(reader->db.handle, sql, -1, &statement, NULL) != SQLITE_OK) {
        return gp_db_fail(&reader->db, err);
    }
    for (uint32_t i = 0; i < GP_READ_COUNT && code == 0; i++) {
        code = check_table(reader, statement, reader_tables[i], err);
    }
    (void)sqlite3_finalize(statement);
    /* Preparing finds missing columns. */
    for (uint32_t i = 0; i < GP_READ_COUNT && code == 0; i++) {
        if ((i != GP_READ_OPS && i != GP_READ_OPS_1) || i == reader->ops) {
            code = gp_db_statement(&reader->db, i, &statement, err);
        }
    }
    return code;
}

/* ---- small tables -------------------------------------------------------------------------- */

static void decode_key(struct gp_cursor *cursor, void *out)
{
    struct gp_key_row *row = out;

    row->key = gp_cursor_take_text(cursor);
    row->value = gp_cursor_take_text(cursor);
}

static void decode_device(struct gp_cursor *cursor, void *out)
{
    struct gp_device_row *device = out;

    device->id = gp_cursor_take_int(cursor, 1, INT64_MAX);
    device->kind = (enum gp_origin)gp_cursor_take_word(cursor, GP_WORDS_ORIGIN);
    device->name = gp_cursor_take_text(cursor);
    device->uuid = gp_cursor_take_text(cursor);
    device->image = gp_cursor_take_text(cursor);
    device->image_note = gp_cursor_take_text(cursor);
    device->profile = gp_cursor_take_known_text(cursor);
#define X(name)                                                                                    \
    device->name = gp_cursor_take_known_int(cursor, INT64_MIN / 2, INT64_MAX / 2, GP_UNKNOWN);
    GP_DEVICE_NUMBERS(X)
#undef X
}

static void decode_cell(struct gp_cursor *cursor, void *out)
{
    struct gp_cell_row *cell = out;
    int completion;

    cell->id = gp_cursor_take_int(cursor, 1, INT64_MAX);
    cell->device = gp_cursor_take_int(cursor, 1, INT64_MAX);
    if (cursor->code == 0 && gp_reader_device(cursor->reader, cell->device) == NULL) {
        gp_cursor_fail(cursor, "there is no such device");
    }
    cell->scenario = gp_cursor_take_text(cursor);
    cell->params = gp_cursor_take_text(cursor);
    cell->policy = gp_cursor_take_text(cursor);
    cell->streams = (int32_t)gp_cursor_take_int(cursor, 1, INT32_MAX);
    cell->submit = (enum gp_submit)gp_cursor_take_known_word(cursor, GP_WORDS_SUBMIT);
    cell->order = (enum gp_issue_order)gp_cursor_take_known_word(cursor, GP_WORDS_ORDER);
    completion = gp_cursor_take_known_word(cursor, GP_WORDS_COMPLETION);
    cell->completion = completion < gp_words_size(GP_WORDS_COMPLETION)
                           ? gp_word(GP_WORDS_COMPLETION, completion)
                           : "";
    cell->status = (enum gp_status)gp_cursor_take_word(cursor, GP_WORDS_STATUS);
    cell->error = gp_cursor_take_text(cursor);
}

static void decode_run(struct gp_cursor *cursor, void *out)
{
    struct gp_run_row *run = out;

    run->id = gp_cursor_take_int(cursor, 1, INT64_MAX);
    run->cell = gp_cursor_take_int(cursor, 1, INT64_MAX);
    run->pass = (enum gp_pass)gp_cursor_take_word(cursor, GP_WORDS_PASS);
    run->trace = (enum gp_trace)gp_cursor_take_word(cursor, GP_WORDS_TRACE);
    run->trace_note = gp_cursor_take_text(cursor);
    run->repeat = (int32_t)gp_cursor_take_int(cursor, 0, INT32_MAX);
    run->makespan_ns = gp_cursor_take_known_int(cursor, 0, INT64_MAX / 2, GP_UNKNOWN);
    run->submit_ns = gp_cursor_take_known_int(cursor, 0, INT64_MAX / 2, GP_UNKNOWN);
    run->epoch_realtime_ns = gp_cursor_take_known_int(cursor, 0, INT64_MAX, GP_UNKNOWN);
    run->verified = (int32_t)gp_cursor_take_known_int(cursor, 0, 1, -1);
    run->status = (enum gp_status)gp_cursor_take_word(cursor, GP_WORDS_STATUS);
    (void)gp_cursor_take_known_int(cursor, 1, INT64_MAX - UINT32_MAX, GP_UNKNOWN);
    /* Whoever makes room for op_count rows need not fear a number out of the blue. */
    run->op_count = (uint32_t)gp_cursor_take_int(cursor, 0, cursor->reader->bytes / OP_BYTES_MIN);
}

/* Ids are dense and texts unique, so that reader->strings gives each text its own id again. */
static void decode_string(struct gp_cursor *cursor, void *out)
{
    struct gp_intern *strings = &cursor->reader->strings;
    int64_t expected = (int64_t)cursor->row;
    const char *text;

    (void)out;
    (void)gp_cursor_take_int(cursor, expected, expected);
    text = gp_cursor_take_bytes(cursor);
    if (text != NULL && cursor->code == 0 && gp_intern_add(strings, text) != expected) {
        gp_cursor_fail(cursor, "a text that was there before");
    }
}

static int load_strings(struct gp_reader *reader, struct gp_error *err)
{
    void *nothing;
    uint32_t count;
    int code = gp_reader_collect(reader, &(struct gp_query){GP_READ_STRINGS, 0, decode_string, 1},
                                 &nothing, &count, err);

    gp_free(nothing);
    return code;
}

static int load_tables(struct gp_reader *reader, struct gp_error *err)
{
    void *rows;
    int code = gp_reader_collect(
        reader, &(struct gp_query){GP_READ_KEYS, 0, decode_key, sizeof *reader->keys}, &rows,
        &reader->key_count, err);

    reader->keys = rows;
    if (code == 0) {
        code = gp_reader_collect(
            reader, &(struct gp_query){GP_READ_DEVICES, 0, decode_device, sizeof *reader->devices},
            &rows, &reader->device_count, err);
        reader->devices = rows;
    }
    if (code == 0) {
        code = gp_reader_collect(
            reader, &(struct gp_query){GP_READ_CELLS, 0, decode_cell, sizeof *reader->cells}, &rows,
            &reader->cell_count, err);
        reader->cells = rows;
    }
    return code != 0 ? code : load_strings(reader, err);
}

/* ---- the interface ------------------------------------------------------------------------- */

int gp_reader_open(const char *path, struct gp_reader **out, struct gp_error *err)
{
    struct gp_reader *reader = gp_xalloc(1, sizeof *reader);
    int code;

    assert(path != NULL && out != NULL);
    code = gp_reader_open_file(path, &reader->db, err);
    if (code == 0) {
        gp_db_use(&reader->db, reader_sql, GP_READ_COUNT);
        code = check_version(reader, err);
    }
    if (code == 0) {
        code = gp_db_get_int(&reader->db,
                             "SELECT page_count * page_size FROM pragma_page_count,"
                             " pragma_page_size",
                             0, &reader->bytes, err);
    }
    if (code == 0) {
        code = check_tables(reader, err);
    }
    if (code == 0) {
        code = load_tables(reader, err);
    }
    if (code != 0) {
        gp_reader_close(reader);
        return code;
    }
    *out = reader;
    return 0;
}

void gp_reader_close(struct gp_reader *reader)
{
    if (reader == NULL) {
        return;
    }
    gp_free(reader->keys);
    gp_free(reader->devices);
    gp_free(reader->cells);
    gp_free(reader->stream_ids.ids);
    gp_intern_finish(&reader->strings);
    gp_intern_finish(&reader->texts);
    gp_db_close(&reader->db);
    gp_free(reader);
}

static int is_given_up(void *user)
{
    const struct gp_reader *reader = user;

    return !gp_goes_on(&reader->heed);
}

void gp_reader_heed(struct gp_reader *reader, struct gp_heed heed)
{
    reader->heed = heed;
    /* A few hundred rows. */
    sqlite3_progress_handler(reader->db.handle, heed.go_on != NULL ? HEED_STEPS : 0, is_given_up,
                             reader);
}

struct gp_heed gp_reader_heeded(const struct gp_reader *reader)
{
    return reader->heed;
}

const struct gp_key_row *gp_reader_keys(const struct gp_reader *reader, uint32_t *count)
{
    *count = reader->key_count;
    return reader->keys;
}

const char *gp_reader_key(const struct gp_reader *reader, const char *key)
{
    for (uint32_t i = 0; i < reader->key_count; i++) {
        if (strcmp(reader->keys[i].key, key) == 0) {
            return reader->keys[i].value;
        }
    }
    return NULL;
}

const char *const *gp_reader_strings(const struct gp_reader *reader, uint32_t *count)
{
    *count = (uint32_t)reader->strings.count;
    return (const char *const *)reader->strings.texts;
}

bool gp_reader_is_complete(const struct gp_reader *reader)
{
    const char *status = gp_reader_key(reader, "status");

    return status != NULL && strcmp(status, "complete") == 0;
}

const struct gp_device_row *gp_reader_devices(const struct gp_reader *reader, uint32_t *count)
{
    *count = reader->device_count;
    return reader->devices;
}

const struct gp_cell_row *gp_reader_cells(const struct gp_reader *reader, uint32_t *count)
{
    *count = reader->cell_count;
    return reader->cells;
}

const struct gp_device_row *gp_reader_device(const struct gp_reader *reader, int64_t id)
{
    for (uint32_t i = 0; i < reader->device_count; i++) {
        if (reader->devices[i].id == id) {
            return &reader->devices[i];
        }
    }
    return NULL;
}

int gp_reader_runs(struct gp_reader *reader, int64_t cell, struct gp_run_row **out, uint32_t *count,
                   struct gp_error *err)
{
    void *rows;
    int code =
        gp_reader_collect(reader, &(struct gp_query){GP_READ_RUNS, cell, decode_run, sizeof **out},
                          &rows, count, err);

    *out = rows;
    return code;
}

static void decode_metric(struct gp_cursor *cursor, void *out)
{
    struct gp_metric_row *metric = out;

    metric->cell = gp_cursor_take_known_int(cursor, 1, INT64_MAX, 0);
    metric->run = gp_cursor_take_known_int(cursor, 1, INT64_MAX, 0);
    metric->name = gp_cursor_take_text(cursor);
    metric->value = gp_cursor_take_double(cursor);
    metric->lo = gp_cursor_take_double(cursor);
    metric->hi = gp_cursor_take_double(cursor);
}

int gp_reader_metrics(struct gp_reader *reader, struct gp_metric_row **out, uint32_t *count,
                      struct gp_error *err)
{
    void *rows;
    int code = gp_reader_collect(
        reader, &(struct gp_query){GP_READ_METRICS, 0, decode_metric, sizeof **out}, &rows, count,
        err);

    *out = rows;
    return code;
}

static void decode_calibration(struct gp_cursor *cursor, void *out)
{
    struct gp_calibration_row *calibration = out;

    calibration->device = gp_cursor_take_int(cursor, 1, INT64_MAX);
    calibration->name = gp_cursor_take_text(cursor);
    calibration->unit = gp_cursor_take_text(cursor);
    calibration->source = gp_cursor_take_text(cursor);
    calibration->value = gp_cursor_take_double(cursor);
    calibration->lo = gp_cursor_take_double(cursor);
    calibration->hi = gp_cursor_take_double(cursor);
}

int gp_reader_calibrations(struct gp_reader *reader, struct gp_calibration_row **out,
                           uint32_t *count, struct gp_error *err)
{
    void *rows;
    int code = gp_reader_collect(
        reader, &(struct gp_query){GP_READ_CALIBRATIONS, 0, decode_calibration, sizeof **out},
        &rows, count, err);

    *out = rows;
    return code;
}

static void decode_verdict(struct gp_cursor *cursor, void *out)
{
    struct gp_verdict_row *verdict = out;

    verdict->device = gp_cursor_take_int(cursor, 1, INT64_MAX);
    verdict->claim = gp_cursor_take_text(cursor);
    verdict->answer = (enum gp_verdict)gp_cursor_take_word(cursor, GP_WORDS_VERDICT);
    verdict->evidence = gp_cursor_take_text(cursor);
}

int gp_reader_verdicts(struct gp_reader *reader, struct gp_verdict_row **out, uint32_t *count,
                       struct gp_error *err)
{
    void *rows;
    int code = gp_reader_collect(
        reader, &(struct gp_query){GP_READ_VERDICTS, 0, decode_verdict, sizeof **out}, &rows, count,
        err);

    *out = rows;
    return code;
}
