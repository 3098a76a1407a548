/*
 * Reads a run into a timeline: see load.h. One thread leads; the operations are read by it and by
 * helpers with readers of their own, a few thousand at a time, into columns that are there
 * beforehand. The order of reading jumps through the run, so that what was read by any time makes a
 * sample of the whole.
 */
#include "viewer/layout/load.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "core/limits.h"
#include "probe/memory.h"
#include "probe/store/reader.h"
#include "viewer/layout/cache.h"
#include "viewer/layout/fill.h"
#include "viewer/layout/lanes.h"
#include "viewer/layout/sample.h"

enum {
    CHUNK = 8192, /* operations read at once: they stay in a core's cache */
    HELPERS_MAX = 7,
    THREADS_MAX = HELPERS_MAX + 1,
    REFINE_FROM = 8, /* a sample is made anew when an eighth was read, a quarter, a half */
};

/* What the leader reads before the operations. */
struct small {
    struct gp_run_row run;
    struct gp_stream_row *streams;
    struct gp_view_head head; /* of these, and of its reader */
};

struct gp_view_load {
    char *path, *cache;
    int64_t run;
    uint32_t thread_count;
    void (*notify)(void *user);
    void *user;
    pthread_t leader;
    uint32_t chunk_count, stride; /* of chunks: which one comes after another */
    atomic_uint_fast32_t next;    /* how many chunks somebody has taken */
    atomic_uint_fast32_t done;
    atomic_uint_fast32_t total;
    atomic_bool is_cancelled, is_over;
    struct gp_view_timeline *timeline;
    struct gp_view_fill fill;
    struct gp_view_sample *sample;  /* NULL: the run is small */
    uint32_t refine_at;             /* operations that make the next one */
    pthread_mutex_t lock;           /* of what follows */
    struct gp_view_timeline *fresh; /* the newest sample, until somebody takes it */
    int code;
    struct gp_error err;
};

/* The first failure is the one that is told; it ends the others. */
static void fail(struct gp_view_load *load, int code, const struct gp_error *err)
{
    (void)pthread_mutex_lock(&load->lock);
    if (load->code == 0) {
        load->code = code;
        load->err = *err;
    }
    (void)pthread_mutex_unlock(&load->lock);
    atomic_store(&load->is_cancelled, true);
}

static int check_cancelled(struct gp_view_load *load, struct gp_error *err)
{
    return atomic_load(&load->is_cancelled)
               ? gp_fail(err, GP_EINTERRUPTED, "%s: reading it was cancelled", load->path)
               : 0;
}

/* ---- samples ------------------------------------------------------------------------------- */

/* Takes the sample over. */
static void offer(struct gp_view_load *load, struct gp_view_timeline *sample)
{
    struct gp_view_timeline *before;

    (void)pthread_mutex_lock(&load->lock);
    before = load->fresh;
    load->fresh = sample;
    (void)pthread_mutex_unlock(&load->lock);
    gp_view_timeline_destroy(before);
}

/* Some blocks of a large run, before anything else is read of it. */
static int read_sample(struct gp_view_load *load, struct gp_reader *reader,
                       const struct gp_view_head *head, struct gp_error *err)
{
    struct gp_op_outline *outlines = gp_xalloc(GP_VIEW_SAMPLE_ROWS, sizeof *outlines);
    int code = 0;

    load->sample = gp_view_sample_create(head->run->op_count);
    load->refine_at = head->run->op_count / REFINE_FROM;
    for (uint32_t i = 0; i <= GP_VIEW_SAMPLE_BLOCKS && code == 0; i += GP_VIEW_SAMPLE_STEP) {
        uint32_t block = i < GP_VIEW_SAMPLE_BLOCKS ? i : GP_VIEW_SAMPLE_BLOCKS - 1;
        uint32_t first = gp_view_sample_first(load->sample, block);

        code = check_cancelled(load, err);
        if (code == 0) {
            code = gp_reader_outlines(reader, load->run, first, GP_VIEW_SAMPLE_ROWS, outlines, err);
        }
        if (code == 0) {
            gp_view_sample_put(load->sample, first, outlines, GP_VIEW_SAMPLE_ROWS);
        }
    }
    if (code == 0) {
        offer(load, gp_view_sample_make(load->sample, head));
    }
    gp_free(outlines);
    return code;
}

static void refine(struct gp_view_load *load, const struct gp_view_head *head)
{
    if (load->sample != NULL && atomic_load(&load->done) >= load->refine_at &&
        load->refine_at < head->run->op_count) {
        load->refine_at *= 2;
        offer(load, gp_view_sample_make(load->sample, head));
    }
}

/* ---- operations ---------------------------------------------------------------------------- */

/* The stride that visits all chunks, each far from those before it: near the golden section, and
 * without a divisor in common. */
static uint32_t choose_stride(uint32_t count)
{
    uint32_t stride = (uint32_t)((uint64_t)count * 618 / 1000);

    for (stride = stride > 0 ? stride : 1;; stride++) {
        uint32_t a = count, b = stride;

        while (b != 0) {
            uint32_t rest = a % b;

            a = b;
            b = rest;
        }
        if (a == 1 || count == 0) {
            return stride;
        }
    }
}

