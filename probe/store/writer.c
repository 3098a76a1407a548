/* Writes a recording: see writer.h. */
#include "probe/store/writer.h"

#include <assert.h>
#include <string.h>
#include <unistd.h>

#include "probe/memory.h"
#include "probe/store/place.h"
#include "probe/store/schema.h"
#include "probe/store/writer_internal.h"

static const char *const writer_sql[] = {
#define X(name, sql) sql,
    GP_WRITER_SQL(X)
#undef X
};

int gp_row_start(struct gp_writer *writer, enum gp_writer_sql index, struct gp_row *row,
                 struct gp_error *err)
{
    row->column = 0;
    return gp_db_statement(&writer->db, index, &row->statement, err);
}

int gp_row_store(struct gp_writer *writer, struct gp_row *row, struct gp_error *err)
{
    assert(row->column == sqlite3_bind_parameter_count(row->statement));
    return gp_db_run(&writer->db, row->statement, err);
}

int gp_writer_intern(struct gp_writer *writer, const char *text, int64_t *out, struct gp_error *err)
{
    size_t before = writer->strings.count;
    struct gp_row row;
    int code;

    if (text == NULL) {
        *out = GP_UNKNOWN;
        return 0;
    }
    *out = gp_intern_add(&writer->strings, text);
    if (writer->strings.count == before) {
        return 0;
    }
    code = gp_row_start(writer, GP_SQL_ADD_STRING, &row, err);
    if (code != 0) {
        return code;
    }
    gp_row_put_int(&row, *out);
    gp_row_put_text(&row, text);
    return gp_row_store(writer, &row, err);
}

/* SQLite in WAL mode would write on into a file that nobody can find any more. */
static int check_place(struct gp_writer *writer, struct gp_error *err)
{
    int moved = 0;

    if (sqlite3_file_control(writer->db.handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved) ==
            SQLITE_OK &&
        moved != 0) {
        return gp_fail(err, GP_EIO, "%s: deleted or replaced while it was being written",
                       writer->db.path);
    }
    return 0;
}

int gp_writer_begin(struct gp_writer *writer, struct gp_error *err)
{
    int code = check_place(writer, err);

    return code != 0 ? code : gp_db_run_ints(&writer->db, GP_SQL_BEGIN, NULL, 0, err);
}

int gp_writer_end(struct gp_writer *writer, int code, struct gp_error *err)
{
    if (code == 0) {
        code = gp_db_run_ints(&writer->db, GP_SQL_COMMIT, NULL, 0, err);
    }
    if (code == 0) {
        writer->strings_committed = writer->strings.count;
        return 0;
    }
    /* A full disk or an I/O error has rolled back already; then this has nothing to do. */
    if (sqlite3_get_autocommit(writer->db.handle) == 0) {
        (void)gp_db_run_ints(&writer->db, GP_SQL_ROLLBACK, NULL, 0, NULL);
    }
    gp_intern_truncate(&writer->strings, writer->strings_committed);
    return code;
}

/* ---- creating ------------------------------------------------------------------------------ */

/* Checks of words are left to put_word while recording: SQLite builds a table for each IN list of
 * each row, which is five times slower. */
static const char while_recording[] =
    "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=4096;"
    "PRAGMA cache_size=-16384; PRAGMA ignore_check_constraints=ON";

static int make_tables(struct gp_writer *writer, struct gp_error *err)
{
    /* Pages of dropped runs are given back at the end. */
    static const char before[] = "PRAGMA auto_vacuum=INCREMENTAL; BEGIN";
    static const char after[] =
        "INSERT INTO recording (key, value) VALUES ('status', 'incomplete'); COMMIT;";
    const char *const steps[] = {before, gp_schema_sql, after, while_recording};

    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        int code = gp_db_exec(&writer->db, steps[i], err);

        if (code != 0) {
            return code;
        }
    }
    return 0;
}

