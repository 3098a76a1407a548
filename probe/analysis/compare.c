/* Two recordings against each other: see compare.h. */
#include "probe/analysis/compare.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "probe/memory.h"

const char *gp_answer_name(enum gp_answer answer)
{
    static const char *const names[] = {
#define X(name, words) words,
        GP_ANSWERS(X)
#undef X
    };

    assert((unsigned)answer < GP_ANSWER_COUNT);
    return names[answer];
}

static bool is_complete(const struct gp_result *result)
{
    return result->cell->status == GP_STATUS_COMPLETE && !isnan(result->summary.makespan_ns.median);
}

static bool is_same_cell(const struct gp_result *a, const struct gp_result *b)
{
    return a->cell->streams == b->cell->streams && a->cell->submit == b->cell->submit &&
           a->cell->order == b->cell->order && a->device->connections == b->device->connections &&
           strcmp(a->cell->scenario, b->cell->scenario) == 0 &&
           strcmp(a->cell->params, b->cell->params) == 0 &&
           strcmp(a->cell->policy, b->cell->policy) == 0 &&
           strcmp(a->cell->completion, b->cell->completion) == 0;
}

static const struct gp_result *find_match(const struct gp_result *cell,
                                          const struct gp_results *among)
{
    for (uint32_t i = 0; i < among->count; i++) {
        if (is_complete(&among->cells[i]) && is_same_cell(cell, &among->cells[i])) {
            return &among->cells[i];
        }
    }
    return NULL;
}

/* The makespans of a cell's complete plain runs; *out is the caller's. */
static int load_makespans(struct gp_reader *reader, int64_t cell, double **out, uint32_t *count,
                          struct gp_error *err)
{
    struct gp_run_row *runs = NULL;
    uint32_t run_count = 0;
    int code = gp_reader_runs(reader, cell, &runs, &run_count, err);

    *out = gp_xalloc(run_count, sizeof **out);
    *count = 0;
    for (uint32_t i = 0; i < run_count; i++) {
        if (runs[i].pass == GP_PASS_PLAIN && runs[i].status == GP_STATUS_COMPLETE &&
            runs[i].makespan_ns > 0) {
            (*out)[(*count)++] = (double)runs[i].makespan_ns;
        }
    }
    gp_free(runs);
    return code;
}

static enum gp_answer answer_of(const struct gp_figure *ratio)
{
    if (isnan(ratio->lo) || isnan(ratio->hi) || (ratio->lo <= 1 && ratio->hi >= 1)) {
        return GP_ANSWER_UNTOLD;
    }
    return ratio->hi < 1 ? GP_ANSWER_FASTER : GP_ANSWER_SLOWER;
}

int gp_compare_pair(struct gp_reader *a, struct gp_reader *b, double gate,
                    struct gp_comparison *row, struct gp_error *err)
{
    double *a_ns = NULL, *b_ns = NULL;
    uint32_t a_count = 0, b_count = 0;
    int code = load_makespans(a, row->a->cell->id, &a_ns, &a_count, err);

    if (code == 0) {
        code = load_makespans(b, row->b->cell->id, &b_ns, &b_count, err);
    }
    if (code == 0) {
        row->ratio = gp_figure_ratio(b_ns, b_count, a_ns, a_count);
        row->answer = answer_of(&row->ratio);
        row->is_beyond =
            !isnan(gate) && row->answer == GP_ANSWER_SLOWER && row->ratio.lo > 1 + gate;
    }
    gp_free(a_ns);
    gp_free(b_ns);
    return code;
}

int gp_compare(const struct gp_side *a, const struct gp_side *b, double gate,
               struct gp_comparisons *out, struct gp_error *err)
{
    int code = 0;

    assert(a != NULL && b != NULL && out != NULL);
    *out = (struct gp_comparisons){.rows = gp_xalloc(a->results.count, sizeof *out->rows)};
    for (uint32_t i = 0; i < b->results.count; i++) {
        out->only_b += is_complete(&b->results.cells[i]) &&
                       find_match(&b->results.cells[i], &a->results) == NULL;
    }
    for (uint32_t i = 0; i < a->results.count && code == 0; i++) {
        struct gp_comparison *row = &out->rows[out->count];

        if (!is_complete(&a->results.cells[i])) {
            continue;
        }
        row->a = &a->results.cells[i];
        row->b = find_match(row->a, &b->results);
        if (row->b == NULL) {
            out->only_a++;
            continue;
        }
        code = gp_compare_pair(a->reader, b->reader, gate, row, err);
        out->count++;
    }
    if (code != 0) {
        gp_comparisons_finish(out);
    }
    return code;
}

void gp_comparisons_finish(struct gp_comparisons *comparisons)
{
    if (comparisons == NULL) {
        return;
    }
    gp_free(comparisons->rows);
    *comparisons = (struct gp_comparisons){0};
}