static int read_chunk(struct gp_view_load *load, struct gp_reader *reader, uint32_t chunk,
                      struct gp_op_outline *outlines, struct gp_error *err)
{
    uint32_t op_count = load->timeline->tables[GP_VIEW_OPS].count;
    uint32_t first = chunk * CHUNK;
    uint32_t count = op_count - first < CHUNK ? op_count - first : CHUNK;
    int code = gp_reader_outlines(reader, load->run, first, count, outlines, err);

    if (code == 0) {
        gp_view_fill_ops(&load->fill, first, outlines, count);
        if (load->sample != NULL) {
            gp_view_sample_put(load->sample, first, outlines, count);
        }
        atomic_fetch_add(&load->done, count);
    }
    return code;
}

/* Reads operations until there are none left. head: makes samples as well; NULL: another does. */
static int read_ops(struct gp_view_load *load, struct gp_reader *reader,
                    const struct gp_view_head *head, struct gp_error *err)
{
    struct gp_op_outline *outlines = gp_xalloc(CHUNK, sizeof *outlines);
    uint32_t taken;
    int code = 0;

    while (code == 0 && (taken = (uint32_t)atomic_fetch_add(&load->next, 1)) < load->chunk_count) {
        uint32_t chunk = (uint32_t)((uint64_t)taken * load->stride % load->chunk_count);

        code = check_cancelled(load, err);
        if (code == 0) {
            code = read_chunk(load, reader, chunk, outlines, err);
        }
        if (code == 0 && head != NULL) {
            refine(load, head);
        }
    }
    gp_free(outlines);
    return code;
}

static void *help(void *argument)
{
    struct gp_view_load *load = argument;
    struct gp_error err = {0};
    struct gp_reader *reader = NULL;
    int code = gp_reader_open(load->path, &reader, &err);

    if (code == 0) {
        code = read_ops(load, reader, NULL, &err);
    }
    if (code != 0) {
        fail(load, code, &err);
    }
    gp_reader_close(reader);
    return NULL;
}

/* The run's row, of whatever cell it is. */
static int find_run(struct gp_view_load *load, struct gp_reader *reader, struct gp_run_row *run,
                    const struct gp_cell_row **cell, struct gp_error *err)
{
    uint32_t cell_count;
    const struct gp_cell_row *cells = gp_reader_cells(reader, &cell_count);

    for (uint32_t i = 0; i < cell_count; i++) {
        struct gp_run_row *runs = NULL;
        uint32_t run_count;
        bool is_found = false;
        int code = gp_reader_runs(reader, cells[i].id, &runs, &run_count, err);

        for (uint32_t k = 0; code == 0 && k < run_count && !is_found; k++) {
            is_found = runs[k].id == load->run;
            *run = runs[k];
        }
        gp_free(runs);
        if (code != 0 || is_found) {
            *cell = &cells[i];
            return code;
        }
    }
    return gp_fail(err, GP_ENOTFOUND, "%s: there is no run %lld", load->path, (long long)load->run);
}

/* Whose run it is, names, streams; makes room for the operations. */
static int read_small(struct gp_view_load *load, struct gp_reader *reader, struct small *small,
                      struct gp_error *err)
{
    const struct gp_cell_row *cell = NULL;
    struct gp_view_head *head = &small->head;
    int code = find_run(load, reader, &small->run, &cell, err);

    if (code == 0 && small->run.op_count == 0) {
        code = gp_fail(err, GP_ENOTFOUND,
                       "%s: run %lld kept no operations: record the cell with --trace stamps",
                       load->path, (long long)load->run);
    }
    if (code == 0) {
        code = gp_reader_streams(reader, load->run, &small->streams, &head->stream_count, err);
    }
    if (code == 0 && head->stream_count > GP_STREAMS_MAX) {
        code =
            gp_fail(err, GP_EFORMAT, "%s: damaged: run %lld has %u streams, more than %d",
                    load->path, (long long)load->run, (unsigned)head->stream_count, GP_STREAMS_MAX);
    }
    if (code == 0) {
        assert(cell != NULL);
        head->run = &small->run;
        head->device = gp_reader_device(reader, cell->device);
        head->streams = small->streams;
        head->strings = gp_reader_strings(reader, &head->string_count);
        load->timeline = gp_view_fill_begin(&load->fill, head, small->run.op_count);
        load->chunk_count = (small->run.op_count - 1) / CHUNK + 1;
        load->stride = choose_stride(load->chunk_count);
        atomic_store(&load->total, small->run.op_count);
    }
    return code;
}

static int read_host(struct gp_view_load *load, struct gp_reader *reader, struct gp_error *err)
{
    struct gp_range_row *ranges = NULL;
    struct gp_call_row *calls = NULL;
    uint32_t range_count, call_count;
    int code = gp_reader_ranges(reader, load->run, &ranges, &range_count, err);

    if (code == 0) {
        code = check_cancelled(load, err);
    }
    if (code == 0) {
        code = gp_reader_calls(reader, load->run, &calls, &call_count, err);
    }
    if (code == 0) {
        gp_view_fill_host(&load->fill, ranges, range_count, calls, call_count);
    }
    gp_free(ranges);
    gp_free(calls);
    return code;
}