/* The file is held until SQLite is through with it: to close any descriptor of a file gives up the
 * locks that SQLite has on it. */
static void close_file(struct gp_writer *writer)
{
    gp_db_close(&writer->db);
    gp_place_leave(writer->hold);
}

int gp_writer_create(const char *path, bool force, struct gp_writer **out, struct gp_error *err)
{
    struct gp_writer *writer;
    int hold = -1;
    int code;

    assert(path != NULL && out != NULL);
    code = gp_place_claim(path, force, &hold, err);
    if (code != 0) {
        return code;
    }
    writer = gp_xalloc(1, sizeof *writer);
    writer->hold = hold;
    code = gp_db_open(&writer->db, path, path, GP_DB_WRITE, err);
    if (code == 0) {
        gp_db_use(&writer->db, writer_sql, GP_SQL_COUNT);
        code = gp_batch_attach(&writer->batch, &writer->db, err);
    }
    if (code == 0) {
        code = make_tables(writer, err);
    }
    if (code != 0) {
        close_file(writer);
        gp_free(writer);
        (void)unlink(path);
        return code;
    }
    *out = writer;
    return 0;
}

int gp_writer_hurry(struct gp_writer *writer, struct gp_error *err)
{
    return gp_db_exec(&writer->db, "PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF", err);
}

/* ---- small rows ---------------------------------------------------------------------------- */

static int set_key(struct gp_writer *writer, const char *key, const char *value,
                   struct gp_error *err)
{
    struct gp_row row;
    int code = gp_row_start(writer, GP_SQL_SET_KEY, &row, err);

    if (code != 0) {
        return code;
    }
    gp_row_put_text(&row, key);
    gp_row_put_text(&row, value);
    return gp_row_store(writer, &row, err);
}

int gp_writer_set_key(struct gp_writer *writer, const char *key, const char *value,
                      struct gp_error *err)
{
    int code;

    assert(writer != NULL && key != NULL && value != NULL && strcmp(key, "status") != 0);
    code = check_place(writer, err);
    return code != 0 ? code : set_key(writer, key, value, err);
}

int gp_writer_add_device(struct gp_writer *writer, const struct gp_device_row *device,
                         struct gp_error *err)
{
    struct gp_row row;
    int code = check_place(writer, err);

    assert(device->id > 0);
    if (code == 0) {
        code = gp_row_start(writer, GP_SQL_ADD_DEVICE, &row, err);
    }
    if (code != 0) {
        return code;
    }
    gp_row_put_int(&row, device->id);
    gp_row_put_word(&row, GP_WORDS_ORIGIN, (int)device->kind);
    gp_row_put_text(&row, device->name);
    gp_row_put_text(&row, device->uuid);
    gp_row_put_text(&row, device->image);
    gp_row_put_text(&row, device->image_note);
    gp_row_put_text(&row, device->profile);
#define X(name) gp_row_put_int(&row, device->name);
    GP_DEVICE_NUMBERS(X)
#undef X
    return gp_row_store(writer, &row, err);
}

int gp_writer_add_cell(struct gp_writer *writer, const struct gp_cell_row *cell,
                       struct gp_error *err)
{
    struct gp_row row;
    int code = check_place(writer, err);

    assert(cell->id > 0 && cell->streams >= 1 && cell->streams <= GP_STREAMS_MAX);
    if (code == 0) {
        code = gp_row_start(writer, GP_SQL_ADD_CELL, &row, err);
    }
    if (code != 0) {
        return code;
    }
    gp_row_put_int(&row, cell->id);
    gp_row_put_int(&row, cell->device);
    gp_row_put_text(&row, cell->scenario);
    gp_row_put_text(&row, cell->params);
    gp_row_put_text(&row, cell->policy);
    gp_row_put_int(&row, cell->streams);
    gp_row_put_known_word(&row, GP_WORDS_SUBMIT, (int)cell->submit);
    gp_row_put_known_word(&row, GP_WORDS_ORDER, (int)cell->order);
    gp_row_put_known_word(&row, GP_WORDS_COMPLETION,
                          cell->completion[0] != '\0'
                              ? gp_word_find(GP_WORDS_COMPLETION, cell->completion)
                              : gp_words_size(GP_WORDS_COMPLETION));
    gp_row_put_word(&row, GP_WORDS_STATUS, (int)cell->status);
    gp_row_put_text(&row, cell->error);
    return gp_row_store(writer, &row, err);
}

