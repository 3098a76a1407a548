/* Which streams have work, and since when: see nsight.h. */
#include <stdlib.h>

#include "probe/import/nsight.h"
#include "probe/import/nsight_rows.h"
#include "probe/memory.h"

static bool is_unified(int64_t copy_kind)
{
    return copy_kind >= 11 && copy_kind <= 13;
}

static int64_t stream_number(int64_t number)
{
    return number == UINT32_MAX ? GP_NSIGHT_ANY_STREAM : number;
}

static int compare(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int by_key(const void *a, const void *b)
{
    const struct gp_nsight_stream *x = a;
    const struct gp_nsight_stream *y = b;
    int order = compare(x->pid, y->pid);

    order = order != 0 ? order : compare(x->device, y->device);
    order = order != 0 ? order : compare(x->is_unified, y->is_unified);
    order = order != 0 ? order : compare(x->context, y->context);
    return order != 0 ? order : compare(x->number, y->number);
}

struct gp_nsight_stream gp_nsight_key(sqlite3_stmt *row, int pid, int context, int copy_kind)
{
    struct gp_nsight_stream key = {
        .pid = sqlite3_column_int64(row, pid),
        .device = sqlite3_column_int64(row, pid + 1),
        .is_unified = is_unified(gp_foreign_int_or(row, copy_kind, 0)),
    };

    if (!key.is_unified) {
        key.context = gp_foreign_int_or(row, context, 0);
        key.number = stream_number(gp_foreign_int_or(row, context + 1, 0));
    }
    return key;
}

uint32_t gp_nsight_find_stream(const struct gp_nsight *nsight, const struct gp_nsight_stream *key)
{
    const struct gp_nsight_stream *found =
        nsight->stream_count == 0
            ? NULL
            : bsearch(key, nsight->streams, nsight->stream_count, sizeof *nsight->streams, by_key);

    return found != NULL ? (uint32_t)(found - nsight->streams) : GP_NSIGHT_NONE;
}

/* Sorted, and a part for each process and device; those beyond the limits are forgotten (each part
 * reads all tables, so that many cost their square), and their rows counted in the end. */
static void make_parts(struct gp_nsight *nsight)
{
    struct gp_nsight_stream *streams = nsight->streams;

    if (nsight->stream_count == 0) {
        return;
    }
    qsort(streams, nsight->stream_count, sizeof *streams, by_key);
    for (uint32_t i = 0; i < nsight->stream_count; i++) {
        struct gp_nsight_part *part;

        if (i == 0 || streams[i - 1].pid != streams[i].pid ||
            streams[i - 1].device != streams[i].device) {
            if (nsight->part_count == GP_NSIGHT_PARTS_MAX) {
                nsight->stream_count = i;
                break;
            }
            nsight->parts[nsight->part_count++] = (struct gp_nsight_part){
                .pid = streams[i].pid,
                .device = streams[i].device,
                .stream_first = i,
                .is_main = i == 0 || streams[i - 1].pid != streams[i].pid,
                .epoch = INT64_MAX,
            };
        }
        part = &nsight->parts[nsight->part_count - 1];
        part->epoch = streams[i].first < part->epoch ? streams[i].first : part->epoch;
        part->stream_count++;
        streams[i].part = nsight->part_count - 1;
    }
}

#define FACTOR UINT64_C(0x9e3779b97f4a7c15)

/* Indices + 1 of streams by the hash of their keys, twice as many as there can be streams. */
enum { SLOTS = 2 * GP_NSIGHT_STREAMS_MAX };

/* The stream of that key, which is added when it is new; NULL: there are too many. */
static struct gp_nsight_stream *add_stream(struct gp_nsight *nsight, uint32_t *slots,
                                           size_t *capacity, const struct gp_nsight_stream *key)
{
    uint64_t hash = ((uint64_t)key->pid ^ (uint64_t)key->device << 48) * FACTOR;
    uint32_t slot;

    hash = (hash ^ (uint64_t)key->context << 20 ^ (uint64_t)key->number) * FACTOR;
    slot = (uint32_t)(hash >> 32) % SLOTS;
    while (slots[slot] != 0) {
        struct gp_nsight_stream *stream = &nsight->streams[slots[slot] - 1];

        if (by_key(stream, key) == 0) {
            return stream;
        }
        slot = (slot + 1) % SLOTS;
    }
    if (nsight->stream_count == GP_NSIGHT_STREAMS_MAX) {
        return NULL;
    }
    nsight->streams =
        gp_xgrow(nsight->streams, capacity, nsight->stream_count + 1, sizeof *nsight->streams);
    nsight->streams[nsight->stream_count] = *key;
    slots[slot] = ++nsight->stream_count;
    return &nsight->streams[slots[slot] - 1];
}

/* Takes note of a row. */
static void note_row(struct gp_nsight *nsight, uint32_t *slots, size_t *capacity, sqlite3_stmt *row)
{
    struct gp_nsight_stream key =
        gp_nsight_key(row, GP_NSIGHT_KEY_PID, GP_NSIGHT_KEY_CONTEXT, GP_NSIGHT_KEY_COPY_KIND);
    struct gp_nsight_stream *stream;
    int64_t first = gp_foreign_int_or(row, GP_NSIGHT_KEY_START, 0);

    nsight->row_count++;
    key.first = INT64_MAX;
    stream = add_stream(nsight, slots, capacity, &key);
    if (stream != NULL && first != 0 && first >= nsight->earliest && first <= nsight->latest &&
        first < stream->first) {
        stream->first = first;
    }
}

/* Whether a row of whole times comes after the times before, which it moves on. */
static bool comes_after(sqlite3_stmt *row, int64_t *begin, int64_t *end)
{
    int64_t from, to;
    bool is_after = gp_foreign_int(row, GP_NSIGHT_KEY_START, &from) &&
                    gp_foreign_int(row, GP_NSIGHT_KEY_END, &to) &&
                    (from > *begin || (from == *begin && to >= *end));

    if (is_after) {
        *begin = from;
        *end = to;
    }
    return is_after;
}

/* 1: there is such a table. */
static int read_table(struct gp_nsight *nsight, enum gp_nsight_table table, uint32_t *slots,
                      size_t *capacity, struct gp_error *err)
{
    int64_t begin = INT64_MIN, end = INT64_MIN;
    sqlite3_stmt *row;
    int code = gp_nsight_rows_keys(&nsight->source, table, &row, err);

    nsight->is_sorted[table] = true;
    if (code != 0 || row == NULL) {
        return code;
    }
    while ((code = gp_db_next(&nsight->source.db, row, err)) > 0) {
        note_row(nsight, slots, capacity, row);
        nsight->is_sorted[table] &= comes_after(row, &begin, &end);
    }
    (void)sqlite3_finalize(row);
    return code < 0 ? code : 1;
}

int gp_nsight_find_streams(struct gp_nsight *nsight, struct gp_error *err)
{
    uint32_t *slots = gp_xalloc(SLOTS, sizeof *slots);
    size_t capacity = 0;
    bool has_table = false;
    int code = 0;

    for (unsigned i = 0; i < GP_NSIGHT_TABLE_COUNT && code >= 0; i++) {
        code = read_table(nsight, (enum gp_nsight_table)i, slots, &capacity, err);
        has_table |= code > 0;
    }
    gp_free(slots);
    if (code >= 0 && !has_table) {
        code = gp_fail(err, GP_EFORMAT,
                       "%s is not a gpuprobe recording, and read as Nsight's it has no work of a "
                       "GPU: no table of CUPTI activities (was it recorded with --trace cuda?)",
                       nsight->source.db.path);
    }
    make_parts(nsight);
    return code < 0 ? code : 0;
}
