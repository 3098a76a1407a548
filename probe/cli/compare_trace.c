/*
 * A recording beside what another tool saw of the same runs, as text and as JSON: see compare.h.
 * The alignment is in probe/analysis.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "probe/analysis/alignment.h"
#include "probe/cli/compare.h"
#include "probe/cli/json.h"
#include "probe/cli/table.h"
#include "probe/memory.h"

/* The rows that the alignment looks at, of one run. */
struct side {
    struct gp_alignment_side rows;
    struct gp_op_row *ops;
    struct gp_range_row *ranges;
};

/* ---- loading ------------------------------------------------------------------------------- */

static void side_finish(struct side *side)
{
    gp_free(side->ops);
    gp_free(side->ranges);
    *side = (struct side){0};
}

/* Ranges and the day, without operations. *out is to be finished in every case. */
static int side_load(struct gp_reader *reader, const struct gp_result *cell, struct side *out,
                     struct gp_error *err)
{
    struct gp_run_row *runs;
    uint32_t count;
    int code = gp_reader_runs(reader, cell->cell->id, &runs, &count, err);

    *out = (struct side){0};
    for (uint32_t i = 0; i < count; i++) {
        if (runs[i].id == cell->kept_run) {
            out->rows.op_count = runs[i].op_count;
            out->rows.epoch_realtime_ns = runs[i].epoch_realtime_ns;
        }
    }
    gp_free(runs);
    if (code == 0) {
        code = gp_reader_ranges(reader, cell->kept_run, &out->ranges, &out->rows.range_count, err);
    }
    out->rows.ranges = out->ranges;
    return code;
}

static int load_ops(struct gp_reader *reader, const struct gp_result *cell, struct side *side,
                    struct gp_error *err)
{
    side->ops = gp_xalloc(side->rows.op_count, sizeof *side->ops);
    side->rows.ops = side->ops;
    return gp_reader_ops(reader, cell->kept_run, 0, side->rows.op_count, side->ops, err);
}

/* The part of the trace that has our run in the best place; NULL none. */
static const struct gp_result *find_theirs(const struct gp_results *theirs,
                                           const struct side *their_sides, const struct side *ours,
                                           uint32_t *index)
{
    struct gp_alignment_place best, place;
    const struct gp_result *found = NULL;

    for (uint32_t i = 0; i < theirs->count; i++) {
        if (theirs->cells[i].kept_run != 0 &&
            gp_alignment_find(&ours->rows, &their_sides[i].rows, &place) &&
            (found == NULL || gp_alignment_is_better(&place, &best))) {
            found = &theirs->cells[i];
            best = place;
            *index = i;
        }
    }
    return found;
}

/* Any of the trace's parts, of which there are ranges, may hold the run. */
static int align(const struct gp_compared *files, const struct side *their_sides,
                 const struct gp_result *cell, struct gp_alignment *out, struct gp_error *err)
{
    const struct gp_results *theirs = &files->b.results;
    const struct gp_result *found = NULL;
    struct side ours, chosen;
    uint32_t index = 0;
    int code = side_load(files->a.reader, cell, &ours, err);

    if (code == 0) {
        code = load_ops(files->a.reader, cell, &ours, err);
    }
    if (code == 0) {
        found = find_theirs(theirs, their_sides, &ours, &index);
        /* Without one, the first says what it lacks. */
        chosen = theirs->count > 0 ? their_sides[index] : (struct side){0};
        if (found != NULL) {
            code = load_ops(files->b.reader, found, &chosen, err);
        }
        if (code == 0) {
            code = gp_alignment_make(&ours.rows, &chosen.rows, out, err);
        }
        gp_free(found != NULL ? chosen.ops : NULL);
    }
    side_finish(&ours);
    return code;
}

/* ---- what recording costs ------------------------------------------------------------------ */

static bool is_same_cell(const struct gp_cell_row *a, const struct gp_cell_row *b)
{
    return strcmp(a->scenario, b->scenario) == 0 && strcmp(a->params, b->params) == 0 &&
           strcmp(a->policy, b->policy) == 0 && a->streams == b->streams &&
           a->submit == b->submit && strcmp(a->completion, b->completion) == 0;
}