int gp_writer_update_cell(struct gp_writer *writer, int64_t cell, enum gp_status status,
                          const char *error, struct gp_error *err)
{
    struct gp_row row;
    int code = check_place(writer, err);

    assert(error != NULL);
    if (code == 0) {
        code = gp_row_start(writer, GP_SQL_UPDATE_CELL, &row, err);
    }
    if (code != 0) {
        return code;
    }
    gp_row_put_word(&row, GP_WORDS_STATUS, (int)status);
    gp_row_put_text(&row, error);
    gp_row_put_int(&row, cell);
    code = gp_row_store(writer, &row, err);
    if (code == 0 && sqlite3_changes(writer->db.handle) != 1) {
        code =
            gp_fail(err, GP_EINVAL, "%s: there is no cell %lld", writer->db.path, (long long)cell);
    }
    return code;
}

static int add_metric(struct gp_writer *writer, const struct gp_metric_row *metric,
                      struct gp_error *err)
{
    struct gp_row row;
    int code = gp_row_start(writer, GP_SQL_ADD_METRIC, &row, err);

    assert((metric->cell == 0) != (metric->run == 0));
    if (code != 0) {
        return code;
    }
    gp_row_put_int(&row, metric->cell != 0 ? metric->cell : GP_UNKNOWN);
    gp_row_put_int(&row, metric->run != 0 ? metric->run : GP_UNKNOWN);
    gp_row_put_text(&row, metric->name);
    gp_row_put_double(&row, metric->value);
    gp_row_put_double(&row, metric->lo);
    gp_row_put_double(&row, metric->hi);
    return gp_row_store(writer, &row, err);
}

int gp_writer_add_metrics(struct gp_writer *writer, const struct gp_metric_row *rows,
                          uint32_t count, struct gp_error *err)
{
    int code = gp_writer_begin(writer, err);

    if (code != 0) {
        return code;
    }
    for (uint32_t i = 0; i < count && code == 0; i++) {
        code = add_metric(writer, &rows[i], err);
    }
    return gp_writer_end(writer, code, err);
}

static int add_calibration(struct gp_writer *writer, const struct gp_calibration_row *calibration,
                           struct gp_error *err)
{
    struct gp_row row;
    int code = gp_row_start(writer, GP_SQL_ADD_CALIBRATION, &row, err);

    if (code != 0) {
        return code;
    }
    gp_row_put_int(&row, calibration->device);
    gp_row_put_text(&row, calibration->name);
    gp_row_put_text(&row, calibration->unit);
    gp_row_put_double(&row, calibration->value);
    gp_row_put_double(&row, calibration->lo);
    gp_row_put_double(&row, calibration->hi);
    gp_row_put_text(&row, calibration->source);
    return gp_row_store(writer, &row, err);
}

int gp_writer_add_calibrations(struct gp_writer *writer, const struct gp_calibration_row *rows,
                               uint32_t count, struct gp_error *err)
{
    int code = gp_writer_begin(writer, err);

    if (code != 0) {
        return code;
    }
    for (uint32_t i = 0; i < count && code == 0; i++) {
        code = add_calibration(writer, &rows[i], err);
    }
    return gp_writer_end(writer, code, err);
}

static int add_accuracy(struct gp_writer *writer, const struct gp_accuracy_row *accuracy,
                        struct gp_error *err)
{
    struct gp_row row;
    int code = gp_row_start(writer, GP_SQL_ADD_ACCURACY, &row, err);

