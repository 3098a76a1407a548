/* Nsight's host rows as calls and ranges: see nsight.h. */
#include "probe/import/nsight.h"

#include <string.h>

#include "probe/memory.h"

/* ---- calls --------------------------------------------------------------------------------- */

static const char *const call_columns[] = {"!start",        "!end",   "globalTid",
                                           "correlationId", "nameId", NULL};

int gp_nsight_load_calls(struct gp_nsight *nsight, struct gp_error *err)
{
    int64_t last_begin = INT64_MIN, last_end = INT64_MAX;
    sqlite3_stmt *row;
    int64_t begin, end;
    int code = gp_foreign_select(&nsight->source, "CUPTI_ACTIVITY_KIND_RUNTIME", call_columns, "",
                                 &row, err);

    nsight->are_calls_sorted = true;
    while (code == 0 && row != NULL && (code = gp_db_next(&nsight->source.db, row, err)) > 0) {
        int64_t pid = gp_nsight_pid(gp_foreign_int_or(row, 2, 0));
        int64_t correlation = gp_foreign_int_or(row, 3, 0);
        struct gp_call_entry *entry;
        uint32_t part;
        bool is_new;

        code = 0;
        nsight->counts->in++;
        if (!gp_nsight_take_times(nsight, row, 0, &begin, &end)) {
            continue;
        }
        nsight->are_calls_sorted &= begin > last_begin || (begin == last_begin && end <= last_end);
        last_begin = begin;
        last_end = end;
        part = gp_nsight_main_part(nsight, pid);
        if (part == GP_NSIGHT_NONE) {
            nsight->counts->lost[GP_IMPORT_NO_DEVICE]++;
            continue;
        }
        if (begin < nsight->parts[part].epoch) {
            nsight->parts[part].epoch = begin;
        }
        if (correlation <= 0) {
            continue;
        }
        entry = gp_calls_add(&nsight->calls, pid, correlation, &is_new);
        if (is_new) {
            int64_t name = gp_foreign_int_or(row, 4, -1);

            entry->begin = begin;
            entry->end = end;
            entry->name = name >= 0 && name <= INT32_MAX ? (int32_t)name : -1;
        } else {
            nsight->counts->lost[GP_IMPORT_DUPLICATE]++;
        }
    }
    (void)sqlite3_finalize(row);
    return code == 0 ? gp_calls_check(&nsight->calls, err) : code;
}

/* Whether this run writes the row: once, by the part that has its operations. */
static bool is_call_mine(struct gp_nsight_run *run, int64_t pid, int64_t correlation, int64_t *op)
{
    const struct gp_nsight_part *part = &run->nsight->parts[run->part];
    struct gp_call_entry *entry =
        correlation > 0 ? gp_calls_find(&run->nsight->calls, pid, correlation) : NULL;

    *op = GP_UNKNOWN;
    if (entry == NULL) {
        return correlation <= 0 && part->is_main;
    }
    if (entry->taken || (entry->part == 0 ? !part->is_main : entry->part != run->part + 1)) {
        return false;
    }
    entry->taken = true;
    if (entry->part != 0) {
        *op = entry->op;
    }
    return true;
}

static int flush_calls(struct gp_nsight_run *run, struct gp_call_row *calls, struct gp_error *err)
{
    int code;

    run->rows.calls = gp_nsight_half(run, calls, sizeof *calls);
    code = gp_pen_write(&run->pen, &run->rows, err);
    run->fills_second = !run->fills_second;
    run->nsight->counts->calls += run->rows.call_count;
    run->rows.call_count = 0;
    return code;
}

static int write_call_rows(struct gp_nsight_run *run, sqlite3_stmt *row, struct gp_call_row *calls,
                           struct gp_error *err)
{
    struct gp_nsight *nsight = run->nsight;
    int64_t begin, end, op;
    int code;

    while ((code = gp_db_next(&nsight->source.db, row, err)) > 0) {
        int64_t tid = gp_foreign_int_or(row, 2, 0);
        struct gp_call_row *half = gp_nsight_half(run, calls, sizeof *calls);
        const char *name;

        if (!gp_foreign_int(row, 0, &begin) || !gp_foreign_int(row, 1, &end) || begin <= 0 ||
            end < begin || begin < nsight->earliest || end > nsight->latest ||
            !is_call_mine(run, gp_nsight_pid(tid), gp_foreign_int_or(row, 3, 0), &op)) {
            continue;
        }
        name = gp_foreign_string(&nsight->source, gp_foreign_int_or(row, 4, -1));
        half[run->rows.call_count++] = (struct gp_call_row){
            .name = name != NULL ? name : "call without a name",
            .begin = begin - run->epoch,
            .end = end - run->epoch,
            .thread = gp_nsight_thread(run, tid),
            .op = op,
        };
        if (run->rows.call_count == GP_NSIGHT_ROWS_AT_ONCE) {
            code = flush_calls(run, calls, err);
            if (code != 0) {
                return code;
            }
        }
    }
    return code == 0 ? flush_calls(run, calls, err) : code;
}

#define MINE "WHERE ifnull(CAST(c2 AS INTEGER), 0) & ~16777215 = ?1"

