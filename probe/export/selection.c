/* What an export takes: see selection.h. */
#include "probe/export/selection.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "probe/memory.h"
#include "probe/nvtx/ranges.h"

/* Between runs of which nobody knows when they were. */
#define GAP_NS INT64_C(10000000)

/* ---- the runs ------------------------------------------------------------------------------ */

static int add_cell(struct gp_selection_list *list, size_t *capacity, struct gp_reader *reader,
                    const struct gp_cell_row *cell, const struct gp_export_options *options,
                    struct gp_error *err)
{
    struct gp_run_row *runs;
    uint32_t count;
    int code = gp_reader_runs(reader, cell->id, &runs, &count, err);

    for (uint32_t i = 0; i < count; i++) {
        if (options->passes != 0 && (options->passes & 1u << runs[i].pass) == 0) {
            continue;
        }
        list->runs = gp_xgrow(list->runs, capacity, list->count + 1, sizeof *list->runs);
        list->runs[list->count++] = (struct gp_selection_run){
            .device = gp_reader_device(reader, cell->device), .cell = cell, .run = runs[i]};
    }
    gp_free(runs);
    return code;
}

/* The earliest known epoch, 0 when one is not known: then nothing can be placed by it. */
static int64_t earliest_epoch(const struct gp_selection_list *list)
{
    int64_t earliest = 0;

    for (uint32_t i = 0; i < list->count; i++) {
        int64_t epoch = list->runs[i].run.epoch_realtime_ns;

        if (epoch == GP_UNKNOWN || epoch <= 0) {
            return 0;
        }
        if (earliest == 0 || epoch < earliest) {
            earliest = epoch;
        }
    }
    return earliest;
}

static void place(struct gp_selection_list *list)
{
    int64_t next = 0;

    list->realtime_ns = earliest_epoch(list);
    for (uint32_t i = 0; i < list->count; i++) {
        const struct gp_run_row *run = &list->runs[i].run;

        if (list->realtime_ns != 0) {
            list->runs[i].shift = run->epoch_realtime_ns - list->realtime_ns;
        } else if (run->op_count > 0) {
            list->runs[i].shift = next;
            next += GAP_NS + (run->makespan_ns != GP_UNKNOWN ? run->makespan_ns : 0);
        }
    }
}

int gp_selection_list_init(struct gp_selection_list *out, struct gp_reader *reader,
                           const struct gp_export_options *options, struct gp_error *err)
{
    size_t capacity = 0;
    uint32_t count;
    const struct gp_cell_row *cells = gp_reader_cells(reader, &count);
    bool found = options->cell == 0;
    int code = 0;

    *out = (struct gp_selection_list){0};
    for (uint32_t i = 0; i < count && code == 0; i++) {
        if (options->cell == 0 || options->cell == cells[i].id) {
            found = true;
            code = add_cell(out, &capacity, reader, &cells[i], options, err);
        }
    }
    if (code == 0 && !found) {
        return gp_fail(err, GP_EINVAL, "the recording has no cell %lld; it has 1 to %u",
                       (long long)options->cell, count);
    }
    place(out);
    return code;
}

void gp_selection_list_finish(struct gp_selection_list *list)
{
    gp_free(list->runs);
    *list = (struct gp_selection_list){0};
}

void gp_selection_run_name(const struct gp_selection_run *run,
                           char out[GP_SELECTION_NAME_BYTES_MAX])
{
    const struct gp_cell_row *cell = run->cell;

    (void)snprintf(out, GP_SELECTION_NAME_BYTES_MAX, "%.60s %.60s/%d%s%s", cell->scenario,
                   cell->policy, (int)cell->streams,
                   cell->submit == GP_SUBMIT_GRAPH ? " graph" : "",
                   run->run.pass == GP_PASS_REFERENCE ? " reference" : "");
}

/* ---- calls --------------------------------------------------------------------------------- */

/* The driver's functions that core/device/cuda calls for each kind; NULL: it submits nothing. */
static const char *const submitting[GP_OP_KIND_COUNT] = {
    [GP_OP_KERNEL] = "cuLaunchKernel",    [GP_OP_H2D] = "cuMemcpyHtoDAsync_v2",
    [GP_OP_D2H] = "cuMemcpyDtoHAsync_v2", [GP_OP_D2D] = "cuMemcpyDtoDAsync_v2",
    [GP_OP_MEMSET] = "cuMemsetD8Async",   [GP_OP_HOST] = "cuLaunchHostFunc",
    [GP_OP_GRAPH] = "cuGraphLaunch",      [GP_OP_ALLOC] = "cuMemAllocAsync",
    [GP_OP_FREE] = "cuMemFreeAsync",
};

/* Likewise for the calls that dispatch tells of; imported ones have their own names. */
static const char *driver_name(const char *name)
{
    static const struct {
        const char *told, *driver;
    } names[] = {
        {"record", "cuEventRecord"},
        {"timed record", "cuEventRecord"},
        {"wait", "cuStreamWaitEvent"},
        {"graph launch", "cuGraphLaunch"},
    };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(name, names[i].told) == 0) {
            return names[i].driver;
        }
    }
    return name;
}

static int by_time(const void *a, const void *b)
{
    const struct gp_selection_call *x = a;
    const struct gp_selection_call *y = b;

    if (x->begin != y->begin) {
        return x->begin < y->begin ? -1 : 1;
    }
    if (x->end != y->end) {
        return x->end > y->end ? -1 : 1;
    }
    return x->correlation < y->correlation ? -1 : x->correlation > y->correlation;
}