    if (code != 0) {
        return code;
    }
    gp_row_put_int(&row, accuracy->device);
    gp_row_put_text(&row, accuracy->kind);
    gp_row_put_text(&row, accuracy->method);
    gp_row_put_text(&row, accuracy->quantity);
    gp_row_put_int(&row, accuracy->count);
    gp_row_put_double(&row, accuracy->bias_ns);
    gp_row_put_double(&row, accuracy->spread_ns);
    gp_row_put_double(&row, accuracy->inside);
    return gp_row_store(writer, &row, err);
}

int gp_writer_add_accuracies(struct gp_writer *writer, const struct gp_accuracy_row *rows,
                             uint32_t count, struct gp_error *err)
{
    int code = gp_writer_begin(writer, err);

    if (code != 0) {
        return code;
    }
    for (uint32_t i = 0; i < count && code == 0; i++) {
        code = add_accuracy(writer, &rows[i], err);
    }
    return gp_writer_end(writer, code, err);
}

static int add_verdict(struct gp_writer *writer, const struct gp_verdict_row *verdict,
                       struct gp_error *err)
{
    struct gp_row row;
    int code = gp_row_start(writer, GP_SQL_ADD_VERDICT, &row, err);

    if (code != 0) {
        return code;
    }
    gp_row_put_int(&row, verdict->device);
    gp_row_put_text(&row, verdict->claim);
    gp_row_put_word(&row, GP_WORDS_VERDICT, (int)verdict->answer);
    gp_row_put_text(&row, verdict->evidence);
    return gp_row_store(writer, &row, err);
}

int gp_writer_add_verdicts(struct gp_writer *writer, const struct gp_verdict_row *rows,
                           uint32_t count, struct gp_error *err)
{
    int code = gp_writer_begin(writer, err);

    if (code != 0) {
        return code;
    }
    for (uint32_t i = 0; i < count && code == 0; i++) {
        code = add_verdict(writer, &rows[i], err);
    }
    return gp_writer_end(writer, code, err);
}

/* ---- going on with a recording ------------------------------------------------------------- */

static int check_schema(struct gp_writer *writer, struct gp_error *err)
{
    int64_t application = 0;
    int64_t version = 0;
    int code = gp_db_get_int(&writer->db, "PRAGMA application_id", 0, &application, err);

    if (code == 0) {
        code = gp_db_get_int(&writer->db, "PRAGMA user_version", 0, &version, err);
    }
    if (code == 0 &&
        (application != GP_SCHEMA_APPLICATION || version != (int64_t)GP_SCHEMA_VERSION)) {
        code = gp_fail(err, GP_EFORMAT, "%s cannot be added to: it is not a recording of schema %d",
                       writer->db.path, GP_SCHEMA_VERSION);
    }
    return code;
}

/* Texts keep the ids that they have. */
static int load_strings(struct gp_writer *writer, struct gp_error *err)
{
    sqlite3_stmt *statement = NULL;
    int code = gp_db_statement(&writer->db, GP_SQL_STRINGS, &statement, err);

    while (code == 0) {
        const char *text;

        code = gp_db_next(&writer->db, statement, err);
        if (code <= 0) {
            break;
        }
        text = (const char *)sqlite3_column_text(statement, 1);
        code = 0;
        if (text == NULL ||
            gp_intern_add(&writer->strings, text) != sqlite3_column_int64(statement, 0)) {
            (void)sqlite3_reset(statement);
            code =
                gp_fail(err, GP_EFORMAT, "%s is damaged: table string has gaps", writer->db.path);
        }
    }
    writer->strings_committed = writer->strings.count;
    return code;
}

