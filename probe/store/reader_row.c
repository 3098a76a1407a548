/* Takes the columns of a row and believes none of them: see reader_internal.h. */
#include "probe/store/reader_internal.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "probe/memory.h"

/* 36 years: the sum or difference of two fits an int64 with room. */
#define TIME_MAX (INT64_C(1) << 60)

void gp_cursor_fail(struct gp_cursor *cursor, const char *what)
{
    const char *column = sqlite3_column_name(cursor->statement, cursor->column - 1);

    if (cursor->code == 0) {
        cursor->code =
            gp_fail(cursor->err, GP_EFORMAT, "%s: damaged: table %s, row %llu, column %s: %s",
                    cursor->reader->db.path, cursor->table, (unsigned long long)cursor->row,
                    column != NULL ? column : "?", what);
    }
}

static bool is_null(const struct gp_cursor *cursor)
{
    return sqlite3_column_type(cursor->statement, cursor->column) == SQLITE_NULL;
}

/* Millions of numbers pass here: the value is asked for once. */
static int64_t check_int(struct gp_cursor *cursor, sqlite3_value *value, int64_t min, int64_t max)
{
    int64_t number;

    if (sqlite3_value_type(value) != SQLITE_INTEGER) {
        gp_cursor_fail(cursor, "not an integer");
        return 0;
    }
    number = sqlite3_value_int64(value);
    if (number < min || number > max) {
        gp_cursor_fail(cursor, "out of range");
        return 0;
    }
    return number;
}

int64_t gp_cursor_take_int(struct gp_cursor *cursor, int64_t min, int64_t max)
{
    return check_int(cursor, sqlite3_column_value(cursor->statement, cursor->column++), min, max);
}

int64_t gp_cursor_take_known_int(struct gp_cursor *cursor, int64_t min, int64_t max,
                                 int64_t unknown)
{
    sqlite3_value *value = sqlite3_column_value(cursor->statement, cursor->column++);

    return sqlite3_value_type(value) == SQLITE_NULL ? unknown : check_int(cursor, value, min, max);
}

int64_t gp_cursor_take_time(struct gp_cursor *cursor)
{
    return gp_cursor_take_known_int(cursor, -TIME_MAX, TIME_MAX, GP_UNKNOWN);
}

double gp_cursor_take_double(struct gp_cursor *cursor)
{
    int column = cursor->column++;
    int type = sqlite3_column_type(cursor->statement, column);

    if (type == SQLITE_NULL) {
        return NAN;
    }
    if (type != SQLITE_FLOAT && type != SQLITE_INTEGER) {
        gp_cursor_fail(cursor, "not a number");
        return NAN;
    }
    return sqlite3_column_double(cursor->statement, column);
}

const char *gp_cursor_take_bytes(struct gp_cursor *cursor)
{
    int column = cursor->column++;
    const char *text;

    if (sqlite3_column_type(cursor->statement, column) != SQLITE_TEXT) {
        gp_cursor_fail(cursor, "not a text");
        return NULL;
    }
    text = (const char *)sqlite3_column_text(cursor->statement, column);
    if (text == NULL || strlen(text) != (size_t)sqlite3_column_bytes(cursor->statement, column)) {
        gp_cursor_fail(cursor, "a text with a zero byte in it");
        return NULL;
    }
    return text;
}

int gp_cursor_take_word(struct gp_cursor *cursor, enum gp_words list)
{
    const char *text = gp_cursor_take_bytes(cursor);
    int value = gp_word_find(list, text);

    if (text != NULL && value < 0) {
        struct gp_error what = {0};

        (void)gp_fail(&what, GP_EFORMAT, "'%.40s' is no %s known to this gpuprobe", text,
                      gp_words_title(list));
        gp_cursor_fail(cursor, what.text);
    }
    return value < 0 ? 0 : value;
}

int gp_cursor_take_known_word(struct gp_cursor *cursor, enum gp_words list)
{
    if (is_null(cursor)) {
        cursor->column++;
        return gp_words_size(list);
    }
    return gp_cursor_take_word(cursor, list);
}

const char *gp_cursor_take_text(struct gp_cursor *cursor)
{
    const char *text = gp_cursor_take_bytes(cursor);

    return text != NULL ? gp_intern_keep(&cursor->reader->texts, text) : "";
}

const char *gp_cursor_take_known_text(struct gp_cursor *cursor)
{
    if (is_null(cursor)) {
        cursor->column++;
        return NULL;
    }
    return gp_cursor_take_text(cursor);
}

const char *gp_cursor_take_string(struct gp_cursor *cursor)
{
    const struct gp_reader *reader = cursor->reader;
    int64_t id = gp_cursor_take_int(cursor, 1, (int64_t)reader->strings.count);

    return id != 0 ? reader->strings.texts[id - 1] : "";
}

uint32_t gp_cursor_take_string_index(struct gp_cursor *cursor)
{
    int64_t id = gp_cursor_take_int(cursor, 1, (int64_t)cursor->reader->strings.count);

    return id != 0 ? (uint32_t)(id - 1) : 0;
}

const char *gp_cursor_take_known_string(struct gp_cursor *cursor)
{
    if (is_null(cursor)) {
        cursor->column++;
        return NULL;
    }
    return gp_cursor_take_string(cursor);
}

void gp_cursor_check_order(struct gp_cursor *cursor, int64_t begin, int64_t end)
{
    if (begin != GP_UNKNOWN && end != GP_UNKNOWN && end < begin) {
        gp_cursor_fail(cursor, "the end lies before the begin");
    }
}

int gp_reader_collect(struct gp_reader *reader, const struct gp_query *query, void **out,
                      uint32_t *count, struct gp_error *err)
{
    struct gp_cursor cursor = {
        .reader = reader, .table = gp_reader_table(query->index), .err = err};
    char *rows = NULL;
    size_t capacity = 0;
    int code = gp_db_statement(&reader->db, query->index, &cursor.statement, err);

    *out = NULL;
    *count = 0;
    if (code != 0) {
        return code;
    }
    if (sqlite3_bind_parameter_count(cursor.statement) > 0) {
        (void)sqlite3_bind_int64(cursor.statement, 1, query->key);
    }
    while ((code = gp_db_next(&reader->db, cursor.statement, err)) > 0) {
        rows = gp_xgrow(rows, &capacity, cursor.row + 1, query->row_bytes);
        cursor.column = 0;
        cursor.row++;
        query->decode(&cursor, rows + (cursor.row - 1) * query->row_bytes);
        if (cursor.code == 0 && cursor.row > UINT32_MAX - 1) {
            gp_cursor_fail(&cursor, "more rows than this gpuprobe can hold");
        }
        if (cursor.code != 0) {
            code = cursor.code;
            break;
        }
    }
    (void)sqlite3_reset(cursor.statement);
    if (code != 0) {
        gp_free(rows);
        return code;
    }
    *out = rows;
    *count = (uint32_t)cursor.row;
    return 0;
}
