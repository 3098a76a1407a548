/* Timelines in a folder: see cache.h. One walk over the timeline both writes and reads it. */
#include "viewer/layout/cache.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probe/memory.h"

enum { PATH_BYTES = 4096, VERSION = 1 };

/* What the kept timeline is of. The sizes change with the build. */
struct stamp {
    char magic[8];
    uint64_t version, timeline_bytes, lane_bytes;
    uint64_t device, file; /* of the file system */
    int64_t size, changed_s, changed_ns, run;
};

struct transfer {
    FILE *file;
    bool is_write, is_good;
    uint64_t left; /* reading: bytes that can still come */
    uint64_t hash; /* of all so far */
};

/* ---- bytes --------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    uint64_t word;

    for (; size >= sizeof word; size -= sizeof word, bytes += sizeof word) {
        memcpy(&word, bytes, sizeof word);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    for (; size > 0; size--, bytes++) {
        hash = (hash ^ *bytes) * UINT64_C(0x9e3779b97f4a7c15);
    }
    return hash;
}

static void pass(struct transfer *transfer, void *data, size_t size)
{
    if (!transfer->is_good || size == 0) {
        return;
    }
    if (!transfer->is_write && size > transfer->left) {
        transfer->is_good = false;
        return;
    }
    transfer->left -= transfer->is_write ? 0 : size;
    transfer->is_good = transfer->is_write ? fwrite(data, size, 1, transfer->file) == 1
                                           : fread(data, size, 1, transfer->file) == 1;
    transfer->hash = mix(transfer->hash, data, size);
}

/* An array of the caller's; NULL when it is not there. Reading makes it. */
static void *pass_array(struct transfer *transfer, void *array, uint64_t count, size_t bytes)
{
    uint8_t is_there = array != NULL;

    pass(transfer, &is_there, 1);
    if (!transfer->is_good || is_there == 0) {
        return transfer->is_write ? array : NULL;
    }
    if (!transfer->is_write) {
        if (count > transfer->left / bytes) {
            transfer->is_good = false;
            return NULL;
        }
        array = gp_xalloc(count, bytes);
    }
    pass(transfer, array, count * bytes);
    return array;
}

static char *pass_text(struct transfer *transfer, char *text)
{
    uint64_t size = text != NULL ? strlen(text) + 1 : 0;

    pass(transfer, &size, sizeof size);
    size = transfer->is_good ? size : 0;
    text = pass_array(transfer, text, size, 1);
    if (transfer->is_good && size > 0 && text[size - 1] != '\0') {
        transfer->is_good = false;
    }
    return text;
}

/* ---- the timeline -------------------------------------------------------------------------- */

/* Arrays are passed after the struct that points to them. Read pointers mean nothing: the walk goes
 * through all of them also when the file is damaged, and leaves NULL or an array. */
#define PASS(transfer, array, count)                                                               \
    ((array) = pass_array((transfer), (transfer)->is_write ? (void *)(array) : NULL, (count),      \
                          sizeof *(array)))

static void pass_narrow(struct transfer *transfer, struct gp_view_narrow *column)
{
    uint64_t wide_count = column->wide_count;

    PASS(transfer, column->small, column->count);
    PASS(transfer, column->large, column->count);
    PASS(transfer, column->wide, wide_count);
    if (!transfer->is_write) {
        column->wide_capacity = column->wide_count;
    }
}

static void pass_spans(struct transfer *transfer, struct gp_view_spans *spans)
{
    uint32_t count = spans->count;

    PASS(transfer, spans->begin_ns, count);
    pass_narrow(transfer, &spans->duration_ns);
    PASS(transfer, spans->name, count);
    pass_narrow(transfer, &spans->waiting_ns);
    pass_narrow(transfer, &spans->begin_early_ns);
    pass_narrow(transfer, &spans->begin_late_ns);
    pass_narrow(transfer, &spans->end_early_ns);
    pass_narrow(transfer, &spans->end_late_ns);
    PASS(transfer, spans->stream, count);
    PASS(transfer, spans->kind, count);
    PASS(transfer, spans->source, count);
    PASS(transfer, spans->engine, count);
    PASS(transfer, spans->thread, count);
    PASS(transfer, spans->op, count);
}

static void pass_lane(struct transfer *transfer, struct gp_view_lane *lane)
{
    uint32_t blocks = lane->count / GP_VIEW_BLOCK + 1;

    PASS(transfer, lane->order, lane->count);
    PASS(transfer, lane->busy_ns, blocks);
    PASS(transfer, lane->waits_ns, blocks);
    if (lane->pyramid.level_count > GP_VIEW_LEVELS_MAX) {
        transfer->is_good = false;
        lane->pyramid.level_count = 0;
    }
    for (uint32_t k = 0; k < lane->pyramid.level_count; k++) {
        struct gp_view_bins *bins = &lane->pyramid.levels[k];

        PASS(transfer, bins->busy, bins->count);
        PASS(transfer, bins->waiting, bins->count);
        PASS(transfer, bins->name, bins->count);
        PASS(transfer, bins->by_name, bins->count);
    }
}

