/* Asking the copy oracle for doctor --timing: see timing.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "probe/cli/timing.h"
#include "probe/cupti/cupti.h"

enum { COPIES = GP_TIMING_COPIES };

static const uint64_t bytes_min = 4096;

/* Who is asked. cupti NULL: the oracle alone. */
struct inquiry {
    struct gp_device *device;
    struct gp_oracle *oracle;
    struct gp_cupti *cupti;
    struct gp_engines engines;
};

/* What was said of each of some copies, in ns against the change of a word. */
struct answers {
    double spans[COPIES], looks[COPIES], ends[COPIES], begins[COPIES], gaps[COPIES];
    double widths[COPIES]; /* of the stated end */
    double clocks[COPIES];
    int inside; /* copies of which what is stated holds */
};

static int compare_doubles(const void *a, const void *b)
{
    const double *left = a, *right = b;

    return (*left > *right) - (*left < *right);
}

static double median(double values[COPIES])
{
    qsort(values, COPIES, sizeof values[0], compare_doubles);
    return values[COPIES / 2];
}

/* Their median, and the 95th percentile of the distance from it. */
static void reduce(double values[COPIES], double *bias_ns, double *spread_ns)
{
    *bias_ns = median(values);
    for (int i = 0; i < COPIES; i++) {
        values[i] = fabs(values[i] - *bias_ns);
    }
    (void)median(values);
    *spread_ns = values[COPIES * 95 / 100];
}

static double middle(int64_t lo, int64_t hi)
{
    return (double)lo / 2 + (double)hi / 2;
}

/* Holds what a recording would state of the copy against what was seen. */
static void judge(const struct inquiry *inquiry, const struct gp_oracle_plan *plan,
                  const struct gp_oracle_sample *sample, struct answers *out, int index)
{
    struct gp_op_row row;

    gp_oracle_resolve(plan, sample, &inquiry->engines, &row);
    out->widths[index] = (double)(row.end_hi - row.end_lo);
    out->clocks[index] = (double)sample->clock_ns;
    out->inside += sample->last_hi_ns + sample->clock_ns >= row.end_lo &&
                   sample->last_lo_ns - sample->clock_ns <= row.end_hi &&
                   sample->first_hi_ns + sample->clock_ns >= row.begin_lo;
}

/* One copy. Without CUPTI its end is the event's time. */
static int ask_once(const struct inquiry *inquiry, const struct gp_oracle_plan *plan,
                    struct answers *out, int index, struct gp_error *err)
{
    struct gp_work_times times[GP_ORACLE_OPERATIONS_MAX];
    struct gp_oracle_operations operations;
    struct gp_oracle_sample sample;
    double first, last;
    int code = inquiry->cupti != NULL ? gp_cupti_watch(inquiry->cupti, true, err) : 0;

    code = code == 0 ? gp_oracle_copy(inquiry->oracle, plan, &sample, err) : code;
    if (code != 0) {
        return code;
    }
    first = middle(sample.first_lo_ns, sample.first_hi_ns);
    last = middle(sample.last_lo_ns, sample.last_hi_ns);
    out->spans[index] = last - first;
    out->looks[index] = (double)(sample.last_hi_ns - sample.last_lo_ns);
    out->ends[index] = (double)sample.done_ns - last;
    out->gaps[index] =
        sample.before_ns != GP_UNKNOWN ? first - (double)sample.before_ns : (double)NAN;
    if (inquiry->cupti == NULL) {
        judge(inquiry, plan, &sample, out, index);
        return 0;
    }
    gp_oracle_list(plan, &operations);
    code = gp_cupti_collect_kinds(inquiry->cupti, operations.kinds, operations.count, times, err);
    if (code == 0) {
        out->ends[index] = (double)times[operations.copy].end_ns - last;
        out->begins[index] = (double)times[operations.copy].begin_ns - first;
    }
    return code;
}

/* The first copy of a size is not counted: its pages and the clocks are cold. */
static int ask(const struct inquiry *inquiry, const struct gp_oracle_plan *plan,
               struct answers *out, struct gp_error *err)
{
    int code = inquiry->cupti != NULL ? gp_cupti_watch(inquiry->cupti, false, err) : 0;