int gp_nsight_write_calls(struct gp_nsight_run *run, struct gp_error *err)
{
    struct gp_call_row *calls = gp_xalloc((size_t)2 * GP_NSIGHT_ROWS_AT_ONCE, sizeof *calls);
    sqlite3_stmt *row;
    int code = gp_foreign_select(
        &run->nsight->source, "CUPTI_ACTIVITY_KIND_RUNTIME", call_columns,
        run->nsight->are_calls_sorted ? MINE : MINE " ORDER BY c0, c1 DESC", &row, err);

    if (code == 0 && row != NULL) {
        (void)sqlite3_bind_int64(row, 1, run->nsight->parts[run->part].pid);
        code = write_call_rows(run, row, calls, err);
    }
    (void)sqlite3_finalize(row);
    code = gp_nsight_settle(run, code, err);
    gp_free(calls);
    run->rows.calls = NULL;
    return code == 0 ? gp_calls_check(&run->nsight->calls, err) : code;
}

/* ---- ranges -------------------------------------------------------------------------------- */

/* Nsight's numbers of event types, also those of its text files. */
enum {
    MARK = 34,
    PUSH_POP = 59,
    START_END = 60,
    PUSH_POP_TEXT = 70,
    START_END_TEXT = 71,
    DOMAIN_CREATE = 75,
};

enum { OPEN_MAX = 256, STACKS_MAX = 64, TEXT_BYTES_MAX = 1 << 16 };

/* Ends of the ranges that are open on each thread. */
struct depth {
    int64_t ends[STACKS_MAX][OPEN_MAX];
    uint32_t counts[STACKS_MAX];
};

static uint32_t level_of(struct depth *depth, uint32_t thread, int64_t begin, int64_t end)
{
    uint32_t *count = &depth->counts[thread];

    while (*count > 0 && depth->ends[thread][*count - 1] <= begin) {
        (*count)--;
    }
    if (*count < OPEN_MAX) {
        depth->ends[thread][(*count)++] = end;
        return *count - 1;
    }
    return OPEN_MAX;
}

/* The name of a domain, by the process's event that created it; NULL: the default one. */
static const char *domain_of(struct gp_nsight_run *run, const struct gp_id_map *domains, int64_t id)
{
    uint32_t text = id != 0 ? gp_id_map_get(domains, id, UINT32_MAX) : UINT32_MAX;

    return text != UINT32_MAX ? run->nsight->texts.texts[text] : NULL;
}

static const char *text_of(struct gp_nsight *nsight, sqlite3_stmt *row)
{
    const char *text = (const char *)sqlite3_column_text(row, 5);

    if (text != NULL) {
        return sqlite3_column_bytes(row, 5) <= TEXT_BYTES_MAX
                   ? gp_intern_keep(&nsight->texts, text)
                   : "range with a name that is too long";
    }
    text = gp_foreign_string(&nsight->source, gp_foreign_int_or(row, 6, -1));
    return text != NULL ? text : "range without a name";
}

/* start end eventType category color text textId globalTid domainId, and domainTextId, which only
 * other importers have */
static bool take_range(struct gp_nsight_run *run, sqlite3_stmt *row, struct depth *depth,
                       struct gp_range_row *out)
{
    struct gp_nsight *nsight = run->nsight;
    int64_t type = gp_foreign_int_or(row, 2, 0);
    bool is_mark = type == MARK;
    bool is_nested = type == PUSH_POP || type == PUSH_POP_TEXT;
    int64_t begin, end;

    if (!is_mark && !is_nested && type != START_END && type != START_END_TEXT) {
        nsight->counts->lost[GP_IMPORT_NO_RANGE]++;
        return false;
    }
    if (!gp_foreign_int(row, 0, &begin)) {
        nsight->counts->lost[GP_IMPORT_TYPE]++;
        return false;
    }
    end = is_mark ? begin : gp_foreign_int_or(row, 1, GP_UNKNOWN);
    if (!gp_nsight_check_times(nsight, begin, end != GP_UNKNOWN ? end : begin)) {
        return false;
    }
    *out = (struct gp_range_row){
        .text = text_of(nsight, row),
        .begin = begin - run->epoch,
        .end = end != GP_UNKNOWN ? end - run->epoch : GP_UNKNOWN,
        .id = run->range_count,
        .thread = gp_nsight_thread(run, gp_foreign_int_or(row, 7, 0)),
        .category = (int32_t)(gp_foreign_int_or(row, 3, 0) & INT32_MAX),
        .color = gp_foreign_int_or(row, 4, GP_UNKNOWN),
    };
    out->color = out->color == GP_UNKNOWN ? GP_UNKNOWN : out->color & UINT32_MAX;
    if (is_nested) {
        out->level = level_of(depth, out->thread, begin, end != GP_UNKNOWN ? end : INT64_MAX);
    }
    return true;
}

static const char *const range_columns[] = {"!start",   "end",          "!eventType", "category",
                                            "color",    "text",         "textId",     "globalTid",
                                            "domainId", "domainTextId", NULL};