/* The cell of the runs that nobody watched; NULL none. */
static const struct gp_result *find_alone(const struct gp_compared *files,
                                          const struct gp_result *cell)
{
    for (uint32_t i = 0; files->has_alone && i < files->alone.results.count; i++) {
        if (is_same_cell(files->alone.results.cells[i].cell, cell->cell)) {
            return &files->alone.results.cells[i];
        }
    }
    return NULL;
}

/* Plain makespan under the other tool ÷ plain makespan alone; NAN not known. */
static double cost_of_theirs(const struct gp_compared *files, const struct gp_result *cell)
{
    const struct gp_result *alone = find_alone(files, cell);

    return alone != NULL ? cell->summary.makespan_ns.median / alone->summary.makespan_ns.median
                         : NAN;
}

/* Traced ÷ plain, where nobody else watched. */
static double cost_of_ours(const struct gp_compared *files, const struct gp_result *cell)
{
    const struct gp_result *alone = find_alone(files, cell);

    return alone != NULL ? alone->summary.perturbation.median : NAN;
}

/* ---- text ---------------------------------------------------------------------------------- */

static void add_quantity(struct gp_table *table, const struct gp_alignment_quantity *quantity)
{
    gp_table_cell(table, "%.2f", quantity->bias_ns / 1000);
    gp_table_cell(table, "%.2f", quantity->spread_ns / 1000);
}

static void print_kinds(const struct gp_alignment *alignment, const struct gp_terminal *terminal)
{
    static const struct gp_column columns[] = {
        {"kind", false},       {"matched", true},       {"ours", true},
        {"theirs", true},      {"begin bias us", true}, {"spread", true},
        {"end bias us", true}, {"spread", true},        {"duration bias us", true},
        {"spread", true},      {"inside", true},
    };
    struct gp_table table = {.columns = columns, .column_count = 11};

    for (unsigned kind = 0; kind < GP_OP_KIND_COUNT; kind++) {
        const struct gp_alignment_kind *row = &alignment->kinds[kind];

        if (row->ours + row->theirs == 0) {
            continue;
        }
        gp_table_row(&table, GP_ROW_PLAIN);
        gp_table_cell(&table, "%s", gp_op_kind_name((enum gp_op_kind)kind));
        gp_table_cell(&table, "%u", row->matched);
        gp_table_cell(&table, "%u", row->ours);
        gp_table_cell(&table, "%u", row->theirs);
        if (row->matched > 0) {
            add_quantity(&table, &row->begin);
            add_quantity(&table, &row->end);
            add_quantity(&table, &row->duration);
            gp_table_cell(&table, "%.0f %%", 100 * row->inside);
        }
    }
    gp_table_print(&table, terminal, 3);
    gp_table_finish(&table);
}