/* With helpers when there is enough for them to do. A helper that cannot be started is missed, no
 * more. */
static int read_all(struct gp_view_load *load, struct gp_reader *reader,
                    const struct gp_view_head *head, struct gp_error *err)
{
    uint32_t chunks = load->chunk_count - 1; /* the leader reads one */
    uint32_t helper_count = load->thread_count - 1 < chunks ? load->thread_count - 1 : chunks;
    pthread_t helpers[HELPERS_MAX];
    uint32_t started = 0;
    int code;

    while (started < helper_count && pthread_create(&helpers[started], NULL, help, load) == 0) {
        started++;
    }
    code = read_host(load, reader, err);
    if (code == 0) {
        code = read_ops(load, reader, head, err);
    }
    if (code != 0) {
        fail(load, code, err);
    }
    for (uint32_t i = 0; i < started; i++) {
        (void)pthread_join(helpers[i], NULL);
    }
    return code;
}

static int read_recording(struct gp_view_load *load, struct gp_error *err)
{
    struct gp_reader *reader = NULL;
    struct small small = {0};
    int code = gp_reader_open(load->path, &reader, err);

    if (code == 0) {
        code = read_small(load, reader, &small, err);
    }
    if (code == 0 && small.run.op_count >= GP_VIEW_SAMPLE_FROM) {
        code = read_sample(load, reader, &small.head, err);
    }
    if (code == 0) {
        code = read_all(load, reader, &small.head, err);
    }
    if (code == 0) {
        code = check_cancelled(load, err);
    }
    if (load->timeline != NULL) {
        gp_view_fill_end(&load->fill);
    }
    gp_view_sample_destroy(load->sample);
    if (code == 0) {
        gp_view_lanes_build(load->timeline, load->thread_count);
    }
    gp_free(small.streams);
    gp_reader_close(reader);
    return code;
}

static void *lead(void *argument)
{
    struct gp_view_load *load = argument;
    struct gp_error err = {0};
    int code = 0;

    if (load->cache != NULL) {
        load->timeline = gp_view_cache_read(load->cache, load->path, load->run);
    }
    if (load->timeline == NULL) {
        code = read_recording(load, &err);
    }
    if (code != 0) {
        fail(load, code, &err);
    }
    atomic_store(&load->is_over, true);
    if (load->notify != NULL) {
        load->notify(load->user);
    }
    return NULL;
}

static uint32_t choose_threads(uint32_t wanted)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    uint32_t count = wanted != 0 ? wanted : processors < 1 ? 1 : (uint32_t)processors;

    return count < THREADS_MAX ? count : THREADS_MAX;
}

static void destroy(struct gp_view_load *load)
{
    (void)pthread_mutex_destroy(&load->lock);
    gp_view_timeline_destroy(load->fresh);
    gp_free(load->path);
    gp_free(load->cache);
    gp_free(load);
}

int gp_view_load_begin(const struct gp_view_load_options *options, struct gp_view_load **out,
                       struct gp_error *err)
{
    struct gp_view_load *load = gp_xalloc(1, sizeof *load);

    assert(options->path != NULL && out != NULL);
    load->path = gp_xcopy(options->path);
    load->cache = gp_xcopy(options->cache);
    load->run = options->run;
    load->thread_count = choose_threads(options->threads);
    load->notify = options->notify;
    load->user = options->user;
    (void)pthread_mutex_init(&load->lock, NULL);
    if (pthread_create(&load->leader, NULL, lead, load) != 0) {
        destroy(load);
        return gp_fail(err, GP_ESTATE, "%s: no thread can be started to read it", options->path);
    }
    *out = load;
    return 0;
}

void gp_view_load_look(const struct gp_view_load *load, struct gp_view_progress *out)
{
    out->done = atomic_load(&load->done);
    out->total = atomic_load(&load->total);
    out->is_over = atomic_load(&load->is_over);
}

struct gp_view_timeline *gp_view_load_sample(struct gp_view_load *load)
{
    struct gp_view_timeline *sample;

    (void)pthread_mutex_lock(&load->lock);
    sample = load->fresh;
    load->fresh = NULL;
    (void)pthread_mutex_unlock(&load->lock);
    return sample;
}

void gp_view_load_cancel(struct gp_view_load *load)
{
    atomic_store(&load->is_cancelled, true);
}

int gp_view_load_finish(struct gp_view_load *load, struct gp_view_timeline **out,
                        struct gp_error *err)
{
    int code;

    *out = NULL;
    if (load == NULL) {
        return gp_fail(err, GP_EINVAL, "there is no load to finish");
    }
    (void)pthread_join(load->leader, NULL);
    code = load->code;
    if (code != 0) {
        if (err != NULL) {
            *err = load->err;
        }
        gp_view_timeline_destroy(load->timeline);
    } else {
        *out = load->timeline;
    }
    destroy(load);
    return code;
}
