/* Timelines in a folder: see cache.h. One walk over the timeline both writes and reads it. All that
 * is passed is padded to words, so that arrays can be used where they lie in the mapped file. */
#include "viewer/layout/cache.h"

#include <assert.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probe/memory.h"

enum { PART_BYTES = 1 << 20, PATH_BYTES = 4096, VERSION = 3, WORD = sizeof(uint64_t) };

/* What the kept timeline is of. The sizes change with the build. */
struct stamp {
    char magic[8];
    uint64_t version, timeline_bytes, lane_bytes;
    uint64_t device, file; /* of the file system */
    int64_t size, changed_s, changed_ns, run;
};

struct transfer {
    FILE *file; /* writing */
    const atomic_bool *is_cancelled;
    uint64_t hash;  /* writing: of all so far */
    char *at, *end; /* reading: what is mapped and not taken yet */
    bool is_write, is_good;
};

/* ---- bytes --------------------------------------------------------------------------------- */

/* Whole words. */
static uint64_t mix(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    uint64_t word;

    for (; size > 0; size -= WORD, bytes += WORD) {
        memcpy(&word, bytes, WORD);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return hash;
}

/* Whole words. */
static void pass(struct transfer *transfer, void *data, size_t size)
{
    assert(size % WORD == 0);
    if (!transfer->is_good || size == 0) {
        return;
    }
    if (transfer->is_write) {
        transfer->is_good = !(transfer->is_cancelled != NULL && *transfer->is_cancelled) &&
                            fwrite(data, size, 1, transfer->file) == 1;
        transfer->hash = mix(transfer->hash, data, size);
    } else if (size > (size_t)(transfer->end - transfer->at)) {
        transfer->is_good = false;
    } else {
        memcpy(data, transfer->at, size);
        transfer->at += size;
    }
}

/* So many bytes where they lie. */
static void *take(struct transfer *transfer, uint64_t count, size_t bytes)
{
    uint64_t left = (uint64_t)(transfer->end - transfer->at);
    char *taken = transfer->at;

    if (count > left / bytes) {
        transfer->is_good = false;
        return NULL;
    }
    transfer->at += (count * bytes + WORD - 1) / WORD * WORD;
    /* The words' padding lies inside too, since all there is are whole words. */
    assert(transfer->at <= transfer->end);
    return taken;
}

static void put(struct transfer *transfer, void *array, size_t size)
{
    size_t whole = size / WORD * WORD;
    uint64_t rest = 0;

    for (size_t done = 0; done < whole; done += PART_BYTES) {
        pass(transfer, (char *)array + done, whole - done < PART_BYTES ? whole - done : PART_BYTES);
    }
    if (size > whole) {
        memcpy(&rest, (char *)array + whole, size - whole);
        pass(transfer, &rest, WORD);
    }
}

/* An array of the timeline; NULL when it is not there. */
static void *pass_array(struct transfer *transfer, void *array, uint64_t count, size_t bytes)
{
    uint64_t is_there = array != NULL;

    pass(transfer, &is_there, WORD);
    if (!transfer->is_good || is_there == 0) {
        return transfer->is_write ? array : NULL;
    }
    if (!transfer->is_write) {
        return take(transfer, count, bytes);
    }
    put(transfer, array, (size_t)count * bytes);
    return array;
}

static char *pass_text(struct transfer *transfer, char *text)
{
    uint64_t size = text != NULL ? strlen(text) + 1 : 0;

    pass(transfer, &size, sizeof size);
    size = transfer->is_good ? size : 0;
    text = pass_array(transfer, text, size, 1);
    if (transfer->is_good && (text == NULL ? size > 0 : size == 0 || text[size - 1] != '\0')) {
        transfer->is_good = false;
    }
    return text;
}

/* ---- the timeline -------------------------------------------------------------------------- */

/* Arrays are passed after the struct that points to them. Read pointers mean nothing: the walk sets
 * all of them. */
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
    spans->weight = NULL; /* no sample is kept */
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
                         const struct gp_view_timeline *timeline, const atomic_bool *is_cancelled)
{
    struct stamp stamp;
    char name[PATH_BYTES], draft[PATH_BYTES];
    struct transfer transfer = {.is_cancelled = is_cancelled, .is_write = true, .is_good = true};

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

/* The timeline of a mapped file; NULL when it is damaged or another one's. */
static struct gp_view_timeline *read_mapping(char *mapping, size_t bytes,
                                             const struct stamp *expected)
{
    struct transfer transfer = {.at = mapping, .end = mapping + bytes - WORD, .is_good = true};
    struct gp_view_timeline *timeline;
    struct stamp stamp = {.run = 0};
    uint64_t hash;

    pass(&transfer, &stamp, sizeof stamp);
    memcpy(&hash, transfer.end, WORD);
    if (!transfer.is_good || memcmp(&stamp, expected, sizeof stamp) != 0 ||
        mix(0, mapping, bytes - WORD) != hash) {
        return NULL;
    }
    timeline = gp_xalloc(1, sizeof *timeline);
    pass_timeline(&transfer, timeline);
    if (!transfer.is_good || transfer.at != transfer.end) {
        gp_free(timeline);
        return NULL;
    }
    timeline->mapping = mapping;
    timeline->mapping_bytes = bytes;
    return timeline;
}

/* Pages that are changed, those with pointers, become our own. */
static char *map(const char *name, size_t *bytes)
{
    int file = open(name, O_RDONLY | O_CLOEXEC);
    struct stat status;
    void *mapping = MAP_FAILED;

    if (file < 0) {
        return NULL;
    }
    if (fstat(file, &status) == 0 && status.st_size >= WORD && status.st_size % WORD == 0) {
        *bytes = (size_t)status.st_size;
        mapping = mmap(NULL, *bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    }
    (void)close(file);
    if (mapping == MAP_FAILED) {
        return NULL;
    }
    (void)posix_madvise(mapping, *bytes, POSIX_MADV_WILLNEED);
    return mapping;
}

struct gp_view_timeline *gp_view_cache_read(const char *folder, const char *path, int64_t run)
{
    struct stamp expected;
    char name[PATH_BYTES];
    struct gp_view_timeline *timeline = NULL;
    size_t bytes = 0;
    char *mapping;

    if (!make_stamp(path, run, &expected) || !make_name(folder, &expected, "", name)) {
        return NULL;
    }
    mapping = map(name, &bytes);
    if (mapping != NULL) {
        timeline = read_mapping(mapping, bytes, &expected);
    }
    if (mapping != NULL && timeline == NULL) {
        (void)munmap(mapping, bytes);
    }
    return timeline;
}