static void pass_texts(struct transfer *transfer, struct gp_view_timeline *timeline)
{
    timeline->device = pass_text(transfer, transfer->is_write ? timeline->device : NULL);
    PASS(transfer, timeline->names, timeline->name_count);
    timeline->name_count = timeline->names != NULL ? timeline->name_count : 0;
    for (uint32_t i = 0; i < timeline->name_count; i++) {
        timeline->names[i] = pass_text(transfer, transfer->is_write ? timeline->names[i] : NULL);
    }
    PASS(transfer, timeline->streams, timeline->stream_count);
    timeline->stream_count = timeline->streams != NULL ? timeline->stream_count : 0;
    for (uint32_t i = 0; i < timeline->stream_count; i++) {
        struct gp_view_stream *stream = &timeline->streams[i];

        stream->name = pass_text(transfer, transfer->is_write ? stream->name : NULL);
        stream->role = pass_text(transfer, transfer->is_write ? stream->role : NULL);
    }
}

static void pass_timeline(struct transfer *transfer, struct gp_view_timeline *timeline)
{
    pass(transfer, timeline, sizeof *timeline);
    pass_texts(transfer, timeline);
    PASS(transfer, timeline->threads, timeline->thread_count);
    for (int i = 0; i < GP_VIEW_TABLE_COUNT; i++) {
        pass_spans(transfer, &timeline->tables[i]);
    }
    PASS(transfer, timeline->lanes, timeline->lane_count);
    timeline->lane_count = timeline->lanes != NULL ? timeline->lane_count : 0;
    for (uint32_t i = 0; i < timeline->lane_count; i++) {
        pass_lane(transfer, &timeline->lanes[i]);
    }
}
#undef PASS

/* ---- the file ------------------------------------------------------------------------------ */

/* False when the recording cannot be told apart from a later state of it. */
static bool make_stamp(const char *path, int64_t run, struct stamp *out)
{
    char log[PATH_BYTES];
    struct stat status;

    *out = (struct stamp){.magic = "gpview",
                          .version = VERSION,
                          .timeline_bytes = sizeof(struct gp_view_timeline),
                          .lane_bytes = sizeof(struct gp_view_lane),
                          .run = run};
    if (stat(path, &status) != 0) {
        return false;
    }
    out->device = (uint64_t)status.st_dev;
    out->file = (uint64_t)status.st_ino;
    out->size = (int64_t)status.st_size;
    out->changed_s = (int64_t)status.st_mtim.tv_sec;
    out->changed_ns = (int64_t)status.st_mtim.tv_nsec;
    return (size_t)snprintf(log, sizeof log, "%s-wal", path) < sizeof log && access(log, F_OK) != 0;
}

static bool make_name(const char *folder, const struct stamp *stamp, const char *suffix, char *name)
{
    return (size_t)snprintf(name, PATH_BYTES, "%s/%" PRIx64 "-%" PRIx64 "-%" PRId64 ".timeline%s",
                            folder, stamp->device, stamp->file, stamp->run, suffix) < PATH_BYTES;
}

bool gp_view_cache_write(const char *folder, const char *path,
                         const struct gp_view_timeline *timeline)
{
    struct stamp stamp;
    char name[PATH_BYTES], draft[PATH_BYTES];
    struct transfer transfer = {.is_write = true, .is_good = true};

    if (!make_stamp(path, timeline->run, &stamp) || !make_name(folder, &stamp, "", name) ||
        !make_name(folder, &stamp, ".new", draft)) {
        return false;
    }
    (void)mkdir(folder, 0700);
    transfer.file = fopen(draft, "wb");
    if (transfer.file == NULL) {
        return false;
    }
    pass(&transfer, &stamp, sizeof stamp);
    /* Nothing is changed when it is written. */
    pass_timeline(&transfer, (struct gp_view_timeline *)timeline);
    pass(&transfer, &(uint64_t){transfer.hash}, sizeof transfer.hash);
    if (fclose(transfer.file) != 0 || !transfer.is_good || rename(draft, name) != 0) {
        (void)remove(draft);
        return false;
    }
    return true;
}

/* The timeline that follows the stamp; NULL when it is damaged. */
static struct gp_view_timeline *read_timeline(struct transfer *transfer)
{
    struct gp_view_timeline *timeline = gp_xalloc(1, sizeof *timeline);
    uint64_t hash = 0, expected;

    pass_timeline(transfer, timeline);
    expected = transfer->hash;
    pass(transfer, &hash, sizeof hash);
    if (transfer->is_good && hash == expected && transfer->left == 0) {
        return timeline;
    }
    gp_view_timeline_destroy(timeline);
    return NULL;
}

struct gp_view_timeline *gp_view_cache_read(const char *folder, const char *path, int64_t run)
{
    struct stamp expected, stamp;
    char name[PATH_BYTES];
    struct stat status;
    struct transfer transfer = {.is_good = true};
    struct gp_view_timeline *timeline = NULL;

    if (!make_stamp(path, run, &expected) || !make_name(folder, &expected, "", name)) {
        return NULL;
    }
    transfer.file = fopen(name, "rb");
    if (transfer.file == NULL) {
        return NULL;
    }
    if (fstat(fileno(transfer.file), &status) == 0) {
        transfer.left = (uint64_t)status.st_size;
        pass(&transfer, &stamp, sizeof stamp);
        if (transfer.is_good && memcmp(&stamp, &expected, sizeof stamp) == 0) {
            timeline = read_timeline(&transfer);
        }
    }
    (void)fclose(transfer.file);
    return timeline;
}