static void print_alignment(const struct gp_compared *files, const struct gp_result *cell,
                            const struct gp_alignment *alignment,
                            const struct gp_terminal *terminal)
{
    double theirs = cost_of_theirs(files, cell);
    double ours = cost_of_ours(files, cell);

    printf("\n%s %s/%d: %u anchors, residual %.2f us (95 %%), drift %.2f ppm%s\n",
           cell->cell->scenario, cell->cell->policy, (int)cell->cell->streams, alignment->anchors,
           alignment->residual_ns / 1000, alignment->drift * 1e6,
           alignment->by_order ? "; matched by kind and order (no ranges of operations)" : "");
    print_kinds(alignment, terminal);
    printf("   same order: %llu of %llu neighbours; same overlap: %llu of %llu pairs (beyond %.0f "
           "us)\n",
           (unsigned long long)alignment->order_same, (unsigned long long)alignment->order_pairs,
           (unsigned long long)alignment->overlap_same,
           (unsigned long long)alignment->overlap_pairs, alignment->tolerance_ns / 1000);
    if (isfinite(theirs)) {
        printf("   cost of recording: theirs %.3f, ours %.3f of the makespan without it\n", theirs,
               ours);
    }
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *quantity_of(const struct gp_alignment_quantity *quantity)
{
    return gp_json_need(json_pack("{s:o, s:o}", "bias_ns", number(quantity->bias_ns), "spread_ns",
                                  number(quantity->spread_ns)));
}

static json_t *kinds_of(const struct gp_alignment *alignment)
{
    json_t *kinds = gp_json_need(json_array());

    for (unsigned kind = 0; kind < GP_OP_KIND_COUNT; kind++) {
        const struct gp_alignment_kind *row = &alignment->kinds[kind];

        if (row->ours + row->theirs > 0) {
            (void)json_array_append_new(
                kinds, gp_json_need(json_pack(
                           "{s:s, s:i, s:i, s:i, s:o, s:o, s:o, s:o}", "kind",
                           gp_op_kind_name((enum gp_op_kind)kind), "matched", (int)row->matched,
                           "ours", (int)row->ours, "theirs", (int)row->theirs, "begin",
                           quantity_of(&row->begin), "end", quantity_of(&row->end), "duration",
                           quantity_of(&row->duration), "inside", number(row->inside))));
        }
    }
    return kinds;
}

static json_t *cell_of(const struct gp_compared *files, const struct gp_result *cell,
                       const struct gp_alignment *alignment)
{
    return gp_json_need(json_pack(
        "{s:o, s:o, s:i, s:i, s:o, s:o, s:b, s:o, s:I, s:I, s:I, s:I, s:o, s:o, s:o}", "scenario",
        gp_json_text(cell->cell->scenario), "policy", gp_json_text(cell->cell->policy), "streams",
        (int)cell->cell->streams, "anchors", (int)alignment->anchors, "residual_ns",
        number(alignment->residual_ns), "drift", number(alignment->drift), "by_order",
        (int)alignment->by_order, "kinds", kinds_of(alignment), "order_pairs",
        (json_int_t)alignment->order_pairs, "order_same", (json_int_t)alignment->order_same,
        "overlap_pairs", (json_int_t)alignment->overlap_pairs, "overlap_same",
        (json_int_t)alignment->overlap_same, "tolerance_ns", number(alignment->tolerance_ns),
        "cost_theirs", number(cost_of_theirs(files, cell)), "cost_ours",
        number(cost_of_ours(files, cell))));
}

/* ---- all cells ------------------------------------------------------------------------------ */

int gp_compare_trace(const struct gp_compared *files, const struct gp_terminal *terminal, bool json,
                     struct gp_error *err)
{
    const struct gp_results *theirs = &files->b.results;
    struct side *their_sides = gp_xalloc(theirs->count, sizeof *their_sides);
    json_t *cells = gp_json_need(json_array());
    uint32_t aligned = 0;
    int code = 0;

    if (!json) {
        printf("ours: %s\ntheirs: %s\ndifferences are ours - theirs after the fit; bias is the "
               "median, spread the 95th percentile of the distance from it\n",
               files->a.path, files->b.path);
    }
    for (uint32_t i = 0; i < theirs->count && code == 0; i++) {
        code = side_load(files->b.reader, &theirs->cells[i], &their_sides[i], err);
    }
    for (uint32_t i = 0; i < files->a.results.count && code == 0; i++) {
        const struct gp_result *cell = &files->a.results.cells[i];
        struct gp_alignment alignment = {0};

        if (cell->kept_run == 0) {
            continue;
        }
        code = align(files, their_sides, cell, &alignment, err);
        if (code == 0 && json) {
            (void)json_array_append_new(cells, cell_of(files, cell, &alignment));
        } else if (code == 0) {
            print_alignment(files, cell, &alignment, terminal);
        }
        aligned += code == 0;
    }
    if (code == 0 && aligned == 0) {
        code = gp_fail(err, GP_EINVAL, "%s has no operations to compare", files->a.path);
    }
    if (code == 0 && json) {
        gp_json_print(gp_json_need(json_pack("{s:O}", "cells", cells)));
    }
    json_decref(cells);
    for (uint32_t i = 0; i < theirs->count; i++) {
        side_finish(&their_sides[i]);
    }
    gp_free(their_sides);
    return code;
}
