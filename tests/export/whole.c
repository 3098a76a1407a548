/* Whole exports: see whole.h. */
#include "test.h"

#include "export/whole.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/store/writer.h"
#include "store/rows.h"

enum { LONG_BYTES = 10000 };

char *export_bytes(const char *recording, const char *format,
                   const struct gp_export_options *options, size_t *count)
{
    struct gp_error err = {0};
    struct gp_reader *reader = NULL;
    FILE *file = tmpfile();
    char *bytes;
    long size;

    assert_non_null(file);
    gp_assert_ok(gp_reader_open(recording, &reader, &err), err);
    gp_assert_ok(gp_export_write(gp_export_find(format), reader, options, file, &err), err);
    gp_reader_close(reader);
    size = ftell(file);
    assert_true(size > 0);
    rewind(file);
    bytes = malloc((size_t)size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, (size_t)size, file), size);
    bytes[size] = '\0';
    (void)fclose(file);
    *count = (size_t)size;
    return bytes;
}

void export_to(const char *recording, const char *format, const struct gp_export_options *options,
               const char *out)
{
    struct gp_error err = {0};
    struct gp_reader *reader = NULL;
    FILE *empty = fopen(out, "w");

    assert_non_null(empty);
    (void)fclose(empty);
    gp_assert_ok(gp_reader_open(recording, &reader, &err), err);
    gp_assert_ok(gp_export_write_file(gp_export_find(format), reader, options, out, &err), err);
    gp_reader_close(reader);
}

/* One of each kind, twice where there is room, with all names. */
static void make_ops(struct gp_op_row *ops, const char *long_name)
{
    const char *const names[] = {"a \"quoted\" \\ name",
                                 "tab\tnewline\nbell\a",
                                 "bad \xff\xc0\xaf utf-8 \xed\xa0\x80",
                                 "ünïcode ✓",
                                 long_name,
                                 "void f<int>(T&&)"};
    static const enum gp_op_kind kinds[NASTY_OPS] = {
        GP_OP_KERNEL, GP_OP_H2D,    GP_OP_D2H,    GP_OP_D2D,    GP_OP_MEMSET,
        GP_OP_HOST,   GP_OP_VALUE,  GP_OP_KERNEL, GP_OP_KERNEL, GP_OP_H2D,
        GP_OP_KERNEL, GP_OP_KERNEL, GP_OP_GRAPH,  GP_OP_KERNEL,
    };

    for (uint32_t i = 0; i < NASTY_OPS; i++) {
        struct gp_op_row *op = &ops[i];

        op->id = i;
        op->kind = kinds[i];
        op->name = names[i % 6];
        op->stream = i % 2;
        op->chain = i;
        op->begin = (int64_t)i * 1000 + 1;
        /* Half as long again as the distance of two on a stream: they overlap partly. */
        op->end = op->begin + (i % 3 == 0 ? 3003 : 17);
        op->bytes = kinds[i] == GP_OP_KERNEL ? GP_UNKNOWN : 4096;
        op->grid[0] = op->grid[1] = op->grid[2] = kinds[i] == GP_OP_KERNEL ? 2 : 0;
        memcpy(op->block, op->grid, sizeof op->block);
        op->submit_begin = (int64_t)i * 100;
        op->submit_end = (int64_t)i * 100 + 50;
        op->begin_lo = op->begin_hi = op->end_lo = op->end_hi = GP_UNKNOWN;
        op->ready = op->done = op->stamp_begin = op->stamp_end = GP_UNKNOWN;
        op->ref_begin = op->ref_end = op->rule_detail = GP_UNKNOWN;
        op->smem = op->regs = op->engine = op->connection = -1;
        op->source = GP_SOURCE_STAMP;
    }
    ops[1].end = ops[1].begin; /* no bandwidth can be said */
    ops[9].begin = ops[9].end = GP_UNKNOWN;
}

void write_nasty(const char *path)
{
    static char long_name[LONG_BYTES + 1];
    struct gp_error err = {0};
    struct gp_writer *writer = NULL;
    struct gp_device_row device = make_device(1);
    struct gp_cell_row cell = make_cell(1, 1);
    struct gp_run_rows rows = make_run(1, 1, 2);
    struct gp_op_row ops[NASTY_OPS] = {0};
    const struct gp_edge_row edges[] = {
        {0, 1, GP_EDGE_DATA, GP_HOW_EVENT},
        {0, 2, GP_EDGE_CHAIN, GP_HOW_STREAM},
        {8, 9, GP_EDGE_JOIN, GP_HOW_EVENT},
    };
    const struct gp_call_row calls[] = {
        {.name = "record", .begin = 50, .end = 60, .op = 0},
        {.name = "wait", .begin = 90, .end = 99, .op = 1},
    };
    struct gp_range_row ranges[] = {
        {.text = "outer \"run\"", .begin = -100, .end = 20000, .domain = "gpuprobe", .id = 0},
        {.text = "never closed", .begin = 100, .end = GP_UNKNOWN, .id = 1, .color = 0xff112233},
        {.text = "chain", .begin = 10, .end = 700, .domain = "gpuprobe", .id = 2, .category = 3},
    };

    memset(long_name, 'n', LONG_BYTES);
    make_ops(ops, long_name);
    ranges[0].color = ranges[2].color = GP_UNKNOWN;
    free_run(&rows);
    rows.ops = ops;
    rows.op_count = NASTY_OPS;
    rows.edges = edges;
    rows.edge_count = 3;
    rows.calls = calls;
    rows.call_count = 2;
    rows.ranges = ranges;
    rows.range_count = 3;
    rows.access_count = 0;
    gp_assert_ok(gp_writer_create(path, true, &writer, &err), err);
    gp_assert_ok(gp_writer_add_device(writer, &device, &err), err);
    gp_assert_ok(gp_writer_add_cell(writer, &cell, &err), err);
    gp_assert_ok(gp_writer_add_run(writer, &rows, &err), err);
    gp_assert_ok(gp_writer_finish(writer, true, &err), err);
}
