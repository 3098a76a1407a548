/* One traced run with all its rows: see run_data.h. */
#include "probe/analysis/run_data.h"

#include <assert.h>

#include "probe/memory.h"

static const double vague_from = 0.25; /* of the run */

static const struct gp_cell_row *find_cell(const struct gp_reader *reader, int64_t id)
{
    uint32_t count = 0;
    const struct gp_cell_row *cells = gp_reader_cells(reader, &count);

    for (uint32_t i = 0; i < count; i++) {
        if (cells[i].id == id) {
            return &cells[i];
        }
    }
    return NULL;
}

static int find_run(struct gp_reader *reader, int64_t id, struct gp_run_data *out,
                    struct gp_error *err)
{
    struct gp_run_row *runs = NULL;
    uint32_t count = 0;
    int code = gp_reader_runs(reader, out->cell->id, &runs, &count, err);
    bool found = false;

    for (uint32_t i = 0; i < count; i++) {
        if (runs[i].id == id) {
            out->run = runs[i];
            found = true;
        }
    }
    gp_free(runs);
    if (code == 0 && !found) {
        return gp_fail(err, GP_ENOTFOUND, "cell %lld has no run %lld", (long long)out->cell->id,
                       (long long)id);
    }
    return code;
}

static int load_facts(struct gp_reader *reader, struct gp_run_data *out, struct gp_error *err)
{
    struct gp_calibration_row *rows = NULL;
    uint32_t count = 0;
    int code = gp_reader_calibrations(reader, &rows, &count, err);

    if (code == 0) {
        gp_facts_collect(out->device, rows, count, &out->facts);
    }
    gp_free(rows);
    return code;
}

static int load_rows(struct gp_reader *reader, int64_t run, struct gp_run_data *out,
                     struct gp_error *err)
{
    int code;

    out->op_count = out->run.op_count;
    out->ops = gp_xalloc(out->op_count, sizeof *out->ops);
    code = gp_reader_ops(reader, run, 0, out->op_count, out->ops, err);
    if (code == 0) {
        code = gp_reader_edges(reader, run, &out->edges, &out->edge_count, err);
    }
    if (code == 0) {
        code = gp_reader_accesses(reader, run, &out->accesses, &out->access_count, err);
    }
    if (code == 0) {
        code = gp_reader_streams(reader, run, &out->streams, &out->stream_count, err);
    }
    if (code == 0) {
        code = gp_reader_calls(reader, run, &out->calls, &out->call_count, err);
    }
    if (code == 0) {
        code = gp_reader_states(reader, run, &out->states, &out->state_count, err);
    }
    if (code == 0) {
        code = gp_reader_blocks(reader, run, &out->blocks, &out->block_count, err);
    }
    return code;
}

int gp_run_load(struct gp_reader *reader, int64_t cell, int64_t run, struct gp_run_data *out,
                struct gp_error *err)
{
    int code;

    assert(reader != NULL && out != NULL);
    *out = (struct gp_run_data){.cell = find_cell(reader, cell), .heed = gp_reader_heeded(reader)};
    if (out->cell == NULL) {
        return gp_fail(err, GP_ENOTFOUND, "there is no cell %lld", (long long)cell);
    }
    out->device = gp_reader_device(reader, out->cell->device);
    code = find_run(reader, run, out, err);
    if (code == 0) {
        code = load_facts(reader, out, err);
    }
    if (code == 0) {
        code = load_rows(reader, run, out, err);
    }
    if (code != 0) {
        gp_run_finish(out);
    }
    return code;
}

bool gp_run_is_vague(const struct gp_run_data *data)
{
    double widths_ns = 0;
    int64_t end_ns = 0;
    uint32_t count = 0;

    assert(data != NULL);
    for (uint32_t i = 0; i < data->op_count; i++) {
        const struct gp_op_row *op = &data->ops[i];

        if (!gp_op_runs(op)) {
            continue;
        }
        end_ns = op->end > end_ns ? op->end : end_ns;
        if (op->begin_lo != GP_UNKNOWN && op->begin_hi != GP_UNKNOWN && op->end_lo != GP_UNKNOWN &&
            op->end_hi != GP_UNKNOWN) {
            widths_ns += ((double)op->begin_hi - (double)op->begin_lo + (double)op->end_hi -
                          (double)op->end_lo) /
                         2;
            count++;
        }
    }
    return count > 0 && widths_ns / count > vague_from * (double)end_ns;
}

void gp_run_finish(struct gp_run_data *data)
{
    if (data == NULL) {
        return;
    }
    gp_free(data->ops);
    gp_free(data->edges);
    gp_free(data->accesses);
    gp_free(data->streams);
    gp_free(data->calls);
    gp_free(data->states);
    gp_free(data->blocks);
    *data = (struct gp_run_data){0};
}
