/* How much processor time it takes to read a recording of a million operations, and to summarise
 * it; one thread, page cache warm. A figure, not a test: bench_reader [operations]. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "probe/analysis/load.h"
#include "probe/memory.h"
#include "probe/store/writer.h"
#include "store/rows.h"

enum { OPS = 1000000, ROUNDS = 5 };

static double now_s(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void need(int code, const struct gp_error *err)
{
    if (code != 0) {
        (void)fprintf(stderr, "bench_reader: %s\n", err->text);
        exit(1);
    }
}

static void record(const char *path, uint32_t op_count)
{
    struct gp_error err = {0};
    struct gp_writer *writer = NULL;
    struct gp_device_row device = make_device(1);
    struct gp_cell_row cell = make_cell(1, 1);
    struct gp_run_rows rows = make_run(1, 1, op_count);

    rows.access_count = rows.range_count = rows.call_count = 0;
    cell.status = GP_STATUS_COMPLETE;
    need(gp_writer_create(path, true, &writer, &err), &err);
    need(gp_writer_add_device(writer, &device, &err), &err);
    need(gp_writer_add_cell(writer, &cell, &err), &err);
    need(gp_writer_add_run(writer, &rows, &err), &err);
    need(gp_writer_finish(writer, true, &err), &err);
    free_run(&rows);
}

int main(int argc, char **argv)
{
    uint32_t op_count = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : OPS;
    const char *path = make_path("bench.gpuprobe");
    struct gp_op_row *ops = gp_xalloc(op_count, sizeof *ops);
    struct gp_op_outline *outlines = gp_xalloc(op_count, sizeof *outlines);

    record(path, op_count);
    for (int round = 0; round < ROUNDS; round++) {
        struct gp_error err = {0};
        struct gp_reader *reader = NULL;
        struct gp_results results = {0};
        double begin_s = now_s();
        double outlined_s, read_s;

        need(gp_reader_open(path, &reader, &err), &err);
        need(gp_reader_outlines(reader, 1, 0, op_count, outlines, &err), &err);
        outlined_s = now_s() - begin_s;
        need(gp_reader_ops(reader, 1, 0, op_count, ops, &err), &err);
        read_s = now_s() - begin_s - outlined_s;
        need(gp_results_load(reader, &results, &err), &err);
        (void)printf("%u operations: outlines in %.3f s, all columns in %.3f s, read again and"
                     " summarised in %.3f s\n",
                     (unsigned)op_count, outlined_s, read_s,
                     now_s() - begin_s - outlined_s - read_s);
        gp_results_finish(&results);
        gp_reader_close(reader);
    }
    gp_free(ops);
    gp_free(outlines);
    remove_directory();
    return 0;
}