/* The recorded call with just these times; NULL none. */
static const struct gp_selection_call *find_call(const struct gp_selection_call *calls,
                                                 uint32_t count, int64_t begin, int64_t end)
{
    const struct gp_selection_call key = {.begin = begin, .end = end};
    uint32_t low = 0, high = count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (by_time(&calls[middle], &key) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < count && calls[low].begin == begin && calls[low].end == end ? &calls[low] : NULL;
}

/* An operation was submitted by a recorded call with the same times (a graph's launch, or a trace
 * that was imported), or by one of its own that only the operation's row tells of. */
static void add_submitting(struct gp_selection_rows *rows, uint32_t correlation, uint32_t recorded)
{
    for (uint32_t i = 0; i < rows->op_count; i++) {
        const struct gp_op_row *op = &rows->ops[i];
        const struct gp_selection_call *call = NULL;

        rows->correlations[i] = correlation + i;
        if (op->submit_begin == GP_UNKNOWN || op->submit_end == GP_UNKNOWN) {
            continue;
        }
        call = find_call(rows->calls, recorded, op->submit_begin, op->submit_end);
        if (call != NULL) {
            rows->correlations[i] = call->correlation;
        } else if (submitting[op->kind] != NULL) {
            rows->calls[rows->call_count++] = (struct gp_selection_call){
                .name = submitting[op->kind],
                .begin = op->submit_begin,
                .end = op->submit_end,
                .op = i,
                .correlation = correlation + i,
            };
        }
    }
}

static void add_calls(struct gp_selection_rows *rows, uint32_t correlation,
                      const struct gp_call_row *calls, uint32_t count)
{
    rows->calls = gp_xalloc((size_t)count + rows->op_count, sizeof *rows->calls);
    rows->correlations = gp_xalloc(rows->op_count, sizeof *rows->correlations);
    for (uint32_t i = 0; i < count; i++) {
        rows->calls[i] = (struct gp_selection_call){
            .name = driver_name(calls[i].name),
            .begin = calls[i].begin,
            .end = calls[i].end,
            .op = calls[i].op,
            .thread = calls[i].thread,
            .correlation = correlation + rows->op_count + i,
        };
    }
    rows->call_count = count;
    rows->correlation_next = correlation + rows->op_count + count;
    qsort(rows->calls, count, sizeof *rows->calls, by_time);
    add_submitting(rows, correlation, count);
    qsort(rows->calls, rows->call_count, sizeof *rows->calls, by_time);
}

/* ---- rows ---------------------------------------------------------------------------------- */

int gp_selection_rows_init(struct gp_selection_rows *out, struct gp_reader *reader,
                           const struct gp_selection_run *run, uint32_t correlation,
                           struct gp_error *err)
{
    struct gp_call_row *calls = NULL;
    uint32_t call_count = 0;
    int64_t id = run->run.id;
    int code;

    *out = (struct gp_selection_rows){.op_count = run->run.op_count};
    out->ops = gp_xalloc(out->op_count, sizeof *out->ops);
    code = gp_reader_streams(reader, id, &out->streams, &out->stream_count, err);
    if (code == 0) {
        code = gp_reader_ops(reader, id, 0, out->op_count, out->ops, err);
    }
    if (code == 0) {
        code = gp_reader_edges(reader, id, &out->edges, &out->edge_count, err);
    }
    if (code == 0) {
        code = gp_reader_ranges(reader, id, &out->ranges, &out->range_count, err);
    }
    if (code == 0) {
        code = gp_reader_calls(reader, id, &calls, &call_count, err);
    }
    if (code == 0) {
        add_calls(out, correlation, calls, call_count);
    }
    gp_free(calls);
    return code;
}

void gp_selection_rows_finish(struct gp_selection_rows *rows)
{
    gp_free(rows->streams);
    gp_free(rows->ops);
    gp_free(rows->edges);
    gp_free(rows->ranges);
    gp_free(rows->calls);
    gp_free(rows->correlations);
    *rows = (struct gp_selection_rows){0};
}

bool gp_selection_takes_time(const struct gp_export_options *options, int64_t begin, int64_t end)
{
    if (options->has_from && end != GP_UNKNOWN && end <= options->from_ns &&
        begin < options->from_ns) {
        return false;
    }
    return !options->has_to || begin < options->to_ns;
}

bool gp_selection_takes_op(const struct gp_export_options *options, const struct gp_op_row *op)
{
    struct gp_export_counts *counts = options->counts;

    assert(counts != NULL);
    counts->chosen++;
    if (op->begin == GP_UNKNOWN || op->end == GP_UNKNOWN) {
        counts->untimed++;
        return false;
    }
    if (!gp_selection_takes_time(options, op->begin, op->end)) {
        counts->outside++;
        return false;
    }
    counts->written++;
    return true;
}

bool gp_selection_takes_row(const struct gp_export_options *options, const struct gp_op_row *op)
{
    bool is_timed = op->begin != GP_UNKNOWN && op->end != GP_UNKNOWN;

    if (is_timed || options->has_from || options->has_to) {
        return gp_selection_takes_op(options, op);
    }
    options->counts->chosen++;
    options->counts->written++;
    return true;
}

bool gp_selection_crosses(const struct gp_range_row *range)
{
    return range->category == GP_RANGE_CHAIN + 1 && range->domain != NULL &&
           strcmp(range->domain, GP_RANGE_DOMAIN) == 0;
}

void gp_selection_count_waits(const struct gp_export_options *options,
                              const struct gp_selection_rows *rows, const bool *is_chosen)
{
    for (uint32_t i = 0; i < rows->edge_count; i++) {
        const struct gp_edge_row *edge = &rows->edges[i];

        if (edge->how == GP_HOW_EVENT && is_chosen[edge->from] && is_chosen[edge->to]) {
            options->counts->waits++;
            options->counts->waits_lost++;
        }
    }
}
