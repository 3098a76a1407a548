/*
 * What Nsight's capture was: between what times, by which clock, and what its recorder had to say.
 * See nsight.h.
 */
#include <stdio.h>
#include <string.h>

#include "probe/import/nsight.h"

/* How far beyond the capture's own duration times may lie: the parts of a capture begin and end
 * apart. */
#define SLACK_NS INT64_C(3600000000000)
/* Without a duration: ten years. */
#define LATEST_NS (INT64_C(10) * 365 * 86400 * 1000000000)

/* The first row's integer, else otherwise; a missing table or column is no error. */
static int get_int(struct gp_nsight *nsight, const char *table, const char *column,
                   int64_t otherwise, int64_t *out, struct gp_error *err)
{
    const char *const columns[] = {column, NULL};
    sqlite3_stmt *row;
    int code = gp_foreign_select(&nsight->source, table, columns, "LIMIT 1", &row, err);

    *out = otherwise;
    if (code == 0 && row != NULL) {
        code = gp_db_next(&nsight->source.db, row, err);
        if (code > 0) {
            *out = gp_foreign_int_or(row, 0, otherwise);
            code = 0;
        }
    }
    (void)sqlite3_finalize(row);
    return code;
}

/* Between what times rows can lie, and which day it was. */
static int find_times(struct gp_nsight *nsight, struct gp_error *err)
{
    int64_t duration = 0;
    int code = get_int(nsight, "ANALYSIS_DETAILS", "duration", 0, &duration, err);

    nsight->latest =
        duration > 0 && duration < LATEST_NS - SLACK_NS ? duration + SLACK_NS : LATEST_NS;
    nsight->earliest = -SLACK_NS;
    if (code == 0) {
        code = get_int(nsight, "TARGET_INFO_SESSION_START_TIME", "utcEpochNs", GP_UNKNOWN,
                       &nsight->realtime_ns, err);
    }
    return code;
}

/* Whether a table of names and values has a row of that kind. */
static int find_pair(struct gp_nsight *nsight, const char *table, const char *where, bool *out,
                     struct gp_error *err)
{
    static const char *const columns[] = {"!name", "!value", NULL};
    sqlite3_stmt *row;
    int code = gp_foreign_select(&nsight->source, table, columns, where, &row, err);

    if (code == 0 && row != NULL) {
        code = gp_db_next(&nsight->source.db, row, err);
        *out |= code > 0;
    }
    (void)sqlite3_finalize(row);
    return code < 0 ? code : 0;
}

/* Whether the exporter was told to move all times: nobody knows then when they were. */
static int find_shift(struct gp_nsight *nsight, bool *out, struct gp_error *err)
{
    static const char moved[] =
        "WHERE (c0 = 'EXPORT_PARAM_TIME_NORMALIZE' AND c1 <> 'false')"
        " OR (c0 IN ('EXPORT_PARAM_TIME_SHIFT', 'EXPORT_CONFIG_TIME_SHIFT') AND c1 <> '0')"
        " LIMIT 1";
    int code = find_pair(nsight, "META_DATA_EXPORT", moved, out, err);

    /* The name of 2022. */
    return code == 0 ? find_pair(nsight, "EXPORT_META_DATA", moved, out, err) : code;
}

/* Whether the recorder left out calls that it thought cheap. */
static int find_skipping(struct gp_nsight *nsight, struct gp_error *err)
{
    static const char skipping[] =
        "WHERE c0 = 'CUDA_SKIP_SOME_API_CALLS' AND c1 IN ('true', '1', 1) LIMIT 1";

    return find_pair(nsight, "META_DATA_CAPTURE", skipping, &nsight->counts->skips_calls, err);
}

/* Warnings and errors of the recorder: events may be missing. Their number and the first text. */
static int find_diagnostics(struct gp_nsight *nsight, struct gp_error *err)
{
    static const char *const columns[] = {"!severity", "text", NULL};
    sqlite3_stmt *row;
    int code = gp_foreign_select(&nsight->source, "DIAGNOSTIC_EVENT", columns, "WHERE c0 IN (2, 3)",
                                 &row, err);

    while (code == 0 && row != NULL && (code = gp_db_next(&nsight->source.db, row, err)) > 0) {
        const char *text = (const char *)sqlite3_column_text(row, 1);

        code = 0;
        if (nsight->counts->diagnostics++ == 0 && text != NULL) {
            code = gp_writer_set_key(nsight->writer, "import.diagnostic", text, err);
        }
    }
    (void)sqlite3_finalize(row);
    return code;
}

int gp_nsight_find_capture(struct gp_nsight *nsight, struct gp_error *err)
{
    bool is_moved = false;
    int code = find_times(nsight, err);

    if (code == 0) {
        code = find_shift(nsight, &is_moved, err);
    }
    if (is_moved) {
        nsight->realtime_ns = GP_UNKNOWN;
    }
    if (code == 0) {
        code = find_skipping(nsight, err);
    }
    return code == 0 ? find_diagnostics(nsight, err) : code;
}
