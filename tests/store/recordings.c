/* Whole recordings for tests: see recordings.h. */
#include "test.h"

#include "store/recordings.h"

#include <math.h>
#include <stdio.h>

#include "store/rows.h"

struct gp_writer *write_most(const char *path)
{
    struct gp_error err = {0};
    struct gp_writer *writer = NULL;
    struct gp_device_row device = make_device(1);
    struct gp_cell_row cell = make_cell(1, 1);
    struct gp_run_rows rows = make_run(2, 1, OPS);
    struct gp_run_rows plain = {.run = rows.run};
    struct gp_metric_row metric = {.cell = 1, .name = "speedup", .value = 1.5, .lo = NAN, .hi = 2};
    struct gp_verdict_row verdict = {1, "chain-needs-none", GP_VERDICT_FAILS, "{\"lo\":1.5}"};
    struct gp_calibration_row calibration = {1, "tick_ns", "ns", "measured", 32, NAN, NAN};

    plain.run.id = 1;
    plain.run.pass = GP_PASS_PLAIN;
    plain.run.trace = GP_TRACE_OFF;
    plain.run.makespan_ns = GP_UNKNOWN;
    plain.run.verified = -1;
    gp_assert_ok(gp_writer_create(path, true, &writer, &err), err);
    gp_assert_ok(gp_writer_set_key(writer, "seed", "7", &err), err);
    gp_assert_ok(gp_writer_add_device(writer, &device, &err), err);
    gp_assert_ok(gp_writer_add_cell(writer, &cell, &err), err);
    gp_assert_ok(gp_writer_add_run(writer, &plain, &err), err);
    gp_assert_ok(gp_writer_add_run(writer, &rows, &err), err);
    gp_assert_ok(gp_writer_add_metrics(writer, &metric, 1, &err), err);
    gp_assert_ok(gp_writer_add_calibrations(writer, &calibration, 1, &err), err);
    gp_assert_ok(gp_writer_add_verdicts(writer, &verdict, 1, &err), err);
    free_run(&rows);
    return writer;
}

void write_file(const char *path)
{
    struct gp_error err = {0};

    gp_assert_ok(gp_writer_finish(write_most(path), true, &err), err);
}

void copy_file(const char *from, const char *to)
{
    char block[4096];
    size_t got;
    FILE *in = fopen(from, "rb");
    FILE *out = fopen(to, "wb");

    assert_non_null(in);
    assert_non_null(out);
    while ((got = fread(block, 1, sizeof block, in)) > 0) {
        assert_int_equal(fwrite(block, 1, got, out), got);
    }
    (void)fclose(in);
    (void)fclose(out);
}