static int find_last_ids(struct gp_writer *writer, struct gp_writer_ids *last, struct gp_error *err)
{
    sqlite3_stmt *statement = NULL;
    int code = gp_db_statement(&writer->db, GP_SQL_LAST_IDS, &statement, err);

    if (code == 0) {
        code = gp_db_next(&writer->db, statement, err);
    }
    if (code > 0) {
        last->device = sqlite3_column_int64(statement, 0);
        last->cell = sqlite3_column_int64(statement, 1);
        last->run = sqlite3_column_int64(statement, 2);
        (void)sqlite3_reset(statement);
        code = 0;
    }
    return code;
}

int gp_writer_open(const char *path, struct gp_writer **out, struct gp_writer_ids *last,
                   struct gp_error *err)
{
    struct gp_writer *writer = gp_xalloc(1, sizeof *writer);
    int code;

    assert(path != NULL && out != NULL && last != NULL);
    code = gp_place_hold(path, &writer->hold, err);
    if (code == 0) {
        code = gp_db_open(&writer->db, path, path, GP_DB_WRITE, err);
    }
    if (code == 0) {
        gp_db_use(&writer->db, writer_sql, GP_SQL_COUNT);
        code = check_schema(writer, err);
    }
    if (code == 0) {
        code = gp_batch_attach(&writer->batch, &writer->db, err);
    }
    if (code == 0) {
        code = gp_db_exec(&writer->db, while_recording, err);
    }
    if (code == 0) {
        code = load_strings(writer, err);
    }
    if (code == 0) {
        code = find_last_ids(writer, last, err);
    }
    if (code == 0) {
        code = set_key(writer, "status", "incomplete", err);
    }
    if (code != 0) {
        close_file(writer);
        gp_intern_finish(&writer->strings);
        gp_free(writer);
        return code;
    }
    *out = writer;
    return 0;
}

/* ---- finishing ----------------------------------------------------------------------------- */

/* Foreign keys were off while recording. The rows of a run, which are many, were checked when they
 * came (writer_run.c). */
static int check_references(struct gp_writer *writer, struct gp_error *err)
{
    sqlite3_stmt *statement;
    int code = gp_db_statement(&writer->db, GP_SQL_CHECK_REFERENCES, &statement, err);

    if (code == 0) {
        code = gp_db_next(&writer->db, statement, err);
    }
    if (code > 0) {
        code = gp_fail(err, GP_EINVAL, "%s: a row of table %s refers to a %s that is not there",
                       writer->db.path, (const char *)sqlite3_column_text(statement, 0),
                       (const char *)sqlite3_column_text(statement, 1));
        (void)sqlite3_reset(statement);
    }
    return code;
}

static int complete_file(struct gp_writer *writer, struct gp_error *err)
{
    int code = check_place(writer, err);

    if (code == 0) {
        code = check_references(writer, err);
    }
    return code != 0 ? code : set_key(writer, "status", "complete", err);
}

/* One file without a log beside it. Another process that reads it just now keeps the log alive;
 * that is no error: whoever opens the file finds both. */
static int fold_log(struct gp_writer *writer, struct gp_error *err)
{
    int code = gp_db_exec(&writer->db, "PRAGMA wal_checkpoint(TRUNCATE)", err);

    if (code == 0 &&
        sqlite3_exec(writer->db.handle, "PRAGMA journal_mode=DELETE", NULL, NULL, NULL) !=
            SQLITE_OK &&
        (sqlite3_errcode(writer->db.handle) & 0xff) != SQLITE_BUSY) {
        code = gp_db_fail(&writer->db, err);
    }
    return code;
}

int gp_writer_finish(struct gp_writer *writer, bool complete, struct gp_error *err)
{
    int code;

    if (writer == NULL) {
        return 0;
    }
    code = gp_db_run_ints(&writer->db, GP_SQL_GIVE_BACK_PAGES, NULL, 0, err);
    if (code == 0 && complete) {
        code = complete_file(writer, err);
    }
    if (code == 0) {
        code = fold_log(writer, err);
    }
    close_file(writer);
    gp_intern_finish(&writer->strings);
    gp_free(writer);
    return code;
}
