/* How many operations a second the recorder stores, from the first call to the closed file. A
 * figure, not a test: bench_recorder [operations]. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "probe/recorder/recorder.h"
#include "store/rows.h"

enum { RUN_OPS = 100000, OPS = 1000000, ROUNDS = 6 };

static double now_s(clockid_t clock)
{
    struct timespec now;

    (void)clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void need(int code, const struct gp_error *err)
{
    if (code != 0) {
        (void)fprintf(stderr, "bench_recorder: %s\n", err->text);
        exit(1);
    }
}

struct cost {
    double wall_s;   /* from the first call to the closed file */
    double handed_s; /* processor time of the calling thread until the last run was handed over */
    double stored_s; /* processor time of everything else */
};

static struct cost record(const char *path, const struct gp_run_rows *rows, long runs)
{
    struct gp_error err = {0};
    struct gp_recorder *recorder = NULL;
    struct gp_device_row device = make_device(0);
    struct gp_cell_row cell = make_cell(0, 1);
    struct cost cost;
    int64_t id;
    double wall_s = now_s(CLOCK_MONOTONIC);
    double thread_s = now_s(CLOCK_THREAD_CPUTIME_ID);
    double process_s = now_s(CLOCK_PROCESS_CPUTIME_ID);

    need(gp_recorder_create(path, true, &recorder, &err), &err);
    need(gp_recorder_add_device(recorder, &device, &id, &err), &err);
    need(gp_recorder_add_cell(recorder, &cell, &id, &err), &err);
    for (long i = 0; i < runs; i++) {
        need(gp_recorder_add_run(recorder, rows, &id, &err), &err);
    }
    cost.handed_s = now_s(CLOCK_THREAD_CPUTIME_ID) - thread_s;
    need(gp_recorder_finish(recorder, true, &err), &err);
    cost.stored_s = now_s(CLOCK_PROCESS_CPUTIME_ID) - process_s - cost.handed_s;
    cost.wall_s = now_s(CLOCK_MONOTONIC) - wall_s;
    return cost;
}

int main(int argc, char **argv)
{
    long runs = (argc > 1 ? strtol(argv[1], NULL, 10) : OPS) / RUN_OPS;
    const char *path = make_path("bench.gpuprobe");
    struct gp_run_rows rows = make_run(1, 1, RUN_OPS);
    uint32_t edge_count = rows.edge_count;

    rows.access_count = rows.range_count = rows.call_count = 0;
    for (int round = 0; round < ROUNDS; round++) {
        double ops = (double)(runs * RUN_OPS);
        struct cost cost;

        rows.edge_count = round % 2 == 0 ? 0 : edge_count;
        cost = record(path, &rows, runs);
        (void)printf("%.0f operations%s: %.0f k/s on the clock, %.0f k/s of processor time; "
                     "handed over in %.0f ns each\n",
                     ops, rows.edge_count > 0 ? " with an edge each" : "", ops / cost.wall_s / 1e3,
                     ops / cost.stored_s / 1e3, cost.handed_s / ops * 1e9);
    }
    free_run(&rows);
    remove_directory();
    return 0;
}
