/* Answers to claims: see judge.h. */
#include "probe/verdict/judge.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "probe/memory.h"
#include "probe/verdict/finding.h"

static void cannot_tell(struct gp_finding *finding, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void cannot_tell(struct gp_finding *finding, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(finding->reason, sizeof finding->reason, format, arguments);
    va_end(arguments);
    finding->answer = GP_VERDICT_UNKNOWN;
}

static bool is_unknown(const struct gp_finding *finding)
{
    return finding->reason[0] != '\0';
}

/* Whether that cell speaks for its side rather than the one before. */
static bool is_picked(enum gp_pick pick, const struct gp_figure *known,
                      const struct gp_figure *figure)
{
    return isnan(known->median) || (pick == GP_PICK_FASTEST ? figure->median < known->median
                                                            : figure->median > known->median);
}

static struct gp_figure figure_of(const struct gp_judged_cells *cells,
                                  const struct gp_claim_test *test, struct gp_finding_side *found)
{
    char name[96];

    switch (test->quantity) {
    case GP_QUANTITY_MAKESPAN:
        found->values = found->cell->plain_ns;
        found->value_count = found->cell->plain_count;
        return gp_figure_median(found->values, found->value_count);
    case GP_QUANTITY_PERTURBATION:
        found->values = found->cell->perturbed;
        found->value_count = found->cell->pair_count;
        return gp_figure_median(found->values, found->value_count);
    case GP_QUANTITY_MEASURE:
        (void)snprintf(name, sizeof name, "%s%s", GP_MEASURE_PREFIX, test->measure);
        return gp_judged_cells_metric(cells, found->cell->row->id, name);
    case GP_QUANTITY_HAZARDS:
        break;
    }
    return gp_judged_cells_metric(cells, found->cell->row->id, "hazards");
}

/* Cells with hazards have failed, which is what is counted. */
static bool is_usable(const struct gp_claim_test *test, const struct gp_judged_cell *cell)
{
    return cell->row->status == GP_STATUS_COMPLETE || test->quantity == GP_QUANTITY_HAZARDS;
}

/* Fills one side. Every cell of it must have run: the pick is of all. */
static void find_side(const struct gp_judged_cells *cells, struct gp_finding *finding,
                      const struct gp_claim_side *side, const char *missing,
                      struct gp_finding_side *out)
{
    *out = (struct gp_finding_side){.side = side, .figure = {NAN, NAN, NAN}};
    for (uint32_t i = 0; i < gp_claim_size_count(side) && !is_unknown(finding); i++) {
        struct gp_finding_side one = *out;

        one.cell = gp_judged_cells_find(cells, finding->test, side, i);
        if (one.cell == NULL) {
            bool is_apart = side->connections > 0 && missing != NULL;

            cannot_tell(finding, "%s", is_apart ? missing : "a cell that decides it was not run");
        } else if (!is_usable(finding->test, one.cell)) {
            cannot_tell(finding, "%s/%d is %s%s%s", one.cell->row->policy,
                        (int)one.cell->row->streams, gp_status_name(one.cell->row->status),
                        one.cell->row->error[0] != '\0' ? ": " : "", one.cell->row->error);
        } else {
            one.figure = figure_of(cells, finding->test, &one);
            if (is_picked(side->pick, &out->figure, &one.figure)) {
                *out = one;
            }
        }
    }
}

/* Of figures whose runs are not at hand the quotient of the intervals, which is the widest that it
 * can be. */
static struct gp_figure divide(const struct gp_finding_side *over,
                               const struct gp_finding_side *under)
{
    if (over->values != NULL && under->values != NULL) {
        return gp_figure_ratio(over->values, over->value_count, under->values, under->value_count);
    }
    return (struct gp_figure){over->figure.median / under->figure.median,
                              over->figure.lo / under->figure.hi,
                              over->figure.hi / under->figure.lo};
}

/* Only a whole interval on one side of the limit decides. */
static void compare(struct gp_finding *finding)
{
    const struct gp_claim_test *test = finding->test;
    struct gp_figure figure = finding->figure;
    bool is_least = test->at_least > 0;
    double limit = is_least ? test->at_least : test->at_most;

    if (test->quantity == GP_QUANTITY_HAZARDS) { /* counted, not measured */
        figure.lo = figure.hi = figure.median;
    }
    if (isnan(figure.median)) {
        cannot_tell(finding, "%s is not known", gp_finding_quantity(test));
    } else if (isnan(figure.lo) || isnan(figure.hi)) {
        cannot_tell(finding, "one run has no interval");
    } else if (is_least ? figure.lo >= limit : figure.hi <= limit) {
        finding->answer = GP_VERDICT_HOLDS;
    } else if (is_least ? figure.hi < limit : figure.lo > limit) {
        finding->answer = GP_VERDICT_FAILS;
    } else {
        cannot_tell(finding, "the interval reaches to both sides of that");
    }
}

static void judge(const struct gp_judged_cells *cells, const char *missing,
                  struct gp_finding *finding)
{
    const struct gp_claim_test *test = finding->test;

    finding->figure = (struct gp_figure){NAN, NAN, NAN};
    find_side(cells, finding, &test->over, missing, &finding->over);
    if (!test->is_absolute) {
        find_side(cells, finding, &test->under, missing, &finding->under);
    }
    if (is_unknown(finding)) {
        return;
    }
    finding->figure =
        test->is_absolute ? finding->over.figure : divide(&finding->over, &finding->under);
    compare(finding);
}

int gp_verdicts_judge(struct gp_reader *reader, const struct gp_claim_test *const *tests,
                      uint32_t count, const char *missing, struct gp_verdicts *out,
                      struct gp_error *err)
{
    struct gp_judged_cells cells;
    int code = gp_judged_cells_load(reader, &cells, err);

    *out = (struct gp_verdicts){.rows = gp_xalloc(count, sizeof out->rows[0])};
    for (uint32_t i = 0; i < count && code == 0; i++) {
        struct gp_finding finding = {.test = tests[i]};

        judge(&cells, missing, &finding);
        out->rows[out->count++] = (struct gp_verdict_row){
            .device =
                finding.over.cell != NULL ? finding.over.cell->row->device : cells.first_device,
            .claim = tests[i]->claim,
            .answer = finding.answer,
            .evidence = gp_finding_json(&finding),
        };
    }
    gp_judged_cells_finish(&cells);
    return code;
}

void gp_verdicts_finish(struct gp_verdicts *verdicts)
{
    for (uint32_t i = 0; i < verdicts->count; i++) {
        gp_free((void *)(uintptr_t)verdicts->rows[i].evidence);
    }
    gp_free(verdicts->rows);
    *verdicts = (struct gp_verdicts){0};
}