/* What the rows say before any is written. */
struct survey {
    struct gp_id_map domains; /* of the process: index of its name in the import's texts, by id */
    bool is_sorted;           /* by begin; the enclosing one first */
};

static void note_domain(struct gp_nsight_run *run, sqlite3_stmt *row, struct gp_id_map *domains)
{
    struct gp_nsight *nsight = run->nsight;

    if (gp_foreign_int_or(row, 2, 0) == DOMAIN_CREATE &&
        gp_nsight_pid(sqlite3_column_int64(row, 7)) == nsight->parts[run->part].pid) {
        gp_id_map_set(domains, gp_foreign_int_or(row, 8, 0),
                      gp_intern_add(&nsight->texts, text_of(nsight, row)) - 1);
    }
}

static int look_at_ranges(struct gp_nsight_run *run, struct survey *survey, struct gp_error *err)
{
    struct gp_nsight *nsight = run->nsight;
    int64_t last_begin = INT64_MIN, last_end = INT64_MAX;
    sqlite3_stmt *row;
    int code = gp_foreign_select(&nsight->source, "NVTX_EVENTS", range_columns, "", &row, err);

    *survey = (struct survey){.is_sorted = true};
    while (code == 0 && row != NULL && (code = gp_db_next(&nsight->source.db, row, err)) > 0) {
        int64_t begin = gp_foreign_int_or(row, 0, INT64_MIN);
        int64_t end = gp_foreign_int_or(row, 1, INT64_MIN); /* NULL is the least */

        code = 0;
        survey->is_sorted &= begin > last_begin || (begin == last_begin && end <= last_end);
        last_begin = begin;
        last_end = end;
        note_domain(run, row, &survey->domains);
    }
    (void)sqlite3_finalize(row);
    return code;
}

static int flush_ranges(struct gp_nsight_run *run, struct gp_range_row *ranges,
                        struct gp_error *err)
{
    int code;

    run->rows.ranges = gp_nsight_half(run, ranges, sizeof *ranges);
    code = gp_pen_write(&run->pen, &run->rows, err);
    run->fills_second = !run->fills_second;
    run->nsight->counts->ranges += run->rows.range_count;
    run->rows.range_count = 0;
    return code;
}

/* Rows of processes without a part are counted by the first part. */
static bool is_range_mine(const struct gp_nsight_run *run, int64_t tid)
{
    uint32_t part = gp_nsight_main_part(run->nsight, gp_nsight_pid(tid));

    return part == run->part || (part == GP_NSIGHT_NONE && run->part == 0);
}

static int write_range_rows(struct gp_nsight_run *run, sqlite3_stmt *row,
                            const struct gp_id_map *domains, struct gp_range_row *ranges,
                            struct gp_error *err)
{
    struct depth *depth = gp_xalloc(1, sizeof *depth);
    struct gp_nsight *nsight = run->nsight;
    int code;

    while ((code = gp_db_next(&nsight->source.db, row, err)) > 0) {
        struct gp_range_row *half = gp_nsight_half(run, ranges, sizeof *ranges);
        struct gp_range_row *range = &half[run->rows.range_count];
        int64_t tid = gp_foreign_int_or(row, 7, 0);

        code = 0;
        if (!is_range_mine(run, tid)) {
            continue;
        }
        nsight->counts->in++;
        if (gp_nsight_main_part(nsight, gp_nsight_pid(tid)) == GP_NSIGHT_NONE) {
            nsight->counts->lost[GP_IMPORT_NO_DEVICE]++;
            continue;
        }
        if (!take_range(run, row, depth, range)) {
            continue;
        }
        range->domain = domain_of(run, domains, gp_foreign_int_or(row, 8, 0));
        if (range->domain == NULL) {
            range->domain = gp_foreign_string(&nsight->source, gp_foreign_int_or(row, 9, -1));
        }
        run->range_count++;
        if (++run->rows.range_count == GP_NSIGHT_ROWS_AT_ONCE) {
            code = flush_ranges(run, ranges, err);
        }
        if (code != 0) {
            break;
        }
    }
    gp_free(depth);
    return code == 0 ? flush_ranges(run, ranges, err) : code;
}

int gp_nsight_write_ranges(struct gp_nsight_run *run, struct gp_error *err)
{
    struct gp_range_row *ranges;
    struct survey survey;
    sqlite3_stmt *row = NULL;
    int code;

    if (!run->nsight->parts[run->part].is_main) {
        return 0;
    }
    ranges = gp_xalloc((size_t)2 * GP_NSIGHT_ROWS_AT_ONCE, sizeof *ranges);
    code = look_at_ranges(run, &survey, err);
    if (code == 0) {
        code = gp_foreign_select(&run->nsight->source, "NVTX_EVENTS", range_columns,
                                 survey.is_sorted ? "" : "ORDER BY c0, c1 DESC", &row, err);
    }
    if (code == 0 && row != NULL) {
        code = write_range_rows(run, row, &survey.domains, ranges, err);
    }
    (void)sqlite3_finalize(row);
    gp_id_map_finish(&survey.domains);
    code = gp_nsight_settle(run, code, err);
    gp_free(ranges);
    run->rows.ranges = NULL;
    return code;
}
