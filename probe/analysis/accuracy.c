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

static size_t total_of(const struct gp_accuracy_run *runs, uint32_t run_count)
{
    size_t total = 0;

    for (uint32_t r = 0; r < run_count; r++) {
        total += runs[r].count;
    }
    return total;
}

/* What is compared: one value of each operation of a kind. */
struct question {
    enum gp_accuracy_method method;
    enum gp_accuracy_quantity quantity;
    enum gp_op_kind kind;
    double drift; /* of the reference's clock */
};

/* A time of the reference by a clock that runs as ours does. */
static double without_drift(const struct question *question, int64_t reference_ns)
{
    return (double)reference_ns * (1 - question->drift);
}

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
        *out_ns = (double)begin - without_drift(question, op->ref_begin);
        return true;
    case GP_ACCURACY_END:
        *out_ns = (double)end - without_drift(question, op->ref_end);
        return true;
    default:
        *out_ns = (double)(end - begin) - without_drift(question, op->ref_end - op->ref_begin);
        return true;
    }
}

/* What the intervals of some operations say. */
struct judgement {
    double *widths_ns;
    uint32_t judged, inside;
};

/* Whether the stated interval holds the reference, whose clock is ahead by clock_ns. A stamp is
 * finer than any reference, and small copies are not meant to be known closely. */
static void judge(const struct question *question, const struct gp_op_row *op, double clock_ns,
                  struct judgement *out)
{
    bool is_begin = question->quantity == GP_ACCURACY_BEGIN;
    double reference = without_drift(question, is_begin ? op->ref_begin : op->ref_end) - clock_ns;
    double lo = (double)(is_begin ? op->begin_lo : op->end_lo);
    double hi = (double)(is_begin ? op->begin_hi : op->end_hi);

    if (op->stamp_begin == GP_UNKNOWN && op->bytes >= GP_ACCURACY_BYTES_MIN) {
        out->widths_ns[out->judged++] = hi - lo;
        out->inside += reference >= lo && reference <= hi ? 1 : 0;
    }
}

static bool is_clock(const struct gp_op_row *op)
{
    return op->stamp_begin != GP_UNKNOWN && op->ref_begin != GP_UNKNOWN &&
           op->ref_end != GP_UNKNOWN;
}

/* By how much the reference's clock was ahead then, by the middles of what is stated. */
static double clock_of(const struct gp_op_row *op, double drift)
{
    double begin_ns = (double)op->begin_lo / 2 + (double)op->begin_hi / 2;
    double end_ns = (double)op->end_lo / 2 + (double)op->end_hi / 2;

    return ((double)op->ref_begin * (1 - drift) - begin_ns) / 2 +
           ((double)op->ref_end * (1 - drift) - end_ns) / 2;
}

double gp_accuracy_drift(const struct gp_accuracy_run *run)
{
    enum { LEAST = 32 };
    double *begins, *values;
    uint32_t count = 0, parts[2] = {0};
    double middle, times[2], clocks[2];

    assert(run != NULL);
    begins = gp_xalloc((size_t)run->count + 1, sizeof begins[0]);
    values = gp_xalloc((size_t)run->count + 1, sizeof values[0]);
    for (uint32_t i = 0; i < run->count; i++) {
        if (is_clock(&run->ops[i])) {
            begins[count++] = (double)run->ops[i].ref_begin;
        }
    }
    middle = quantile(begins, count, 0.5);
    /* The earlier half's medians against the later half's. */
    for (int half = 0; half < 2; half++) {
        uint32_t n = 0;

        for (uint32_t i = 0; i < run->count; i++) {
            const struct gp_op_row *op = &run->ops[i];

            if (is_clock(op) && ((double)op->ref_begin >= middle) == (half == 1)) {
                begins[n] = (double)op->ref_begin;
                values[n++] = clock_of(op, 0);
            }
        }
        parts[half] = n;
        times[half] = quantile(begins, n, 0.5);
        clocks[half] = quantile(values, n, 0.5);
    }
    gp_free(begins);
    gp_free(values);
    if (parts[0] < LEAST / 2 || parts[1] < LEAST / 2 || times[1] <= times[0]) {
        return 0;
    }
    return (clocks[1] - clocks[0]) / (times[1] - times[0]);
}

/* By how much the reference's clock is ahead, by a run's stamped kernels; 0 without any. Uses room
 * for one value an operation. */
static double fit_clock(const struct gp_accuracy_run *run, double drift, double *values)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < run->count; i++) {
        if (is_clock(&run->ops[i])) {
            values[count++] = clock_of(&run->ops[i], drift);
        }
    }
    return count > 0 ? quantile(values, count, 0.5) : 0;
}

/* All differences of some runs into values, and a judgement of the intervals. */
static uint32_t gather(const struct question *question, const struct gp_accuracy_run *runs,
                       uint32_t run_count, double *values, struct judgement *judgement)
{
    uint32_t count = 0;

    judgement->judged = judgement->inside = 0;
    for (uint32_t r = 0; r < run_count; r++) {
        double clock_ns = fit_clock(&runs[r], question->drift, values + count);

        for (uint32_t i = 0; i < runs[r].count; i++) {
            if (difference(question, &runs[r].ops[i], &values[count])) {
                judge(question, &runs[r].ops[i], clock_ns, judgement);
                count++;
            }
        }
    }
    return count;
}

/* Needs room for two values an operation. */
static bool answer(const struct question *question, const struct gp_accuracy_run *runs,
                   uint32_t run_count, double *values, struct gp_accuracy_row *out)
{
    struct judgement judgement = {.widths_ns = values + total_of(runs, run_count)};
    uint32_t count = gather(question, runs, 1, values, &judgement);
    double fitted_ns = quantile(values, count, 0.5);

    count = count == 0 ? 0 : gather(question, runs + 1, run_count - 1, values, &judgement);
    if (count == 0) {
        return false;
    }
    *out = (struct gp_accuracy_row){
        .kind = gp_op_kind_name(question->kind),
        .method = method_names[question->method],
        .quantity = quantity_names[question->quantity],
        .count = count,
        .inside = NAN,
        .width_ns = NAN,
    };
    for (uint32_t i = 0; i < count; i++) {
        values[i] -= fitted_ns;
    }
    out->bias_ns = quantile(values, count, 0.5);
    for (uint32_t i = 0; i < count; i++) {
        values[i] = fabs(values[i] - out->bias_ns);
    }
    out->spread_ns = quantile(values, count, 0.95);
    if (question->method == GP_ACCURACY_RESOLVED && question->quantity != GP_ACCURACY_DURATION &&
        judgement.judged > 0) {
        out->inside = (double)judgement.inside / (double)judgement.judged;
        out->width_ns = quantile(judgement.widths_ns, judgement.judged, 0.5);
    }
    return true;
}

uint32_t gp_accuracy_measure(enum gp_accuracy_method method, const struct gp_accuracy_run *runs,
                             uint32_t run_count, struct gp_accuracy_row rows[GP_ACCURACY_ROWS_MAX])
{
    struct question question = {.method = method};
    uint32_t count = 0;
    double *values;

    assert(run_count >= 2);
    question.drift = gp_accuracy_drift(&runs[0]);
    values = gp_xalloc(2 * total_of(runs, run_count) + 1, sizeof values[0]);
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
