/* Reads everything that a reader can read: see read_all.h. */
#include "store/read_all.h"

#include "probe/memory.h"
#include "probe/store/reader.h"

static int read_ops(struct gp_reader *reader, const struct gp_run_row *run, struct gp_error *err)
{
    struct gp_op_row *ops = gp_xalloc(run->op_count, sizeof *ops);
    int code = gp_reader_ops(reader, run->id, 0, run->op_count, ops, err);

    gp_free(ops);
    return code;
}

static int read_dag(struct gp_reader *reader, int64_t run, struct gp_error *err)
{
    struct gp_stream_row *streams;
    struct gp_edge_row *edges;
    struct gp_access_row *accesses;
    uint32_t count;
    int code = gp_reader_streams(reader, run, &streams, &count, err);

    gp_free(streams);
    if (code == 0) {
        code = gp_reader_edges(reader, run, &edges, &count, err);
        gp_free(edges);
    }
    if (code == 0) {
        code = gp_reader_accesses(reader, run, &accesses, &count, err);
        gp_free(accesses);
    }
    return code;
}

static int read_host(struct gp_reader *reader, int64_t run, struct gp_error *err)
{
    struct gp_range_row *ranges;
    struct gp_call_row *calls;
    struct gp_clock_row *clocks;
    struct gp_state_row *states;
    struct gp_block_row *blocks;
    uint32_t count;
    int code = gp_reader_ranges(reader, run, &ranges, &count, err);

    gp_free(ranges);
    if (code == 0) {
        code = gp_reader_calls(reader, run, &calls, &count, err);
        gp_free(calls);
    }
    if (code == 0) {
        code = gp_reader_clocks(reader, run, &clocks, &count, err);
        gp_free(clocks);
    }
    if (code == 0) {
        code = gp_reader_states(reader, run, &states, &count, err);
        gp_free(states);
    }
    if (code == 0) {
        code = gp_reader_blocks(reader, run, &blocks, &count, err);
        gp_free(blocks);
    }
    return code;
}

static int read_cell(struct gp_reader *reader, int64_t cell, struct gp_error *err)
{
    struct gp_run_row *runs;
    uint32_t count;
    int code = gp_reader_runs(reader, cell, &runs, &count, err);

    for (uint32_t i = 0; i < count && code == 0; i++) {
        code = read_ops(reader, &runs[i], err);
        code = code != 0 ? code : read_dag(reader, runs[i].id, err);
        code = code != 0 ? code : read_host(reader, runs[i].id, err);
    }
    gp_free(runs);
    return code;
}

static int read_figures(struct gp_reader *reader, struct gp_error *err)
{
    struct gp_metric_row *metrics;
    struct gp_calibration_row *calibrations;
    struct gp_verdict_row *verdicts;
    uint32_t count;
    int code = gp_reader_metrics(reader, &metrics, &count, err);

    gp_free(metrics);
    if (code == 0) {
        code = gp_reader_calibrations(reader, &calibrations, &count, err);
        gp_free(calibrations);
    }
    if (code == 0) {
        code = gp_reader_verdicts(reader, &verdicts, &count, err);
        gp_free(verdicts);
    }
    return code;
}

int read_all(const char *path, struct gp_error *err)
{
    struct gp_reader *reader = NULL;
    const struct gp_cell_row *cells;
    uint32_t count;
    int code = gp_reader_open(path, &reader, err);

    if (code != 0) {
        return code;
    }
    cells = gp_reader_cells(reader, &count);
    for (uint32_t i = 0; i < count && code == 0; i++) {
        code = read_cell(reader, cells[i].id, err);
    }
    code = code != 0 ? code : read_figures(reader, err);
    gp_reader_close(reader);
    return code;
}
