/* Agreement with a reference: see accuracy.h. */
#include "probe/analysis/accuracy.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "probe/memory.h"

static const char *const method_names[] = {
#define X(name, word) word,
    GP_ACCURACY_METHODS(X)
#undef X
};

static const char *const quantity_names[] = {
#define X(name, word) word,
    GP_ACCURACY_QUANTITIES(X)
#undef X
};

static int compare_doubles(const void *a, const void *b)
{
    const double *left = a, *right = b;

    return (*left > *right) - (*left < *right);
}

/* Of values that are put in order; NAN of none. */
static double quantile(double *values, uint32_t count, double part)
{
    uint32_t index;

    if (count == 0) {
        return NAN;
    }
    qsort(values, count, sizeof values[0], compare_doubles);
    index = (uint32_t)(part * (double)count);
    return values[index < count ? index : count - 1];
}

/* What is compared: one value of each operation of a kind. */
struct question {
    enum gp_accuracy_method method;
    enum gp_accuracy_quantity quantity;
    enum gp_op_kind kind;
    double clock_ns; /* reference clock − ours */
};

/* value − reference; false: the operation has not both. */
static bool difference(const struct question *question, const struct gp_op_row *op, double *out_ns)
{
    bool is_naive = question->method == GP_ACCURACY_NAIVE;
    int64_t begin = is_naive ? op->ready : op->begin;
    int64_t end = is_naive ? op->done : op->end;

    if (op->kind != question->kind || op->ref_begin == GP_UNKNOWN || op->ref_end == GP_UNKNOWN ||
        begin == GP_UNKNOWN || end == GP_UNKNOWN) {
        return false;
    }
    switch (question->quantity) {
    case GP_ACCURACY_BEGIN:
        *out_ns = (double)(begin - op->ref_begin);
        return true;
    case GP_ACCURACY_END:
        *out_ns = (double)(end - op->ref_end);
        return true;
    default:
        *out_ns = (double)((end - begin) - (op->ref_end - op->ref_begin));
        return true;
    }
}

/* Whether the stated interval holds the reference, on our clock. */
static bool is_inside(const struct question *question, const struct gp_op_row *op)
{
    bool is_begin = question->quantity == GP_ACCURACY_BEGIN;
    double reference = (double)(is_begin ? op->ref_begin : op->ref_end) - question->clock_ns;

    return reference >= (double)(is_begin ? op->begin_lo : op->end_lo) &&
           reference <= (double)(is_begin ? op->begin_hi : op->end_hi);
}

/* All differences of some runs into values; how many of the operations' intervals hold the
 * reference is counted beside. */
static uint32_t gather(const struct question *question, const struct gp_accuracy_run *runs,
                       uint32_t run_count, double *values, uint32_t *inside)
{
    uint32_t count = 0;

    for (uint32_t r = 0; r < run_count; r++) {
        for (uint32_t i = 0; i < runs[r].count; i++) {
            if (difference(question, &runs[r].ops[i], &values[count])) {
                *inside += is_inside(question, &runs[r].ops[i]) ? 1 : 0;
                count++;
            }
        }
    }
    return count;
}

/* By how much the reference's clock is ahead, by the middles of what is stated of the first run's
 * stamped kernels. */
static double fit_clock(const struct gp_accuracy_run *run, double *values)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < run->count; i++) {
        const struct gp_op_row *op = &run->ops[i];

        if (op->stamp_begin != GP_UNKNOWN && op->ref_begin != GP_UNKNOWN) {
            double begin_ns = (double)op->begin_lo / 2 + (double)op->begin_hi / 2;
            double end_ns = (double)op->end_lo / 2 + (double)op->end_hi / 2;

            values[count++] =
                ((double)op->ref_begin - begin_ns) / 2 + ((double)op->ref_end - end_ns) / 2;
        }
    }
    return count > 0 ? quantile(values, count, 0.5) : 0;
}

static bool answer(const struct question *question, const struct gp_accuracy_run *runs,
                   uint32_t run_count, double *values, struct gp_accuracy_row *out)
{
    uint32_t inside = 0;
    uint32_t count = gather(question, runs, 1, values, &inside);
    double fitted_ns = quantile(values, count, 0.5);

    inside = 0;
    count = count == 0 ? 0 : gather(question, runs + 1, run_count - 1, values, &inside);
    if (count == 0) {
        return false;
    }
    *out = (struct gp_accuracy_row){
        .kind = gp_op_kind_name(question->kind),
        .method = method_names[question->method],
        .quantity = quantity_names[question->quantity],
        .count = count,
        .inside = NAN,
    };
    for (uint32_t i = 0; i < count; i++) {
        values[i] -= fitted_ns;
    }
    out->bias_ns = quantile(values, count, 0.5);
    for (uint32_t i = 0; i < count; i++) {
        values[i] = fabs(values[i] - out->bias_ns);
    }
    out->spread_ns = quantile(values, count, 0.95);
    if (question->method == GP_ACCURACY_RESOLVED && question->quantity != GP_ACCURACY_DURATION) {
        out->inside = (double)inside / (double)count;
    }
    return true;
}

uint32_t gp_accuracy_measure(enum gp_accuracy_method method, const struct gp_accuracy_run *runs,
                             uint32_t run_count, struct gp_accuracy_row rows[GP_ACCURACY_ROWS_MAX])
{
    struct question question = {.method = method};
    uint32_t count = 0;
    size_t total = 0;
    double *values;

    assert(run_count >= 2);
    for (uint32_t r = 0; r < run_count; r++) {
        total += runs[r].count;
    }
    values = gp_xalloc(total + 1, sizeof values[0]);
    question.clock_ns = fit_clock(&runs[0], values);
    for (int kind = 0; kind < GP_OP_KIND_COUNT; kind++) {
        for (int quantity = 0; quantity < GP_ACCURACY_QUANTITY_COUNT; quantity++) {
            question.kind = (enum gp_op_kind)kind;
            question.quantity = (enum gp_accuracy_quantity)quantity;
            count += answer(&question, runs, run_count, values, &rows[count]) ? 1 : 0;
        }
    }
    gp_free(values);
    return count;
}
