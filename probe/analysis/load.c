/* The summaries of a whole recording: see load.h. */
#include "probe/analysis/load.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "probe/analysis/variant.h"
#include "probe/memory.h"

/* ---- one cell ------------------------------------------------------------------------------ */

/* Makespans of one cell's runs; the arrays have room for every run. */
struct makespans {
    int64_t *plain_ns, *traced_ns, *twin_ns;
    uint32_t plain_count, pair_count;
};

static int compare_runs(const void *left, const void *right)
{
    const struct gp_run_row *a = left, *b = right;

    if (a->repeat != b->repeat) {
        return a->repeat < b->repeat ? -1 : 1;
    }
    if (a->pass != b->pass) {
        return a->pass < b->pass ? -1 : 1;
    }
    return (a->id > b->id) - (a->id < b->id);
}

/* Runs are sorted by repeat with plain before traced, so that a traced run's twin came just before
 * it. */
static void collect_makespans(const struct gp_run_row *runs, uint32_t count,
                              struct makespans *makespans)
{
    const struct gp_run_row *twin = NULL;

    for (uint32_t i = 0; i < count; i++) {
        const struct gp_run_row *run = &runs[i];

        if (run->status != GP_STATUS_COMPLETE || run->makespan_ns == GP_UNKNOWN) {
            continue;
        }
        if (run->pass == GP_PASS_PLAIN) {
            makespans->plain_ns[makespans->plain_count++] = run->makespan_ns;
            twin = run;
        } else if (run->pass == GP_PASS_TRACED && twin != NULL && twin->repeat == run->repeat) {
            makespans->traced_ns[makespans->pair_count] = run->makespan_ns;
            makespans->twin_ns[makespans->pair_count++] = twin->makespan_ns;
        }
    }
}

static void take_runs(struct gp_result *result, const struct gp_run_row *runs, uint32_t count)
{
    result->verified = -1;
    result->trace = GP_TRACE_OFF;
    for (uint32_t i = 0; i < count; i++) {
        if (runs[i].verified == 0 || (runs[i].verified == 1 && result->verified != 0)) {
            result->verified = runs[i].verified;
        }
        if (runs[i].pass == GP_PASS_TRACED && runs[i].op_count > 0) {
            result->kept_run = runs[i].id;
            result->trace = runs[i].trace;
            result->trace_note = runs[i].trace_note;
        }
    }
}

/* What was seen of the runs of cells that do the same work. */
struct seen {
    struct gp_floor floor;
    bool is_some;
};

static int summarise(struct gp_reader *reader, struct gp_result *result,
                     const struct gp_run_row *runs, uint32_t count, struct seen *seen,
                     struct gp_error *err)
{
    int64_t *block = gp_xalloc(count, 3 * sizeof *block);
    struct makespans makespans = {block, block + count, block + 2 * (size_t)count, 0, 0};
    struct gp_run_data run = {0};
    int code = 0;

    collect_makespans(runs, count, &makespans);
    result->makespan_count = makespans.plain_count;
    result->makespans_ns = gp_xalloc(makespans.plain_count, sizeof *result->makespans_ns);
    for (uint32_t i = 0; i < makespans.plain_count; i++) {
        result->makespans_ns[i] = (double)makespans.plain_ns[i];
    }
    take_runs(result, runs, count);
    if (result->kept_run != 0) {
        code = gp_run_load(reader, result->cell->id, result->kept_run, &run, err);
    }
    if (code == 0) {
        struct gp_cell_data data = {
            .plain_ns = makespans.plain_ns,
            .plain_count = makespans.plain_count,
            .traced_ns = makespans.traced_ns,
            .twin_ns = makespans.twin_ns,
            .pair_count = makespans.pair_count,
            .ops = run.ops,
            .op_count = run.op_count,
            .verified = result->verified,
            .status = result->cell->status,
        };

        gp_summary_cell(&data, &result->summary);
        seen->is_some |= run.op_count > 0 && gp_floor_note(&seen->floor, &run);
    }
    gp_run_finish(&run);
    gp_free(block);
    return code;
}

static int load_cell(struct gp_reader *reader, struct gp_result *result, struct seen *seen,
                     struct gp_error *err)
{
    struct gp_run_row *runs;
    uint32_t count;
    int code = gp_reader_runs(reader, result->cell->id, &runs, &count, err);

    if (code == 0) {
        if (count > 0) {
            qsort(runs, count, sizeof *runs, compare_runs);
        }
        code = summarise(reader, result, runs, count, seen, err);
    }
    gp_free(runs);
    return code;
}

/* All cells that do the work of cells[first], none of which is loaded yet. */
static int load_work(struct gp_reader *reader, struct gp_results *results, uint32_t first,
                     bool *is_loaded, struct gp_error *err)
{
    struct seen seen = {0};
    int code = 0;

    for (uint32_t i = first; i < results->count && code == 0; i++) {
        if (gp_results_same_work(&results->cells[first], &results->cells[i])) {
            is_loaded[i] = true;
            code = load_cell(reader, &results->cells[i], &seen, err);
        }
    }
    if (code == 0 && seen.is_some) {
        gp_results_bound(results, first, &seen.floor);
    }
    gp_floor_finish(&seen.floor);
    return code;
}

static int load_cells(struct gp_reader *reader, struct gp_results *results, struct gp_error *err)
{
    bool *is_loaded = gp_xalloc(results->count, sizeof *is_loaded);
    int code = 0;

    for (uint32_t i = 0; i < results->count && code == 0; i++) {
        if (!is_loaded[i]) {
            code = load_work(reader, results, i, is_loaded, err);
        }
    }
    gp_free(is_loaded);
    return code;
}

