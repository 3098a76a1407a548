/* How many operations a second the recorder stores, from the first call to the closed file. A
 * figure, not a test: bench_recorder [operations]. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "probe/recorder/recorder.h"
#include "store/rows.h"

enum { RUN_OPS = 100000, OPS = 1000000, ROUNDS = 5 };

static double now_s(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void need(int code, const struct gp_error *err)
{
    if (code != 0) {
        (void)fprintf(stderr, "bench_recorder: %s\n", err->text);
        exit(1);
    }
}

/* Seconds for all of it; *handed_s: until the last run was handed over. */
static double record(const char *path, const struct gp_run_rows *rows, long runs, double *handed_s)
{
    struct gp_error err = {0};
    struct gp_recorder *recorder = NULL;
    struct gp_device_row device = make_device(0);
    struct gp_cell_row cell = make_cell(0, 1);
    int64_t id;
    double begin_s = now_s();

    need(gp_recorder_create(path, true, &recorder, &err), &err);
    need(gp_recorder_add_device(recorder, &device, &id, &err), &err);
    need(gp_recorder_add_cell(recorder, &cell, &id, &err), &err);
    for (long i = 0; i < runs; i++) {
        need(gp_recorder_add_run(recorder, rows, &id, &err), &err);
    }
    *handed_s = now_s() - begin_s;
    need(gp_recorder_finish(recorder, true, &err), &err);
    return now_s() - begin_s;
}

int main(int argc, char **argv)
{
    long runs = (argc > 1 ? strtol(argv[1], NULL, 10) : OPS) / RUN_OPS;
    const char *path = make_path("bench.gpuprobe");
    struct gp_run_rows rows = make_run(1, 1, RUN_OPS);

    rows.access_count = rows.range_count = rows.call_count = 0;
    for (int round = 0; round < ROUNDS; round++) {
        double handed_s;
        double all_s = record(path, &rows, runs, &handed_s);
        double ops = (double)(runs * RUN_OPS);

        (void)printf("%.0f operations with an edge each: %.0f k/s stored and closed; "
                     "handed over at %.0f ns an operation\n",
                     ops, ops / all_s / 1e3, handed_s / ops * 1e9);
    }
    free_run(&rows);
    remove_directory();
    return 0;
}
