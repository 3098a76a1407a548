/*
 * What the viewer needs for ten million operations: time until the first overview, memory, time to
 * lay out a frame at every zoom. The window's own part (a texture for each strip) is not in it.
 * Figures, not a test: bench_viewer [operations [file]]; a file that is there already is used.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include "probe/memory.h"
#include "probe/store/writer.h"
#include "store/rows.h"
#include "viewer/layout/cache.h"
#include "viewer/layout/layout.h"
#include "viewer/layout/load.h"
#include "viewer/layout/range.h"
#include "viewer/layout/running.h"
#include "viewer/layout/search.h"

enum {
    OPS = 10000000,
    STREAM_ROWS = 16,
    NAMES = 64,
    WIDTH = 1760 + 180,
    HEIGHT = 800,
    FRAMES = 21
};

static double now_s(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Of all threads of the process. */
static double worked_s(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void need(int code, const struct gp_error *err)
{
    if (code != 0) {
        (void)fprintf(stderr, "bench_viewer: %s\n", err->text);
        exit(1);
    }
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

/* Log-normal lengths about 40 µs, bursts, now and then a copy on one of two engines, waits and
 * uncertain ends. */
static void fill_ops(struct gp_op_row *ops, uint32_t count, char names[NAMES][16])
{
    int64_t free_ns[STREAM_ROWS] = {0}, engine_ns[2] = {0};
    uint64_t seed = 1;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t stream = i % STREAM_ROWS;
        double normal = (double)(next_random(&seed) % 1000 + next_random(&seed) % 1000 +
                                 next_random(&seed) % 1000) /
                            500 -
                        3;
        int64_t begin = free_ns[stream] + (next_random(&seed) % 2000 == 0 ? 5000000 : 500);
        bool is_copy = next_random(&seed) % 5 == 0;
        int64_t *engine = &engine_ns[next_random(&seed) % 2];
        int64_t end;

        /* Copies wait for their engine, one after the other. */
        begin = is_copy && *engine > begin ? *engine : begin;
        end = begin + (int64_t)((is_copy ? 4000 : 40000) * exp(normal));
        *engine = is_copy ? end : *engine;

        ops[i] = (struct gp_op_row){
            .begin = begin,
            .end = end,
            .begin_lo = begin - 40,
            .begin_hi = begin + 30,
            .end_lo = end - (is_copy ? 900 : 40),
            .end_hi = end + 30,
            .ready = begin - 300,
            .done = GP_UNKNOWN,
            .stamp_begin = begin,
            .stamp_end = end,
            .ref_begin = GP_UNKNOWN,
            .ref_end = GP_UNKNOWN,
            .submit_begin = begin - 9000,
            .submit_end = begin - 7000,
            .bytes = is_copy ? 65536 : GP_UNKNOWN,
            .rule_detail = GP_UNKNOWN,
            .release = GP_UNKNOWN,
            .name = names[next_random(&seed) % NAMES],
            .id = i,
            .stream = stream,
            .chain = i / 8 % count,
            .grid = {1, 1, 1},
            .block = {256, 1, 1},
            .smem = 0,
            .regs = 32,
            .engine = is_copy ? (int32_t)(engine - engine_ns) : -1,
            .connection = -1,
            .kind = is_copy ? GP_OP_H2D : GP_OP_KERNEL,
            .source = GP_SOURCE_STAMP,
        };
        free_ns[stream] = end;
    }
}

static void record(const char *path, uint32_t count)
{
    struct gp_error err = {0};
    struct gp_writer *writer = NULL;
    struct gp_device_row device = make_device(1);
    struct gp_cell_row cell = make_cell(1, 1);
    struct gp_op_row *ops = gp_xalloc(count, sizeof *ops);
    struct gp_stream_row streams[STREAM_ROWS];
    char names[NAMES][16];
    struct gp_run_rows rows = {.run = {.id = 1,
                                       .cell = 1,
                                       .pass = GP_PASS_TRACED,
                                       .trace = GP_TRACE_STAMPS,
                                       .trace_note = "",
                                       .verified = -1,
                                       .status = GP_STATUS_COMPLETE},
                               .ops = ops,
                               .op_count = count,
                               .streams = streams,
                               .stream_count = STREAM_ROWS};

    for (uint32_t i = 0; i < NAMES; i++) {
        (void)snprintf(names[i], sizeof names[i], "kernel %u", (unsigned)i);
    }
    for (uint32_t i = 0; i < STREAM_ROWS; i++) {
        streams[i] = (struct gp_stream_row){.id = i, .role = "", .name = ""};
    }
    fill_ops(ops, count, names);
    cell.status = GP_STATUS_COMPLETE;
    cell.streams = STREAM_ROWS;
    device.name = "model";
    need(gp_writer_create(path, true, &writer, &err), &err);
    need(gp_writer_add_device(writer, &device, &err), &err);
    need(gp_writer_add_cell(writer, &cell, &err), &err);
    need(gp_writer_add_run(writer, &rows, &err), &err);
    need(gp_writer_finish(writer, true, &err), &err);
    gp_free(ops);
}

static void say(const char *what, double begin_s, double idle_s)
{
    (void)printf("%-40s %8.2f s, %.2f s of processor time\n", what, now_s() - begin_s,
                 worked_s() - idle_s);
}

/* For the next time, while the first is looked at. */
static void keep(const char *path, const char *cache, struct gp_view_timeline *timeline)
{
    double begin_s = now_s(), idle_s = worked_s();

    gp_view_keep_finish(gp_view_keep_begin(cache, path, timeline), false);
    say("keeping it, in the background", begin_s, idle_s);
    gp_view_timeline_destroy(timeline);
}

/* Polls as the window does, but more often. */
static struct gp_view_timeline *load(const char *path, const char *cache, const char *what)
{
    const struct gp_view_load_options options = {.path = path, .run = 1, .cache = cache};
    const struct timespec pause = {.tv_nsec = 1000000};
    struct gp_error err = {0};
    struct gp_view_load *loading = NULL;
    struct gp_view_timeline *timeline = NULL, *sample;
    struct gp_view_progress progress = {0};
    double begin_s = now_s(), idle_s = worked_s();
    bool is_first = true;

    need(gp_view_load_begin(&options, &loading, &err), &err);
    while (!progress.is_over) {
        gp_view_load_look(loading, &progress);
        sample = gp_view_load_sample(loading);
        if (sample != NULL) {
            say(is_first ? "first overview, a sample" : "a better one", begin_s, idle_s);
            is_first = false;
        }
        gp_view_timeline_destroy(sample);
        (void)nanosleep(&pause, NULL);
    }
    need(gp_view_load_finish(loading, &timeline, &err), &err);
    say(what, begin_s, idle_s);
    return timeline;
}

static int compare(const void *left, const void *right)
{
    const double *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

/* A pointer that moves: what is under it is found, and drawn over the rows, which stay. */
static double hover(struct gp_view_scene *scene, struct gp_view_frame *frame)
{
    static const double x = 700, y = 300;
    struct gp_view_overlay overlay = {
        .selected.span = GP_VIEW_NONE, .range_begin_ns = GP_UNKNOWN, .range_end_ns = GP_UNKNOWN};
    struct gp_view_frame over = {0};
    double begin_s;

    scene->height = HEIGHT;
    gp_view_layout_rows(scene, frame);
    begin_s = worked_s();
    overlay.hovered = gp_view_layout_pick(scene, frame, x, y);
    overlay.cursor_ns = gp_view_window_time(scene->window, scene->width, x);
    gp_view_layout_overlay(scene, &overlay, &over);
    begin_s = worked_s() - begin_s;
    gp_view_frame_finish(&over);
    return begin_s;
}

/* Processor time, median over frames while panning. */
static void measure_zoom(struct gp_view_scene *scene, struct gp_view_frame *frame, double zoom)
{
    const struct gp_view_window all =
        gp_view_window_all(scene->timeline->begin_ns, scene->timeline->end_ns);
    double rows_ms[FRAMES], running_ms[FRAMES], hover_ms[FRAMES];

    scene->window = gp_view_window_zoom(all, all, (all.begin_ns + all.end_ns) / 3, 1 / zoom);
    for (int i = 0; i < FRAMES; i++) {
        double begin_s = worked_s(), middle_s;

        scene->window = gp_view_window_pan(scene->window, all, 0.007);
        scene->height = HEIGHT;
        gp_view_layout_rows(scene, frame);
        middle_s = worked_s();
        scene->height = 40;
        gp_view_layout_running(scene, NULL, 0, frame);
        rows_ms[i] = (middle_s - begin_s) * 1e3;
        running_ms[i] = (worked_s() - middle_s) * 1e3;
        hover_ms[i] = hover(scene, frame) * 1e3;
    }
    qsort(rows_ms, FRAMES, sizeof *rows_ms, compare);
    qsort(running_ms, FRAMES, sizeof *running_ms, compare);
    qsort(hover_ms, FRAMES, sizeof *hover_ms, compare);
    (void)printf("zoom 1/%-8.0f rows %6.2f ms (worst %6.2f), concurrency %6.2f ms, a moving "
                 "pointer %.3f ms\n",
                 zoom, rows_ms[FRAMES / 2], rows_ms[FRAMES - 1], running_ms[FRAMES / 2],
                 hover_ms[FRAMES / 2]);
}

static void measure_questions(const struct gp_view_scene *scene)
{
    const struct gp_view_timeline *timeline = scene->timeline;
    uint8_t *matches = gp_xalloc(timeline->name_count, 1);
    struct gp_view_range_query *query;
    struct gp_view_range range;
    uint8_t hits[2048];
    double begin_s = now_s(), found_s;

    (void)gp_view_search_names(timeline, "kernel 7", matches);
    (void)gp_view_search_hits(timeline, matches,
                              gp_view_window_all(timeline->begin_ns, timeline->end_ns), hits,
                              sizeof hits);
    found_s = now_s();
    query = gp_view_range_ask(timeline, scene->rows, timeline->begin_ns, timeline->end_ns);
    (void)gp_view_range_sum(query, NULL, &range);
    gp_view_range_finish(query);
    (void)printf("search in all %.0f ms, statistics of all %.0f ms\n", (found_s - begin_s) * 1e3,
                 (now_s() - found_s) * 1e3);
    gp_free(matches);
}

int main(int argc, char **argv)
{
    uint32_t count = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : OPS;
    const char *path = argc > 2 ? argv[2] : make_path("viewer.gpuprobe");
    const char *cache = make_path("cache");
    struct gp_view_timeline *timeline;
    struct gp_view_frame frame = {0};
    struct gp_view_asked asked = {.columns = 0};
    struct gp_view_scene scene = {.width = WIDTH, .height = HEIGHT, .scale = 1, .asked = &asked};
    struct rusage usage;
    struct stat status;
    uint32_t *colors;

    if (stat(path, &status) != 0) {
        record(path, count);
    }
    keep(path, cache, load(path, cache, "the whole, the first time"));
    timeline = load(path, cache, "the whole, the second time");
    count = timeline->tables[GP_VIEW_OPS].count;
    (void)getrusage(RUSAGE_SELF, &usage);
    (void)printf("%-40s %8.1f bytes an operation\n", "held",
                 (double)gp_view_timeline_bytes(timeline) / count);
    (void)printf("%-40s %8ld MiB\n", "peak of the process, recording included",
                 usage.ru_maxrss / 1024);
    colors = gp_xalloc(timeline->name_count, sizeof *colors);
    gp_view_color_names(GP_VIEW_LIGHT, (const char *const *)timeline->names, timeline->name_count,
                        colors);
    scene.timeline = timeline;
    scene.rows = gp_view_rows_create(timeline);
    scene.colors = colors;
    /* By steps of √10: between powers of ten spans are as many as pixels. */
    for (int step = 0; step < 13; step++) {
        measure_zoom(&scene, &frame, pow(10, step / 2.0));
    }
    measure_questions(&scene);
    gp_view_asked_forget(&asked);
    gp_view_frame_finish(&frame);
    gp_view_rows_destroy((struct gp_view_rows *)scene.rows);
    gp_view_timeline_destroy(timeline);
    gp_free(colors);
    remove_directory();
    return 0;
}