    code = code == 0 ? gp_oracle_anchor(inquiry->oracle, err) : code;
    for (int i = -1; i < COPIES && code == 0; i++) {
        out->inside = i <= 0 ? 0 : out->inside;
        code = ask_once(inquiry, plan, out, i < 0 ? 0 : i, err);
    }
    return code;
}

static int measure_copy(const struct inquiry *inquiry, const struct gp_oracle_plan *plan,
                        struct gp_timing_copy *out, struct gp_error *err)
{
    struct answers answers;
    double ignored_ns;
    int code = ask(inquiry, plan, &answers, err);

    if (code != 0) {
        return code;
    }
    if (inquiry->cupti != NULL) {
        reduce(answers.ends, &out->reference_end_ns, &out->reference_end_spread_ns);
        reduce(answers.begins, &out->reference_begin_ns, &ignored_ns);
        return 0;
    }
    *out = (struct gp_timing_copy){
        .plan = *plan,
        .span_ns = median(answers.spans),
        .look_ns = median(answers.looks),
        .gap_ns = median(answers.gaps),
        .reference_end_ns = NAN,
        .reference_end_spread_ns = NAN,
        .reference_begin_ns = NAN,
        .clock_ns = median(answers.clocks),
        .inside = (double)answers.inside / COPIES,
        .width_ns = median(answers.widths),
    };
    reduce(answers.ends, &out->event_ns, &out->event_spread_ns);
    return 0;
}

/* All planned copies, in the order of the table. */
static int measure_copies(const struct inquiry *inquiry, struct gp_timing *out,
                          struct gp_error *err)
{
    uint32_t count = 0;
    int code = 0;

    for (int direction = 0; direction < GP_DIRECTION_COUNT; direction++) {
        for (int i = 0; i < GP_TIMING_SIZES * GP_ORACLE_TRAFFIC_COUNT && code == 0; i++) {
            struct gp_oracle_plan plan = {
                .direction = direction,
                .bytes = bytes_min << 2 * (i / GP_ORACLE_TRAFFIC_COUNT),
                .traffic = (enum gp_oracle_traffic)(i % GP_ORACLE_TRAFFIC_COUNT),
            };

            if (plan.traffic == GP_ORACLE_ALONE || 4 * plan.bytes <= GP_ORACLE_BYTES_MAX) {
                code = measure_copy(inquiry, &plan, &out->copies[count++], err);
            }
        }
    }
    out->copy_count = inquiry->cupti == NULL && code == 0 ? count : out->copy_count;
    return code;
}

/* Unwatched, then watched by CUPTI where there is one. */
static int measure(struct inquiry *inquiry, struct gp_timing *out, struct gp_error *err)
{
    int code = measure_copies(inquiry, out, err);

    if (code != 0) {
        (void)snprintf(out->note, sizeof out->note, "no copy oracle: %s", err->text);
        return code;
    }
    code = gp_cupti_create(&inquiry->cupti, err);
    code = code == 0 ? measure_copies(inquiry, out, err) : code;
    if (code != 0) {
        (void)snprintf(out->note, sizeof out->note, "no reference beside the copy oracle: %s",
                       err->text);
    }
    gp_cupti_destroy(inquiry->cupti);
    return code;
}

void gp_timing_measure_copies(struct gp_device *device, struct gp_timing *out)
{
    struct inquiry inquiry = {.device = device};
    struct gp_stream *helper = NULL;
    struct gp_error err = {0};
    int code = gp_stream_create(device, GP_STREAM_NON_BLOCKING, 0, &helper, &err);

    code = code == 0 ? gp_oracle_create(device, helper, &inquiry.oracle, &err) : code;
    code = code == 0 ? gp_engines_measure(device, &inquiry.engines, &err) : code;
    if (code == 0) {
        (void)measure(&inquiry, out, &err);
    } else {
        (void)snprintf(out->note, sizeof out->note, "no copy oracle: %s", err.text);
    }
    gp_oracle_destroy(inquiry.oracle);
    (void)gp_stream_destroy(helper, NULL);
}
