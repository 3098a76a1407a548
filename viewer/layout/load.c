/*
 * Reads a run into a timeline: see load.h. One thread leads; the operations are read by it and by
 * helpers with readers of their own, a few thousand at a time, into columns that are there
 * beforehand.
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

enum {
    CHUNK = 8192, /* operations read at once: they stay in a core's cache */
    HELPERS_MAX = 7,
    THREADS_MAX = HELPERS_MAX + 1,
};

struct gp_view_load {
    char *path, *cache;
    int64_t run;
    uint32_t thread_count;
    void (*notify)(void *user);
    void *user;
    pthread_t leader;
    atomic_uint_fast32_t next; /* the first operation that nobody reads yet */
    atomic_uint_fast32_t done;
    atomic_uint_fast32_t total;
    atomic_bool is_cancelled, is_over;
    struct gp_view_timeline *timeline;
    struct gp_view_fill fill;
    pthread_mutex_t lock; /* of what follows */
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

/* Reads operations until there are none left. */
static int read_ops(struct gp_view_load *load, struct gp_reader *reader, struct gp_error *err)
{
    uint32_t op_count = load->timeline->tables[GP_VIEW_OPS].count;
    struct gp_op_outline *outlines = gp_xalloc(CHUNK, sizeof *outlines);
    int code = 0;

    while (code == 0) {
        uint32_t first = (uint32_t)atomic_fetch_add(&load->next, CHUNK);
        uint32_t count;

        if (first >= op_count) {
            break;
        }
        count = op_count - first < CHUNK ? op_count - first : CHUNK;
        code = check_cancelled(load, err);
        if (code == 0) {
            code = gp_reader_outlines(reader, load->run, first, count, outlines, err);
        }
        if (code == 0) {
            gp_view_fill_ops(&load->fill, first, outlines, count);
            atomic_fetch_add(&load->done, count);
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
        code = read_ops(load, reader, &err);
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

/* What is small: whose run it is, names, streams; makes room for the operations. */
static int read_frame(struct gp_view_load *load, struct gp_reader *reader, struct gp_error *err)
{
    struct gp_run_row run = {0};
    const struct gp_cell_row *cell = NULL;
    struct gp_stream_row *streams = NULL;
    const char *const *strings;
    uint32_t stream_count, string_count;
    int code = find_run(load, reader, &run, &cell, err);

    if (code == 0 && run.op_count == 0) {
        code = gp_fail(err, GP_ENOTFOUND,
                       "%s: run %lld kept no operations: record the cell with --trace stamps",
                       load->path, (long long)load->run);
    }
    if (code == 0) {
        code = gp_reader_streams(reader, load->run, &streams, &stream_count, err);
    }
    if (code == 0 && stream_count > GP_STREAMS_MAX) {
        code = gp_fail(err, GP_EFORMAT, "%s: damaged: run %lld has %u streams, more than %d",
                       load->path, (long long)load->run, (unsigned)stream_count, GP_STREAMS_MAX);
    }
    if (code == 0) {
        assert(cell != NULL);
        strings = gp_reader_strings(reader, &string_count);
        load->timeline = gp_view_fill_begin(&load->fill, run.op_count, strings, string_count);
        gp_view_fill_run(&load->fill, &run, gp_reader_device(reader, cell->device));
        gp_view_fill_streams(&load->fill, streams, stream_count);
        atomic_store(&load->total, run.op_count);
    }
    gp_free(streams);
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
static int read_all(struct gp_view_load *load, struct gp_reader *reader, struct gp_error *err)
{
    uint32_t chunks = load->timeline->tables[GP_VIEW_OPS].count / CHUNK;
    uint32_t helper_count = load->thread_count - 1 < chunks ? load->thread_count - 1 : chunks;
    pthread_t helpers[HELPERS_MAX];
    uint32_t started = 0;
    int code;

    while (started < helper_count && pthread_create(&helpers[started], NULL, help, load) == 0) {
        started++;
    }
    code = read_host(load, reader, err);
    if (code == 0) {
        code = read_ops(load, reader, err);
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
    int code = gp_reader_open(load->path, &reader, err);

    if (code == 0) {
        code = read_frame(load, reader, err);
    }
    if (code == 0) {
        code = read_all(load, reader, err);
    }
    if (code == 0) {
        code = check_cancelled(load, err);
    }
    if (load->timeline != NULL) {
        gp_view_fill_end(&load->fill);
    }
    if (code == 0) {
        gp_view_lanes_build(load->timeline, load->thread_count);
    }
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