/* ---- cells against each other -------------------------------------------------------------- */

/* Cells that are compared with each other are equal here. */
static int compare_groups(const struct gp_cell_row *a, const struct gp_cell_row *b)
{
    int order;

    if (a->device != b->device) {
        return a->device < b->device ? -1 : 1;
    }
    order = strcmp(a->scenario, b->scenario);
    return order != 0 ? order : strcmp(a->params, b->params);
}

static int compare_results(const void *left, const void *right)
{
    struct gp_result *const *a = left, *const *b = right;
    int order = compare_groups((*a)->cell, (*b)->cell);

    return order != 0 ? order : (*a > *b) - (*a < *b);
}

static void compare_cells(struct gp_results *results)
{
    struct gp_result **sorted = gp_xalloc(results->count, sizeof(struct gp_result *));
    struct gp_summary_entry *entries = gp_xalloc(results->count, sizeof *entries);
    uint32_t complete = 0;

    for (uint32_t i = 0; i < results->count; i++) {
        if (results->cells[i].cell->status == GP_STATUS_COMPLETE) {
            sorted[complete++] = &results->cells[i];
        }
    }
    if (complete > 0) {
        qsort(sorted, complete, sizeof(struct gp_result *), compare_results);
    }
    for (uint32_t first = 0, next; first < complete; first = next) {
        for (next = first;
             next < complete && compare_groups(sorted[first]->cell, sorted[next]->cell) == 0;
             next++) {
            const struct gp_cell_row *cell = sorted[next]->cell;

            entries[next] = (struct gp_summary_entry){
                .is_single = strcmp(cell->policy, "single") == 0,
                .is_round_robin = strcmp(cell->policy, "round-robin") == 0,
                .streams = cell->streams,
                .submit = cell->submit,
                .makespans = {sorted[next]->makespans_ns, sorted[next]->makespan_count},
                .summary = &sorted[next]->summary,
            };
        }
        gp_summary_compare(&entries[first], next - first);
    }
    gp_free(entries);
    gp_free(sorted);
}

static struct gp_result *find_result(struct gp_results *results, int64_t cell)
{
    for (uint32_t i = 0; i < results->count; i++) {
        if (results->cells[i].cell->id == cell) {
            return &results->cells[i];
        }
    }
    return NULL;
}

static void take_metric(struct gp_cell_metrics *metrics, const struct gp_metric_row *row)
{
#define X(field)                                                                                   \
    if (strcmp(row->name, #field) == 0) {                                                          \
        metrics->field = row->value;                                                               \
    }
    GP_CELL_METRICS(X)
#undef X
}

static void take_measure(struct gp_result *result, const struct gp_metric_row *row)
{
    static const char prefix[] = GP_MEASURE_PREFIX;

    if (strncmp(row->name, prefix, sizeof prefix - 1) == 0) {
        result->measures = gp_xgrow(result->measures, &result->measure_capacity,
                                    result->measure_count + 1, sizeof result->measures[0]);
        result->measures[result->measure_count++] =
            (struct gp_measured){row->name + sizeof prefix - 1, {row->value, row->lo, row->hi}};
    }
}

static int load_metrics(struct gp_reader *reader, struct gp_results *results, struct gp_error *err)
{
    struct gp_metric_row *rows = NULL;
    uint32_t count = 0;
    int code = gp_reader_metrics(reader, &rows, &count, err);

    for (uint32_t i = 0; i < results->count; i++) {
#define X(field) results->cells[i].metrics.field = NAN;
        GP_CELL_METRICS(X)
#undef X
    }
    for (uint32_t i = 0; i < count && code == 0; i++) {
        struct gp_result *result = rows[i].cell != 0 ? find_result(results, rows[i].cell) : NULL;

        if (result != NULL) {
            take_metric(&result->metrics, &rows[i]);
            take_measure(result, &rows[i]);
        }
    }
    gp_free(rows);
    return code;
}

int gp_results_load(struct gp_reader *reader, struct gp_results *out, struct gp_error *err)
{
    const struct gp_cell_row *cells;
    int code;

    assert(reader != NULL && out != NULL);
    *out = (struct gp_results){0};
    cells = gp_reader_cells(reader, &out->count);
    out->cells = gp_xalloc(out->count, sizeof *out->cells);
    for (uint32_t i = 0; i < out->count; i++) {
        out->cells[i].cell = &cells[i];
        out->cells[i].device = gp_reader_device(reader, cells[i].device);
    }
    code = load_cells(reader, out, err);
    if (code == 0) {
        code = load_metrics(reader, out, err);
    }
    if (code != 0) {
        gp_results_finish(out);
        return code;
    }
    compare_cells(out);
    gp_variants_name(out);
    return 0;
}

uint32_t gp_results_group(const struct gp_results *results, uint32_t first)
{
    uint32_t end = first + 1;

    assert(first < results->count);
    while (end < results->count &&
           compare_groups(results->cells[end].cell, results->cells[first].cell) == 0) {
        end++;
    }
    return end;
}

void gp_results_finish(struct gp_results *results)
{
    if (results == NULL) {
        return;
    }
    for (uint32_t i = 0; i < results->count; i++) {
        gp_free(results->cells[i].measures);
        gp_free(results->cells[i].makespans_ns);
    }
    gp_free(results->cells);
    *results = (struct gp_results){0};
}
